"""Data files beside tables: the same as what is shown, exact, and inert whatever a report calls itself."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import synthetic
from tallystick.board import Document, File
from tallystick.export import PAGES_AT_MOST, export
from tallystick.export.csvs import as_csv
from tallystick.export.jsons import as_json
from tallystick.export.latex import as_latex
from tallystick.export.origin import Origin
from tallystick.present import present
from tallystick.render import render
from tallystick.table import Cell, Column, Figure, Row, Table

HOSTILE = (
    '=HYPERLINK("https://evil.example")',
    r"\input{/etc/passwd} \write18{id} ^^5c A_1 & B% # $x$ ~ {",
    '"><script>alert(1)</script>',
    "@string{x = {}} } { \u202egnp\u200b\0\ud800 中文 é",
    "[first] *starred* --dash ''quoted''",
)
ORIGIN = Origin("far/index.html", None, "A board", None, "2,000 resamples", "Tallystick 0")


def table(*titles: str) -> Table:
    columns = (
        Column("rank", "Rank", "range"),
        Column("method", "Method", "header"),
        Column("value", "Value", group="Accuracy"),
        Column("interval", "Interval", "range", group="Accuracy"),
        Column("bar", "Drawn", "figure"),
        Column("about", "About", "text"),
    )
    drawn = Figure("", 1, 1, ())
    rows = [
        Row(
            f"method-{place}",
            (
                Cell("1–3", 1, ends=(1, 3)),
                Cell(title, f"m{place}"),
                Cell("0.10", 0.1 + 0.2, "on 3/4"),
                Cell("0.05–0.20", ends=(0.05, 0.2)),
                Cell("", figure=drawn),
                Cell(title),
            ),
        )
        for place, title in enumerate(titles)
    ]
    absent = Cell("—", note="undefined: nothing was scored")
    rows.append(Row("", (Cell("—"), Cell("Nothing", "nothing"), absent, absent, Cell(""), Cell("-"))))
    return Table("results", "Results", columns, tuple(rows), ("Read it so.",))


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def test_csv_has_exact_numbers_beside_the_text_and_the_reason_for_none() -> None:
    first, last = read_csv(as_csv(table("Plain"), ORIGIN))
    assert float(first["value"]) == 0.1 + 0.2
    assert first["value_shown"] == "0.10 on 3/4"
    assert (first["interval_lower"], first["interval_upper"]) == ("0.05", "0.2")
    assert (first["rank_shown"], first["rank_lower"], first["rank_upper"]) == ("1–3", "1", "3")
    assert (first["method"], first["method_shown"]) == ("m0", "Plain")
    assert (last["value"], last["value_note"]) == ("", "undefined: nothing was scored")
    assert "bar" not in first


@pytest.mark.parametrize("title", HOSTILE)
def test_no_hostile_name_is_a_formula_and_numbers_stay_numbers(title: str) -> None:
    first, _ = read_csv(as_csv(table(title), ORIGIN))
    assert all(not value.startswith(("=", "+", "-", "@", "\t", "＝")) for value in first.values())
    assert float(first["value"]) == 0.1 + 0.2


def test_a_diagnostic_table_carries_its_reason_in_every_format() -> None:
    origin = replace(ORIGIN, diagnostic="prompts differ")
    assert {row["diagnostic"] for row in read_csv(as_csv(table("A"), origin))} == {"prompts differ"}
    assert json.loads(as_json(table("A"), origin))["diagnostic"] == "prompts differ"
    shown = [line for line in as_latex(table("A"), origin).decode().splitlines() if not line.startswith("%")]
    assert any("prompts differ" in line for line in shown)


def test_json_is_the_documented_shape() -> None:
    read = json.loads(as_json(table("A"), ORIGIN))
    assert read["format"] == "tallystick-table/1"
    assert [column["id"] for column in read["columns"]] == ["rank", "method", "value", "interval", "about"]
    cells = read["rows"][0]["cells"]
    assert cells[2] == {"text": "0.10", "value": 0.1 + 0.2, "detail": "on 3/4"}
    assert cells[3] == {"text": "0.05–0.20", "value": None, "ends": [0.05, 0.2]}
    assert read["rows"][1]["cells"][2]["note"] == "undefined: nothing was scored"


def test_latex_has_as_many_cells_in_each_row_as_columns() -> None:
    text = as_latex(table(*HOSTILE), ORIGIN).decode("ascii")
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(rows) == len(HOSTILE) + 1
    assert all(len(re.findall(r"(?<!\\)&", row)) == 4 for row in rows)
    assert r"\cmidrule(lr){3-4}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_whatever_a_method_is_called(tmp_path: Path) -> None:
    found = subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("booktabs is not installed")
    origin = replace(ORIGIN, diagnostic=HOSTILE[1])
    (tmp_path / "table.tex").write_bytes(as_latex(table(*HOSTILE, "".join(map(chr, range(32, 400)))), origin))
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\\input{table.tex}\\end{document}\n"
    )
    run = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 1000


def paths(documents: object) -> set[str]:
    return {one.path for one in documents}  # type: ignore[attr-defined]


def test_every_table_that_is_shown_is_linked_to_its_files_and_they_are_there() -> None:
    files = render(export(present(synthetic.site())))
    there = {file.path for file in files}
    assert {"far/tables/results.csv", "far/tables/results.json", "far/tables/results.tex"} <= there
    page = next(file for file in files if file.path == "far/index.html").content.decode()
    assert page.count('class="exports"') == page.count("<table ")
    assert 'href="tables/results.csv" download' in page


def test_what_is_shown_stands_in_the_files() -> None:
    made = {file.path: file.content for file in render(export(present(synthetic.site())))}
    read = json.loads(made["far/tables/results.json"])
    shown = re.sub(r"<[^>]+>", " ", made["far/index.html"].decode())
    for row in read["rows"]:
        for cell in row["cells"]:
            assert cell["text"] in shown


def test_a_figure_apart_from_its_page_says_what_its_marks_mean_and_how_its_numbers_came() -> None:
    made = {file.path: file.content for file in render(export(present(synthetic.site())))}
    below = {
        path.rpartition("/")[2]: " ".join(re.findall(r'<text class="source".*?>(.*?)</text>', content.decode()))
        for path, content in made.items()
        if path.startswith("far/figures.tables/") and path.endswith(".svg")
    }
    assert "a dot: not told apart" in below["pairs.svg"]
    assert "bootstrap" in below["pairs.svg"]
    assert "in that order" in below["statuses.svg"]
    assert "bootstrap" not in below["statuses.svg"], "it shows counts"


def test_a_crowd_of_pages_has_one_file_each() -> None:
    pages = [Document(f"m/{n}.html", "method.html", {"t": table("A")}) for n in range(PAGES_AT_MOST + 1)]
    assert paths(export(pages)) == {f"m/{n}.html" for n in range(PAGES_AT_MOST + 1)} | {
        f"m/{n}.tables/all.json" for n in range(PAGES_AT_MOST + 1)
    }
    assert len(paths(export(pages[1:]))) == 4 * PAGES_AT_MOST


@pytest.mark.parametrize("hostile", HOSTILE)
def test_every_data_file_of_a_hostile_site_can_be_read(hostile: str) -> None:
    text = "".join(character for character in hostile if character != "\ud800")
    site = synthetic.site(text=lambda plain: text + plain, base_url="https://example.org/x")
    for file in render(export(present(site))):
        if file.path.endswith((".json", ".jsonld")):
            json.loads(file.content)
        elif file.path.endswith((".xml", ".svg")):
            ElementTree.fromstring(file.content)
        elif file.path.endswith(".csv"):
            rows = list(csv.reader(io.StringIO(file.content.decode("utf-8"), newline="")))
            assert len({len(row) for row in rows}) == 1, file.path
            for cell in (cell for row in rows for cell in row):
                assert not cell.startswith(("=", "+", "@", "\t", "＝")), file.path
                assert not cell.startswith("-") or float(cell) < 0, file.path


def test_the_sitemap_lists_the_pages_under_the_address_of_the_site() -> None:
    base_url = "https://example.org/x"
    files = {file.path: file for file in export(present(synthetic.site(base_url=base_url)), base_url)}
    sitemap = files["sitemap.xml"]
    assert isinstance(sitemap, File)
    places = [element.text for element in ElementTree.fromstring(sitemap.content).iter() if element.text]
    assert "https://example.org/x/far/index.html" in places
    assert not any(place.endswith(("404.html", "embed.html", ".csv")) for place in places)
    assert "sitemap.xml" not in paths(export(present(synthetic.site())))

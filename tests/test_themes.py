"""Themes: any template and any asset can be replaced by the board's own, and what templates receive is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, meta

import synthetic
from tallystick.board import Document
from tallystick.errors import SettingsError
from tallystick.export import export
from tallystick.present import present
from tallystick.render import render, template_folders

ROOT = Path(__file__).parents[1]
TEMPLATES = template_folders(None)[-1]
DOCUMENTED = (ROOT / "docs" / "themes.md").read_text("utf-8")


def names(heading: str) -> list[tuple[str, set[str]]]:
    """Return the rows of the table below a heading: first cell, and the names in the first or the last one."""
    section = DOCUMENTED.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [(row[0], set(re.findall(r"`(\w+)[^`]*`", row[-1 if len(row) == 3 else 0]))) for row in cells]


COMMON = set().union(*(found for _, found in names("What every page has")))
CALLED = set().union(*(found for _, found in names("What every template can call")))
BESIDES = {row.strip("`"): found for row, found in names("What each template has besides")}


def made() -> list[Document]:
    return [one for one in export(present(synthetic.site())) if isinstance(one, Document)]


def test_the_context_of_every_template_is_documented() -> None:
    for page in made():
        own = set(page.context) - COMMON
        assert own == BESIDES[page.template], page.path


def test_every_template_is_documented_and_uses_nothing_else() -> None:
    shipped = {path.name for path in TEMPLATES.iterdir() if path.is_file() and path.name[0] not in "._"}
    assert shipped - {"base.html"} == BESIDES.keys()
    environment = Environment(autoescape=True)
    for name, own in BESIDES.items():
        source = (TEMPLATES / name).read_text("utf-8")
        bound = set(re.findall(r"import .* as (\w+) |(?:set|macro) (\w+)", source))
        used = meta.find_undeclared_variables(environment.parse(source)) - {name for pair in bound for name in pair}
        assert used <= own | COMMON | CALLED, name


@pytest.mark.parametrize(
    ("name", "shipped", "path"),
    [
        ("base.html", "</body>", "index.html"),
        ("_macros.html", "<dl class=", "far/index.html"),
        ("board.html", "<h2 id=", "far/index.html"),
        ("figure.svg", "<rect class=", "far/figures.tables/pairs.svg"),
        ("_figure.css", ".paper { fill: #fff; }", "far/figures.tables/pairs.svg"),
        ("feed.xml", "<subtitle>", "feed.xml"),
        ("badge.svg", "<rect ", "far/badge.svg"),
    ],
)
def test_a_template_of_the_board_takes_the_place_of_the_shipped_one(
    tmp_path: Path, name: str, shipped: str, path: str
) -> None:
    (tmp_path / "templates").mkdir()
    source = (TEMPLATES / name).read_text("utf-8")
    assert shipped in source
    (tmp_path / "templates" / name).write_text(source.replace(shipped, f"<!-- own -->{shipped}"), "utf-8")
    page = [one for one in made() if one.path == path]
    (found,) = [file for file in render(page, tmp_path) if file.path == path]
    assert b"<!-- own -->" in found.content


def test_an_asset_of_the_board_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "static"
    own.mkdir(parents=True)
    (own / "table.js").write_text("// own\n", "utf-8")
    (own / "new.txt").write_text("new\n", "utf-8")
    files = {file.path: file.content for file in render(made(), tmp_path)}
    (script,) = [path for path in files if path.startswith("assets/table.")]
    assert files[script] == b"// own\n"
    assert script.encode() in files["index.html"]
    assert any(path.startswith("assets/new.") for path in files)


def test_a_template_that_asks_for_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "board.html").write_text("<p>\n{{ ranks_of_all }}</p>", "utf-8")
    with pytest.raises(SettingsError) as error:
        render(made(), tmp_path)
    assert error.value.problems[0].where == "templates/board.html line 2"
    assert "ranks_of_all" in error.value.problems[0].found

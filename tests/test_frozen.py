"""Frozen tables: their data files never change, and one that changed or vanished is found out.

The files of `golden/frozen` were made once and are never made again: if a test here fails, the program is wrong.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import board_made
import synthetic
from tallystick import frozen
from tallystick.board import FrozenTable
from tallystick.digest import canonical, sha256
from tallystick.errors import Refusal, SettingsError, UsageError
from tallystick.freeze import compared, freeze
from tallystick.pipeline import check, compute
from tallystick.settings import load_site
from test_export import HOSTILE

GOLDEN = sorted((Path(__file__).parent / "golden" / "frozen").glob("*.json"))
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def silent(_: str) -> None:
    pass


def froze(root: Path, note: str = "", now: datetime = NOW) -> tuple[FrozenTable, bool]:
    checked = check(root, now, silent)
    (docket,) = checked.dockets
    return freeze(root, compute(docket), checked.frozen.get("made", ()), load_site(root), now, note)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return board_made.make(tmp_path)


def file_of(root: Path, table: FrozenTable) -> Path:
    return root / "results" / "made" / "frozen" / f"{table.digest}.json"


def held(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def codes(root: Path) -> list[str]:
    with pytest.raises(SettingsError) as raised:
        frozen.load(root)
    return [problem.code for problem in raised.value.problems]


def test_there_are_golden_tables() -> None:
    assert len(GOLDEN) == 2


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem[:8])
def test_the_data_files_of_a_frozen_table_never_change(file: Path) -> None:
    table = frozen.parse(file.read_bytes(), file.name)
    assert table.digest == file.stem
    assert frozen.as_csv(table.document) == file.with_suffix(".csv").read_bytes()
    assert frozen.as_latex(table.document, table.digest) == file.with_suffix(".tex").read_bytes()
    assert frozen.as_bibtex(table.document, table.digest) == file.with_suffix(".bib").read_bytes()


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem[:8])
def test_a_frozen_csv_says_exactly_what_the_file_says(file: Path) -> None:
    document = json.loads(file.read_bytes())
    read = list(csv.DictReader(io.StringIO(file.with_suffix(".csv").read_bytes().decode("utf-8"), newline="")))
    assert [row["method"] for row in read] == [row["method"] for row in document["table"]["rows"]]
    for row, held in zip(read, document["table"]["rows"], strict=True):
        value = held["values"]["correct"]
        assert float(row["correct"]) == value["value"]
        assert [float(row["correct_lower"]), float(row["correct_upper"])] == value["interval"]
        assert row["report_sha256"] == held["report"]["files"][0]["sha256"]
        assert row["diagnostic"] == (f"'{mark}" if (mark := document["table"]["benchmark"]["diagnostic"]) else "")


def test_a_table_is_named_by_its_content_and_listed(root: Path) -> None:
    table, new = froze(root, "for the paper")
    assert new
    assert sha256(file_of(root, table).read_bytes()) == table.digest
    assert canonical(json.loads(file_of(root, table).read_bytes())) == table.content
    run = subprocess.run(["sha256sum", "-c", "frozen.sha256"], cwd=root / "results", capture_output=True, check=False)
    assert run.returncode == 0
    assert frozen.load(root)["made"] == (table,)


def test_the_same_table_is_frozen_once(root: Path) -> None:
    first, _ = froze(root)
    again, new = froze(root, "another note", datetime(2027, 1, 1, tzinfo=UTC))
    assert (again.digest, new) == (first.digest, False)
    assert len(list((root / "results" / "made" / "frozen").iterdir())) == 1


def test_a_table_follows_the_one_before_and_knows_that_it_was_left_behind(root: Path) -> None:
    first, _ = froze(root)
    board_made.report(root, "delta", "Delta", 0)
    second, new = froze(root)
    assert new
    assert second.document["previous"] == first.digest
    checked = check(root, NOW, silent)
    board = compared(compute(checked.dockets[0]), checked.frozen["made"])
    assert [(table.digest, table.current) for table in board.frozen] == [(first.digest, False), (second.digest, True)]


def test_one_changed_byte_is_found_out(root: Path) -> None:
    table, _ = froze(root, "kept")
    file_of(root, table).write_bytes(table.content.replace(b"kept", b"kepT"))
    assert codes(root) == ["frozen-changed"]


def test_a_vanished_table_is_found_out(root: Path) -> None:
    table, _ = froze(root)
    file_of(root, table).unlink()
    assert codes(root) == ["frozen-vanished"]


def test_a_table_that_vanished_with_its_line_is_missed_by_the_next(root: Path) -> None:
    first, _ = froze(root)
    board_made.report(root, "delta", "Delta", 0)
    froze(root)
    file_of(root, first).unlink()
    ledger = root / frozen.LEDGER
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[1:]))
    assert codes(root) == ["frozen-vanished"]


@pytest.mark.parametrize("full", [1, 2], ids=["the table", "its line"])
def test_a_full_disk_changes_no_table_and_no_line(root: Path, monkeypatch: pytest.MonkeyPatch, full: int) -> None:
    froze(root)
    board_made.report(root, "delta", "Delta", 0)
    before = held(root)
    write, written = Path.write_bytes, list[Path]()

    def until_full(path: Path, content: bytes) -> int:
        written.append(path)
        if len(written) == full:
            write(path, content[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    with pytest.raises(UsageError, match=r"no space left on device.*file-unusable"):
        froze(root)
    monkeypatch.undo()
    assert held(root) == before


def test_what_a_killed_freeze_left_stops_no_build(root: Path) -> None:
    first, _ = froze(root)
    place = file_of(root, first)
    place.with_name(f".{place.name}.writing").write_bytes(first.content[:10])
    assert frozen.load(root)["made"] == (first,)


def test_a_table_that_nothing_lists_is_found_out(root: Path) -> None:
    froze(root)
    (root / frozen.LEDGER).unlink()
    assert codes(root) == ["frozen-unlisted"]


def test_a_line_that_is_none_is_found_out(root: Path) -> None:
    froze(root)
    ledger = root / frozen.LEDGER
    ledger.write_text(ledger.read_text() + "0" * 64 + "  ../frozen/" + "0" * 64 + ".json\n")
    assert codes(root) == ["frozen-ledger"]


def test_a_table_is_listed_once(root: Path) -> None:
    froze(root)
    ledger = root / frozen.LEDGER
    line = ledger.read_text()
    ledger.write_text(line * 2)
    with pytest.raises(SettingsError, match=r"line 2.*each table once.*the table of line 1 again"):
        frozen.load(root)
    ledger.write_text(line)
    frozen.load(root)


def test_a_build_stops_where_a_table_changed(root: Path) -> None:
    table, _ = froze(root)
    file_of(root, table).unlink()
    with pytest.raises(SettingsError):
        check(root, NOW, silent)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["table"]["rows"][0]["report"]["files"][0].update(path="../../etc/passwd"),
        lambda document: document["table"]["benchmark"].update(id="../x"),
        lambda document: document["table"]["rows"][0]["values"]["correct"].update(value="0.9"),
        lambda document: document["table"]["rows"][0].update(surprise=1),
        lambda document: document["site"].update(url="javascript:alert(1)"),
        lambda document: document.update(format="tallystick-frozen/2"),
    ],
    ids=["path", "id", "number", "key", "address", "format"],
)
def test_a_frozen_table_is_read_strictly(root: Path, change: Callable[[dict[str, object]], None]) -> None:
    table, _ = froze(root)
    document = json.loads(table.content)
    change(document)
    with pytest.raises(Refusal) as raised:
        frozen.parse(canonical(document), "x.json")
    assert {problem.code for problem in raised.value.problems} == {"frozen-shape"}


def test_a_frozen_table_has_one_form(root: Path) -> None:
    table, _ = froze(root)
    with pytest.raises(Refusal) as raised:
        frozen.parse(json.dumps(table.document).encode(), "x.json")
    assert raised.value.problems[0].code == "frozen-form"


def test_a_diagnostic_board_is_frozen_with_its_mark(tmp_path: Path) -> None:
    root = board_made.make(tmp_path, diagnostic="prompts differ")
    table, _ = froze(root)
    for content in (
        table.content,
        frozen.as_csv(table.document),
        frozen.as_latex(table.document, table.digest),
        frozen.as_bibtex(table.document, table.digest),
    ):
        assert b"prompts differ" in content
    assert all(row["rank"] is None for row in table.document["table"]["rows"])


EVERY_LETTER = "".join(chr(code) for code in (*range(1, 0x250), *range(0x370, 0x400), 0x4E2D, 0x1F680))


def hostile_document(hostile: str, place: int) -> dict[str, object]:
    site = synthetic.site(lambda text: f"{hostile} {text}", "https://example.org")
    board, settings = site.boards[place], site.settings
    return frozen.document(board, settings="", site=settings, tool="", day=NOW.date(), note=hostile, previous=None)


def set_paper(folder: Path, body: str, *programs: str) -> str:
    """Set a paper with pdfLaTeX that may open no file but those beside it and TeX's own; return its log."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    if subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode:
        pytest.skip("booktabs is not installed")
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (folder / "paper.tex").write_text(rf"{head}{body}\end{{document}}")
    before = set(folder.iterdir())
    options = {"pdflatex": ("-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape")}
    for program in programs:
        command = [program, *options.get(program, ()), "paper"]
        environment = os.environ | {"openin_any": "p", "openout_any": "p"}
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-2000:]
    made = {path.name for path in set(folder.iterdir()) - before}
    assert made <= {f"paper.{end}" for end in ("aux", "bbl", "blg", "log", "pdf")}
    return (folder / "paper.log").read_text("latin-1")


@pytest.mark.parametrize("place", [0, 1], ids=["ranked", "diagnostic"])
@pytest.mark.parametrize("hostile", [*HOSTILE, EVERY_LETTER], ids=range(len(HOSTILE) + 1))
def test_the_latex_file_of_a_frozen_table_is_set_whatever_it_says(hostile: str, place: int, tmp_path: Path) -> None:
    (tmp_path / "table.tex").write_bytes(frozen.as_latex(hostile_document(hostile, place), "0" * 64))
    log = set_paper(tmp_path, r"\input{table.tex}", "pdflatex")
    assert "Missing character" not in log


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if text.isascii()])
def test_the_bibtex_file_of_a_frozen_table_is_set_whatever_it_says(hostile: str, tmp_path: Path) -> None:
    (tmp_path / "table.bib").write_bytes(frozen.as_bibtex(hostile_document(hostile, 1), "0" * 64))
    body = r"\nocite{*}\bibliographystyle{plain}\bibliography{table}"
    set_paper(tmp_path, body, "pdflatex", "bibtex", "pdflatex")
    assert (tmp_path / "paper.bbl").read_text().count(r"\bibitem") == 1


def test_nothing_is_not_frozen(tmp_path: Path) -> None:
    root = board_made.make(tmp_path, {})
    with pytest.raises(UsageError) as raised:
        froze(root)
    assert raised.value.problems[0].code == "nothing-to-freeze"


def test_a_note_must_be_fit_to_be_shown(root: Path) -> None:
    with pytest.raises(UsageError):
        froze(root, "\u202egnp")


def test_what_changed_is_told_method_by_method(root: Path) -> None:
    then, _ = froze(root)
    board_made.report(root, "beta", "A_1 & B%", 2)
    board_made.report(root, "delta", "Delta", 0)
    (root / "results/made/reports/gamma.json").unlink()
    now, _ = froze(root)
    found = {one.method: one.kind for one in frozen.changes(then.document["table"], now.document["table"])}
    assert found["beta"] == "changed"
    assert found["delta"] == "added"
    assert found["gamma"] == "removed"
    assert list(frozen.differences(then.document["table"], then.document["table"])) == []
    assert date.fromisoformat(then.document["frozen"]) == NOW.date()

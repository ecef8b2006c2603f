"""A frozen table is repeated from its reports, found by digest wherever they lie; and a lie is found out."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

import board_made
from tallystick.board import FrozenTable
from tallystick.cli import main
from tallystick.digest import canonical, sha256
from tallystick.freeze import freeze
from tallystick.pipeline import check, compute
from tallystick.settings import load_site

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def froze(root: Path) -> FrozenTable:
    (docket,) = check(root, NOW, lambda _: None).dockets
    return freeze(root, compute(docket), (), load_site(root), NOW, "")[0]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return board_made.make(tmp_path / "board")


def verify(file: Path, reports: Path, *further: str) -> int:
    return main(["verify", str(file), "--reports", str(reports), *further])


def test_a_table_is_repeated_bit_for_bit(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = froze(board)
    assert verify(board / f"results/made/frozen/{table.digest}.json", board) == 0
    assert "equal bit for bit" in capsys.readouterr().out


def test_reports_are_found_by_digest_whatever_they_are_called(board: Path, tmp_path: Path) -> None:
    table = froze(board)
    away = tmp_path / "elsewhere" / "deep"
    away.mkdir(parents=True)
    for number, file in enumerate(sorted((board / "results/made").rglob("*.json*"))):
        shutil.copy(file, away / f"{number}.bin")
    downloaded = tmp_path / "table.json"
    downloaded.write_bytes(table.content)
    assert verify(downloaded, tmp_path / "elsewhere", "--digest", table.digest) == 0


def test_a_changed_report_is_not_the_one_that_was_named(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = froze(board)
    report = board / "results/made/reports/beta.json"
    report.write_bytes(report.read_bytes().replace(b"B%", b"C%"))
    assert verify(board / f"results/made/frozen/{table.digest}.json", board) == 1
    said = capsys.readouterr().out
    assert "not found: reports/beta.json" in said
    assert "--reports" not in said
    assert "Not repeated." in said


def test_a_folder_without_any_of_its_files_is_the_wrong_one(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = froze(board)
    (tmp_path / "empty").mkdir()
    assert verify(board / f"results/made/frozen/{table.digest}.json", tmp_path / "empty") == 1
    assert "Name the folder that holds these files" in capsys.readouterr().out


def test_a_changed_byte_of_the_table_is_found_out(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = froze(board)
    file = board / f"results/made/frozen/{table.digest}.json"
    file.write_bytes(table.content.replace(b"For", b"for").replace(b"Made up", b"Made Up"))
    assert verify(file, board) == 1
    assert "frozen-changed" in capsys.readouterr().err


def test_a_number_that_the_reports_do_not_give_is_found_out(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = froze(board)
    document = json.loads(table.content)
    document["table"]["rows"][1]["values"]["correct"]["value"] += 2**-52
    forged = canonical(document)
    file = board / f"{sha256(forged)}.json"
    file.write_bytes(forged)
    assert verify(file, board) == 1
    assert "differs: /rows/1/values/correct/value" in capsys.readouterr().out


def test_an_invented_rank_is_found_out(board: Path) -> None:
    table = froze(board)
    document = json.loads(table.content)
    document["table"]["rows"][0]["rank"] = {"lower": 1, "upper": 1, "group": "z"}
    forged = canonical(document)
    file = board / f"{sha256(forged)}.json"
    file.write_bytes(forged)
    assert verify(file, board) == 1


def test_paths_that_stand_in_each_other_s_way_are_told(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(froze(board).content)
    document["table"]["rows"][0]["report"]["files"][0]["path"] = "samples.jsonl/x.json"
    forged = canonical(document)
    file = board / f"{sha256(forged)}.json"
    file.write_bytes(forged)
    assert verify(file, board) == 1
    assert "frozen-paths" in capsys.readouterr().out


def test_a_file_that_is_no_table_is_refused(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(board / "results/made/reports/alpha.json", board) == 1
    assert "frozen-shape" in capsys.readouterr().err
    assert verify(board / "nothing.json", board) == 2

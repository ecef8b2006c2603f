"""Commands as they are called: what they say, where, and with which exit status."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from board_made import make
from tallystick import command
from tallystick.cli import main
from tallystick.errors import UsageError

TINY = Path(__file__).parent / "faults" / "board"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    shutil.copytree(TINY, tmp_path / "board")
    (tmp_path / "board/content").mkdir()
    (tmp_path / "board/content/site.yaml").write_text("title: Tiny\n")
    return tmp_path / "board"


def test_build_says_what_it_made_and_ends_well(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--root", str(board)]) == 0
    out = capsys.readouterr().out
    assert "admitted   results/tiny/reports/honest.json (honest)" in out
    assert (board / "site/index.html").is_file()
    assert (board / "site/tiny/methods/honest.html").is_file()


def test_a_refused_report_is_told_but_stops_only_strict_builds(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (board / "results/tiny/reports/broken.json").write_text("{")
    assert main(["build", "--root", str(board)]) == 0
    assert main(["build", "--root", str(board), "--strict"]) == 1
    assert main(["check", "--root", str(board)]) == 1
    out = capsys.readouterr().out
    assert "refused    results/tiny/reports/broken.json" in out
    assert "admitted   results/tiny/reports/honest.json" in out
    assert "broken.json" in (board / "site/tiny/audit.html").read_text("utf-8")


def test_check_looks_only_where_it_is_told_to(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (board / "results/tiny/reports/broken.json").write_text("{")
    honest = board / "results/tiny/reports/honest.json"
    assert main(["check", "--root", str(board), str(honest)]) == 0
    assert "broken" not in capsys.readouterr().out
    assert main(["check", "--root", str(board), str(board / "results/tiny/nowhere.json")]) == 2
    assert "path-without-report" in capsys.readouterr().err


def test_check_as_json_is_one_document(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--root", str(board), "--format", "json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert (report["method"], report["outcome"]) == ("honest", "admitted")


def test_check_says_how_much_it_read_of_which_nothing_is_new(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known, summary = board / "known.json", board / "summary.md"
    assert main(["check", "--root", str(board), "--format", "json"]) == 0
    known.write_text(capsys.readouterr().out)
    again = ["check", "--root", str(board), "--known", str(known), "--summary", str(summary)]
    assert main(again) == 0
    assert capsys.readouterr().out == "1 report read: nothing is new\n"
    assert summary.read_text() == "### 1 report read: nothing is new\n\n"
    (board / "results/tiny/reports/broken.json").write_text("{")
    assert main(again) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 report: 1 refused; 1 more is known"


def test_settings_that_are_wrong_end_with_two(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (board / "results/tiny/benchmark.yaml").write_text("titel: Tiny\n")
    assert main(["check", "--root", str(board)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "results/tiny/benchmark.yaml line 1" in captured.err


def test_comparing_needs_a_board_that_admits_both(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--root", str(board), "honest", "nobody"]) == 2
    assert "honest: admitted on tiny; nobody: unknown" in capsys.readouterr().err


def test_comparing_says_shares_of_resamples_as_pages_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = make(tmp_path, {"a": "A", "b": "B", "c": "C", "d": "D"})
    said = []
    for pair in (("a", "d"), ("d", "a"), ("b", "c")):
        assert main(["compare", "--root", str(root), *pair]) == 0
        header, row = capsys.readouterr().out.splitlines()[2:4]
        said.append(re.split("  +", row)[re.split("  +", header).index("B better")])
    assert said[:2] == ["0%", "100%"]
    assert re.fullmatch(r"\d\.\d%", said[2])


def test_our_own_fault_ends_with_three_and_says_so(
    board: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tallystick.pipeline.check", broken)
    assert main(["check", "--root", str(board)]) == 3
    assert "our own fault" in capsys.readouterr().err


def too_much(*_: object) -> None:
    np.empty(1 << 56)


def refused_by_the_system(*_: object) -> None:
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


def without_room_for_a_thread(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("exhausting", [too_much, refused_by_the_system, without_room_for_a_thread])
@pytest.mark.parametrize("stage", ["check", "render", "publish"])
def test_memory_that_is_exhausted_is_told_in_a_line_and_the_old_site_stays(
    board: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    exhausting: Callable[..., None],
) -> None:
    assert main(["build", "--root", str(board)]) == 0
    before = {file: file.read_bytes() for file in (board / "site").rglob("*") if file.is_file()}
    capsys.readouterr()
    (board / "content/site.yaml").write_text("title: Another\n")
    monkeypatch.setattr(f"tallystick.pipeline.{stage}", exhausting)
    assert main(["build", "--root", str(board), "--no-cache"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tallystick: build: expected enough memory, found none ")
    assert line.endswith("[memory-exhausted]")
    assert before == {file: file.read_bytes() for file in (board / "site").rglob("*") if file.is_file()}


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_output_to_a_full_disk_is_explained() -> None:
    with FULL.open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "tallystick", "schema", "site"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 2
    assert run.stderr.startswith(
        "tallystick: standard output: expected a file to write, found no space left on device."
    )
    assert len(run.stderr.splitlines()) == 1


def test_a_reader_who_has_seen_enough_is_no_fault() -> None:
    read, write = os.pipe()
    os.close(read)
    run = subprocess.run(
        [sys.executable, "-m", "tallystick", "schema", "site"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [[], ["dance"], ["build", "--dance"]])
def test_usage_ends_with_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def test_the_clock_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert command.present_time().isoformat() == "1970-01-02T00:00:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    with pytest.raises(UsageError, match="source-date-epoch"):
        command.present_time()

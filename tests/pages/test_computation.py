"""The ten lines on the page repeat the published interval to the last bit."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from reading import text_of
from tallystick.board import Board, File
from tallystick.pages.computation import PAGE
from tallystick.render import render


def built(board: Board) -> dict[str, File]:
    return {f.path: f for f in render(PAGE.documents(replace(synthetic.site(), boards=(board,))))}


@pytest.mark.parametrize("board", [synthetic.board(), synthetic.board("pilot", 36, "a pilot")])
def test_the_program_of_the_page_prints_the_published_interval(tmp_path: Path, board: Board) -> None:
    files, folder = built(board), board.benchmark.id
    page = files[f"{folder}/computation.html"]
    (program,) = [text for text in text_of(page, "code") if text.startswith("import")]
    assert len(program.splitlines()) == 10
    (tmp_path / "computation.json").write_bytes(files[f"{folder}/computation.json"].content)
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    interval = board.entries[0].estimates["accuracy"].interval
    assert interval is not None
    assert [float(line) for line in run.stdout.split()] == [interval.lower, interval.upper]
    assert text_of(page, "samp") == [run.stdout.strip()]


def test_values_that_do_not_give_the_published_estimate_are_never_offered() -> None:
    board = synthetic.board()
    entries = tuple(
        replace(entry, estimates={m: replace(e, value=0.123) for m, e in entry.estimates.items()})
        for entry in board.entries
    )
    files = built(replace(board, entries=entries))
    assert "far/computation.json" not in files
    assert "In ten lines" not in files["far/computation.html"].content.decode()


def test_words_follow_what_the_board_does() -> None:
    board = synthetic.board()
    text = built(board)["far/computation.html"].content.decode()
    assert "Clusters." in text
    assert "Holm" in text
    assert "<strong>Ranks.</strong>" in text
    plain = replace(board, comparisons=(), standings={}, benchmark=replace(board.benchmark, stratum=None))
    text = built(plain)["far/computation.html"].content.decode()
    assert "Holm" not in text
    assert "<strong>Ranks.</strong>" not in text
    assert "from all of them" in text

"""Freeze the table of a board, so that it can be cited; and say which frozen tables are still the live one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tallystick import __version__, frozen
from tallystick.board import Board, FrozenTable, SiteSettings
from tallystick.errors import Problem, Refusal, UsageError
from tallystick.strict import text
from tallystick.strict.files import MEGABYTE, read_file
from tallystick.strict.names import hidden_characters

NOTE_LENGTH = 500


def freeze(
    root: Path, board: Board, shelf: Iterable[FrozenTable], site: SiteSettings, now: datetime, note: str
) -> tuple[FrozenTable, bool]:
    """Write a board's table below `results/<benchmark>/frozen/`, and say whether it is new.

    `shelf` are the tables of this board that were frozen before, the last one last. A table that is frozen already is
    not frozen again. Raises UsageError where there is nothing to freeze, or where the note cannot be shown.
    """
    shelf = tuple(shelf)
    if problem := _problem(board, note):
        raise UsageError([problem])
    table = frozen.table(board)
    for earlier in shelf:
        if frozen.same_table(earlier.document["table"], table):
            return earlier, False
    document = frozen.document(
        board,
        settings=_settings(root, board.benchmark.id),
        site=site,
        tool=f"Tallystick {__version__}",
        day=now.date(),
        note=note,
        previous=shelf[-1].digest if shelf else None,
    )
    return frozen.add(root, document), True


def compared(board: Board, shelf: Iterable[FrozenTable]) -> Board:
    """Return a board with its frozen tables, each held against the live one."""
    shelf = tuple(shelf)
    if not shelf:
        return board
    table = frozen.table(board)
    found = (replace(one, current=frozen.same_table(one.document["table"], table)) for one in shelf)
    return replace(board, frozen=tuple(found))


def _problem(board: Board, note: str) -> Problem | None:
    if not board.entries:
        remedy = "Freeze a board once a report is admitted; `tallystick check` says what is wrong with each."
        return Problem("nothing-to-freeze", board.benchmark.id, "a report that is shown", "none", remedy)
    if len(note) > NOTE_LENGTH or hidden_characters(note):
        expected = f"at most {NOTE_LENGTH} visible characters"
        return Problem("unsafe-note", "--note", expected, f"{len(note)} characters", "Write a short note on one line.")
    return None


def _settings(root: Path, benchmark: str) -> str:
    where = f"results/{benchmark}/benchmark.yaml"
    try:
        return text(read_file(root, where, MEGABYTE, where), where)
    except Refusal as refusal:
        raise UsageError(refusal.problems) from None

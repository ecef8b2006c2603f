"""Frozen tables as pages show them, made from the frozen file alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick import frozen, numerals
from tallystick.board import Board, FrozenTable
from tallystick.pages._frame import audit_path, frozen_path
from tallystick.table import Cell, Column, Row, Table

MARK = "Diagnostic, no publication evidence."


def changes_path(table: FrozenTable) -> str:
    """Return where it is told what changed since a table was frozen."""
    return f"t/{table.digest}/changes.html"


def state(table: FrozenTable) -> str:
    """Say in a word whether a frozen table is still the live one."""
    return "current" if table.current else "superseded"


def number_cells(found: Mapping[str, Any] | None, decimals: int) -> tuple[Cell, Cell]:
    """Return the cells of a frozen value and of its interval."""
    if found is None or found["value"] is None:
        absent = Cell(numerals.UNDEFINED, note=(found["note"] if found else "") or "undefined: no sample has a value")
        return absent, absent
    counted = "" if found["n"] == found["total"] else f"on {numerals.of(found['n'], found['total'])}"
    return (
        Cell(frozen.value_text(found["value"], decimals), found["value"], counted),
        Cell(frozen.interval_text(found["interval"], decimals)),
    )


def rank_text(row: Mapping[str, Any] | None) -> str:
    """Write the range of ranks of a frozen row."""
    rank = row["rank"] if row else None
    return numerals.UNDEFINED if rank is None else numerals.ranks(rank["lower"], rank["upper"])


def withdrawn_since(board: Board, table: FrozenTable) -> tuple[tuple[str, str, str], ...]:
    """Return title, reason and day of every method of a frozen table that was taken back."""
    titles = {row["method"]: row["title"] for row in table.document["table"]["rows"]}
    return tuple(
        (titles[item.method], item.reason, item.day.isoformat()) for item in board.withdrawn if item.method in titles
    )


def shelf_table(board: Board) -> Table:
    """Tabulate the frozen tables of a board, the newest first."""
    columns = (
        Column("table", "Table", "header"),
        Column("frozen", "Frozen on", "text"),
        Column("methods", "Methods"),
        Column("state", "State", "text"),
        Column("note", "Note", "text"),
        Column("digest", "SHA-256", "code"),
    )
    rows = tuple(_shelf_row(board, table) for table in reversed(board.frozen))
    return Table(
        f"frozen-{board.benchmark.id}".replace(".", "_"), f"Frozen tables of {board.benchmark.title}", columns, rows
    )


def _shelf_row(board: Board, table: FrozenTable) -> Row:
    held = table.document
    taken_back = len(withdrawn_since(board, table))
    said = f"{numerals.count(taken_back)} withdrawn since" if taken_back else ""
    cells = (
        Cell(f"{table.benchmark} {table.digest[:12]}", table.digest, href=frozen_path(table.digest)),
        Cell(held["frozen"], held["frozen"]),
        Cell(numerals.count(len(held["table"]["rows"])), len(held["table"]["rows"])),
        Cell(state(table), state(table), said),
        Cell(held["note"]),
        Cell(table.digest, table.digest),
    )
    return Row("", cells)


def audit_link(board: Board) -> str:
    """Return where withdrawn reports stand."""
    return f"{audit_path(board)}#withdrawn"

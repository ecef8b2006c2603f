"""Where a table stands: what every data file repeats, so that it is not read without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.board import Document
from tallystick.table import Cell, Column, Table


@dataclass(frozen=True, slots=True)
class Origin:
    """The page of a table: its path and address, its title, why it is no evidence (if so), recipe and tool."""

    path: str
    url: str | None
    title: str
    diagnostic: str | None
    recipe: str
    tool: str

    @classmethod
    def of(cls, page: Document) -> Origin:
        """Read it from what the page's template receives."""
        context = page.context
        base = getattr(context.get("site"), "base_url", None)
        return cls(
            page.path,
            f"{base}/{page.path}" if base else None,
            str(context.get("title", "")),
            context.get("diagnostic") or None,
            str(context.get("recipe") or ""),
            str(context.get("tool") or ""),
        )


def columns_of(table: Table) -> tuple[tuple[Column, tuple[Cell, ...]], ...]:
    """Return the columns that hold text or numbers, each with its cells from top to bottom; drawings repeat them."""
    return tuple(
        (column, tuple(row.cells[index] for row in table.rows))
        for index, column in enumerate(table.columns)
        if column.kind != "figure"
    )


def shown(cell: Cell) -> str:
    """Return all text of a cell on one line."""
    return " ".join((cell.text, *cell.detail.split("\n"))).strip()


def is_exact(cells: Sequence[Cell]) -> bool:
    """Say whether a column holds values beside its text."""
    return any(cell.value is not None for cell in cells)

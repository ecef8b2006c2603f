"""Tables and figures as plain values, from which every rendering and every export is made.

A cell holds its text as it is shown and its value as it is computed, so that HTML, CSV, JSON and LaTeX cannot differ.
Nothing here knows how to draw or how to round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ColumnKind = Literal["header", "text", "number", "figure", "code"]
Shape = Literal["line", "circle", "rect", "text", "path"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One SVG element: `attributes` are geometry only, `role` becomes its class and so its colour."""

    shape: Shape
    role: str
    attributes: tuple[tuple[str, str], ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing in user units. One without `title` only repeats what stands beside it, and is hidden from readers."""

    id: str
    width: int
    height: int
    marks: tuple[Mark, ...]
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows. `value` is exact and None where undefined; `detail` is a second, smaller line.

    `note` gives the reason behind the cell and becomes a footnote of its table. `href` is a site path.
    """

    text: str
    value: float | int | str | None = None
    detail: str = ""
    href: str | None = None
    note: str = ""
    figure: Figure | None = None
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: exactly one of a table has the kind "header" and names its rows.

    `group` is a heading shared with neighbouring columns, `hint` a second line, `axis` the scale of the figures below.
    """

    id: str
    title: str
    kind: ColumnKind = "number"
    hint: str = ""
    group: str = ""
    axis: Figure | None = None
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row, anchored by an id that outlives ranks and display names ("" for none)."""

    id: str
    cells: tuple[Cell, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A captioned table; `notes` are sentences that hold for all of it."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def footnotes(self) -> tuple[str, ...]:
        """The distinct reasons of its cells, in order of appearance."""
        return tuple(dict.fromkeys(cell.note for row in self.rows for cell in row.cells if cell.note))

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Runs of columns under one heading, as (heading, number of columns); empty where no column has one."""
        if not any(column.group for column in self.columns):
            return ()
        runs: list[tuple[str, int]] = []
        for column in self.columns:
            if runs and column.group and runs[-1][0] == column.group:
                runs[-1] = (column.group, runs[-1][1] + 1)
            else:
                runs.append((column.group, 1))
        return tuple(runs)

"""Tables and figures as plain values, from which every rendering and every export is made.

A cell holds its text as it is shown and its value as it is computed, so that HTML, CSV, JSON and LaTeX cannot differ.
Nothing here knows how to draw or how to round.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Literal

ColumnKind = Literal["header", "text", "number", "range", "figure", "code"]
Order = Literal["ascending", "descending"]
Facet = Literal["value", "letters"]
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
    """A drawing in user units. One without `title` only repeats what stands beside it, and is hidden from readers.

    `narrow` is the same drawing for a screen that is too narrow for this one. `inferred` is false
    where it shows counts only: no interval, rank or test, so that how those were computed need not be said.
    """

    id: str
    width: int
    height: int
    marks: tuple[Mark, ...]
    title: str = ""
    description: str = ""
    narrow: Figure | None = None
    inferred: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows. `value` is exact and None where undefined; `detail` are further, smaller lines.

    `note` gives the reason behind the cell and becomes a footnote of its table. `href` is a site path. `ends` are the
    exact ends of the interval or of the range that `text` or `detail` shows, for exports.
    """

    text: str
    value: float | int | str | None = None
    detail: str = ""
    href: str | None = None
    note: str = ""
    figure: Figure | None = None
    tone: str = ""
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: exactly one of a table has the kind "header" and names its rows.

    `group` is a heading shared with neighbouring columns, `hint` a second line, `axis` the scale of the figures below.
    `order` is the one that puts the best first, `facet` says whether rows can be chosen by their value or by each of
    their letters, and a `minor` column may be left out where room is scarce. They matter to scripts only.
    """

    id: str
    title: str
    kind: ColumnKind = "number"
    hint: str = ""
    group: str = ""
    axis: Figure | None = None
    href: str | None = None
    order: Order | None = None
    facet: Facet | None = None
    minor: bool = False


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
    def groups(self) -> tuple[tuple[str, tuple[Column, ...]], ...]:
        """Neighbouring columns under one heading, as (heading, columns); a column without one stands alone."""
        runs: list[tuple[str, tuple[Column, ...]]] = []
        for column in self.columns:
            if runs and column.group and runs[-1][0] == column.group:
                runs[-1] = (column.group, (*runs[-1][1], column))
            else:
                runs.append((column.group, (column,)))
        return tuple(runs)

    def without(self, needless: Set[str]) -> Table:
        """Return the table without some of its columns."""
        kept = [index for index, column in enumerate(self.columns) if column.id not in needless]
        columns = tuple(self.columns[index] for index in kept)
        rows = tuple(replace(row, cells=tuple(row.cells[index] for index in kept)) for row in self.rows)
        return replace(self, columns=columns, rows=rows)

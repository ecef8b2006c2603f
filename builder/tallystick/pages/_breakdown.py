"""A board by the values of an axis: where their pages lie, the board narrowed to one of them, and the table of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tallystick import numerals
from tallystick.board import Board, Breakdown, Entry, Estimate, Link
from tallystick.pages import _estimates as cells
from tallystick.pages._frame import method_path
from tallystick.pages._slugs import slugs
from tallystick.table import Cell, Column, Row, Table

CELLS_AT_MOST = 5000
"""Cells of one table of methods and values; a board with more has several, a page each."""

SHOWN_ON_BOARD = 200
"""Cells of a table of methods and values up to which the board itself shows it."""
LINKS_AT_MOST = 30

SPLIT_NOTE = (
    "A method that lacks a score for one of these samples speaks of its scored ones only: “on k/n”, with its worst and"
    " best case."
)


@dataclass(frozen=True, slots=True)
class Part:
    """The samples with one value of an axis; `path` is the page about them."""

    axis: str
    value: str
    size: int
    path: str

    @property
    def link(self) -> Link:
        """Return the way to its page."""
        return Link(self.value, self.path)


def axes(board: Board) -> tuple[str, ...]:
    """Return the axes that tell samples apart, in the order of the board."""
    return tuple(axis for axis in board.benchmark.axes if len(set(board.benchmark.samples.axes[axis])) > 1)


def axis_words(axis: str) -> str:
    """Return an axis as it is read in a sentence."""
    return axis.replace("_", " ")


def axis_path(board: Board, axis: str, number: int = 1) -> str:
    """Return where the overview of an axis lies; further numbers are the further pages of a large one."""
    folder = f"{board.benchmark.id}/by/{slugs(board.benchmark.axes)[axis]}"
    return f"{folder}/index.html" if number == 1 else f"{folder}/index-{numerals.exact(number)}/index.html"


def parts(board: Board, axis: str) -> tuple[Part, ...]:
    """Return the values of an axis, sorted, each with its page."""
    counts = Counter(value for value in board.benchmark.samples.axes[axis] if value is not None)
    names, folder = slugs(sorted(counts)), axis_path(board, axis).removesuffix("/index.html")
    return tuple(Part(axis, value, counts[value], f"{folder}/{name}.html") for value, name in names.items())


def breakdown(entry: Entry, axis: str, value: str) -> Breakdown | None:
    """Return an entry's numbers on the samples of an axis value."""
    return next((part for part in entry.breakdowns if (part.axis, part.value) == (axis, value)), None)


def narrowed(board: Board, axis: str, value: str) -> Board:
    """Return the board as if there were no other samples: without ranks, which are of all, and without comparisons."""
    entries = [_narrowed(board, entry, part) for entry in board.entries if (part := breakdown(entry, axis, value))]
    metric = board.benchmark.metric(board.benchmark.primary)

    def order(entry: Entry) -> tuple[bool, float, str]:
        found = entry.estimates.get(metric.id)
        known = found is not None and found.value is not None
        return (not known, -metric.sign * found.value if found and found.value is not None else 0.0, entry.method)

    return replace(
        board, entries=tuple(sorted(entries, key=order)), comparisons=(), pairs=(), standings={}, ranking=None
    )


def _narrowed(board: Board, entry: Entry, part: Breakdown) -> Entry:
    primary = part.estimates.get(board.benchmark.primary)
    return replace(
        entry,
        ledger=part.ledger,
        estimates=part.estimates,
        breakdowns=(),
        complete=primary is not None and primary.value is not None and not primary.conditional,
    )


def pages_of(board: Board, axis: str) -> tuple[tuple[Entry, ...], ...]:
    """Return the entries of each page of an axis: one, unless they would make a table that nobody can use."""
    rows = max(1, CELLS_AT_MOST // max(1, len(parts(board, axis))))
    found = tuple(board.entries[start : start + rows] for start in range(0, len(board.entries), rows))
    return found or ((),)


def axis_table(board: Board, axis: str, entries: Sequence[Entry], id_: str) -> Table | None:
    """Tabulate entries by the values of an axis, in the primary metric."""
    if not entries:
        return None
    metric, listed = board.benchmark.metric(board.benchmark.primary), parts(board, axis)
    found = [{part.value: part for part in entry.breakdowns if part.axis == axis} for entry in entries]
    decimals = cells.places(estimate for row in found for estimate in _estimates(row.values(), metric.id))
    columns = (
        Column("method", "Method", "header"),
        *(
            Column(f"value-{index}", part.value, hint=_samples(part.size), href=part.path)
            for index, part in enumerate(listed, start=1)
        ),
    )
    rows = tuple(
        Row(
            "",
            (
                Cell(entry.report.method.title, entry.method, href=method_path(board, entry.method)),
                *(_cell(row.get(part.value), metric.id, decimals) for part in listed),
            ),
        )
        for entry, row in zip(entries, found, strict=True)
    )
    partial = any(one is not None and one.bounds for row in found for one in _estimates(row.values(), metric.id))
    notes = (f"{SPLIT_NOTE} {cells.BOUNDS_NOTE}",) if partial else ()
    return Table(id_, f"{metric.title} by {axis_words(axis)}", columns, rows, notes)


def _estimates(found: Iterable[Breakdown], metric: str) -> Iterator[Estimate | None]:
    return (part.estimates.get(metric) for part in found)


def _cell(part: Breakdown | None, metric: str, decimals: int) -> Cell:
    if part is None:
        return Cell(numerals.UNDEFINED, note="nothing was computed for these samples")
    return cells.full_cell(part.estimates.get(metric), decimals, part.ledger.total)


def _samples(size: int) -> str:
    return "1 sample" if size == 1 else f"{numerals.count(size)} samples"


@dataclass(frozen=True, slots=True)
class Overview:
    """An axis as the board shows it: the way to its page and to each value, and the table where it is small."""

    link: Link
    values: tuple[Link, ...]
    more: str
    table: Table | None


def overviews(board: Board) -> tuple[Overview, ...]:
    """Return what the board shows of each axis."""
    made = []
    for index, axis in enumerate(axes(board), start=1):
        found = parts(board, axis)
        small = len(found) * len(board.entries) <= SHOWN_ON_BOARD
        hidden = len(found) - LINKS_AT_MOST
        made.append(
            Overview(
                link=Link(f"By {axis_words(axis)}", axis_path(board, axis)),
                values=tuple(part.link for part in found[:LINKS_AT_MOST]),
                more=f"{numerals.count(hidden)} more" if hidden > 0 else "",
                table=axis_table(board, axis, board.entries, f"by-{numerals.exact(index)}") if small else None,
            )
        )
    return tuple(made)

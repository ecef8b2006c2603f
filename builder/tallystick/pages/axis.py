"""The pages of an axis: an overview of its values, and for each of them every metric of every method on its samples."""

from __future__ import annotations

from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.pages import _estimates as cells
from tallystick.pages._breakdown import Part, axes, axis_path, axis_table, axis_words, narrowed, pages_of, parts
from tallystick.pages._frame import later, method_path, page
from tallystick.pages._results import further_table, incomplete_table, results_table
from tallystick.pages._samples import sample_links
from tallystick.pages._words import neighbours, recipe

CELLS_AT_MOST = 200_000
"""Cells of all pages of an axis up to which each shows every metric; beyond, only the primary one."""


def documents(site: Site) -> tuple[Document, ...]:
    """Make the overview of each axis of each board, and a page for each of its values."""
    made = []
    for board in site.boards:
        for axis in axes(board):
            for number in range(1, len(pages_of(board, axis)) + 1):
                path = axis_path(board, axis, number)
                made.append(later(path, "axis.html", partial(_overview, site, board, axis, number)))
            found = parts(board, axis)
            for place, part in enumerate(found):
                made.append(later(part.path, "axis_value.html", partial(_value, site, board, found, place)))
    return tuple(made)


def _overview(site: Site, board: Board, axis: str, number: int) -> Document:
    """Return the overview, or one page of it where the board is large."""
    paged = pages_of(board, axis)
    title = f"By {axis_words(axis)}"
    return page(
        site,
        axis_path(board, axis, number),
        "axis.html",
        title=title,
        description=f"Every method of {board.benchmark.title} by {axis_words(axis)}.",
        board=board,
        crumbs=(Link(title, axis_path(board, axis)),),
        axis=axis_words(axis),
        values=tuple((part.link, numerals.count(part.size)) for part in parts(board, axis)),
        table=axis_table(board, axis, paged[number - 1], "by-value"),
        numbers=tuple(Link(numerals.count(one), axis_path(board, axis, one)) for one in range(1, len(paged) + 1)),
        here=axis_path(board, axis, number),
        others=tuple(Link(f"By {axis_words(one)}", axis_path(board, one)) for one in axes(board) if one != axis),
        recipe=recipe(board),
    )


def _value(site: Site, board: Board, found: tuple[Part, ...], place: int) -> Document:
    part = found[place]
    own = narrowed(board, part.axis, part.value)
    complete = tuple(entry for entry in own.entries if entry.complete)
    incomplete = tuple(entry for entry in own.entries if not entry.complete)
    whole = len(found) * len(board.entries) * len(board.benchmark.metrics) <= CELLS_AT_MOST
    words = axis_words(part.axis)
    return page(
        site,
        part.path,
        "axis_value.html",
        title=part.value,
        description=f"{words.capitalize()} {part.value} of {board.benchmark.title}: every method on its samples.",
        board=board,
        crumbs=(Link(f"By {words}", axis_path(board, part.axis)), Link(part.value, part.path)),
        axis=words,
        size=numerals.count(part.size),
        total=numerals.count(len(board.benchmark.samples.ids)),
        results=results_table(own, complete),
        metrics=further_table(own, complete, "metrics", "Every other metric") if whole else None,
        incomplete=incomplete_table(own, incomplete),
        incomplete_metrics=(
            further_table(own, incomplete, "incomplete-metrics", "Every other metric, incomplete reports")
            if whole
            else None
        ),
        whole=whole,
        ledger=cells.ledger_table([(entry, method_path(board, entry.method)) for entry in own.entries]),
        samples=sample_links(board, part.axis, part.value),
        neighbours=neighbours([one.link for one in found], place),
        recipe=recipe(own),
    )


PAGE = PageType(
    "axis", "The values of an axis: every method on the samples of one source, category or family.", documents
)

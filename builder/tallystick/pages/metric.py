"""The page of a metric: every method in the order of this metric and in its own direction, drawn and tabulated."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Entry, Estimate, Link, PageType, Site
from tallystick.model import Metric
from tallystick.pages import _estimates as cells
from tallystick.pages._breakdown import axes, axis_words, breakdown, parts
from tallystick.pages._forests import DRAWN, metric_forest, metrics_shown, value_of
from tallystick.pages._frame import later, metric_path, page
from tallystick.pages._plots import Panel, multiples
from tallystick.pages._results import incomplete_table, results_table
from tallystick.pages._words import direction, recipe
from tallystick.table import Figure

COMPARED, PANELS = 12, 12
"""Methods of each panel and panels of one figure by axis value."""


def documents(site: Site) -> tuple[Document, ...]:
    """Make a page for each metric of each board that any report has a value of."""
    return tuple(
        later(metric_path(board, metric.id), "metric.html", partial(_document, site, board, metric))
        for board in site.boards
        for metric in metrics_shown(board)
    )


def _document(site: Site, board: Board, metric: Metric) -> Document:
    own = _focused(board, metric)
    complete = tuple(entry for entry in own.entries if entry.complete)
    incomplete = tuple(entry for entry in own.entries if not entry.complete and value_of(entry, metric) is not None)
    path = metric_path(board, metric.id)
    return page(
        site,
        path,
        "metric.html",
        title=metric.title,
        description=f"{metric.title} on {board.benchmark.title}: every method, with intervals, {direction(metric)}.",
        board=board,
        crumbs=(Link(metric.title, path),),
        about=metric.description,
        direction=direction(metric),
        primary=metric.id == board.benchmark.primary,
        forest=metric_forest(own, metric, complete),
        drawn=_drawn(complete),
        results=results_table(own, complete),
        incomplete=incomplete_table(own, incomplete),
        multiples=tuple(filter(None, (by_value(own, metric, axis) for axis in axes(own)))),
        compared=_compared(complete),
        others=tuple(
            Link(one.title, metric_path(board, one.id)) for one in metrics_shown(board) if one.id != metric.id
        ),
        recipe=recipe(own),
    )


def _focused(board: Board, metric: Metric) -> Board:
    """Return the board as if this metric were its primary one, with ranks where they are of this metric."""
    if metric.id == board.benchmark.primary:
        return board

    def full(found: Estimate | None) -> bool:
        return found is not None and found.value is not None and not found.conditional

    def order(entry: Entry) -> tuple[bool, float, str]:
        value = value_of(entry, metric)
        return (value is None, 0.0 if value is None else -metric.sign * value, entry.method)

    ranking = board.rankings.get(metric.id)
    entries = [replace(entry, complete=full(entry.estimates.get(metric.id))) for entry in board.entries]
    return replace(
        board,
        benchmark=replace(board.benchmark, primary=metric.id),
        entries=tuple(sorted(entries, key=order)),
        standings=ranking.standings if ranking else {},
        ranking=ranking,
    )


def _drawn(entries: tuple[Entry, ...]) -> str:
    if len(entries) <= DRAWN:
        return ""
    return f"The first {numerals.count(DRAWN)} of {numerals.count(len(entries))} methods; the table has all."


def _compared(entries: tuple[Entry, ...]) -> str:
    if len(entries) <= COMPARED:
        return ""
    return f"The first {numerals.count(COMPARED)} of {numerals.count(len(entries))} methods, in the order of the table."


def by_value(board: Board, metric: Metric, axis: str) -> Figure | None:
    """Draw a metric on the samples of each of the first values of an axis; None where there is but one."""
    entries = [entry for entry in board.entries if entry.complete][:COMPARED]
    found = parts(board, axis)[:PANELS]
    panels = []
    for part in found:
        of_each = [breakdown(entry, axis, part.value) for entry in entries]
        estimates = [one.estimates.get(metric.id) if one else None for one in of_each]
        points = tuple((one.value, cells.shown_interval(one)) if one else (None, None) for one in estimates)
        panels.append(Panel(part.value, f"{numerals.count(part.size)} samples", points))
    if len(panels) < 2 or not entries:
        return None
    words = axis_words(axis)
    return multiples(
        f"by-{board.benchmark.axes.index(axis)}-{metric.id}",
        f"{metric.title} by {words}",
        f"A panel for each {words}, all on one axis; in each, value and interval of the same methods in one order.",
        [entry.report.method.title for entry in entries],
        panels,
    )


PAGE = PageType("metric", "A metric: every method in its order, drawn and tabulated, and by axis value.", documents)

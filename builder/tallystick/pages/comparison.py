"""The page of a pair: candidate against baseline on the samples that both have, by every metric."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Comparison, Document, Link, PageType, Site
from tallystick.pages._comparisons import TEST_COLUMNS, difference_cells, pair_cells, pairs, places, title, warning
from tallystick.pages._comparisons import test_cells as cells_of_test
from tallystick.pages._forests import ForestRow, forest
from tallystick.pages._frame import comparison_path, entries_with_pages, later, method_path, page
from tallystick.pages._words import direction, level, recipe
from tallystick.table import Cell, Column, Figure, Row, Table

WIDEST = 2.0
"""Metrics whose values span more than this are left out of the plot: they do not share its unit."""


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each pair that was compared."""
    return tuple(
        later(comparison_path(board, *pair), "comparison.html", partial(_document, site, board, *pair))
        for board in site.boards
        for pair in pairs(board)
    )


def _document(site: Site, board: Board, baseline: str, candidate: str) -> Document:
    every = (*board.comparisons, *board.pairs)
    found = [one for one in every if (one.baseline, one.candidate) == (baseline, candidate)]
    left, right = title(board, baseline), title(board, candidate)
    path = comparison_path(board, baseline, candidate)
    paged = entries_with_pages(board)
    name = f"{right} against {left}"
    return page(
        site,
        path,
        "comparison.html",
        title=name,
        description=f"{name} on {board.benchmark.title}: paired differences with intervals, and exact tests.",
        board=board,
        crumbs=(Link(name, path),),
        candidate=Link(right, method_path(board, candidate) if candidate in paged else ""),
        baseline=Link(left, method_path(board, baseline) if baseline in paged else ""),
        baseline_digest=found[0].baseline_digest,
        warning=next((warning(board, one) for one in found if one.metric == board.benchmark.primary), ""),
        forest=_forest(board, found, left, right),
        differences=_differences(board, found),
        outcomes=_outcomes(board, found),
        recipe=recipe(board),
    )


def _forest(board: Board, found: Sequence[Comparison], left: str, right: str) -> Figure | None:
    decimals = places(found)
    rows = []
    for one in found:
        metric = board.benchmark.metric(one.metric)
        if metric.lower is None or metric.upper is None or metric.upper - metric.lower > WIDEST:
            continue
        text = numerals.signed(one.difference, decimals)
        if one.interval is not None:
            text += f"  [{numerals.signed_interval(one.interval.lower, one.interval.upper, decimals)}]"
        hint = direction(metric) if metric.direction == "lower" else ""
        rows.append(ForestRow(metric.title, hint, one.difference, one.interval, text))
    return forest(
        "differences-plot",
        f"Paired differences, {right} minus {left}",
        f"One line for each metric: the difference, its {level(board)} interval, and a vertical line at"
        " zero; an open mark where the interval holds zero.",
        tuple(rows),
        line=0.0,
        sides=("candidate lower", "candidate higher"),
    )


def _differences(board: Board, found: Sequence[Comparison]) -> Table:
    decimals = places(found)
    columns = (
        Column("metric", "Metric", "header"),
        Column("difference", "Difference", hint="candidate − baseline"),
        Column("interval", "Interval", "range", hint=level(board)),
        Column("probability", "Candidate better", hint="of resamples"),
        Column("pairs", "Pairs", hint="share of all samples"),
        Column("left-out", "Left out", hint="a value in one only"),
    )
    rows = []
    for one in found:
        metric = board.benchmark.metric(one.metric)
        row = (
            Cell(metric.title, metric.id, direction(metric)),
            *difference_cells(one, decimals),
            *pair_cells(board, one),
        )
        rows.append(Row(f"metric-{metric.id}", row))
    note = "Pairs are drawn together, and differences are taken per sample first."
    return Table("differences", "Paired differences", columns, tuple(rows), (note,))


def _outcomes(board: Board, found: Sequence[Comparison]) -> Table | None:
    """Tabulate the exact tests of binary outcomes with all four of their counts."""
    tested = [(one, one.test) for one in found if one.test is not None]
    if not tested:
        return None
    columns = (
        Column("metric", "Metric", "header"),
        Column("both", "Both right"),
        Column("neither", "Neither right"),
        *TEST_COLUMNS,
        Column("family", "Family", "text"),
    )
    rows = tuple(
        Row(
            "",
            (
                Cell(board.benchmark.metric(one.metric).title, one.metric),
                Cell(numerals.count(test.both), test.both),
                Cell(numerals.count(test.neither), test.neither),
                *cells_of_test(one),
                Cell(test.family or numerals.UNDEFINED, detail=_size(test.family_size), tone="wide"),
            ),
        )
        for one, test in tested
    )
    note = "Exact and two-sided, on discordant pairs: samples where exactly one of the two is right."
    return Table("outcomes", "Binary outcomes", columns, rows, (note,))


def _size(tests: int) -> str:
    return f"{numerals.count(tests)} tests adjusted together" if tests else ""


PAGE = PageType("comparison", "A pair of methods: differences, intervals and exact tests by every metric.", documents)

"""Tables of paired comparisons, as a board declares them or as a method takes part in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from tallystick import numerals
from tallystick.board import Board, Comparison
from tallystick.model import DeclaredComparison
from tallystick.pages._estimates import ends, spread
from tallystick.pages._figures import Axis, axis_over, bar, scale
from tallystick.pages._frame import comparison_path, method_path
from tallystick.pages._words import level
from tallystick.table import Cell, Column, Row, Table

COMMON_NOTE = "Two methods are compared on the samples on which both have a value, and on no others."
Named = Literal["both", "candidate", "baseline"]
PAIRS_AT_MOST = 15
"""Undeclared pairs up to which the board itself lists them."""


def pairs(board: Board) -> tuple[tuple[str, str], ...]:
    """Return the pairs (baseline, candidate) that have a page: as declared, then every two others of a small board."""
    few = len(board.entries) <= board.benchmark.showing.pair_pages
    found = (*board.comparisons, *(board.pairs if few else ()))
    return tuple(dict.fromkeys((one.baseline, one.candidate) for one in found))


def compared(board: Board, metric: str) -> tuple[Comparison, ...]:
    """Return every comparison by one metric, each pair once, declared ones first."""
    found = {(one.baseline, one.candidate): one for one in (*board.pairs, *board.comparisons) if one.metric == metric}
    order = dict.fromkeys((one.baseline, one.candidate) for one in (*board.comparisons, *board.pairs))
    return tuple(found[pair] for pair in order if pair in found)


def places(comparisons: Iterable[Comparison]) -> int:
    """Return the decimals of a column of differences."""
    return numerals.decimals(spread(found.interval) for found in comparisons)


def title(board: Board, method: str) -> str:
    """Return the title of a method that is shown, or its id."""
    return next((entry.report.method.title for entry in board.entries if entry.method == method), method)


def warning(board: Board, found: Comparison) -> str:
    """Warn where few of the benchmark's samples are behind a comparison."""
    if found.overlap >= board.benchmark.showing.small_overlap:
        return ""
    return f"small overlap: both have a value on {numerals.percentage(found.overlap)} of the samples only"


def difference_cells(found: Comparison, decimals: int) -> tuple[Cell, Cell, Cell]:
    """Return the cells of difference, interval and probability."""
    if found.difference is None:
        absent = Cell(numerals.UNDEFINED, note=found.note or "undefined: no sample has a value in both")
        return absent, absent, absent
    interval = found.interval
    text = (
        numerals.UNDEFINED if interval is None else numerals.signed_interval(interval.lower, interval.upper, decimals)
    )
    return (
        Cell(numerals.signed(found.difference, decimals), found.difference),
        Cell(text, note="" if interval is not None else found.note, ends=ends(interval)),
        Cell(numerals.percentage(found.probability), found.probability),
    )


def pair_cells(board: Board, found: Comparison) -> tuple[Cell, Cell]:
    """Return the cells of pairs, with their share of all samples where it is not all, and of samples left out."""
    share = numerals.percentage(found.overlap) if found.overlap < 1 else ""
    pairs_cell = Cell(numerals.count(found.pairs), found.pairs, share, note=warning(board, found))
    return pairs_cell, Cell(numerals.count(found.left_out), found.left_out)


def test_cells(found: Comparison) -> tuple[Cell, ...]:
    """Return the cells of an exact McNemar test: discordant counts, p-value, adjusted p-value."""
    test = found.test
    if test is None:
        return (Cell(numerals.UNDEFINED, note="no test: outcomes of this metric are not all 0 or 1"),) * 4
    return (
        Cell(numerals.count(test.baseline_only), test.baseline_only),
        Cell(numerals.count(test.candidate_only), test.candidate_only),
        Cell(numerals.p_value(test.p), test.p),
        Cell(numerals.p_value(test.holm), test.holm) if test.holm is not None else Cell(numerals.UNDEFINED),
    )


TEST_COLUMNS = (
    Column("baseline-only", "Baseline only", group="Exact McNemar test"),
    Column("candidate-only", "Candidate only", group="Exact McNemar test"),
    Column("p", "p", group="Exact McNemar test", order="ascending"),
    Column("holm", "p, Holm", group="Exact McNemar test", order="ascending"),
)


def pair_table(
    board: Board,
    id_: str,
    caption: str,
    found: Sequence[Comparison],
    notes: tuple[str, ...] = (),
    named: Named = "both",
) -> Table:
    """Tabulate comparisons of one metric, a pair per row, all drawn on one axis with its zero.

    Where all pairs have one method in common, only the other, candidate or baseline, is `named`.
    """
    decimals, axis = places(found), difference_axis(found)
    columns = (
        Column("baseline", "Baseline", "header") if named == "baseline" else Column("candidate", "Candidate", "header"),
        *([Column("baseline", "Against", "text")] if named == "both" else []),
        Column("difference", "Difference", hint="to baseline"),
        Column("interval", "Interval", "range", hint=level(board)),
        Column("drawn", "Drawn", "figure", axis=scale(axis) if axis is not None else None),
        Column("probability", "Better", hint="of resamples"),
        Column("pairs", "Pairs"),
        Column("left-out", "Left out"),
        *TEST_COLUMNS,
    )
    ways: dict[str | tuple[str, str], str] = {pair: comparison_path(board, *pair) for pair in pairs(board)}
    ways |= {entry.method: method_path(board, entry.method) for entry in board.entries}
    rows = tuple(Row("", _pair_row(board, one, decimals, axis, ways, named)) for one in found)
    needless = set() if any(one.left_out for one in found) else {"left-out"}
    if all(one.test is None for one in found):
        needless |= {column.id for column in TEST_COLUMNS}
    if not any(one.left_out for one in found):
        notes = (*notes, "No sample was left out of a pair.")
    if any(one.overlap < 1 for one in found):
        notes = (*notes, COMMON_NOTE)
    return Table(id_, caption, columns, rows, notes).without(needless)


def _pair_row(
    board: Board,
    one: Comparison,
    decimals: int,
    axis: Axis | None,
    ways: Mapping[str | tuple[str, str], str],
    named: Named,
) -> tuple[Cell, ...]:
    """Return the cells of a pair; the method that names it leads to its page or, without one, to the method's."""
    difference, interval, probability = difference_cells(one, decimals)
    pair = (one.baseline, one.candidate)
    own, other = pair if named == "baseline" else (one.candidate, one.baseline)
    href = ways.get(pair) or ways.get(own)
    return (
        Cell(title(board, own), own, href=href),
        *([Cell(title(board, other), other)] if named == "both" else []),
        difference,
        interval,
        Cell("", figure=bar(axis, one.difference, one.interval, reference=0.0)),
        probability,
        *pair_cells(board, one),
        *test_cells(one),
    )


def difference_axis(found: Iterable[Comparison]) -> Axis | None:
    """Return the axis on which all differences fit, with zero on it."""
    found = tuple(found)
    ends = [end for one in found if one.interval for end in (one.interval.lower, one.interval.upper)]
    ends += [one.difference for one in found if one.difference is not None]
    return axis_over([*ends, 0.0]) if ends else None


def family_tables(board: Board) -> tuple[Table, ...]:
    """Tabulate the declared comparisons on the primary metric, a table for each family."""
    metric = board.benchmark.metric(board.benchmark.primary)
    by_pair = {(one.baseline, one.candidate): one for one in board.comparisons if one.metric == metric.id}
    tables = []
    for index, declared in enumerate(board.benchmark.comparisons, start=1):
        candidates = sorted(entry.method for entry in board.entries) if declared.all else declared.candidates
        found = [by_pair[declared.baseline, one] for one in candidates if (declared.baseline, one) in by_pair]
        if found:
            caption = f"{metric.title}, against {title(board, declared.baseline)}"
            notes = _family_notes(declared, found)
            tables.append(pair_table(board, f"family-{numerals.count(index)}", caption, found, notes, "candidate"))
    return tuple(tables)


def uncompared(board: Board) -> tuple[str, ...]:
    """Name the declared comparisons that are not there because a method has no admitted report, a line a family."""
    admitted = {entry.method for entry in board.entries}
    lines = []
    for declared in board.benchmark.comparisons:
        family = f" (family “{declared.family}”)" if declared.family else ""
        absent = [one for one in declared.candidates if one not in admitted]
        if declared.baseline not in admitted:
            lines.append(f"Not compared, having no admitted report: the baseline {declared.baseline}{family}.")
        elif absent and not declared.all:
            lines.append(f"Not compared, having no admitted report: {', '.join(absent)}{family}.")
    return tuple(lines)


def others_table(board: Board) -> Table | None:
    """Tabulate every two methods that no declared comparison covers, where these are few."""
    metric = board.benchmark.metric(board.benchmark.primary)
    found = [one for one in board.pairs if one.metric == metric.id]
    if not found or len(found) > PAIRS_AT_MOST:
        return None
    caption = f"{metric.title}, every two {'other ' if board.comparisons else ''}methods"
    return pair_table(board, "pairs", caption, found)


def _family_notes(declared: DeclaredComparison, found: Sequence[Comparison]) -> tuple[str, ...]:
    size = max((one.test.family_size for one in found if one.test is not None), default=0)
    if not size:
        return ()
    family = f"the family “{declared.family}”" if declared.family else "the family"
    return (f"Holm's adjustment is over all {numerals.count(size)} tests of {family}, on every metric.",)

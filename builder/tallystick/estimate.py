"""Estimate every metric of every report: value, interval, sensitivity to clusters, and what unscored samples could do.

All reports are computed together, because they share resamples; none of them changes what another one gets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tallystick import bootstrap
from tallystick.board import Breakdown, ClusterEstimate, Estimate, Estimated, Interval, Ledger, Rate
from tallystick.bootstrap import Layout, Layouts, Measure, Spread
from tallystick.metrics import Aligned, align, kinds
from tallystick.model import STATUSES, Benchmark, IntArray, Metric, Report, Status
from tallystick.significance import wilson

FEWEST = 5
"""The smallest number of samples of an axis value that gets an interval."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The samples spoken of: all of them, or those of one axis value."""

    samples: IntArray
    axis: str = ""
    value: str = ""


class _Cell(NamedTuple):
    """One metric of one report on one scope: on `rows` it is defined; `unscored` samples have no value but should.

    `drawn` and `clustered` are drawn where they are not None.
    """

    metric: Metric
    measure: Measure
    rows: IntArray
    total: int
    unscored: int
    drawn: Layout | None
    clustered: Layout | None


def estimate(reports: Sequence[Report], benchmark: Benchmark) -> tuple[Estimated, ...]:
    """Return ledger, estimates and breakdowns of each report."""
    scopes = _scopes(benchmark)
    aligned = [align(report, benchmark) for report in reports]
    layouts = Layouts(benchmark.samples.strata, benchmark.samples.clusters or ())
    cells = [[_cells(report, scope, benchmark, layouts) for scope in scopes] for report in aligned]
    jobs = [
        (cell.measure, layout)
        for of_report in cells
        for of_scope in of_report
        for cell in of_scope
        for layout in (cell.drawn, cell.clustered)
        if layout is not None
    ]
    spreads = dict(zip(jobs, bootstrap.spreads(jobs, benchmark.bootstrap), strict=True))
    return tuple(
        _estimated(report, scopes, of_report, spreads, benchmark)
        for report, of_report in zip(aligned, cells, strict=True)
    )


def ledger(statuses: Sequence[Status], confidence: float) -> Ledger:
    """Count how samples ended; a valid one is neither missing nor invalid."""
    counts, total = _counted(statuses), len(statuses)

    def rate(k: int) -> Rate:
        return Rate(k, total, k / total if total else None, wilson(k, total, confidence))

    valid = total - counts["missing"] - counts["invalid"]
    return Ledger(total, counts, rate(counts["scored"]), rate(counts["abstained"]), rate(valid))


def _counted(statuses: Sequence[Status]) -> dict[Status, int]:
    """Count each status, looking no further once all samples are counted: most reports have one or two."""
    counts, left = dict.fromkeys(STATUSES, 0), len(statuses)
    for status in STATUSES:
        if not left:
            break
        counts[status] = statuses.count(status)
        left -= counts[status]
    return counts


# --- what to compute ------------------------------------------------------------------------------------------------


def _scopes(benchmark: Benchmark) -> list[_Scope]:
    scopes = [_Scope(np.arange(len(benchmark.samples.ids)))]
    for axis in benchmark.axes:
        values = benchmark.samples.axes[axis]
        for value in sorted({value for value in values if value is not None}):
            scopes.append(_Scope(np.flatnonzero([own == value for own in values]), axis, value))
    return scopes


def _cells(report: Aligned, scope: _Scope, benchmark: Benchmark, layouts: Layouts) -> list[_Cell]:
    known = kinds()
    size = len(scope.samples)
    unscored = size - int(np.count_nonzero(report.scored[scope.samples]))
    whole = not scope.axis and benchmark.samples.clusters is not None
    drawn: dict[bytes, tuple[IntArray, Layout | None, Layout | None]] = {}
    cells = []
    for metric in benchmark.metrics:
        column = report.columns[metric.id]
        mask = column.defined.tobytes()
        if mask not in drawn:
            rows = scope.samples[column.defined[scope.samples]]
            enough = len(rows) >= (FEWEST if scope.axis else 1)
            drawn[mask] = (
                rows,
                layouts.stratified(rows) if enough else None,
                layouts.clustered(rows) if whole else None,
            )
        rows, stratified, clustered = drawn[mask]
        measure = bootstrap.single(known[metric.kind], column.statistics)
        lacking = unscored if metric.over == "scored" else size - len(rows)
        cells.append(_Cell(metric, measure, rows, size, lacking, stratified, clustered))
    return cells


# --- what came out --------------------------------------------------------------------------------------------------


_Spreads = Mapping[tuple[Measure, Layout], Spread]


def _estimated(
    report: Aligned, scopes: list[_Scope], cells: list[list[_Cell]], spreads: _Spreads, benchmark: Benchmark
) -> Estimated:
    confidence = benchmark.bootstrap.confidence
    found = [
        (
            ledger(
                [report.statuses[row] for row in scope.samples.tolist()] if scope.axis else report.statuses, confidence
            ),
            {cell.metric.id: _estimate(cell, spreads, confidence) for cell in of_scope},
        )
        for scope, of_scope in zip(scopes, cells, strict=True)
    ]
    parts = zip(scopes[1:], found[1:], strict=True)
    return Estimated(*found[0], tuple(Breakdown(scope.axis, scope.value, *part) for scope, part in parts))


def _estimate(cell: _Cell, spreads: _Spreads, confidence: float) -> Estimate:
    if cell.drawn is None:
        spread = bootstrap.NOWHERE._replace(point=bootstrap.point(cell.measure, cell.rows))
    else:
        spread = spreads[cell.measure, cell.drawn]
    n = len(cell.rows)
    still = _is_still(spread)
    alike = cell.metric.binary and (still or spread.point in (0, 1))
    return Estimate(
        metric=cell.metric.id,
        value=_known(spread.point),
        interval=_interval(spread, n),
        n=n,
        total=cell.total,
        conditional=cell.unscored > 0,
        bounds=_bounds(cell) if cell.unscored else None,
        cluster=None if cell.clustered is None else _cluster(spreads[cell.measure, cell.clustered], cell.clustered, n),
        standard_error=_known(spread.deviation),
        note=_note(cell, spread, still),
        wilson=wilson(round(spread.point * n), n, confidence) if alike else None,
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _interval(spread: Spread, drawn: int) -> Interval | None:
    """Return the ends, or None where they are not known: one sample or cluster says nothing of how they vary."""
    if drawn < 2 or not (math.isfinite(spread.lower) and math.isfinite(spread.upper)):
        return None
    return Interval(spread.lower, spread.upper)


def _is_still(spread: Spread) -> bool:
    """Say whether no resample changes the value; interpolating between equal replicates may round it."""
    return math.isclose(spread.lower, spread.upper, rel_tol=1e-12)


def _note(cell: _Cell, spread: Spread, still: bool) -> str:
    """Say why a value or an interval is missing, or has no width."""
    if not len(cell.rows):
        return "no sample has a value"
    if not math.isfinite(spread.point):
        return "undefined on these samples"
    if cell.drawn is None:
        return f"n too small for an interval (fewer than {FEWEST})"
    if len(cell.rows) < 2:
        return "no interval: one sample says nothing of how the value varies"
    if spread.undefined:
        return f"no interval: undefined in {spread.undefined:.0f} resamples"
    return "every resample gives the same value" if still else ""


def _cluster(spread: Spread, layout: Layout, n: int) -> ClusterEstimate:
    clusters = len(layout.starts)
    return ClusterEstimate(_known(spread.point), _interval(spread, clusters), clusters, n - len(layout.rows))


def _bounds(cell: _Cell) -> Interval | None:
    """Return the mean with every one of some unscored samples at the metric's lower, then upper bound (Manski 1989)."""
    metric = cell.metric
    if metric.lower is None or metric.upper is None or not kinds()[metric.kind].linear:
        return None
    values = cell.measure.values[cell.rows, :1]
    ends = []
    for bound in (metric.lower, metric.upper):
        filled = np.vstack([values, np.full((cell.unscored, 1), bound)])
        ends.append(bootstrap.point(Measure(filled, cell.measure.score), np.arange(len(filled))))
    return Interval(*ends) if np.isfinite(ends).all() else None

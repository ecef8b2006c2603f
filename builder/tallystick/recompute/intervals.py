"""Intervals that a report states, drawn as it says that they were drawn; those with the same resamples together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from tallystick.bootstrap import (
    Layout,
    Measure,
    clustered,
    ends,
    paired,
    point,
    replicates,
    single,
    spreads,
    stratified,
)
from tallystick.model import (
    MOST_RESAMPLES,
    BootstrapSettings,
    Column,
    FloatArray,
    IntArray,
    IntervalOf,
    MetricKind,
    PairedOf,
    Summation,
)
from tallystick.recompute.rows import Rows, Unknown

Drawn: TypeAlias = IntervalOf | PairedOf
REMEMBERED = 1 << 12
"""Quantities whose interval is known again without being made again: several fields of each are stated."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What an interval is drawn from, and the rows that its estimate is computed on, in order."""

    measure: Measure
    layout: Layout
    rows: IntArray


@dataclass(frozen=True, slots=True)
class _Interval:
    """All that can be stated of one set of replicates."""

    estimate: float | None
    lower: float | None
    upper: float | None
    above: float | None
    below: float | None
    units: int


class Intervals:
    """The intervals of one report, each drawn once under each rule of summation."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[Summation, dict[Drawn, _Interval | Unknown]] = defaultdict(dict)

    def draw(self, quantities: Iterable[Drawn], rule: Summation) -> None:
        """Draw whatever of these is not known yet."""
        known = self._known[rule]
        known.update(self._drawn({_whole(quantity) for quantity in quantities} - known.keys(), rule))

    def part(self, quantity: Drawn, rule: Summation) -> float | int | Unknown | None:
        """Return one field of an interval that has been drawn."""
        interval = self._known[rule][_whole(quantity)]
        if isinstance(interval, Unknown):
            return interval
        match quantity.part:
            case "estimate" | "difference":
                return interval.estimate
            case "lower":
                return interval.lower
            case "upper":
                return interval.upper
            case "clusters" | "pairs":
                return interval.units
            case "probability":
                return interval.above if quantity.better == "higher" else interval.below

    def _drawn(self, wanted: Iterable[Drawn], rule: Summation) -> dict[Drawn, _Interval | Unknown]:
        """Draw for each quantity, those with the same settings together."""
        found: dict[Drawn, _Interval | Unknown] = {}
        alike: dict[BootstrapSettings, list[tuple[Drawn, _Job]]] = defaultdict(list)
        for quantity in sorted(wanted, key=repr):
            job = self._job(quantity)
            if isinstance(job, Unknown):
                found[quantity] = job
            else:
                settings = BootstrapSettings(quantity.resamples, quantity.seed, quantity.confidence)
                alike[settings].append((quantity, job))
        for settings, members in alike.items():
            shapes = _shapes([job for _, job in members], settings, rule)
            for (quantity, job), (lower, upper, above, below) in zip(members, shapes, strict=True):
                estimate = known(point(job.measure, job.rows, rule)) if len(job.rows) else None
                units = len(job.layout.starts)
                found[quantity] = _Interval(estimate, known(lower), known(upper), known(above), known(below), units)
        return found

    def _job(self, quantity: Drawn) -> _Job | Unknown:
        if not 1 <= quantity.resamples <= max(MOST_RESAMPLES, self._rows.benchmark.bootstrap.resamples):
            return Unknown(f"{quantity.resamples} resamples are not drawn")
        if not 0 < quantity.confidence < 1:
            return Unknown(f"a confidence of {quantity.confidence} is none")
        if isinstance(quantity, IntervalOf):
            column = self._rows.column(quantity.metric)
            return Unknown(f"the rows hold no {quantity.metric}") if column is None else self._own(quantity, column)
        pair = self._rows.pair(quantity)
        if isinstance(pair, Unknown):
            return pair
        (mine, rows), (theirs, others) = pair
        if not quantity.pairs_of_all_rows:
            both = mine.defined[rows] & theirs.defined[others]
            rows, others = rows[both], others[both]
        kind = _drawable(self._rows.kind(quantity.metric), "all" if quantity.pairs_of_all_rows else "defined")
        measure = paired(kind, mine.statistics[rows], theirs.statistics[others])
        strata = tuple(self._rows.strata[row] for row in rows)
        within = self._rows.ordered(rows)
        return _Job(measure, _layout("stratified", strata, within.tobytes()), within)

    def _own(self, quantity: IntervalOf, column: Column) -> _Job:
        kind = _drawable(self._rows.kind(quantity.metric), quantity.rows)
        rows = np.arange(len(column.defined)) if quantity.rows == "all" else np.flatnonzero(column.defined)
        rows = rows[self._rows.ordered(rows)]
        estimated = rows
        if quantity.scheme == "cluster" and quantity.clustered_rows_only:
            estimated = self._rows.by_cluster(rows)
        return _Job(
            single(kind, column.statistics),
            _layout(quantity.scheme, self._rows.names(quantity.scheme), rows.tobytes()),
            estimated,
        )


def _drawable(kind: MetricKind, rows: str) -> MetricKind:
    """Return how drawn rows are scored: where all are drawn, FAR counts a resample without any outcome as 0."""
    return _zero_where_undefined(kind) if rows == "all" else kind


@lru_cache(maxsize=32)
def _layout(scheme: str, names: tuple[str | None, ...], rows: bytes) -> Layout:
    """Return how rows are drawn; the same object for the same rows of any report, so that they are drawn once."""
    drawn = np.frombuffer(rows, dtype=np.int64)
    return clustered(names, drawn) if scheme == "cluster" else stratified([str(name) for name in names], drawn)


def _shapes(
    jobs: Sequence[_Job], settings: BootstrapSettings, rule: Summation
) -> list[tuple[float, float, float, float]]:
    """Return the ends of each job's replicates, and their shares above and below 0."""
    if rule == "correctly rounded":
        drawn = spreads([(job.measure, job.layout) for job in jobs], settings)
        return [(one.lower, one.upper, one.above, one.below) for one in drawn]
    shapes = [(np.nan, np.nan, np.nan, np.nan)] * len(jobs)
    alike: dict[int, list[int]] = defaultdict(list)
    for index, job in enumerate(jobs):
        alike[id(job.layout)].append(index)
    for members in alike.values():
        layout = jobs[members[0]].layout
        draws = replicates([jobs[index].measure for index in members], layout, settings, rule).T
        lower, upper = ends(draws, settings.confidence)
        above, below = (draws > 0).mean(axis=1), (draws < 0).mean(axis=1)
        for index, *shape in zip(members, lower, upper, above, below, strict=True):
            shapes[index] = (float(shape[0]), float(shape[1]), float(shape[2]), float(shape[3]))
    return shapes


@lru_cache(REMEMBERED)
def _whole(quantity: Drawn) -> Drawn:
    """Return what all fields of one interval have in common."""
    return replace(quantity, part="lower")


def known(value: float) -> float | None:
    """Return a finite number as a float; None where it is none."""
    return float(value) if np.isfinite(value) else None


@lru_cache
def _zero_where_undefined(kind: MetricKind) -> MetricKind:
    """FAR counts a resample without anything predicted or gold as 0."""
    score: Callable[[FloatArray, FloatArray], FloatArray] = kind.score
    return replace(kind, score=lambda sums, n: np.nan_to_num(score(sums, n), nan=0.0))

"""The value of every quantity that a report can state, recomputed from its rows under one rule of summation.

Quantities that need the same resamples are drawn together. What needs a report that is not here has no value but an
`Unknown`, with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

import numpy as np

from tallystick import metrics
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
from tallystick.exact import column_sums
from tallystick.model import (
    Benchmark,
    BoolArray,
    BootstrapSettings,
    Column,
    Computed,
    CountOf,
    FloatArray,
    IntArray,
    IntervalOf,
    McNemarOf,
    MeanOf,
    MeanOfValues,
    MetricKind,
    PairedOf,
    Quantity,
    Report,
    Summation,
    SumOf,
)
from tallystick.registry import collect
from tallystick.significance import mcnemar


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why a quantity has no value here."""

    reason: str


MOST_RESAMPLES = 10_000
"""More than this is drawn only where the board asks for it: a stated number must not cost hours to check."""

Value: TypeAlias = float | int | str | bool | Unknown | None
Drawn: TypeAlias = IntervalOf | PairedOf
Order = Literal["as declared", "sorted by id", "as in the report", "as in the benchmark"]


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


class Recomputation:
    """One report's rows, and those of the reports that it may be compared with, ready to be computed from.

    `order` is that of rows within strata: the procedure's own, or another that may have been used instead.
    """

    def __init__(
        self, report: Report, benchmark: Benchmark, peers: Sequence[Report], order: Order = "as declared"
    ) -> None:
        self._report = report
        self._benchmark = benchmark
        self._peers = {peer.scores_digest: peer for peer in reversed(peers)}
        self._order = order
        self._intervals: dict[Summation, dict[Drawn, _Interval | Unknown]] = defaultdict(dict)

    def values(self, quantities: Sequence[Quantity], rule: Summation) -> list[Value]:
        """Return the value of each quantity."""
        with np.errstate(over="ignore", invalid="ignore"):  # a value beyond all bounds is verify's to tell
            return self._values(quantities, rule)

    def _values(self, quantities: Sequence[Quantity], rule: Summation) -> list[Value]:
        known = self._intervals[rule]
        wanted = {_whole(one) for one in quantities if isinstance(one, IntervalOf | PairedOf)} - known.keys()
        known.update(self._drawn(wanted, rule))
        return [self._value(quantity, rule) for quantity in quantities]

    def _value(self, quantity: Quantity, rule: Summation) -> Value:
        match quantity:
            case Computed():
                return quantity.value
            case MeanOf():
                return self._mean(quantity, rule)
            case MeanOfValues():
                return _mean_of(quantity.values, rule)
            case SumOf():
                return self._sum(quantity, rule)
            case CountOf():
                return int(self._mask(quantity).sum())
            case IntervalOf() | PairedOf():
                return _part(quantity, self._intervals[rule][_whole(quantity)])
            case McNemarOf():
                return self._test(quantity)

    # --- without resamples ---

    def _mean(self, quantity: MeanOf, rule: Summation) -> float | None:
        column = self._report.columns.get(quantity.metric)
        if column is None:
            return quantity.empty
        chosen = self._mask(CountOf(axis=quantity.axis, axis_value=quantity.axis_value, metric=quantity.metric))
        rows = np.flatnonzero(chosen)
        if len(rows) == 0:
            return quantity.empty
        if quantity.form == "precision-recall":
            return _known(_precision_recall(column_sums(column.statistics[rows], rule)))
        value = _known(point(single(self._kind(quantity.metric), column.statistics), rows, rule))
        return quantity.empty if value is None else value * quantity.scale

    def _sum(self, quantity: SumOf, rule: Summation) -> float | int | None:
        column = self._report.columns[quantity.metric]
        kind = self._kind(quantity.metric)
        values = column.statistics[column.defined][:, [kind.statistics.index(quantity.statistic)]]
        total = float(column_sums(values, rule)[0])
        return int(total) if total.is_integer() else _known(total)

    def _mask(self, quantity: CountOf) -> BoolArray:
        """Return which rows meet all conditions of a count."""
        chosen = np.ones(len(self._report.ids), dtype=bool)
        if quantity.status is not None:
            chosen &= np.array([status == quantity.status for status in self._report.statuses], dtype=bool)
        if quantity.axis is not None:
            chosen &= np.array([value == quantity.axis_value for value in self._axis(quantity.axis)], dtype=bool)
        if quantity.metric is not None:
            column = self._report.columns.get(quantity.metric)
            chosen &= column.defined if column else False
        return chosen

    def _test(self, quantity: McNemarOf) -> Value:
        pair = self._pair(quantity)
        if isinstance(pair, Unknown):
            return pair
        (mine, rows), (theirs, others) = pair
        chosen = np.ones(len(rows), dtype=bool)
        if not quantity.undefined_fails:
            chosen = mine.defined[rows] & theirs.defined[others]
        won, stood = (side.statistics[at, 0][chosen] != 0 for side, at in ((mine, rows), (theirs, others)))
        baseline_only, candidate_only = int((stood & ~won).sum()), int((won & ~stood).sum())
        match quantity.part:
            case "baseline_only":
                return baseline_only
            case "candidate_only":
                return candidate_only
            case "discordant":
                return baseline_only + candidate_only
            case "p_value":
                return mcnemar(baseline_only, candidate_only)

    # --- with resamples ---

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
                estimate = _known(point(job.measure, job.rows, rule)) if len(job.rows) else None
                units = len(job.layout.starts)
                found[quantity] = _Interval(estimate, _known(lower), _known(upper), _known(above), _known(below), units)
        return found

    def _job(self, quantity: Drawn) -> _Job | Unknown:
        if not 1 <= quantity.resamples <= max(MOST_RESAMPLES, self._benchmark.bootstrap.resamples):
            return Unknown(f"{quantity.resamples} resamples are not drawn")
        if not 0 < quantity.confidence < 1:
            return Unknown(f"a confidence of {quantity.confidence} is none")
        if isinstance(quantity, IntervalOf):
            column = self._report.columns.get(quantity.metric)
            return Unknown(f"the rows hold no {quantity.metric}") if column is None else self._own(quantity, column)
        pair = self._pair(quantity)
        if isinstance(pair, Unknown):
            return pair
        (mine, rows), (theirs, others) = pair
        if not quantity.pairs_of_all_rows:
            both = mine.defined[rows] & theirs.defined[others]
            rows, others = rows[both], others[both]
        kind = self._drawable(quantity.metric, quantity.pairs_of_all_rows)
        measure = paired(kind, mine.statistics[rows], theirs.statistics[others])
        strata = tuple(self._strata[row] for row in rows)
        within = self._ordered(rows)
        return _Job(measure, _layout("stratified", strata, within.tobytes()), within)

    def _own(self, quantity: IntervalOf, column: Column) -> _Job:
        kind = self._drawable(quantity.metric, quantity.rows == "all")
        rows = np.arange(len(column.defined)) if quantity.rows == "all" else np.flatnonzero(column.defined)
        rows = rows[self._ordered(rows)]
        estimated = rows
        if quantity.scheme == "cluster" and quantity.clustered_rows_only:
            estimated = self._by_cluster(rows)
        return _Job(
            single(kind, column.statistics),
            _layout(quantity.scheme, self._names(quantity.scheme), rows.tobytes()),
            estimated,
        )

    def _by_cluster(self, rows: IntArray) -> IntArray:
        """Return the rows inside clusters, clusters in order of their first rows: so FAR sums its estimate."""
        inside = [int(row) for row in rows if self._clusters[row] is not None]
        first: dict[str | None, int] = {}
        for row in inside:
            first.setdefault(self._clusters[row], row)
        return np.array(sorted(inside, key=lambda row: (first[self._clusters[row]], row)), dtype=np.int64)

    def _pair(
        self, quantity: PairedOf | McNemarOf
    ) -> tuple[tuple[Column, IntArray], tuple[Column, IntArray]] | Unknown:
        """Return both columns with their rows of the samples that both hold, in order of sample id."""
        peer = self._peers.get(quantity.baseline_digest)
        if peer is None:
            return Unknown(
                f"the scores of {quantity.baseline} that it was compared with are not among admitted reports"
            )
        mine, theirs = (one.columns.get(quantity.metric) for one in (self._report, peer))
        if mine is None or theirs is None:
            return Unknown(f"the rows of both hold no {quantity.metric}")
        place = {sample: row for row, sample in enumerate(peer.ids)}
        rows = [row for row in self._by_id if self._report.ids[row] in place]
        others = [place[self._report.ids[row]] for row in rows]
        return (mine, np.array(rows, dtype=np.int64)), (theirs, np.array(others, dtype=np.int64))

    # --- the report's rows ---

    def _ordered(self, rows: IntArray) -> IntArray:
        """Return the places in `rows`, in the order that is tried."""
        ids = [self._report.ids[row] for row in rows]
        keys: Sequence[str | int]
        match self._order:
            case "as declared":
                keys = range(len(rows))
            case "sorted by id":
                keys = ids
            case "as in the report":
                keys = rows.tolist()
            case "as in the benchmark":
                samples = self._benchmark.samples
                place = dict(zip(samples.ids, samples.positions, strict=False))
                keys = [place.get(sample, 0) for sample in ids]
        return np.array(sorted(range(len(rows)), key=keys.__getitem__), dtype=np.int64)

    @cached_property
    def _by_id(self) -> list[int]:
        return sorted(range(len(self._report.ids)), key=lambda row: self._report.ids[row])

    def _names(self, scheme: str) -> tuple[str | None, ...]:
        return self._strata if scheme == "stratified" else self._clusters

    @cached_property
    def _strata(self) -> tuple[str, ...]:
        stratum, samples = self._benchmark.stratum, self._benchmark.samples
        if stratum is not None and stratum in self._report.axes:
            return tuple(str(value) for value in self._report.axes[stratum])
        known = dict(zip(samples.ids, samples.strata, strict=True))
        return tuple(str(known.get(sample)) for sample in self._report.ids)

    @cached_property
    def _clusters(self) -> tuple[str | None, ...]:
        own, samples = self._report.clusters, self._benchmark.samples
        if own is not None:
            return own
        known = dict(zip(samples.ids, samples.clusters or (), strict=bool(samples.clusters)))
        return tuple(known.get(sample) for sample in self._report.ids)

    def _axis(self, axis: str) -> Sequence[str | None]:
        """Return what the report says of its rows, or else what the benchmark says of these samples."""
        if axis in self._report.axes:
            return self._report.axes[axis]
        samples = self._benchmark.samples
        values = samples.axes.get(axis, (None,) * len(samples.ids))
        known = dict(zip(samples.ids, values, strict=True))
        return [known.get(sample) for sample in self._report.ids]

    def _kind(self, metric: str) -> MetricKind:
        declared = {one.id: one.kind for one in self._benchmark.metrics}
        return _kinds()[declared.get(metric, self._report.columns[metric].kind)]

    def _drawable(self, metric: str, every_row: bool) -> MetricKind:  # one word of the quantity, passed on
        kind = self._kind(metric)
        return _zero_where_undefined(kind) if every_row else kind


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


def _part(quantity: Drawn, interval: _Interval | Unknown) -> Value:
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


def _whole(quantity: Drawn) -> Drawn:
    """Return what all fields of one interval have in common."""
    return replace(quantity, part="lower")


def _mean_of(values: Sequence[float], rule: Summation) -> float | None:
    return float(column_sums(np.array(values, dtype=np.float64)[:, None], rule)[0]) / len(values) if values else None


def _precision_recall(sums: FloatArray) -> float:
    """Return 2PR / (P + R) of true positives, predicted and gold; 0 where a ratio has no denominator."""
    hits, predicted, gold = (float(total) for total in sums)
    precision, recall = (hits / total if total else 0.0 for total in (predicted, gold))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


@lru_cache
def _kinds() -> Mapping[str, MetricKind]:
    return {kind.id: kind for kind in collect(metrics, "METRIC", MetricKind)}


@lru_cache
def _zero_where_undefined(kind: MetricKind) -> MetricKind:
    """FAR counts a resample without anything predicted or gold as 0."""
    score: Callable[[FloatArray, FloatArray], FloatArray] = kind.score
    return replace(kind, score=lambda sums, n: np.nan_to_num(score(sums, n), nan=0.0))

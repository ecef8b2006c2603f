"""Percentile bootstrap: replicates of any measure and the ends of their intervals, bit for bit as in plain Python.

A measure is what is summed over samples, and the score of those sums; a layout is what is drawn, in which order. Every
replicate is then `score(counts @ values)`, a nonlinear metric recomputed inside each resample by construction.
Replicates are NaN where undefined: whoever publishes them turns that into None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from tallystick import exact, resample
from tallystick.model import BootstrapSettings, FloatArray, IntArray, MetricKind, Summation

BLOCK = 1 << 20
"""About how many replicates are held at once: so few that every pass over them stays in the processor's cache."""
VALUES = 1 << 23
"""About how many values are held at once."""
REMEMBERED = 1 << 21
"""How many counts may be kept for the next measure with the same sizes of strata."""

Score = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """What is summed over samples, `values` (n, w), and its `score(sums (..., w), n (...)) → (...)`."""

    values: FloatArray
    score: Score


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What is drawn: `rows` grouped by unit and units by stratum, `starts` the place in `rows` where each unit begins.

    A unit is one row where rows are drawn, and all rows of a cluster where clusters are. `sizes` counts the units of
    each stratum.
    """

    rows: IntArray
    starts: IntArray
    sizes: tuple[int, ...]
    lengths: IntArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", np.diff(self.starts, append=len(self.rows)))

    @property
    def clustered(self) -> bool:
        """Whether some unit holds more than one row."""
        return len(self.starts) < len(self.rows)

    @property
    def most(self) -> int:
        """The largest number of rows that a resample can hold."""
        return len(self.starts) * int(self.lengths.max())


# --- what to sum ------------------------------------------------------------------------------------------------------


def single(kind: MetricKind, statistics: FloatArray) -> Measure:
    """Measure one report by a metric: statistics (n, k)."""
    return Measure(statistics, kind.score)


def paired(kind: MetricKind, candidate: FloatArray, baseline: FloatArray) -> Measure:
    """Measure candidate − baseline on aligned rows: per sample where the metric is linear, else of the two scores."""
    if kind.linear:
        with np.errstate(over="ignore"):
            return Measure(candidate[:, :1] - baseline[:, :1], kind.score)
    return Measure(np.hstack([candidate, baseline]), _difference(kind.score))


@lru_cache
def _difference(score: Score) -> Score:
    """Return the score of two sets of sums side by side; the same function each time, so that measures batch."""

    def difference(sums: FloatArray, n: FloatArray) -> FloatArray:
        half = sums.shape[-1] // 2
        return score(sums[..., :half], n) - score(sums[..., half:], n)

    return difference


def point(measure: Measure, rows: IntArray, rule: Summation = "correctly rounded") -> float:
    """Return the measure on the samples themselves, summed in the order of `rows`; NaN where undefined."""
    sums = exact.column_sums(measure.values[rows], rule)
    return float(measure.score(sums, np.array(float(len(rows)))))


# --- what to draw -----------------------------------------------------------------------------------------------------


def stratified(strata: Sequence[str], rows: IntArray) -> Layout:
    """Draw rows within strata, these sorted by name; within a stratum, rows stand in the order given."""
    codes = _codes(tuple(strata))[rows]
    sizes = np.bincount(codes)
    return Layout(rows[np.argsort(codes, kind="stable")], np.arange(len(rows)), tuple(sizes[sizes > 0].tolist()))


def clustered(clusters: Sequence[str | None], rows: IntArray) -> Layout:
    """Draw whole clusters, sorted by name, as many as there are; rows outside every cluster are left out."""
    codes = _codes(tuple(clusters))[rows]
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return Layout(rows[order], starts, (len(starts),) if len(starts) else ())


class Layouts:
    """The layouts of one set of samples: measures with the same rows get the same one."""

    def __init__(self, strata: Sequence[str], clusters: Sequence[str | None] = ()) -> None:
        self._names = {stratified: strata, clustered: clusters}
        self._known: dict[tuple[object, bytes], Layout] = {}

    def stratified(self, rows: IntArray) -> Layout:
        """Draw rows within strata."""
        return self._layout(stratified, rows)

    def clustered(self, rows: IntArray) -> Layout:
        """Draw whole clusters."""
        return self._layout(clustered, rows)

    def _layout(self, draw: Callable[..., Layout], rows: IntArray) -> Layout:
        key = (draw, rows.tobytes())
        if key not in self._known:
            self._known[key] = draw(self._names[draw], rows)
        return self._known[key]


@lru_cache(maxsize=16)
def _codes(names: tuple[str | None, ...]) -> IntArray:
    """Number names in sorted order from 0; None is −1."""
    number = {name: code for code, name in enumerate(sorted({name for name in names if name is not None}))}
    return np.array([-1 if name is None else number[name] for name in names], np.int64)


# --- replicates -------------------------------------------------------------------------------------------------------


def replicates(
    measures: Sequence[Measure],
    layout: Layout,
    settings: BootstrapSettings,
    rule: Summation = "correctly rounded",
) -> FloatArray:
    """Return the replicates (resamples, measures) of measures over shared resamples; NaN where undefined."""
    result = np.full((len(measures), settings.resamples), np.nan)
    if rule == "correctly rounded":
        for batch in batches([(measure, layout) for measure in measures], settings):
            result[batch.places] = batch.replicates
    elif len(layout.rows):
        order, drawn = _order(layout, settings)
        sums = exact.sequential_sums(np.hstack([measure.values for measure in measures]), order, rule)
        done = 0
        for place, measure in enumerate(measures):
            width = measure.values.shape[1]
            result[place] = measure.score(sums[done : done + width].T, drawn)
            done += width
    return result.T


@dataclass(frozen=True, slots=True)
class Batch:
    """Some jobs, by their `places` (b,): `points` (b,) on the samples themselves, and `replicates` (b, resamples)."""

    places: IntArray
    points: FloatArray
    replicates: FloatArray


def batches(jobs: Sequence[tuple[Measure, Layout]], settings: BootstrapSettings) -> Iterator[Batch]:
    """Yield the replicates of many jobs in batches of bounded memory.

    Jobs with the same sizes of strata share their resamples and one matrix product. Jobs without rows, and those whose
    values are beyond the range of floats, are passed over.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, (measure, layout) in enumerate(jobs):
        if len(layout.rows) and np.isfinite(measure.values).all():
            lengths = layout.lengths.tobytes() if layout.clustered else b""
            alike[layout.sizes, lengths, measure.score, measure.values.shape[1]].append(place)
    for (_, _, _, width), places in alike.items():
        assert isinstance(width, int)
        rows = len(jobs[places[0]][1].rows)
        step = max(1, min(BLOCK // settings.resamples, VALUES // rows) // width)
        for start in range(0, len(places), step):
            block = places[start : start + step]
            yield _batch(np.array(block), [jobs[place] for place in block], settings)


def _batch(places: IntArray, jobs: Sequence[tuple[Measure, Layout]], settings: BootstrapSettings) -> Batch:
    """Compute jobs that differ only in their values and rows."""
    first, layout = jobs[0]
    values = np.hstack([measure.values[own.rows] for measure, own in jobs])
    sliced = exact.slices(values, layout.most)
    if layout.clustered:
        sliced = sliced.grouped(layout.starts)
    lengths = layout.lengths.astype(np.float64)

    def scores(counts: FloatArray) -> FloatArray:
        sums = exact.sums(counts, sliced).reshape(len(jobs), first.values.shape[1], len(counts))
        return first.score(np.moveaxis(sums, 1, 2), np.broadcast_to(counts @ lengths, (len(jobs), len(counts))))

    points = scores(np.ones((1, len(lengths))))[:, 0]
    return Batch(places, points, np.hstack([scores(counts) for counts in _counts(layout.sizes, settings)]))


def _counts(sizes: tuple[int, ...], settings: BootstrapSettings) -> Iterator[FloatArray]:
    """Yield the counts of all resamples in blocks: one and the same where they are few enough to be remembered."""
    if settings.resamples * sum(sizes) <= REMEMBERED:
        yield _all_counts(settings.seed, sizes, settings.resamples)
    else:
        yield from map(resample.counts, resample.blocks(settings.seed, sizes, settings.resamples))


@lru_cache(maxsize=8)
def _all_counts(seed: int, sizes: tuple[int, ...], resamples: int) -> FloatArray:
    counts = resample.counts(resample.positions(seed, sizes, resamples))
    counts.setflags(write=False)
    return counts


@lru_cache(maxsize=8)
def _order(layout: Layout, settings: BootstrapSettings) -> tuple[IntArray, FloatArray]:
    """Return the rows of each resample in the order of the draws, filled up with −1 → (r, most), and their number.

    Remembered by layout: reports with the same rows share one, and are reconciled one after another.
    """
    units = resample.positions(settings.seed, layout.sizes, settings.resamples)
    lengths = layout.lengths[units]
    drawn = lengths.sum(axis=1)
    ends = np.cumsum(lengths.ravel())
    within = np.arange(ends[-1]) - np.repeat(ends - lengths.ravel(), lengths.ravel())
    order = np.full((settings.resamples, int(drawn.max())), -1)
    order[np.arange(order.shape[1]) < drawn[:, None]] = layout.rows[
        np.repeat(layout.starts[units].ravel(), lengths.ravel()) + within
    ]
    order.setflags(write=False)
    return order, drawn.astype(np.float64)


# --- intervals --------------------------------------------------------------------------------------------------------


def ends(draws: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper percentile ends of replicates (..., resamples) → (...); NaN if any is undefined.

    Linear interpolation at q·(resamples − 1) in the sorted replicates (Davison & Hinkley 1997, §5.3).
    """
    alpha = (1 - confidence) / 2
    last = draws.shape[-1] - 1
    spots = [share * last for share in (alpha, 1 - alpha)]
    below = [int(spot) for spot in spots]
    above = [min(spot + 1, last) for spot in below]
    ordered = np.partition(draws, sorted({*below, *above}), axis=-1)
    with np.errstate(invalid="ignore"):
        lower, upper = (
            ordered[..., low] * (1 - (spot - low)) + ordered[..., high] * (spot - low)
            for spot, low, high in zip(spots, below, above, strict=True)
        )
    undefined = ~np.isfinite(draws).all(axis=-1)
    return np.where(undefined, np.nan, lower), np.where(undefined, np.nan, upper)


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure's `point`, and how its replicates lie: ends, standard deviation, shares strictly above and below 0.

    Where `undefined`, the number of replicates without a value, is not 0, all but the point are NaN.
    """

    point: float
    lower: float
    upper: float
    deviation: float
    above: float
    below: float
    undefined: float


NOWHERE = Spread(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, 0.0)
"""The spread of a job without rows."""


def spreads(jobs: Sequence[tuple[Measure, Layout]], settings: BootstrapSettings) -> list[Spread]:
    """Return how the replicates of each job lie, without holding them all at once."""
    result = [NOWHERE] * len(jobs)
    for batch in batches(jobs, settings):
        draws = batch.replicates
        undefined = (~np.isfinite(draws)).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            deviations = draws.std(axis=1, ddof=min(1, settings.resamples - 1))
        shares = [np.where(undefined, np.nan, (sign * draws > 0).mean(axis=1)) for sign in (1, -1)]
        columns = [batch.points, *ends(draws, settings.confidence), deviations, *shares, undefined]
        for place, row in zip(batch.places.tolist(), np.stack(columns, axis=1).tolist(), strict=True):
            result[place] = Spread(*row)
    return result

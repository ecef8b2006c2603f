"""Percentile bootstrap: replicates of any measure and the ends of their intervals, bit for bit as in plain Python.

A measure is what is summed over samples, and the score of those sums; a layout is what is drawn, in which order. Every
replicate is then `score(counts @ values)`, a nonlinear metric recomputed inside each resample by construction.
Replicates are NaN where undefined: whoever publishes them turns that into None.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from tallystick import draws, exact
from tallystick.exact import Sums
from tallystick.layout import Layout as Layout
from tallystick.layout import Layouts as Layouts
from tallystick.layout import clustered as clustered
from tallystick.layout import stratified as stratified
from tallystick.model import BoolArray, BootstrapSettings, FloatArray, IntArray, MetricKind, Summation
from tallystick.slicing import AnyFloat, Sliced, beside, slices

BLOCK = 1 << 21
"""About how many replicates come out of one product: the more, the less is lost in preparing it."""
BATCH = 1 << 17
"""About how many replicates are worked on at once: so few that every pass over them stays in the processor's cache."""
STACK = 1 << 15
"""About how many values are stacked and cut at once, for the same reason."""
VALUES = 1 << 23
"""About how many values are held at once."""
CROWD = 1 << 29
"""How many values must be drawn before a second core is worth waking."""

Score = Callable[[FloatArray, FloatArray], FloatArray]
Job: TypeAlias = "tuple[Measure, Layout]"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """What is summed over samples, `values` (n, w), and its `score(sums (..., w), n (...)) → (...)`.

    `linear` says that the score is sums[..., 0] / n, which keeps the order of the sums.
    """

    values: FloatArray
    score: Score
    linear: bool = False


# --- what to sum ------------------------------------------------------------------------------------------------------


def single(kind: MetricKind, statistics: FloatArray) -> Measure:
    """Measure one report by a metric: statistics (n, k)."""
    return Measure(statistics, kind.score, kind.linear)


def paired(kind: MetricKind, candidate: FloatArray, baseline: FloatArray) -> Measure:
    """Measure candidate − baseline on aligned rows: per sample where the metric is linear, else of the two scores."""
    if kind.linear:
        with np.errstate(over="ignore"):
            return Measure(candidate[:, :1] - baseline[:, :1], kind.score, linear=True)
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
        for batch in _each(lambda batch: batch, [(measure, layout) for measure in measures], settings):
            result[batch.places] = batch.replicates
    elif len(layout.rows):
        order, drawn = draws.order(layout, settings)
        sums = exact.sequential_sums(np.hstack([measure.values for measure in measures]), order, rule)
        done = 0
        for place, measure in enumerate(measures):
            width = measure.values.shape[1]
            result[place] = measure.score(sums[done : done + width].T, drawn)
            done += width
    return result.T


@dataclass(frozen=True, slots=True)
class Batch:
    """Some jobs, by their `places` (b,): `points` (b,) on the samples themselves, and `replicates` (b, resamples).

    Where the replicates are short whole sums over one `n`, `sums` holds these: they are sorted in half the time.
    """

    places: IntArray
    points: FloatArray
    replicates: FloatArray
    sums: AnyFloat | None = None
    n: float = 1.0


def _each(summary: Callable[[Batch], T], jobs: Sequence[Job], settings: BootstrapSettings) -> Iterator[T]:
    """Yield the summary of each batch of jobs: blocks are of bounded memory, and one is worked on by each core.

    Jobs with the same sizes of strata share their resamples and one matrix product. Jobs without rows, and those whose
    values are beyond the range of floats, are passed over.
    """
    blocks = list(_blocks(jobs, settings))

    def work(block: Sequence[int]) -> list[T]:
        return list(map(summary, _batches(np.array(block), [jobs[place] for place in block], settings)))

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    work_to_do = settings.resamples * sum(len(layout.rows) for _, layout in jobs)
    if min(cores, len(blocks)) < 2 or work_to_do < CROWD:
        yield from chain.from_iterable(map(work, blocks))
        return
    for layout in {jobs[block[0]][1].sizes: jobs[block[0]][1] for block in blocks}.values():
        next(draws.counts(layout.sizes, settings))  # drawn once here, lest every thread do
    with ThreadPoolExecutor(min(len(blocks), cores)) as pool:
        yield from chain.from_iterable(pool.map(work, blocks))


def _blocks(jobs: Sequence[Job], settings: BootstrapSettings) -> Iterator[Sequence[int]]:
    """Yield the places of jobs that differ only in their values and rows, so many that they are worth one product."""
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, (measure, layout) in enumerate(jobs):
        if len(layout.rows):
            alike[layout.alike, measure.score, measure.values.shape[1]].append(place)
    for (_, _, width), places in alike.items():
        assert isinstance(width, int)
        rows = len(jobs[places[0]][1].rows)
        step = max(1, min(BLOCK // settings.resamples, VALUES // rows) // width)
        for start in range(0, len(places), step):
            yield places[start : start + step]


def _batches(places: IntArray, jobs: Sequence[Job], settings: BootstrapSettings) -> Iterator[Batch]:
    """Compute jobs that differ only in their values and rows: one product, and then a few at a time."""
    measure, layout = jobs[0]
    width = measure.values.shape[1]
    finite, sliced = _sliced(jobs)
    places = places[finite]
    lengths = layout.lengths.astype(np.float64)
    drawn, sizes = [], []
    for counts in draws.counts(layout.sizes, settings):
        drawn.append(Sums(counts, sliced))
        sizes.append(counts.double @ lengths if layout.clustered else np.full(len(counts.double), lengths.sum()))
    n = np.concatenate(sizes)
    step = max(1, BATCH // (settings.resamples * width))
    for start in range(0, len(places), step):
        stop = min(start + step, len(places))
        of_each = [sums.of(start * width, stop * width) for sums in drawn]
        sums = of_each[0] if len(of_each) == 1 else np.hstack(of_each)
        scores = _scores(measure, sums, n)
        whole = sums[::width, 1:] if measure.linear and sums.dtype == np.float32 and not layout.clustered else None
        yield Batch(places[start:stop], scores[:, 0], scores[:, 1:], whole, n[0])


def _scores(measure: Measure, sums: AnyFloat, n: FloatArray) -> FloatArray:
    """Return the scores of measures like this one: sums (b · width, r), n (r,) → (b, r)."""
    if not measure.linear:  # that one divides by n, which is a double: the quotient of a short sum is the same
        sums = sums.astype(np.float64, copy=False)
    by_job = np.moveaxis(sums.reshape(-1, measure.values.shape[1], len(n)), 1, 2)
    return measure.score(cast(FloatArray, by_job), np.broadcast_to(n, (len(by_job), len(n))))


def _sliced(jobs: Sequence[Job]) -> tuple[BoolArray, Sliced]:
    """Say which jobs have finite values, and cut the values of these."""
    measure, layout = jobs[0]
    width = measure.values.shape[1]
    all_finite, blocks = [], []
    step = max(1, STACK // (len(layout.rows) * width))
    for start in range(0, len(jobs), step):
        values = _stacked(jobs[start : start + step])
        finite = np.isfinite(values).all(axis=0).reshape(-1, width).all(axis=1)
        if not finite.all():
            values = values[:, np.repeat(finite, width)]
        all_finite.append(finite)
        blocks.append(slices(values, layout.most))
    sliced = beside(blocks)
    return np.concatenate(all_finite), sliced.grouped(layout.starts) if layout.clustered else sliced


def _stacked(jobs: Sequence[Job]) -> FloatArray:
    """Return the values of jobs side by side in the order of their rows (n, width): each column is contiguous."""
    rows = jobs[0][1].rows
    if all(layout is jobs[0][1] for _, layout in jobs):
        return np.concatenate([measure.values.T for measure, _ in jobs]).take(rows, axis=1).T
    return np.concatenate([measure.values.T.take(layout.rows, axis=1) for measure, layout in jobs]).T


# --- intervals --------------------------------------------------------------------------------------------------------


def ends(draws: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper percentile ends of replicates (..., resamples) → (...); NaN if any is undefined.

    Linear interpolation at q·(resamples − 1) in the sorted replicates (Davison & Hinkley 1997, §5.3).
    """
    return _ends(np.sort(draws, axis=-1), confidence, 1.0)


def _ends(ordered: AnyFloat, confidence: float, n: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of sorted replicates times n; NaN sorts last, so what is undefined shows at either side."""
    alpha = (1 - confidence) / 2
    last = ordered.shape[-1] - 1
    spots = [share * last for share in (alpha, 1 - alpha)]

    def replicate(place: int) -> FloatArray:
        return np.asarray(ordered[..., place].astype(np.float64) / n)

    with np.errstate(invalid="ignore"):
        lower, upper = (
            replicate(low) * (1 - (spot - low)) + replicate(min(low + 1, last)) * (spot - low)
            for spot, low in zip(spots, map(int, spots), strict=True)
        )
    undefined = ~np.isfinite(ordered[..., [0, -1]]).all(axis=-1)
    return np.where(undefined, np.nan, lower), np.where(undefined, np.nan, upper)


class Spread(NamedTuple):
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


def spreads(jobs: Sequence[Job], settings: BootstrapSettings) -> list[Spread]:
    """Return how the replicates of each job lie, without holding them all at once."""
    result = [NOWHERE] * len(jobs)
    for places, found in _each(lambda batch: (batch.places, _spread(batch, settings.confidence)), jobs, settings):
        for place, row in zip(places.tolist(), found.tolist(), strict=True):
            result[place] = Spread._make(row)
    return result


def _spread(batch: Batch, confidence: float) -> FloatArray:
    """Return the fields of a `Spread` for each job of a batch (b, fields)."""
    with np.errstate(over="ignore", invalid="ignore"):
        deviations = batch.replicates.std(axis=1, ddof=min(1, batch.replicates.shape[1] - 1))
    ordered, n = (batch.replicates, 1.0) if batch.sums is None else (batch.sums, batch.n)
    ordered.sort(axis=1)  # several times faster than selecting four values
    lower, upper = _ends(ordered, confidence, n)
    undefined = np.where(np.isnan(lower), (~np.isfinite(ordered)).sum(axis=1) if np.isnan(lower).any() else 0.0, 0.0)
    first, last = ordered[:, 0], ordered[:, -1]
    above = _share(ordered, first > 0, last > 0, np.greater)
    below = _share(ordered, last < 0, first < 0, np.less)
    shares = [np.where(undefined, np.nan, share) for share in (above, below)]
    return np.stack([batch.points, lower, upper, deviations, *shares, undefined], axis=1)


def _share(ordered: AnyFloat, whole: BoolArray, some: BoolArray, beyond: np.ufunc) -> FloatArray:
    """Return the share of each row of sorted replicates `beyond` 0, counting only where both sides occur."""
    share = whole.astype(np.float64)
    both = np.flatnonzero(some & ~whole)
    if len(both):
        share[both] = beyond(ordered[both], 0).mean(axis=1)
    return share

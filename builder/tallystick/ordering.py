"""What replicates can order: simultaneous confidence sets for ranks, with step-down.

Mogstad, Romano, Shaikh & Wilhelm 2023 (Review of Economic Studies, doi 10.1093/restud/rdad006), with bootstrap
replicates in the place of Gaussian draws. Every operation is elementwise, a maximum, or exact in integers, so that
neither the processor, nor the BLAS, nor the number of threads can move a decision.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tallystick.model import BoolArray, FloatArray, IntArray

ROUNDING = 2.0**-40  # a statistic this close to its critical value equals it: strictly greater must mean greater
UNVARYING = 2.0**-45  # a difference that varies by less than this share of the replicates does not vary
BLOCK = 1 << 16  # numbers worked on at once: half a megabyte stays in a core's own cache
NARROWEST = 64  # resamples worked on at once, however many methods there are
SLICES = 3
CROWD = 256  # fewer methods than this are not worth a second core, least of all a busy one

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class RankSets:
    """Ranks `lower`..`upper` (p,), one-based; `better[i, j]` says that i is declared better than j.

    `critical` holds the critical value of each pass, `spread` (p, p) the standard deviations of the differences.
    """

    lower: IntArray
    upper: IntArray
    better: BoolArray
    critical: tuple[float, ...]
    spread: FloatArray


@dataclass(slots=True)
class _Star:
    """One method's pairs with `others`, each turned the way the estimates point.

    `spread` carries the sign of the difference, so a `statistic` is positive where it speaks for the estimates' order;
    `undecided` marks the pairs whose hypothesis in that direction is still in the family.
    """

    centre: int
    others: IntArray
    spread: FloatArray
    statistic: FloatArray
    undecided: BoolArray

    @property
    def above(self) -> IntArray:
        """The methods that were declared better."""
        return self.others[~self.undecided & (self.spread < 0.0)]

    @property
    def below(self) -> IntArray:
        """The methods that were declared worse."""
        return self.others[~self.undecided & (self.spread > 0.0)]


class Pairs:
    """Every two methods, by `estimates` (p,) and `replicates` (R, p), larger is better.

    What a first pass must know is found here once, for the joint family and for those of single methods.
    """

    def __init__(self, estimates: FloatArray, replicates: FloatArray) -> None:
        given, drawn = _checked(estimates, replicates)
        (values, draws), scale = _scaled(given, drawn)
        spread = _spreads(draws)
        self.spread = np.ldexp(spread, scale)
        self._values = values
        self._deviations = draws - values[:, None]
        self._certain = np.logical_and(spread == 0.0, values[:, None] > values)
        self._signed = _signed(values, spread)
        self._along, self._against = _extremes(self._deviations, self._signed)

    def joint(self, confidence: float, *, focus: Sequence[int] | None = None, passes: int | None = None) -> RankSets:
        """Return rank sets that hold jointly; `focus` and `passes` as for `rank_sets`."""
        count = len(self._values)
        centres = range(count) if focus is None else focus
        stars = [self._star(centre, centres[:position]) for position, centre in enumerate(centres)]
        critical = self._step_down(stars, confidence, passes)
        better = self._certain.copy()
        for star in stars:
            better[star.centre, star.below] = True
            better[star.above, star.centre] = True
        return RankSets(1 + better.sum(axis=0), count - better.sum(axis=1), better, critical, self.spread)

    def marginal(self, confidence: float, *, passes: int | None = None) -> tuple[IntArray, IntArray]:
        """Return each method's own rank set, `lower` and `upper` (p,); `passes` as for `rank_sets`."""
        count = len(self._values)
        lower, upper = 1 + self._certain.sum(axis=0), count - self._certain.sum(axis=1)

        def alone(centre: int) -> _Star:
            star = self._star(centre, ())
            self._step_down([star], confidence, passes)
            return star

        for star in _spread_out(alone, range(count), count):
            lower[star.centre] += len(star.above)
            upper[star.centre] -= len(star.below)
        return lower, upper

    def _star(self, centre: int, earlier: Sequence[int]) -> _Star:
        mine = ~np.isnan(self._signed[centre])
        mine[list(earlier)] = False
        others = np.flatnonzero(mine)
        signed = self._signed[centre, others]
        statistic = (self._values[centre] - self._values[others]) / signed
        return _Star(centre, others, signed, statistic, np.ones(len(others), np.bool_))

    def _step_down(self, stars: Sequence[_Star], confidence: float, passes: int | None) -> tuple[float, ...]:
        """Reject, shrink the family, and again, until a pass rejects nothing; return each pass's critical value.

        A critical value is a quantile of the largest statistic in each resample. No pass takes an opposite out of the
        family, so it never falls below the quantile of the opposites' largest, the floor: only resamples whose largest
        statistic is above that have to be looked at.
        """
        centres = [star.centre for star in stars]
        opposites = np.max(self._against[centres], axis=0)
        place = math.floor(confidence * (len(opposites) - 1))
        floor = np.partition(opposites, place)[place]
        largest = np.maximum(opposites, np.max(self._along[centres], axis=0))
        tail = np.flatnonzero(largest > floor)
        largest, deviations = largest[tail], self._deviations.take(tail, axis=1)
        ordered = np.full(len(opposites), floor)
        critical: list[float] = []
        while passes is None or len(critical) < passes:
            ordered[len(ordered) - len(tail) :] = np.sort(np.maximum(largest, floor))
            # A negative critical value could order methods against their estimates, or equal ones.
            critical.append(max(0.0, interpolated(ordered, confidence)))
            if not any([_reject(star, critical[-1]) for star in stars]):  # a list: each must have its turn
                break
            largest = opposites[tail]
            for star in stars:
                np.maximum(largest, _maxima(deviations, star), out=largest)
        return tuple(critical)


def rank_sets(
    estimates: FloatArray,
    replicates: FloatArray,
    confidence: float = 0.95,
    *,
    focus: Sequence[int] | None = None,
    passes: int | None = None,
) -> RankSets:
    """Return rank sets that hold jointly: `estimates` (p,), `replicates` (R, p), larger is better.

    `focus` restricts the family to pairs with a method of it (whose rank sets alone then mean anything): one method
    gives its marginal set. `passes` stops the step-down early; 1 is the single-step procedure.
    """
    return Pairs(estimates, replicates).joint(confidence, focus=focus, passes=passes)


def marginal_sets(
    estimates: FloatArray, replicates: FloatArray, confidence: float = 0.95, *, passes: int | None = None
) -> tuple[IntArray, IntArray]:
    """Return each method's own rank set, `lower` and `upper` (p,): each holds alone, not jointly with the others."""
    return Pairs(estimates, replicates).marginal(confidence, passes=passes)


def spreads(replicates: FloatArray) -> FloatArray:
    """Return the standard deviation of each difference of two columns of `replicates` (R, p), as (p, p)."""
    (draws,), scale = _scaled(np.ascontiguousarray(replicates.T, dtype=np.float64))
    return np.asarray(np.ldexp(_spreads(draws), scale))


def _scaled(*arrays: FloatArray) -> tuple[list[FloatArray], int]:
    """Divide arrays by a power of two that leaves nothing above 1, so that no sum leaves the range of floats."""
    scale = math.frexp(max(float(np.max(np.abs(array), initial=0.0)) for array in arrays))[1]
    return [np.ldexp(array, -scale) for array in arrays], scale


def _spreads(draws: FloatArray) -> FloatArray:
    """Return the standard deviation of each difference of two rows of `draws` (p, R), as (p, p).

    Each deviation is cut into slices of so few bits that their Gram matrices are whole numbers below 2⁵³: every order
    of summation gives the same. A difference that varies only by the replicates' own rounding has spread 0.
    """
    count = draws.shape[1]
    centred = draws - np.array([math.fsum(row) / count for row in draws.tolist()])[:, None]
    exponent = math.frexp(float(np.max(np.abs(centred), initial=0.0)))[1]
    bits = (51 - max(1, (count - 1).bit_length())) // 2
    slices, rest = [], np.ldexp(centred, -exponent)
    for _ in range(SLICES):
        rest = np.ldexp(rest, bits)
        slices.append(np.rint(rest))
        rest -= slices[-1]
    squares = np.zeros((len(draws), len(draws)))
    terms = [(first, second) for first in range(SLICES) for second in range(first, SLICES)]
    for first, second in sorted(terms, key=sum, reverse=True):  # small ones first
        gram = slices[first] @ slices[second].T
        own = np.diagonal(gram)
        squares += np.ldexp(own[:, None] + own - gram - gram.T, (first != second) - (first + second + 2) * bits)
    spread: FloatArray = np.ldexp(np.sqrt(np.maximum(squares, 0.0) / count), exponent)
    spread[spread <= UNVARYING * np.max(np.abs(draws), initial=0.0)] = 0.0
    return spread


def interpolated(ordered: FloatArray, share: float) -> float:
    """Return the quantile of sorted values by linear interpolation, exactly the value where both neighbours equal."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    weight = position - below
    return low if low == high or weight == 0.0 else low * (1.0 - weight) + high * weight


def _spread_out(work: Callable[[T], U], items: Sequence[T], methods: int) -> Iterator[U]:
    """Do independent work on every core, in order; the heavy part of it runs in numpy, outside Python's lock."""
    if methods < CROWD:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, items)


def _checked(estimates: FloatArray, replicates: FloatArray) -> tuple[FloatArray, FloatArray]:
    values = np.asarray(estimates, dtype=np.float64)
    draws = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 1 or draws.ndim != 2 or draws.shape[1] != len(values) or not len(draws):
        raise ValueError(f"estimates (p,) and replicates (R, p) expected, found {values.shape} and {draws.shape}")
    if not (np.isfinite(values).all() and np.isfinite(draws).all()):
        raise ValueError("estimates and replicates must be finite")
    return values, np.ascontiguousarray(draws.T)


def _signed(values: FloatArray, spread: FloatArray) -> FloatArray:
    """Give each spread the sign of its difference (p, p), opposite for the two ways to look at a pair, also of equals.

    A difference that does not vary has no statistic: its spread is NaN.
    """
    above = np.triu(np.copysign(spread, values[:, None] - values))
    signed: FloatArray = above - above.T
    signed[spread == 0.0] = np.nan
    return signed


def _extremes(deviations: FloatArray, signed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for each method and resample (p, R) the largest statistic of its pairs, and of their opposites.

    Each pair is computed once, for both of its methods; where it has no statistic, `fmax` and `fmin` pass over it.
    Resamples are independent, so some at a time go through all pairs.
    """
    along, against = np.empty_like(deviations), np.empty_like(deviations)
    width = max(NARROWEST, BLOCK // len(deviations))

    def some(start: int) -> None:
        here = np.ascontiguousarray(deviations[:, start : start + width])
        most, least = np.full_like(here, -np.inf), np.full_like(here, np.inf)
        buffer = np.empty_like(here)  # one for all: a fresh one for each method costs more than the arithmetic
        for centre in range(len(deviations) - 1):
            later = slice(centre + 1, None)
            block = buffer[later]
            np.subtract(here[centre], here[later], out=block)
            np.divide(block, signed[centre, later, None], out=block)
            for extreme, found in ((np.fmax, most), (np.fmin, least)):
                extreme(found[centre], extreme.reduce(block, axis=0), out=found[centre])
                extreme(found[later], block, out=found[later])
        along[:, start : start + width] = most
        np.negative(least, out=against[:, start : start + width])

    for _ in _spread_out(some, range(0, deviations.shape[1], width), len(deviations)):
        pass
    return along, against


def _maxima(deviations: FloatArray, star: _Star) -> FloatArray:
    """Return, per resample, the largest statistic (R,) of a star's undecided hypotheses."""
    others, spread = star.others[star.undecided], star.spread[star.undecided]
    statistics = (deviations[star.centre] - deviations[others]) / spread[:, None]
    found: FloatArray = np.max(statistics, axis=0, initial=-np.inf)
    return found


def _reject(star: _Star, critical: float) -> bool:
    """Take the rejected hypotheses of a star out of the family; say whether there were any."""
    rejected = star.undecided & (star.statistic > critical * (1.0 + ROUNDING))
    star.undecided &= ~rejected
    return bool(rejected.any())

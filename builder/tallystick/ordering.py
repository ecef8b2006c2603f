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
SLICES = 3
CROWD = 256  # fewer items than this are not worth a second core, least of all a busy one

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

    `spread` carries the sign of the difference, so a statistic is positive where it speaks for the estimates' order;
    `undecided` marks the pairs whose hypothesis in that direction is still in the family.
    """

    centre: int
    others: IntArray
    spread: FloatArray
    statistic: FloatArray
    undecided: BoolArray


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
    values, draws = _checked(estimates, replicates)
    centres = range(len(values)) if focus is None else focus
    return _decide(values, draws - values[:, None], spreads(replicates), centres, confidence, passes)


def marginal_sets(
    estimates: FloatArray,
    replicates: FloatArray,
    confidence: float = 0.95,
    *,
    passes: int | None = None,
    spread: FloatArray | None = None,
) -> tuple[IntArray, IntArray]:
    """Return each method's own rank set, `lower` and `upper` (p,): each holds alone, not jointly with the others.

    `spread` are the `spreads` of these replicates, where they are already known.
    """
    values, draws = _checked(estimates, replicates)
    deviations, known = draws - values[:, None], spreads(replicates) if spread is None else spread
    lower, upper = np.ones(len(values), np.int64), np.full(len(values), len(values), np.int64)
    centres = [(centre,) for centre in range(len(values))]
    alone = _spread_out(lambda own: _decide(values, deviations, known, own, confidence, passes), centres)
    for centre, own in enumerate(alone):
        lower[centre], upper[centre] = own.lower[centre], own.upper[centre]
    return lower, upper


def spreads(replicates: FloatArray) -> FloatArray:
    """Return the standard deviation of each difference of two columns of `replicates` (R, p), as (p, p).

    Each deviation is cut into slices of so few bits that their Gram matrices are whole numbers below 2⁵³: every order
    of summation gives the same. A difference that varies only by the replicates' own rounding has spread 0.
    """
    draws = np.ascontiguousarray(replicates.T, dtype=np.float64)
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


def _spread_out(work: Callable[[T], U], items: Sequence[T]) -> Iterator[U]:
    """Do independent work on every core, in order; the heavy part of it runs in numpy, outside Python's lock."""
    if len(items) < CROWD:
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


def _decide(
    values: FloatArray,
    deviations: FloatArray,
    spread: FloatArray,
    centres: Sequence[int],
    confidence: float,
    passes: int | None,
) -> RankSets:
    """Step down: reject, shrink the family, and again, until a pass rejects nothing."""
    better = np.logical_and(spread == 0.0, values[:, None] > values)
    stars = [_star(values, spread, centre, centres[:position]) for position, centre in enumerate(centres)]
    heads = np.empty((len(stars), deviations.shape[1]))
    floor = np.full(deviations.shape[1], -np.inf)
    for row, (head, opposite) in enumerate(_spread_out(lambda star: _maxima(deviations, star), stars)):
        heads[row] = head
        np.maximum(floor, opposite, out=floor)
    critical: list[float] = []
    while passes is None or len(critical) < passes:
        maxima = np.sort(np.maximum(floor, np.max(heads, axis=0, initial=-np.inf)))
        # A negative critical value could order methods against their estimates, or equal ones.
        critical.append(max(0.0, interpolated(maxima, confidence)))
        changed = [row for row, star in enumerate(stars) if _reject(star, critical[-1], better)]
        if not changed:
            break
        again = _spread_out(lambda star: _maxima(deviations, star), [stars[row] for row in changed])
        for row, (head, _) in zip(changed, again, strict=True):
            heads[row] = head
    return RankSets(1 + better.sum(axis=0), len(values) - better.sum(axis=1), better, tuple(critical), spread)


def _star(values: FloatArray, spread: FloatArray, centre: int, earlier: Sequence[int]) -> _Star:
    mine = spread[centre] > 0.0
    mine[list(earlier)] = False
    others = np.flatnonzero(mine)
    difference = values[centre] - values[others]
    signed = np.copysign(spread[centre, others], difference)
    return _Star(centre, others, signed, difference / signed, np.ones(len(others), np.bool_))


def _maxima(deviations: FloatArray, star: _Star) -> tuple[FloatArray, FloatArray]:
    """Return, per resample, the largest statistic (R,) of a star's undecided hypotheses, and of their opposites.

    No pass can reject an opposite, so only the first pass has a use for theirs.
    """
    others, spread = star.others[star.undecided], star.spread[star.undecided]
    own = deviations[star.centre]
    head, opposite = np.full((2, len(own)), -np.inf)
    rows = max(1, BLOCK // len(own))
    buffer = np.empty((rows, len(own)))  # one for all: a fresh one per block costs more than the arithmetic
    for start in range(0, len(others), rows):
        block = buffer[: len(others) - start]
        np.take(deviations, others[start : start + rows], axis=0, out=block, mode="clip")
        np.subtract(own, block, out=block)
        np.divide(block, spread[start : start + rows, None], out=block)
        np.maximum(head, block.max(axis=0), out=head)
        np.maximum(opposite, -block.min(axis=0), out=opposite)
    return head, opposite


def _reject(star: _Star, critical: float, better: BoolArray) -> bool:
    """Take the rejected hypotheses of a star out of the family; say whether there were any."""
    rejected = star.undecided & (star.statistic > critical * (1.0 + ROUNDING))
    star.undecided &= ~rejected
    wins = star.spread > 0.0
    better[star.centre, star.others[rejected & wins]] = True
    better[star.others[rejected & ~wins], star.centre] = True
    return bool(rejected.any())

"""What a board must say beside its ranks: who may be best, how far the top flatters, what it can tell apart at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist, median_low

import numpy as np

from tallystick.board import Leader, Resolution
from tallystick.model import BoolArray, FloatArray

POWER = 0.8


def probability_best(replicates: FloatArray) -> tuple[float, ...]:
    """Return for each method the share of resamples in which its replicate is the largest: `replicates` (R, p) → (p,).

    Methods that tie in a resample share it.
    """
    best = _best(replicates)
    tied = best.sum(axis=1)
    shares = [best[tied == size].sum(axis=0) / size for size in np.unique(tied)]
    return tuple(math.fsum(column) / len(replicates) for column in np.array(shares).T.tolist())


def leader(methods: Sequence[str], estimates: FloatArray, replicates: FloatArray) -> Leader:
    """Return the top estimate and how much of it is owed to its having been picked for being the top.

    In each resample the best method is picked anew, and its replicate is held against the estimate it was drawn
    around: the mean excess is the optimism of picking (Efron 1983, §2; Efron & Tibshirani 1993, §17.6).
    Methods that tie in a resample share it. One method alone was not picked.
    """
    top = float(np.max(estimates))
    best = _best(replicates)
    tied = best.sum(axis=1)
    excess = np.max(replicates, axis=1) - np.divide(_row_sums(best * estimates, tied > 1), tied)
    optimism = max(0.0, math.fsum(excess.tolist()) / len(excess)) if len(methods) > 1 else 0.0
    first = tuple(method for method, value in zip(methods, estimates.tolist(), strict=True) if value == top)
    return Leader(first, top, optimism, top - optimism)


def resolution(
    order: Sequence[int], spread: FloatArray, samples: int, confidence: float, gap: float | None
) -> Resolution | None:
    """Return the smallest difference that `samples` samples tell apart, from neighbours in the order of methods.

    `spread` (p, p) are the standard deviations of replicate differences. The median neighbours stand for the board: a
    two-sided test of them finds a difference of (z₁₋α/₂ + z_power)·spread with the power stated, and the number of
    samples it takes grows with the square. None where no two neighbours differ on any sample.
    """
    apart = [value for above, below in pairwise(order) if (value := float(spread[above, below])) > 0.0]
    if not apart:
        return None
    typical, normal = median_low(apart), NormalDist()
    difference = (normal.inv_cdf(1 - (1 - confidence) / 2) + normal.inv_cdf(POWER)) * typical
    needed = None if gap is None else math.ceil(samples * (difference / gap) ** 2)
    return Resolution(POWER, confidence, samples, len(apart), typical * math.sqrt(samples), difference, gap, needed)


def _best(replicates: FloatArray) -> FloatArray:
    top: FloatArray = np.max(replicates, axis=1, keepdims=True)
    return np.asarray(replicates == top, np.float64)


def _row_sums(values: FloatArray, many: BoolArray) -> FloatArray:
    """Sum rows (R, p) exactly rounded: where there are not `many` values but one, in any order."""
    sums: FloatArray = values.sum(axis=1)
    sums[many] = [math.fsum(row) for row in values[many].tolist()]
    return sums

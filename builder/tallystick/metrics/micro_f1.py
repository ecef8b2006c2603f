"""Micro-averaged F1: of summed counts, never a mean of the samples' own F1."""

from __future__ import annotations

import numpy as np

from tallystick.model import FloatArray, MetricKind


def score(sums: FloatArray, n: FloatArray) -> FloatArray:
    """Return 2·TP / (predicted + gold): sums (..., 3) → (...); undefined where both are 0."""
    positives = sums[..., 1] + sums[..., 2]
    quotient: FloatArray = np.divide(
        2 * sums[..., 0], positives, out=np.full(positives.shape, np.nan), where=positives > 0
    )
    return quotient


def check(statistics: tuple[float, ...]) -> str | None:
    """Say what is wrong with one sample's counts."""
    hits, predicted, gold = statistics
    if any(count < 0 or not float(count).is_integer() for count in statistics):
        return "holds a count that is not a whole number from 0 up"
    if hits > min(predicted, gold):
        return "has more true positives than predicted or gold ones"
    return None


METRIC = MetricKind(
    id="micro_f1",
    statistics=("true_positives", "predicted", "gold"),
    score=score,
    linear=False,
    whole=True,
    check=check,
    description="2·TP / (predicted + gold) of counts summed over samples, recomputed inside each resample.",
)

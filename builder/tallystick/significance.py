"""Exact and closed-form inference: McNemar's test, Holm's adjustment, Wilson's interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

from tallystick.board import Interval


def mcnemar(baseline_only: int, candidate_only: int) -> float:
    """Return the exact two-sided p-value of McNemar's test, correctly rounded; 1 without discordant pairs.

    p = min(1, 2·P(X ≤ min(b, c))) with X ~ Binomial(b + c, ½), in whole numbers up to the one division.
    """
    discordant = baseline_only + candidate_only
    term = ways = 1
    for successes in range(min(baseline_only, candidate_only)):
        term = term * (discordant - successes) // (successes + 1)
        ways += term
    return min(1.0, 2 * ways / (1 << discordant))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the p-values adjusted step-down for their number, in the order given (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


@lru_cache(maxsize=1024)
def wilson(successes: int, n: int, confidence: float) -> Interval | None:
    """Return Wilson's score interval (1927) of a rate; None where n is 0."""
    if n == 0:
        return None
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)  # importing scipy for it takes longer than a small build
    rate = successes / n
    spread = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / spread
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / spread
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half)

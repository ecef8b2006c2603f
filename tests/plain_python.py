"""The contract's statistics in plain Python, one sample at a time: the oracle of the tests, the peer of the benchmarks.

Rows are positions into values; a value is a tuple of a sample's statistics. Nothing here uses the program.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence

Value = tuple[float, ...]
Add = Callable[[Sequence[float]], float]
Score = Callable[[Sequence[Value]], float]


def plain_sum(values: Sequence[float]) -> float:
    """Add from left to right: `sum` of Python 3.11 and older."""
    total = 0.0
    for value in values:
        total += value
    return total


def compensated_sum(values: Sequence[float]) -> float:
    """Add as `sum` of Python 3.12 and newer does (Neumaier)."""
    total = lost = 0.0
    for value in values:
        raised = total + value
        lost += (total - raised) + value if abs(total) >= abs(value) else (value - raised) + total
        total = raised
    return total + lost


def mean(add: Add = math.fsum) -> Score:
    """Score samples by the mean of their first statistic."""
    return lambda values: add([value[0] for value in values]) / len(values)


def micro_f1(values: Sequence[Value]) -> float:
    """Score samples by 2·TP / (predicted + gold); NaN where both are 0."""
    hits, predicted, gold = (sum(int(value[place]) for value in values) for place in range(3))
    return 2 * hits / (predicted + gold) if predicted + gold else math.nan


def grouped(names: Sequence[str | None], rows: Iterable[int]) -> dict[str, list[int]]:
    """Group rows by name, in their order; a row without a name is left out."""
    groups: dict[str, list[int]] = {}
    for row in rows:
        name = names[row]
        if name is not None:
            groups.setdefault(name, []).append(row)
    return groups


def within(groups: dict[str, list[int]], stream: random.Random) -> list[int]:
    """Draw as many rows from each stratum as it has."""
    return [stream.choice(groups[name]) for name in sorted(groups) for _ in groups[name]]


def whole(groups: dict[str, list[int]], stream: random.Random) -> list[int]:
    """Draw as many clusters as there are, and take all rows of each."""
    names = sorted(groups)
    return [row for name in [stream.choice(names) for _ in names] for row in groups[name]]


def replicates(
    score: Callable[[list[int]], float],
    groups: dict[str, list[int]],
    draw: Callable[[dict[str, list[int]], random.Random], list[int]],
    resamples: int,
    seed: int = 1729,
) -> list[float]:
    """Score resample after resample from a fresh stream."""
    stream = random.Random(seed)
    return [score(draw(groups, stream)) for _ in range(resamples)]


def ends(draws: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile ends of replicates."""
    ordered = sorted(draws)
    alpha = (1 - confidence) / 2
    found = []
    for share in (alpha, 1 - alpha):
        position = share * (len(ordered) - 1)
        low = math.floor(position)
        weight = position - low
        found.append(ordered[low] * (1 - weight) + ordered[min(low + 1, len(ordered) - 1)] * weight)
    return found[0], found[1]


def scored(score: Score, values: Sequence[Value]) -> Callable[[list[int]], float]:
    """Return the score of drawn rows of one report."""
    return lambda rows: score([values[row] for row in rows])


def difference(score: Score, candidate: Sequence[Value], baseline: Sequence[Value]) -> Callable[[list[int]], float]:
    """Return candidate − baseline of drawn rows: of the two scores."""
    return lambda rows: score([candidate[row] for row in rows]) - score([baseline[row] for row in rows])


def mean_difference(
    candidate: Sequence[Value], baseline: Sequence[Value], add: Add = math.fsum
) -> Callable[[list[int]], float]:
    """Return candidate − baseline of drawn rows: differences taken per sample first."""
    own = [(ours[0] - theirs[0],) for ours, theirs in zip(candidate, baseline, strict=True)]
    return scored(mean(add), own)


def mcnemar(baseline: Iterable[float], candidate: Iterable[float]) -> float:
    """Return the exact two-sided p-value of paired outcomes."""
    pairs = list(zip(baseline, candidate, strict=True))
    first, second = (sum(pair == only for pair in pairs) for only in ((1, 0), (0, 1)))
    n = first + second
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(min(first, second) + 1)) / 2**n)

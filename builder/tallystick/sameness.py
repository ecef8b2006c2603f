"""Pairs of reports that agree more than two methods would: the same outcomes under two names, or nearly the same.

Good methods agree on easy samples, so agreement alone says little. The level that chance would give is taken among
samples of like difficulty, told by how the other methods did on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tallystick.errors import Problem
from tallystick.model import STATUSES, Benchmark, FloatArray, IntArray, Report

NEAR = 0.95
"""The least share of samples with the same outcome that is worth a word."""
RARE = 0.001
"""How improbable the agreement must be, over all pairs of the board (Bonferroni)."""
ENDED = {status: -1e300 * (1 + place / 10) for place, status in enumerate(STATUSES)}
"""What stands for the value of a sample that has none: a number below all values for each status."""
_GROUPS = 5
_OTHERS_NEEDED = 3


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two reports with the same outcome in `same` of `n` samples, where chance would give `expected`.

    `p` is the probability of that much agreement by chance, times the number of pairs. `groups` is how many groups of
    like difficulty the samples were told apart into.
    """

    first: Report
    second: Report
    metric: str
    same: int
    n: int
    expected: float
    p: float
    groups: int


def sameness(reports: Sequence[Report], benchmark: Benchmark) -> tuple[Likeness, ...]:
    """Return the pairs of reports that are suspiciously alike in the primary metric, the likest first.

    Reports that lack a sample of the benchmark are left to `verify`. Constant scores never count: agreement is forced.
    """
    ids = set(benchmark.samples.ids)
    whole = [report for report in reports if set(report.ids) == ids and benchmark.primary in report.columns]
    if len(whole) < 2:
        return ()
    outcomes: FloatArray = np.array([_outcomes(report, benchmark) for report in whole])
    n, codes = len(ids), _codes(outcomes)
    pairs = len(whole) * (len(whole) - 1) // 2
    found = []
    for a, b, same in _near(codes):
        groups = _difficulty(np.delete(outcomes[:, :, 0], [a, b], axis=0))
        expected, variance = _chance(codes[a], codes[b], groups)
        p = min(1.0, _tail(same, expected, variance) * pairs)
        if p <= RARE:
            likeness = Likeness(whole[a], whole[b], benchmark.primary, same, n, expected, p, len(np.unique(groups)))
            found.append(likeness)
    return tuple(sorted(found, key=lambda item: (-item.same, item.first.method.id, item.second.method.id)))


def sameness_each(boards: Sequence[Sequence[Report]], benchmark: Benchmark) -> list[tuple[tuple[str, Problem], ...]]:
    """Return for each set of reports one note on each that is suspiciously alike another, with its method's id."""
    return [tuple(_nearest(sameness(reports, benchmark))) for reports in boards]


def _nearest(found: Sequence[Likeness]) -> Iterator[tuple[str, Problem]]:
    """Yield one note for each report: its nearest likeness, and how many more there are."""
    notes = list(problems(found))
    count = Counter(method for method, _ in notes)
    told: set[str] = set()
    for method, problem in notes:
        if method not in told:
            told.add(method)
            more = count[method] - 1
            alike = f"{problem.found}; {more} more {'are' if more > 1 else 'is'} alike"
            yield method, replace(problem, found=alike) if more else problem


def problems(found: Sequence[Likeness]) -> Iterator[tuple[str, Problem]]:
    """Yield a note for each report of each pair, with its method's id: nothing in them tells which was first."""
    for item in found:
        exact = item.same == item.n
        agreement = "every sample" if exact else f"{item.same} of {item.n} samples"
        remedy = "If both are one run, withdraw one; if one is made of the other, say so in its title."
        code = "outcomes-same" if exact else "outcomes-near-same"
        for mine, other in ((item.first, item.second), (item.second, item.first)):
            told = (
                f"the outcome of {other.method.id} in {agreement}; chance would give {item.expected:.1f} "
                f"among samples of like difficulty (p = {item.p:.1g} over all pairs)"
            )
            yield mine.method.id, Problem(code, mine.path, "outcomes of its own", told, remedy, "note")


def _codes(outcomes: FloatArray) -> IntArray:
    """Number the outcomes of methods and samples (p, n, k) → (p, n), the same ones alike."""
    methods, n, width = outcomes.shape
    alone = width == 1  # several times faster without an axis
    rows = outcomes.ravel() if alone else outcomes.reshape(-1, width)
    return np.unique(rows, axis=None if alone else 0, return_inverse=True)[1].reshape(methods, n).astype(np.int64)


def _near(codes: IntArray) -> Iterator[tuple[int, int, int]]:
    """Yield every two methods that have the same outcome on enough samples, and on how many."""
    methods, n = codes.shape
    for a in range(methods - 1):
        same = np.count_nonzero(codes[a + 1 :] == codes[a], axis=1)
        for b in np.flatnonzero(same >= NEAR * n).tolist():
            yield a, a + 1 + b, int(same[b])


def _outcomes(report: Report, benchmark: Benchmark) -> FloatArray:
    """Return the statistics of each sample of the benchmark (n, k), or a number below all values for its status."""
    column = report.columns[benchmark.primary]
    outcomes = column.statistics
    if not column.defined.all():
        ended = np.array([ENDED[status] for status in report.statuses])
        outcomes = np.where(column.defined[:, None], outcomes, ended[:, None])
    if report.ids == benchmark.samples.ids:
        return outcomes
    place = {name: row for row, name in enumerate(report.ids)}
    return outcomes[[place[name] for name in benchmark.samples.ids]]


def _difficulty(others: FloatArray) -> IntArray:
    """Group samples by the mean outcome of the other methods; one group where there are too few of them."""
    if len(others) < _OTHERS_NEEDED:
        return np.zeros(others.shape[1], dtype=np.int64)
    mean = np.maximum(others, -1e3).mean(axis=0)
    edges = np.quantile(mean, np.linspace(0, 1, _GROUPS + 1)[1:-1])
    groups: IntArray = np.searchsorted(edges, mean, side="right").astype(np.int64)
    return groups


def _chance(a: IntArray, b: IntArray, groups: IntArray) -> tuple[float, float]:
    """Return mean and variance of the number of matches when b is shuffled within each group.

    With a_v and b_v samples of outcome v among n and S = Σ a_v·b_v, the mean is S / n, and the expected number of
    ordered pairs of samples that both match is [S² − Σ a_v²·b_v² + Σ a_v(a_v − 1)·b_v(b_v − 1)] / (n(n − 1)): the first
    two factorial moments of matches under a uniform permutation.
    """
    mean = variance = 0.0
    for group in np.unique(groups):
        inside = groups == group
        n = int(inside.sum())
        size = int(max(a[inside].max(), b[inside].max())) + 1
        counts_a = np.bincount(a[inside], minlength=size).astype(np.float64)
        counts_b = np.bincount(b[inside], minlength=size).astype(np.float64)
        products = counts_a * counts_b
        expected = products.sum() / n
        mean += expected
        if n > 1:
            pairs = products.sum() ** 2 - (products**2).sum()
            pairs += (counts_a * (counts_a - 1) * counts_b * (counts_b - 1)).sum()
            variance += max(0.0, pairs / (n * (n - 1)) + expected - expected**2)
    return float(mean), float(variance)


def _tail(same: int, expected: float, variance: float) -> float:
    """Return the normal upper tail with continuity correction; 1 where agreement is forced."""
    if variance <= 1e-9:
        return 1.0
    return math.erfc((same - 0.5 - expected) / math.sqrt(2 * variance)) / 2

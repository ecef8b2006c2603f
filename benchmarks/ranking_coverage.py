"""How often rank sets cover every true rank at once, beside the percentiles of bootstrap ranks on the same data.

Run `python benchmarks/ranking_coverage.py [replications]`; 1,500 take some minutes and give a standard error of 0.006
at 0.95. Outcomes follow one latent factor ("how easy is this sample") and the bootstrap is the program's own: its
stream, its seed, within strata.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from tallystick import resample
from tallystick.model import FloatArray, IntArray
from tallystick.ordering import rank_sets

RESAMPLES = 2000
SEED = 1729
STRATA = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """True scores, how strongly outcomes go together, and samples; `strata` are their sizes, of rising difficulty."""

    name: str
    scores: tuple[float, ...]
    correlation: float
    samples: int
    strata: tuple[int, ...] = ()
    continuous: bool = False
    twins: int = 0


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of replications in which every true rank was covered, and mean widths; then the same for percentiles."""

    joint: float
    width: float
    percentile_joint: float
    percentile_each: float
    percentile_width: float


def tied(score: float, methods: int) -> tuple[float, ...]:
    """Return equal scores."""
    return (score,) * methods


def steps(first: float, step: float, methods: int) -> tuple[float, ...]:
    """Return evenly spaced scores."""
    return tuple(first + step * place for place in range(methods))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("10 tied at 0.50, correlation 0.50", tied(0.5, 10), 0.5, 200),
    Scenario("10 tied at 0.50, correlation 0", tied(0.5, 10), 0.0, 200),
    Scenario("10 tied at 0.50, correlation 0.95", tied(0.5, 10), 0.95, 200),
    Scenario("10 tied at 0.90, correlation 0.50", tied(0.9, 10), 0.5, 200),
    Scenario("10 tied at 0.95, correlation 0.95", tied(0.95, 10), 0.95, 200),
    Scenario("10 tied at 0.50, correlation 0.50, 1,000 samples", tied(0.5, 10), 0.5, 1000),
    Scenario("5 at 0.50, 5 at 0.75", tied(0.5, 5) + tied(0.75, 5), 0.5, 200),
    Scenario("9 at 0.50, 1 at 0.70", (*tied(0.5, 9), 0.7), 0.5, 200),
    Scenario("near ties, steps of 0.001", steps(0.5, 0.001, 10), 0.5, 200),
    Scenario("ladder, steps of 0.02", steps(0.4, 0.02, 10), 0.5, 200),
    Scenario("3 tied at 0.50", tied(0.5, 3), 0.5, 200),
    Scenario("30 tied at 0.50", tied(0.5, 30), 0.5, 200),
    Scenario("10 tied, 12 unequal strata", tied(0.5, 10), 0.5, sum(STRATA), STRATA),
    Scenario("10 tied, continuous", tied(0.5, 10), 0.5, 200, continuous=True),
    Scenario("10 tied, two of them identical", tied(0.5, 10), 0.5, 200, twins=1),
    Scenario("ladder, 12 unequal strata, continuous", steps(0.4, 0.02, 10), 0.5, sum(STRATA), STRATA, True),
)
LARGE: tuple[Scenario, ...] = (
    Scenario("100 tied at 0.50, 500 samples", tied(0.5, 100), 0.5, 500),
    Scenario("100 tied at 0.50, 2,000 samples", tied(0.5, 100), 0.5, 2000),
)
"""As slow as all others together, so repeated a fifth as often."""


def outcomes(scenario: Scenario, rng: np.random.Generator) -> FloatArray:
    """Draw outcomes (samples, methods) whose expectation is the true score, over the strata together."""
    methods = len(scenario.scores)
    shared = rng.standard_normal((scenario.samples, 1))
    own = rng.standard_normal((scenario.samples, methods))
    latent = np.sqrt(scenario.correlation) * shared + np.sqrt(1 - scenario.correlation) * own
    expected = np.tile(scenario.scores, (scenario.samples, 1)) + _difficulty(scenario)[:, None]
    if scenario.continuous:
        found = expected + 0.5 * (ndtr(latent) - 0.5)
    else:
        found = np.asarray(latent < ndtri(expected), np.float64)
    for twin in range(scenario.twins):
        found[:, 2 * twin + 1] = found[:, 2 * twin]
    return found


def _difficulty(scenario: Scenario) -> FloatArray:
    """Shift the expectation by stratum, by nothing on the whole."""
    if not scenario.strata:
        return np.zeros(scenario.samples)
    shifts = np.linspace(-0.1, 0.1, len(scenario.strata))
    sizes = np.array(scenario.strata)
    return np.asarray(np.repeat(shifts - (shifts * sizes).sum() / sizes.sum(), sizes))


def true_ranks(scores: Sequence[float]) -> IntArray:
    """Return 1 + the number of better methods; equal scores are equal."""
    values = np.array(scores)
    return np.asarray(1 + (values[None, :] > values[:, None] + 1e-12).sum(axis=1))


def percentile_ranks(replicates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the usual practice: the percentiles of each method's rank over the resamples."""
    ranks = 1 + (replicates[:, None, :] > replicates[:, :, None]).sum(axis=2)
    lower, upper = np.quantile(ranks, (0.025, 0.975), axis=0)
    return lower, upper


def coverage(scenario: Scenario, replications: int, seed: int = 7) -> Coverage:
    """Repeat the benchmark and count."""
    rng = np.random.default_rng(seed)
    sizes = scenario.strata or (scenario.samples,)
    counts = resample.counts(resample.positions(SEED, sizes, RESAMPLES))
    truth = true_ranks(scenario.scores)
    found = []
    for _ in range(replications):
        values = outcomes(scenario, rng)
        replicates = counts @ values / scenario.samples
        sets = rank_sets(values.mean(axis=0), replicates)
        low, high = percentile_ranks(replicates[: RESAMPLES // 4])
        hit, usual = (sets.lower <= truth) & (truth <= sets.upper), (low <= truth) & (truth <= high)
        widths = (sets.upper - sets.lower + 1).mean(), (high - low + 1).mean()
        found.append((hit.all(), widths[0], usual.all(), usual.mean(), widths[1]))
    return Coverage(*np.array(found, np.float64).mean(axis=0).tolist())


def main(replications: int) -> None:
    """Print the table."""
    print(f"nominal 0.95, {replications} replications, {RESAMPLES} resamples\n")
    print("| scenario | rank sets: joint | mean width | percentile ranks: joint | each | mean width | s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for scenario in (*SCENARIOS, *LARGE):
        started = time.perf_counter()
        found = coverage(scenario, replications if scenario not in LARGE else max(1, replications // 5))
        print(
            f"| {scenario.name} | {found.joint:.3f} | {found.width:.2f} | {found.percentile_joint:.3f} | "
            f"{found.percentile_each:.3f} | {found.percentile_width:.2f} | {time.perf_counter() - started:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)

"""Rank sets: held against the reference procedure, against plain Python, and against what must not matter."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.model import FloatArray
from tallystick.ordering import RankSets, interpolated, marginal_sets, rank_sets, spreads

DRAWS = 40_000


def board(methods: int, samples: int, seed: int, resamples: int = 500) -> tuple[FloatArray, FloatArray]:
    """Return estimates and replicates of 0/1 outcomes with a common factor."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=(samples, 1))
    outcomes = (ease + rng.normal(size=(samples, methods)) < np.linspace(-0.3, 0.9, methods)).astype(float)
    counts = rng.multinomial(samples, np.full(samples, 1 / samples), size=resamples).astype(float)
    return outcomes.mean(axis=0), counts @ outcomes / samples


# --- the reference procedure ----------------------------------------------------------------------------------------


def gaussian(covariance: list[list[float]], seed: int) -> FloatArray:
    """Return draws of the reference procedure; directions without variance are exactly that, as they are for it."""
    values, vectors = np.linalg.eigh(np.array(covariance))
    scales = np.sqrt(np.where(values > 1e-12 * values[-1], values, 0.0))
    return np.random.default_rng(seed).standard_normal((DRAWS, len(values))) @ (vectors * scales).T


def answer(case: dict[str, Any]) -> RankSets:
    """Return our rank sets with the options of an oracle case."""
    options = case["options"]
    estimates = np.array(case["x"])
    draws = estimates + gaussian(case["Sigma"], 7)
    passes = None if options["stepdown"] else 1
    focus = options["indices"]
    if options["simul"]:
        return rank_sets(estimates, draws, case["coverage"], focus=focus, passes=passes)
    lower, upper = marginal_sets(estimates, draws, case["coverage"], passes=passes)
    return RankSets(lower, upper, np.zeros((len(lower),) * 2, np.bool_), (), np.zeros(0))


def stated(case: dict[str, Any], ends: dict[str, Any], end: str) -> list[int]:
    chosen = case["options"]["indices"]
    found: list[int] = ends[end]
    return found if chosen is None or len(found) == len(chosen) else [found[index] for index in chosen]


def test_reference_procedure(shared: Path) -> None:
    cases = json.loads((shared / "rank_oracle" / "cases.json").read_text("utf-8"))["cases"]
    wrong, firm = [], 0
    for case in cases:
        found = answer(case)
        chosen = case["options"]["indices"] or range(len(case["x"]))
        one_sided = case["options"]["cstype"]
        ends = {"L": found.lower[list(chosen)].tolist(), "U": found.upper[list(chosen)].tolist()}
        if case["options"]["kind"] == "taubest":
            good = (found.lower <= case["options"]["tau"]).tolist() == case["member"]
        elif case["firm"]:
            sides = "L" if one_sided == "lower" else "LU"
            good = all(ends[side] == stated(case, case, side) for side in sides)
        elif one_sided == "lower" and not case["options"]["simul"]:
            continue  # a one-sided family of one method's pairs: nothing here offers it
        else:
            wide, narrow = case["bracket"]["wider"], case["bracket"]["narrower"]
            good = all(
                low <= here <= high
                for low, here, high in zip(stated(case, wide, "L"), ends["L"], stated(case, narrow, "L"), strict=True)
            ) and all(
                low <= here <= high
                for low, here, high in zip(stated(case, narrow, "U"), ends["U"], stated(case, wide, "U"), strict=True)
            )
        firm += case["firm"]
        if not good:
            wrong.append((case["name"], ends))
    assert wrong == []
    assert firm >= 25


# --- §12, written out -------------------------------------------------------------------------------------------------


def plain(
    estimates: FloatArray, replicates: FloatArray, confidence: float, focus: int | None = None
) -> tuple[list[int], list[int]]:
    """Follow the procedure word by word, one pair and one resample at a time; only pairs with `focus`, if any."""
    x, drawn = estimates.tolist(), replicates.tolist()
    methods = range(len(x))
    spread = {(i, j): deviation([row[i] - row[j] for row in drawn]) for i in methods for j in methods}
    better = {(i, j) for i in methods for j in methods if spread[i, j] < 1e-13 and x[i] > x[j]}
    family = {pair for pair in spread if spread[pair] >= 1e-13 and (focus is None or focus in pair)}
    while family:
        largest = sorted(max(((row[i] - row[j]) - (x[i] - x[j])) / spread[i, j] for i, j in family) for row in drawn)
        position = confidence * (len(drawn) - 1)
        low, weight = math.floor(position), position % 1
        critical = largest[low] * (1 - weight) + largest[min(low + 1, len(drawn) - 1)] * weight
        # Counts make equality common, and rounding must not pass for "strictly".
        rejected = {(i, j) for i, j in family if (x[i] - x[j]) / spread[i, j] > critical * (1 + 1e-12)}
        if not rejected:
            break
        better |= rejected
        family -= rejected
    lower = [1 + sum((j, i) in better for j in methods) for i in methods]
    upper = [len(x) - sum((i, j) in better for j in methods) for i in methods]
    return lower, upper


def deviation(values: list[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("methods", [2, 3, 6, 9])
def test_the_procedure_as_written(methods: int, confidence: float) -> None:
    for seed in range(4):
        estimates, replicates = board(methods, 80, seed, 199)
        found = rank_sets(estimates, replicates, confidence)
        assert (found.lower.tolist(), found.upper.tolist()) == plain(estimates, replicates, confidence)


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_marginal_sets_as_written(confidence: float) -> None:
    """Also of methods with equal values, which point neither way, and of those whose lead is certain."""
    for seed in range(30):
        estimates, replicates = board(7, 12, seed, 39)
        values = np.append(estimates, estimates[2] + 0.25)
        drawn = np.hstack([replicates, replicates[:, 2:3] + 0.25])
        lower, upper = marginal_sets(values, drawn, confidence)
        for method in range(len(values)):
            low, high = plain(values, drawn, confidence, method)
            assert (lower[method], upper[method]) == (low[method], high[method]), (seed, method)


@pytest.mark.parametrize("scale", [1e-310, 1e306, 3e307])
def test_values_next_to_nothing_or_to_infinity_are_ranked_as_others(scale: float) -> None:
    estimates, replicates = board(6, 80, 4)
    found = rank_sets(estimates * scale, replicates * scale)
    assert (found.better == rank_sets(estimates, replicates).better).all()
    np.testing.assert_allclose(found.spread / scale, spreads(replicates), rtol=1e-9)


def test_spreads_are_standard_deviations() -> None:
    _, replicates = board(7, 50, 3)
    expected = (replicates[:, :, None] - replicates[:, None, :]).std(axis=0)
    np.testing.assert_allclose(spreads(replicates), expected, rtol=1e-12, atol=0)


def test_stepping_down_tells_more_apart() -> None:
    gained = 0
    for seed in range(10):
        estimates, replicates = board(12, 400, seed)
        single, stepped = rank_sets(estimates, replicates, passes=1), rank_sets(estimates, replicates)
        assert (stepped.better | ~single.better).all()
        assert list(stepped.critical) == sorted(stepped.critical, reverse=True)
        gained += int(stepped.better.sum() - single.better.sum())
    assert gained > 0


# --- what must not matter ---------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 70))
def test_a_permutation_permutes_the_answer_and_nothing_else(seed: int, methods: int) -> None:
    estimates, replicates = board(methods, 60, seed, 120)
    turned = np.random.default_rng(seed).permutation(methods)
    before = rank_sets(estimates, replicates)
    after = rank_sets(estimates[turned], np.asfortranarray(replicates[:, turned]))
    assert after.critical == before.critical
    assert (after.better == before.better[np.ix_(turned, turned)]).all()
    assert (after.spread == before.spread[np.ix_(turned, turned)]).all()
    assert (after.lower == before.lower[turned]).all()


def test_turning_the_direction_turns_the_ranks() -> None:
    estimates, replicates = board(9, 100, 5)
    up, down = rank_sets(estimates, replicates), rank_sets(-estimates, -replicates)
    assert (down.better == up.better.T).all()


def test_order_of_resamples_and_scale_change_nothing() -> None:
    estimates, replicates = board(9, 100, 6)
    before = rank_sets(estimates, replicates)
    assert (rank_sets(estimates, replicates[::-1]).better == before.better).all()
    assert (rank_sets(estimates * 2.0**-40, replicates * 2.0**-40).better == before.better).all()
    assert rank_sets(estimates * 2.0**40, replicates * 2.0**40).critical == before.critical


def test_threads_of_the_matrix_product_change_no_bit() -> None:
    program = (
        "import hashlib, numpy as np; from tallystick.ordering import rank_sets; rng = np.random.default_rng(4);"
        "e = rng.random((301, 90)); r = rank_sets(e.mean(axis=0), e);"
        "print(hashlib.sha256(r.spread.tobytes() + r.better.tobytes() + repr(r.critical).encode()).hexdigest())"
    )
    found = set()
    for threads, core in (("1", "Prescott"), ("2", "Haswell"), ("2", "Nehalem")):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OPENBLAS_CORETYPE": core}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        found.add(run.stdout)
    assert len(found) == 1


# --- ties and differences known without error -------------------------------------------------------------------------


def test_identical_methods_share() -> None:
    estimates, replicates = board(5, 300, 2)
    twin = [0, 1, 2, 3, 4, 4, 0]
    found = rank_sets(estimates[twin], replicates[:, twin])
    assert not found.better[4, 5] and not found.better[5, 4]
    for one, other in ((4, 5), (0, 6)):
        assert (found.lower[one], found.upper[one]) == (found.lower[other], found.upper[other])


def test_a_difference_known_without_error_decides_by_its_sign() -> None:
    """A constant lead is certain however small, though its replicates differ by the rounding of their sums."""
    estimates, replicates = board(4, 200, 2)
    ahead = 0.1 + replicates[:, :1]
    found = rank_sets(np.append(estimates, estimates[0] + 0.1), np.hstack([replicates, ahead]))
    assert found.better[4, 0] and not found.better[0, 4]
    alone = rank_sets(estimates, replicates)
    assert (found.better[:4, :4] | ~alone.better).sum() >= 15


def test_equal_estimates_are_never_separated() -> None:
    _, replicates = board(6, 200, 8)
    assert not rank_sets(np.full(6, 0.5), replicates - replicates.mean(axis=0) + 0.5).better.any()


def test_equal_to_the_critical_value_is_not_above_it() -> None:
    """Of 0, 1 and 3 tenths, three in ten resamples are off by exactly the difference."""
    difference = np.array([0.3] * 7 + [0.6] * 3)
    replicates = np.stack([difference, np.zeros(10)], axis=1)
    assert not rank_sets(np.array([0.3, 0.0]), replicates, 0.9).better.any()
    assert rank_sets(np.array([0.3, 0.0]), replicates, 0.5).better[0, 1]


def test_replicates_that_lean_one_way_do_not_turn_the_order() -> None:
    """Where every resample favours one of two equal methods, they are still equal."""
    rng = np.random.default_rng(1)
    replicates = np.stack([0.6 + 0.01 * rng.random(99), 0.5 + 0.01 * rng.random(99)], axis=1)
    assert not rank_sets(np.array([0.5, 0.5]), replicates).better.any()


def test_one_method_has_one_rank() -> None:
    found = rank_sets(np.array([0.5]), np.full((10, 1), 0.5))
    assert (found.lower.tolist(), found.upper.tolist(), found.better.any()) == ([1], [1], False)


@pytest.mark.parametrize(
    ("estimates", "replicates"),
    [(np.zeros(2), np.zeros((5, 3))), (np.zeros(2), np.zeros((0, 2))), (np.array([0.0, np.nan]), np.zeros((5, 2)))],
)
def test_arrays_that_do_not_fit_are_refused(estimates: FloatArray, replicates: FloatArray) -> None:
    with pytest.raises(ValueError, match="estimates"):
        rank_sets(estimates, replicates)


def test_marginal_sets_are_those_of_a_focus_on_one() -> None:
    estimates, replicates = board(8, 200, 9)
    lower, upper = marginal_sets(estimates, replicates)
    joint = rank_sets(estimates, replicates)
    assert ((upper - lower) <= (joint.upper - joint.lower)).all()
    for method in range(8):
        own = rank_sets(estimates, replicates, focus=(method,))
        assert (own.lower[method], own.upper[method]) == (lower[method], upper[method])


def test_quantile_is_linear_and_exact_between_equals() -> None:
    ordered = np.sort(np.random.default_rng(3).random(40))
    for share in (0.0, 0.05, 0.5, 0.95, 1.0):
        assert interpolated(ordered, share) == pytest.approx(float(np.quantile(ordered, share)), rel=1e-14)
    assert interpolated(np.full(7, 0.1), 0.95) == 0.1

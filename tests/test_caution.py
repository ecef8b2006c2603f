"""The leader's caution and the benchmark's resolution, held against arithmetic done by hand and against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.caution import leader, probability_best, resolution
from tallystick.ordering import spreads


def test_methods_that_tie_in_a_resample_share_it() -> None:
    replicates = np.array([[0.5, 0.5, 0.1], [0.2, 0.4, 0.3], [0.6, 0.6, 0.6], [0.9, 0.1, 0.1]])
    shares = [4 * share for share in probability_best(replicates)]
    assert shares == pytest.approx([0.5 + 1 / 3 + 1, 0.5 + 1 + 1 / 3, 1 / 3])


def test_optimism_is_the_mean_excess_of_what_was_picked() -> None:
    """Picked are: b (0.7 for 0.5), a (0.8 for 0.6), and both (0.5 for 0.55 on average)."""
    replicates = np.array([[0.6, 0.7], [0.8, 0.4], [0.5, 0.5]])
    found = leader(("a", "b"), np.array([0.6, 0.5]), replicates)
    assert found.methods == ("a",)
    assert found.optimism == pytest.approx((0.2 + 0.2 - 0.05) / 3)
    assert found.adjusted == pytest.approx(0.6 - 0.35 / 3)


def test_all_leaders_are_named_and_a_lone_method_was_not_picked() -> None:
    replicates = np.full((4, 3), 0.5)
    assert leader(("a", "b", "c"), np.array([0.5, 0.5, 0.4]), replicates).methods == ("a", "b")
    alone = leader(("a",), np.array([0.5]), np.full((4, 1), 0.9))
    assert (alone.optimism, alone.adjusted) == (0.0, 0.5)


def test_adjusting_removes_bias_where_there_is_any_and_none_where_there_is_none() -> None:
    rng = np.random.default_rng(3)
    tied, clear = [], []
    counts = rng.multinomial(100, np.full(100, 0.01), size=200).astype(float)
    for _ in range(150):
        outcomes = (rng.random((100, 6)) < 0.5).astype(float)
        found = leader("abcdef", outcomes.mean(axis=0), counts @ outcomes / 100)
        tied.append((found.value - 0.5, found.adjusted - 0.5))
        outcomes[:, 0] = rng.random(100) < 0.95
        found = leader("abcdef", outcomes.mean(axis=0), counts @ outcomes / 100)
        clear.append(found.optimism)
    naive, adjusted = np.mean(tied, axis=0)
    assert naive > 0.05
    assert abs(adjusted) < 0.5 * naive
    assert np.mean(clear) < 0.002


def test_resolution_rests_on_the_median_neighbours() -> None:
    order = (0, 2, 3, 1)
    spread = np.zeros((4, 4))
    for one, other, value in ((0, 2, 0.03), (2, 3, 0.01), (3, 1, 0.02)):
        spread[one, other] = spread[other, one] = value
    found = resolution(order, spread, 400, 0.95, 0.01)
    assert found is not None
    assert found.deviation == pytest.approx(0.02 * 20)
    assert found.difference == pytest.approx((1.959964 + 0.841621) * 0.02, rel=1e-5)
    assert found.needed == math.ceil(400 * (found.difference / 0.01) ** 2)
    assert found.pairs == 3
    unbounded = resolution(order, spread, 400, 0.95, None)
    assert unbounded is not None and unbounded.needed is None


def test_neighbours_that_never_differ_say_nothing() -> None:
    assert resolution((0, 1), np.zeros((2, 2)), 10, 0.95, 0.01) is None
    assert resolution((0,), np.zeros((1, 1)), 10, 0.95, 0.01) is None


def test_resolution_has_the_power_it_states() -> None:
    """Two methods that lie just that far apart are told apart in about four of five repetitions."""
    rng = np.random.default_rng(8)
    n = 400
    counts = rng.multinomial(n, np.full(n, 1 / n), size=400).astype(float)
    outcomes = (rng.random((n, 2)) < 0.5).astype(float)
    found = resolution((0, 1), spreads(counts @ outcomes / n), n, 0.95, 0.01)
    assert found is not None
    truth = 0.5 + np.array([found.difference / 2, -found.difference / 2])
    told = 0
    for _ in range(400):
        difference = np.diff((rng.random((n, 2)) < truth).astype(float))[:, 0]
        told += abs(difference.mean()) > 1.96 * difference.std() / math.sqrt(n)
    assert 0.7 < told / 400 < 0.9

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tallystick.significance import holm, mcnemar, wilson

counts = st.integers(0, 300)


@settings(deadline=None)
@given(counts, counts)
def test_mcnemar_is_the_exact_binomial_test(baseline_only: int, candidate_only: int) -> None:
    discordant = baseline_only + candidate_only
    expected = binomtest(candidate_only, discordant).pvalue if discordant else 1.0
    assert mcnemar(baseline_only, candidate_only) == pytest.approx(expected, rel=1e-11)
    assert mcnemar(candidate_only, baseline_only) == mcnemar(baseline_only, candidate_only)


@pytest.mark.parametrize(
    ("pair", "p"), [((0, 0), 1.0), ((3, 3), 1.0), ((0, 1), 1.0), ((0, 6), 2**-5), ((1, 5), 7 / 32)]
)
def test_mcnemar_by_hand(pair: tuple[int, int], p: float) -> None:
    assert mcnemar(*pair) == p


def test_mcnemar_of_thousands_of_pairs_neither_overflows_nor_vanishes_early() -> None:
    assert mcnemar(0, 1000) == math.ldexp(1, -999)
    assert mcnemar(5000, 5000) == 1.0


def test_mcnemar_equals_every_stated_p_value_to_the_last_bit(shared: Path) -> None:
    tests = []
    for path in sorted(shared.glob("*far*/evaluations/*/report.json")):
        comparison = json.loads(path.read_text("utf-8")).get("comparison") or {}
        tests += comparison.get("mcnemar", {}).values()
    assert len(tests) >= 70
    for test in tests:
        assert mcnemar(test["baseline_only"], test["candidate_only"]) == test["p_value"]


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_only_raises_keeps_the_order_and_is_at_most_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for p, q in zip(p_values, adjusted, strict=True):
        assert p <= q <= min(1.0, len(p_values) * p)
    ordered = [q for _, q in sorted(zip(p_values, adjusted, strict=True))]
    assert ordered == sorted(ordered)


@settings(deadline=None)
@given(n=st.integers(1, 500), share=st.floats(0, 1), confidence=st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_is_that_of_scipy(n: int, share: float, confidence: float) -> None:
    successes = round(share * n)
    expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    found = wilson(successes, n, confidence)
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=1e-14)
    assert 0 <= found.lower <= successes / n <= found.upper <= 1


def test_wilson_of_nothing_is_undefined() -> None:
    assert wilson(0, 0, 0.95) is None

"""Letters: two methods share one exactly where they are not separated."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.letters import MOST_SETS, letters
from tallystick.model import BoolArray


def relation(count: int, pairs: set[tuple[int, int]]) -> BoolArray:
    better = np.zeros((count, count), np.bool_)
    for one, other in pairs:
        better[one, other] = True
    return better


@st.composite
def relations(draw: st.DrawFn) -> BoolArray:
    count = draw(st.integers(1, 9))
    pairs = st.sampled_from(sorted(itertools.combinations(range(count), 2)) or [(0, 0)])
    chosen = draw(st.sets(pairs)) if count > 1 else set()
    return relation(count, chosen)


@settings(max_examples=200, deadline=None)
@given(relations())
def test_sets_are_all_the_largest_ones(better: BoolArray) -> None:
    """Held against every subset: none of its methods separated, and nothing can be added."""
    count = len(better)
    apart = better | better.T
    free = [
        set(chosen)
        for size in range(1, count + 1)
        for chosen in itertools.combinations(range(count), size)
        if not apart[np.ix_(chosen, chosen)].any()
    ]
    largest = {frozenset(one) for one in free if not any(one < other for other in free)}
    found = letters(better, range(count))
    assert {frozenset(members) for members in found.sets} == largest
    assert found.exact
    for one, other in itertools.combinations(range(count), 2):
        assert bool(set(found.texts[one]) & set(found.texts[other])) != apart[one, other]


def test_letters_follow_the_order_given() -> None:
    better = relation(4, {(2, 0), (2, 1), (3, 1)})
    found = letters(better, (2, 3, 0, 1))
    assert found.texts == ("bc", "c", "a", "ab")


def test_more_letters_than_the_alphabet_are_numbered() -> None:
    count = 40
    pairs = {(one, other) for one, other in itertools.combinations(range(count), 2) if other - one > 5}
    found = letters(relation(count, pairs), range(count))
    assert len(found.sets) == 35
    assert found.texts[:3] == ("a", "a–b", "a–c")
    assert found.texts[30] == "z–e2"
    assert all(re.fullmatch(r"[a-z]\d*(–[a-z]\d*)?( [a-z]\d*(–[a-z]\d*)?)*", text) for text in found.texts)


def test_too_many_letters_fall_back_to_runs() -> None:
    """Twelve couples, told apart only within a couple, have 2¹² largest sets."""
    count = 24
    found = letters(relation(count, {(one, one + 1) for one in range(0, count, 2)}), range(count))
    assert MOST_SETS < 2**12
    assert not found.exact
    assert len(found.sets) <= count


@pytest.mark.parametrize("seed", range(5))
def test_runs_never_claim_a_separation(seed: int) -> None:
    from tallystick.letters import _runs

    rng = np.random.default_rng(seed)
    alike = rng.random((15, 15)) < 0.2
    alike |= alike.T
    np.fill_diagonal(alike, True)
    runs = _runs(alike)
    for one, other in itertools.combinations(range(15), 2):
        assert not alike[one, other] or any(one in run and other in run for run in runs)

"""Same outcomes under two names: told from chance among samples of like difficulty."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from cases import ACCURACY, F1, make_benchmark, make_report, shuffled
from tallystick.model import Benchmark, Report
from tallystick.sameness import _chance, problems, sameness, sameness_each

N = 200


def board() -> Benchmark:
    return make_benchmark(["x"] * N, [ACCURACY])


def method(name: str, seed: int, skill: float = 0.0) -> Report:
    """Return a method that solves easy samples more often: sample i has difficulty i / N."""
    chances = np.clip(1 - np.arange(N) / N + skill, 0, 1)
    return make_report(name, {"accuracy": (np.random.default_rng(seed).random(N) < chances).astype(float).tolist()})


def named(found: tuple[object, ...]) -> list[tuple[str, str, int]]:
    return [(item.first.method.id, item.second.method.id, item.same) for item in found]  # type: ignore[attr-defined]


def test_methods_of_their_own_are_not_alike_however_good_they_are() -> None:
    assert sameness([method(name, seed, 0.5) for seed, name in enumerate("abcdefgh")], board()) == ()


def test_the_same_outcomes_in_another_order_under_another_name_are_found() -> None:
    original = method("a", 1)
    copied = shuffled(original, np.random.default_rng(0).permutation(N).tolist())
    replay = make_report("copy", {"accuracy": copied.columns["accuracy"].statistics[:, 0].tolist()}, ids=copied.ids)
    others = [method(name, seed) for seed, name in enumerate("bcde", start=2)]
    (found,) = sameness([original, *others, replay], board())
    assert named((found,)) == [("a", "copy", N)]
    for (method_id, problem), other in zip(problems([found]), ("copy", "a"), strict=True):
        assert {method_id, other} == {"a", "copy"}
        assert problem.where == f"reports/{method_id}.json"
        assert (problem.code, problem.effect) == ("outcomes-same", "note")
        assert f"the outcome of {other} in every sample; chance would give" in problem.found


def test_a_few_changed_outcomes_do_not_hide_a_copy() -> None:
    original = method("a", 1)
    values = original.columns["accuracy"].statistics[:, 0].copy()
    values[:6] = 1 - values[:6]
    reports = [original, *(method(name, seed) for seed, name in enumerate("bcde", start=2))]
    (found,) = sameness([*reports, make_report("near", {"accuracy": values.tolist()})], board())
    assert named((found,)) == [("a", "near", N - 6)]
    assert next(problems([found]))[1].code == "outcomes-near-same"


def test_constant_scores_agree_because_they_must() -> None:
    reports = [make_report(name, {"accuracy": [1.0] * N}) for name in "ab"]
    assert sameness(reports, board()) == ()


def test_samples_that_ended_otherwise_do_not_agree() -> None:
    scores = method("a", 1).columns["accuracy"].statistics[:, 0].tolist()
    half = N // 2
    abstaining = make_report(
        "b", {"accuracy": [*scores[:half], *[None] * half]}, statuses=["scored"] * half + ["abstained"] * half
    )
    assert sameness([make_report("a", {"accuracy": scores}), abstaining], board()) == ()


def test_every_count_of_a_sample_must_agree() -> None:
    generator = np.random.default_rng(3)
    counts = [tuple(row) for row in generator.integers(0, 3, size=(N, 3)).tolist()]
    others = [(tp, p + 5, g) for tp, p, g in counts]
    made = make_benchmark(["x"] * N, [F1])
    assert sameness([make_report("a", {"f1": counts}), make_report("b", {"f1": others})], made) == ()
    assert len(sameness([make_report("a", {"f1": counts}), make_report("b", {"f1": counts})], made)) == 1


def test_a_report_that_lacks_samples_is_left_to_verification() -> None:
    scores = method("a", 1).columns["accuracy"].statistics[:, 0].tolist()
    short = make_report("b", {"accuracy": scores[:-1]})
    assert sameness([make_report("a", {"accuracy": scores}), short], board()) == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0, 0, 1, 1, 2), (0, 1, 1, 2, 2)),
        ((0, 1, 1, 1, 1), (1, 1, 1, 1, 0)),
        ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0)),
    ],
)
def test_chance_is_the_mean_and_variance_over_every_shuffle(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    matches = [sum(x == y for x, y in zip(a, order, strict=True)) for order in permutations(b)]
    mean, variance = _chance(np.array(a), np.array(b), np.zeros(5, dtype=np.int64))
    assert mean == pytest.approx(np.mean(matches))
    assert variance == pytest.approx(np.var(matches))


def test_chance_adds_up_over_groups() -> None:
    a, b = np.array([0, 0, 1, 1, 0, 1, 1]), np.array([0, 1, 1, 1, 1, 1, 0])
    whole = _chance(a, b, np.array([0, 0, 0, 0, 1, 1, 1]))
    parts = [_chance(a[:4], b[:4], np.zeros(4, np.int64)), _chance(a[4:], b[4:], np.zeros(3, np.int64))]
    assert whole == pytest.approx(tuple(map(sum, zip(*parts, strict=True))))


def test_a_report_gets_one_note_that_counts_the_rest() -> None:
    outcomes = method("m0", 1).columns["accuracy"].statistics[:, 0].tolist()
    reports = [make_report(f"m{number}", {"accuracy": outcomes}) for number in range(3)]
    (notes,) = sameness_each([reports], board())
    assert sorted(method for method, _ in notes) == ["m0", "m1", "m2"]
    assert all(note.found.endswith("; 1 more is alike") for _, note in notes)

"""Reconciliation against the procedure in plain Python: which verdict, which rule, which cause."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from cases import ACCURACY, F1, QUALITY, make_benchmark, make_report
from plain_python import (
    Add,
    compensated_sum,
    difference,
    ends,
    grouped,
    mcnemar,
    mean,
    mean_difference,
    micro_f1,
    plain_sum,
    replicates,
    scored,
    whole,
    within,
)
from tallystick.model import (
    Benchmark,
    Computed,
    CountOf,
    IntervalOf,
    McNemarOf,
    MeanOf,
    MeanOfValues,
    PairedOf,
    Quantity,
    Reconciliation,
    Report,
    Stated,
    SumOf,
)
from tallystick.reconcile import problems, reconcile

N = 40
STRATA = ["b" if index % 3 else "a" for index in range(N)]
CLUSTERS = [f"g{index // 4}" if index % 5 else None for index in range(N)]
RULES: dict[str, Add] = {"correctly rounded": math.fsum, "plain": plain_sum, "compensated": compensated_sum}


def board() -> Benchmark:
    return make_benchmark(STRATA, (QUALITY, ACCURACY, F1), clusters=CLUSTERS, axes={"half": ["x", "y"] * (N // 2)})


def made(seed: int) -> Report:
    stream = random.Random(seed)
    counts = [(hit, hit + stream.randint(0, 2), 1) for hit in (stream.randint(0, 1) for _ in range(N))]
    return make_report(
        f"m{seed}",
        {
            "quality": [None if index % 7 == 6 else 10 * stream.random() for index in range(N)],
            "accuracy": [stream.randint(0, 1) for _ in range(N)],
            "f1": counts,
        },
    )


def values(report: Report, metric: str) -> list[tuple[float, ...]]:
    return [tuple(row) for row in report.columns[metric].statistics.tolist()]


def defined(report: Report, metric: str) -> list[int]:
    return [row for row, known in enumerate(report.columns[metric].defined.tolist()) if known]


def judged(
    report: Report, stated: Sequence[tuple[float | int | None, Quantity]], *peers: Report
) -> tuple[Reconciliation, ...]:
    written = tuple(Stated(f"report /{index}", value, quantity) for index, (value, quantity) in enumerate(stated))
    return reconcile(replace(report, stated=written), board(), (report, *peers))


def interval(part: str, scheme: str = "stratified", metric: str = "quality", **changes: object) -> IntervalOf:
    return replace(IntervalOf(metric, part, scheme, 300, 1729, 0.95), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", RULES)
def test_a_report_is_exact_under_the_rule_that_wrote_all_of_it(rule: str) -> None:
    stream = random.Random(5)
    wild: list[float | None] = [1e40, 1e20, 1.5, -1e20, -1e40]  # of which each rule keeps something else
    wild += [None if row % 7 == 6 else stream.random() for row in range(5, N)]
    report, add = make_report("wild", {"quality": wild}), RULES[rule]
    rows = defined(report, "quality")
    score = scored(mean(add), values(report, "quality"))
    lower, upper = ends(replicates(score, grouped(STRATA, rows), within, 300))
    low, high = ends(replicates(score, grouped(CLUSTERS, rows), whole, 300))
    stated: list[tuple[float, Quantity]] = [
        (score(rows), MeanOf("quality")),
        (lower, interval("lower")),
        (upper, interval("upper")),
        (low, interval("lower", "cluster")),
        (high, interval("upper", "cluster")),
    ]
    found = judged(report, stated)
    assert [one.verdict for one in found] == ["exact"] * 5
    assert {one.rule for one in found} == {rule}


def test_a_nonlinear_metric_is_drawn_and_compared_as_a_difference_of_scores() -> None:
    report, other = made(1), made(2)
    rows = list(range(N))
    ours, theirs = values(report, "f1"), values(other, "f1")
    lower, upper = ends(replicates(scored(micro_f1, ours), grouped(STRATA, rows), within, 300))
    draws = replicates(difference(micro_f1, ours, theirs), grouped(STRATA, rows), within, 300)
    paired = PairedOf("f1", "lower", "m2", other.scores_digest, 300, 1729, 0.95, pairs_of_all_rows=True)
    better = sum(draw > 0 for draw in draws) / 300
    found = judged(
        report,
        [
            (lower, interval("lower", metric="f1")),
            (upper, interval("upper", metric="f1")),
            (ends(draws)[0], paired),
            (better, replace(paired, part="probability")),
            (N, replace(paired, part="pairs")),
        ],
        other,
    )
    assert [one.verdict for one in found] == ["exact"] * 5


def test_a_paired_mean_takes_differences_first_and_only_rows_that_both_have() -> None:
    report, other = made(1), made(2)
    rows = defined(report, "quality")
    score = mean_difference(values(report, "quality"), values(other, "quality"))
    lower, upper = ends(replicates(score, grouped(STRATA, rows), within, 300))
    paired = PairedOf("quality", "lower", "m2", other.scores_digest, 300, 1729, 0.95)
    found = judged(
        report,
        [
            (lower, paired),
            (upper, replace(paired, part="upper")),
            (score(rows), replace(paired, part="difference")),
            (len(rows), replace(paired, part="pairs")),
        ],
        other,
    )
    assert [one.verdict for one in found] == ["exact"] * 4


def test_an_exact_test_counts_undefined_outcomes_as_failures_where_the_format_does() -> None:
    outcomes = [[1, 1, 0, None, 1, None], [0, 1, 1, 1, None, None]]
    ours, theirs = (
        make_report(name, {"accuracy": [*values, *[0] * (N - 6)]})
        for name, values in zip(("ours", "theirs"), outcomes, strict=True)
    )
    test = McNemarOf("accuracy", "p_value", "theirs", theirs.scores_digest)
    both = mcnemar([0, 1, 1], [1, 1, 0])
    failing = mcnemar([0, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0])
    counts = [replace(test, part=part) for part in ("baseline_only", "candidate_only", "discordant")]
    found = judged(
        ours,
        [
            (both, test),
            (failing, replace(test, undefined_fails=True)),
            *zip((1, 1, 2), counts, strict=True),
            *zip((2, 2, 4), (replace(one, undefined_fails=True) for one in counts), strict=True),
        ],
        theirs,
    )
    assert [one.verdict for one in found] == ["exact"] * 8


def test_counts_sums_and_other_means() -> None:
    report = made(3)
    half = [row for row in defined(report, "quality") if row % 2 == 0]
    exact = math.fsum(values(report, "quality")[row][0] for row in half) / len(half)
    predicted = sum(int(row[1]) for row in values(report, "f1"))
    found = judged(
        report,
        [
            (N, CountOf()),
            (N // 2, CountOf(axis="half", axis_value="x")),
            (len(half), CountOf(axis="half", axis_value="x", metric="quality")),
            (predicted, SumOf("f1", "predicted")),
            (exact, MeanOf("quality", "half", "x")),
            (None, MeanOf("quality", "half", "z")),
            (0.0, MeanOf("quality", "half", "z", empty=0.0)),
            (0.0, MeanOf("absent", empty=0.0)),
            (2.0, MeanOfValues((1.0, 3.0))),
            (7, Computed(7, "count")),
        ],
    )
    assert [one.verdict for one in found] == ["exact"] * 10


def test_almost_equal_agrees_and_a_count_never_does() -> None:
    report = made(4)
    exact = math.fsum(values(report, "accuracy")[row][0] for row in range(N)) / N
    found = judged(
        report,
        [
            (exact * (1 + 3e-13), MeanOf("accuracy")),
            (exact * (1 + 3e-12), MeanOf("accuracy")),
            (N + 1, CountOf()),
            (True, Computed(1, "equality")),
            (None, MeanOf("accuracy")),
        ],
    )
    assert [one.verdict for one in found] == ["agrees", "differs", "differs", "differs", "differs"]


def test_without_its_baseline_a_comparison_is_unverified() -> None:
    paired = PairedOf("quality", "lower", "gone", "f" * 64, 300, 1729, 0.95)
    [found] = judged(made(1), [(0.1, paired)], made(2))
    assert found.verdict == "unverified"
    assert "gone" in found.note


@pytest.mark.parametrize("absurd", [{"resamples": 10**9}, {"resamples": 0}, {"confidence": 1.5}, {"confidence": -1.0}])
def test_what_cannot_be_drawn_is_unverified(absurd: dict[str, float]) -> None:
    [found] = judged(made(1), [(0.1, interval("lower", **absurd))])
    assert found.verdict == "unverified"


@pytest.mark.parametrize(
    ("drawn", "named"),
    [({"seed": 1730}, "seed 1730"), ({"seed": 42}, "seed 42"), ({"resamples": 500}, "500 resamples")],
)
def test_the_likely_cause_of_a_difference_is_named(drawn: dict[str, int], named: str) -> None:
    report = made(6)
    rows = defined(report, "quality")
    settings = {"resamples": 300, "seed": 1729} | drawn
    score = scored(mean(), values(report, "quality"))
    lower, upper = ends(replicates(score, grouped(STRATA, rows), within, **settings))
    found = judged(report, [(lower, interval("lower")), (upper, interval("upper"))])
    assert [one.verdict for one in found] == ["differs"] * 2
    assert all(named in one.note for one in found)


def test_another_order_of_rows_is_named() -> None:
    report = made(6)
    turned = replace(report, ids=tuple(reversed(report.ids)))
    strata = list(reversed(STRATA))
    rows = sorted(defined(turned, "quality"), key=lambda row: turned.ids[row])
    score = scored(mean(), values(turned, "quality"))
    lower, _ = ends(replicates(score, grouped(strata, rows), within, 300))
    [found] = judged(turned, [(lower, interval("lower"))])
    assert found.verdict == "differs"
    assert "sorted by id" in found.note


def test_each_number_that_differs_is_a_problem_and_fifty_are_shown() -> None:
    report = made(1)
    found = problems(judged(report, [(index + 1000, CountOf()) for index in range(60)]))
    assert len(found) == 50
    assert {problem.code for problem in found[:-1]} == {"stated-differs"}
    assert found[0].where == "report /0"
    assert found[0].expected == "40 (recomputed from the rows)"
    assert found[0].found == "stated value differs from the recomputed one: 1000"
    assert found[-1].code == "more-problems"
    assert found[-1].found == "11 further numbers that differ, of 60 stated"

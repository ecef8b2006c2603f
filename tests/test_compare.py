import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_python
from cases import ACCURACY, F1, QUALITY, WASTE, make_benchmark, make_report
from tallystick.board import Interval
from tallystick.compare import compare, compare_others, compare_pairs
from tallystick.errors import Refusal
from tallystick.model import Benchmark, DeclaredComparison, Report, Showing

RESAMPLES = 50


@st.composite
def boards(draw: st.DrawFn) -> tuple[Benchmark, list[Report]]:
    n = draw(st.integers(1, 18))
    strata = draw(st.lists(st.sampled_from(["b", "a", "C"]), min_size=n, max_size=n))
    counts = st.tuples(*[st.integers(0, 3).map(float)] * 3)
    cells = {
        "accuracy": st.sampled_from([0.0, 1.0, None]),
        "quality": st.floats(0, 10) | st.none(),
        "waste": st.floats(0, 1),
        "f1": counts | st.none(),
    }
    reports = [
        make_report(method, {metric: draw(st.lists(cell, min_size=n, max_size=n)) for metric, cell in cells.items()})
        for method in ("one", "two")
    ]
    return make_benchmark(strata, [ACCURACY, QUALITY, WASTE, F1], resamples=RESAMPLES), reports


@settings(max_examples=60, deadline=None)
@given(boards())
def test_comparisons_are_those_of_plain_python(board: tuple[Benchmark, list[Report]]) -> None:
    benchmark, (baseline, candidate) = board
    for found in compare_pairs([(baseline, candidate)], benchmark):
        theirs, ours = baseline.columns[found.metric], candidate.columns[found.metric]
        rows = np.flatnonzero(theirs.defined & ours.defined).tolist()
        assert (found.pairs, found.left_out) == (len(rows), int((theirs.defined ^ ours.defined).sum()))
        if not rows:
            assert found.difference is found.interval is found.probability is found.test is None
            assert found.note == "no sample has a value in both"
            continue
        values = [[tuple(row) for row in column.statistics.tolist()] for column in (ours, theirs)]
        nonlinear = found.metric == "f1"
        function = (
            plain_python.difference(plain_python.micro_f1, *values)
            if nonlinear
            else plain_python.mean_difference(*values)
        )
        groups = plain_python.grouped(benchmark.samples.strata, rows)
        draws = plain_python.replicates(function, groups, plain_python.within, RESAMPLES)
        assert value_or_nan(found.difference) == pytest.approx(function(rows), abs=0, nan_ok=True)
        if len(rows) == 1 or any(map(math.isnan, draws)):
            assert found.interval is found.probability is None and found.note
        else:
            sign = -1 if found.metric == "waste" else 1
            assert found.interval == Interval(*plain_python.ends(draws))
            assert found.probability == sum(sign * draw > 0 for draw in draws) / RESAMPLES
        if found.metric == "accuracy":
            assert found.test is not None
            pair = [[column.statistics[row, 0] for row in rows] for column in (theirs, ours)]
            assert found.test.p == plain_python.mcnemar(*pair)
        else:
            assert found.test is None


def value_or_nan(value: float | None) -> float:
    return math.nan if value is None else value


@settings(max_examples=30, deadline=None)
@given(boards())
def test_exchanging_two_methods_negates_the_difference(board: tuple[Benchmark, list[Report]]) -> None:
    benchmark, (one, two) = board
    there, back = compare_pairs([(one, two)], benchmark), compare_pairs([(two, one)], benchmark)
    for first, second in zip(there, back, strict=True):
        assert value_or_nan(first.difference) == pytest.approx(-value_or_nan(second.difference), abs=0, nan_ok=True)
        if first.test is not None and second.test is not None:
            assert (first.test.baseline_only, first.test.p) == (second.test.candidate_only, second.test.p)


@settings(max_examples=20, deadline=None)
@given(boards())
def test_a_method_is_not_different_from_itself(board: tuple[Benchmark, list[Report]]) -> None:
    benchmark, (one, _) = board
    twin = replace(one, method=replace(one.method, id="twin"))
    for found in compare_pairs([(one, twin)], benchmark):
        if found.interval is not None:
            assert (found.difference, found.interval, found.probability) == (0.0, Interval(0.0, 0.0), 0.0)
        if found.test is not None:
            assert found.test.p == 1.0


def test_a_family_is_adjusted_together_and_named() -> None:
    declared = [
        DeclaredComparison("base", ("good", "absent", "same"), "systems"),
        DeclaredComparison("good", ("same",), "parts"),
    ]
    benchmark = make_benchmark(["a"] * 10, [ACCURACY, QUALITY], comparisons=declared)
    outcomes = {"base": [0] * 10, "good": [1] * 10, "same": [0] * 9 + [1]}
    reports = [make_report(method, {"accuracy": values, "quality": values}) for method, values in outcomes.items()]
    found = compare(reports, benchmark)
    assert [(own.baseline, own.candidate, own.metric) for own in found] == [
        (baseline, candidate, metric)
        for baseline, candidate in (("base", "good"), ("base", "same"), ("good", "same"))
        for metric in ("accuracy", "quality")
    ]
    tests = [own.test for own in found if own.test is not None]
    assert [(test.family, test.family_size, test.p, test.holm) for test in tests] == [
        ("systems", 2, 2**-9, 2**-8),
        ("systems", 2, 1.0, 1.0),
        ("parts", 1, 2**-8, 2**-8),
    ]
    assert found[0].baseline_digest == reports[0].scores_digest


def test_success_is_zero_where_lower_is_better() -> None:
    wrong = replace(ACCURACY, id="wrong", direction="lower")
    pair = (make_report("base", {"wrong": [1, 1, 0]}), make_report("new", {"wrong": [0, 0, 1]}))
    [found] = compare_pairs([pair], make_benchmark(["a"] * 3, [wrong]))
    assert found.test is not None
    assert (found.test.baseline_only, found.test.candidate_only, found.test.both, found.test.neither) == (1, 2, 0, 0)


def test_mcnemar_is_refused_on_values_other_than_0_and_1() -> None:
    pair = (make_report("base", {"accuracy": [1, 0.5, 0]}), make_report("new", {"accuracy": [1, 1, 1]}))
    [found] = compare_pairs([pair], make_benchmark(["a"] * 3, [ACCURACY]))
    assert found.test is None
    assert found.note == "no McNemar test: 1 pairs with values other than 0 and 1, such as s001"


def test_reports_of_other_samples_are_not_compared() -> None:
    pair = (make_report("base", {"accuracy": [1, 0]}), make_report("new", {"accuracy": [1, 0]}, ids=["s000", "x"]))
    with pytest.raises(Refusal) as refusal:
        compare_pairs([pair], make_benchmark(["a"] * 2, [ACCURACY]))
    [problem] = refusal.value.problems
    assert (problem.code, problem.where) == ("samples-differ", "reports/new.json")
    assert problem.found == "2 samples; 2 only in one of the two: s001, x"


def test_only_the_metrics_asked_for_are_compared() -> None:
    pair = (make_report("base", {"accuracy": [1, 0]}), make_report("new", {"accuracy": [1, 0]}))
    benchmark = make_benchmark(["a"] * 2, [QUALITY, ACCURACY])
    assert [found.metric for found in compare_pairs([pair], benchmark, [ACCURACY])] == ["accuracy"]


def test_a_comparison_may_ask_for_every_other_method() -> None:
    benchmark = make_benchmark(["a"] * 10, [ACCURACY], comparisons=[DeclaredComparison("base", ("*",), "all")])
    reports = [make_report(method, {"accuracy": [0] * 10}) for method in ("zeta", "base", "alpha")]
    assert [own.candidate for own in compare(reports, benchmark)] == ["alpha", "zeta"]


def trio(pair_pages: int = 20) -> tuple[Benchmark, list[Report]]:
    rows = {"accuracy": [1.0, 0.0, None, 1.0], "quality": [3.0, 4.0, 5.0, 6.0]}
    benchmark = make_benchmark(["a"] * 4, [ACCURACY, QUALITY], resamples=RESAMPLES)
    declared = (DeclaredComparison("two", ("one",), "a family"),)
    return replace(benchmark, comparisons=declared, showing=Showing(pair_pages=pair_pages)), [
        make_report(method, rows) for method in ("two", "three", "one")
    ]


def test_every_pair_that_no_board_declares_is_compared_the_same_way_round_whatever_the_order() -> None:
    benchmark, reports = trio()
    found = compare_others(reports, benchmark)
    pairs = [(one.baseline, one.candidate, one.metric) for one in found]
    expected = [("one", "three"), ("three", "two")]
    assert pairs == [(*pair, metric) for pair in expected for metric in ("accuracy", "quality")]
    assert compare_others(reports[::-1], benchmark) == found
    tests = [one.test for one in found if one.test is not None]
    assert [(test.family, test.family_size) for test in tests] == [("pairs that the board does not declare", 2)] * 2


def test_on_larger_boards_only_the_primary_metric_is_compared_and_then_none() -> None:
    benchmark, reports = trio(2)
    assert {one.metric for one in compare_others(reports, benchmark)} == {benchmark.primary}
    benchmark, reports = trio(0)
    assert compare_others(reports, benchmark) == ()

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_python
from cases import ABSTAINED, ACCURACY, F1, QUALITY, make_benchmark, make_report, shuffled
from tallystick.board import Interval
from tallystick.estimate import FEWEST, estimate, ledger
from tallystick.model import STATUSES, Benchmark, Report

RESAMPLES = 50


@st.composite
def boards(draw: st.DrawFn) -> tuple[Benchmark, list[Report]]:
    """A benchmark with unequal strata, clusters and an axis; reports with undefined values and every status."""
    n = draw(st.integers(1, 18))
    names = st.sampled_from(["b", "a", "C"])
    benchmark = make_benchmark(
        draw(st.lists(names, min_size=n, max_size=n)),
        [QUALITY, F1, ABSTAINED],
        clusters=draw(st.lists(names | st.none(), min_size=n, max_size=n)),
        axes={"source": draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))},
        resamples=RESAMPLES,
    )
    counts = st.tuples(*[st.integers(0, 3).map(float)] * 3)
    columns = {"quality": st.floats(0, 10) | st.none(), "f1": counts | st.none()}
    reports = []
    for method in ("one", "two"):
        values = {metric: draw(st.lists(cell, min_size=n, max_size=n)) for metric, cell in columns.items()}
        statuses = draw(st.lists(st.sampled_from(["scored", "scored", *STATUSES]), min_size=n, max_size=n))
        reports.append(make_report(method, values, statuses=statuses))
    return benchmark, reports


def value_or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def ends_or_nan(interval: Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None else (interval.lower, interval.upper)


@settings(max_examples=60, deadline=None)
@given(boards())
def test_estimates_are_those_of_plain_python(board: tuple[Benchmark, list[Report]]) -> None:
    benchmark, reports = board
    for report, found in zip(reports, estimate(reports, benchmark), strict=True):
        for metric, score in (("quality", plain_python.mean()), ("f1", plain_python.micro_f1)):
            column, own = report.columns[metric], found.estimates[metric]
            values = [tuple(row) for row in column.statistics.tolist()]
            rows = [row for row, status in enumerate(report.statuses) if status == "scored" and column.defined[row]]
            assert (own.n, own.total) == (len(rows), len(values))
            function = plain_python.scored(score, values)
            for names, draw, told in (
                (benchmark.samples.strata, plain_python.within, own),
                (benchmark.samples.clusters, plain_python.whole, own.cluster),
            ):
                groups = plain_python.grouped(names or (), rows)
                inside = [row for name in sorted(groups) for row in groups[name]]
                assert told is not None
                if not inside:
                    assert told.value is told.interval is None
                    continue
                draws = plain_python.replicates(function, groups, draw, RESAMPLES)
                drawn = len(inside if draw is plain_python.within else groups)
                unknown = drawn < 2 or any(map(math.isnan, draws))
                expected = (math.nan, math.nan) if unknown else plain_python.ends(draws)
                np.testing.assert_array_equal(value_or_nan(told.value), function(inside))
                np.testing.assert_array_equal(ends_or_nan(told.interval), expected)
                if told is own.cluster:
                    assert (told.clusters, told.left_out) == (len(groups), len(rows) - len(inside))


@settings(max_examples=30, deadline=None)
@given(boards(), st.data())
def test_neither_the_order_of_rows_nor_other_reports_change_anything(
    board: tuple[Benchmark, list[Report]], data: st.DataObject
) -> None:
    benchmark, reports = board
    together = estimate(reports, benchmark)
    order = data.draw(st.permutations(range(len(benchmark.samples.ids))))
    assert estimate([shuffled(reports[1], order), reports[0]], benchmark) == (together[1], together[0])
    assert estimate(reports[:1], benchmark) == together[:1]


@settings(max_examples=30, deadline=None)
@given(boards())
def test_a_breakdown_is_an_estimate_of_the_samples_of_its_value_alone(board: tuple[Benchmark, list[Report]]) -> None:
    benchmark, reports = board
    for report, found in zip(reports, estimate(reports, benchmark), strict=True):
        assert [part.value for part in found.breakdowns] == sorted(
            {value for value in benchmark.samples.axes["source"] if value is not None}
        )
        for part in found.breakdowns:
            inside = [row for row, value in enumerate(benchmark.samples.axes["source"]) if value == part.value]
            smaller = make_benchmark([benchmark.samples.strata[row] for row in inside], benchmark.metrics)
            [alone] = estimate(
                [make_report("one", _columns(report, inside), statuses=[report.statuses[row] for row in inside])],
                smaller,
            )
            assert part.ledger == alone.ledger
            for metric, own in part.estimates.items():
                expected = alone.estimates[metric]
                assert (own.value, own.n, own.bounds) == (expected.value, expected.n, expected.bounds)
                if own.n >= FEWEST:
                    assert own.interval == expected.interval
                else:
                    assert own.interval is None and own.note


def _columns(report: Report, rows: list[int]) -> dict[str, list[Any]]:
    return {
        metric: [tuple(column.statistics[row].tolist()) if column.defined[row] else None for row in rows]
        for metric, column in report.columns.items()
    }


def test_a_conditional_mean_stands_between_its_bounds() -> None:
    benchmark = make_benchmark(["a"] * 4, [QUALITY, ABSTAINED])
    report = make_report(
        "m", {"quality": [2.0, 4.0, None, None]}, statuses=["scored", "scored", "abstained", "missing"]
    )
    [found] = estimate([report], benchmark)
    quality, abstained = found.estimates["quality"], found.estimates["abstained"]
    assert (quality.conditional, quality.value, quality.bounds) == (True, 3.0, Interval(1.5, 6.5))
    assert (abstained.conditional, abstained.value, abstained.bounds) == (False, 0.25, None)


def test_a_metric_without_value_on_some_scored_samples_is_not_conditional() -> None:
    benchmark = make_benchmark(["a"] * 3, [QUALITY])
    [found] = estimate([make_report("m", {"quality": [2.0, None, 4.0]})], benchmark)
    own = found.estimates["quality"]
    assert (own.conditional, own.n, own.total, own.bounds) == (False, 2, 3, None)


def test_a_value_that_no_resample_changes_is_noted_though_interpolation_rounds_it() -> None:
    [found] = estimate([make_report("m", {"quality": [0.17] * 3})], make_benchmark(["a"] * 3, [QUALITY]))
    own = found.estimates["quality"]
    assert own.interval is not None and own.interval.lower != own.interval.upper
    assert own.note == "every resample gives the same value"


@pytest.mark.parametrize(
    ("values", "value", "interval", "note"),
    [
        ([None, None], None, None, "no sample has a value"),
        ([0.3], 0.3, None, "no interval: one sample says nothing of how the value varies"),
        ([1.0, 1.0, 1.0], 1.0, Interval(1.0, 1.0), "every resample gives the same value"),
    ],
)
def test_degenerate_input_gives_the_degenerate_answer_with_a_note(
    values: list[float | None], value: float | None, interval: Interval | None, note: str
) -> None:
    [found] = estimate([make_report("m", {"quality": values})], make_benchmark(["a"] * len(values), [QUALITY]))
    own = found.estimates["quality"]
    assert (own.value, own.interval, own.note) == (value, interval, note)


def test_one_cluster_has_no_interval() -> None:
    benchmark = make_benchmark(["a"] * 4, [QUALITY], clusters=["g"] * 4)
    [found] = estimate([make_report("m", {"quality": [1.0, 2.0, 3.0, 4.0]})], benchmark)
    own = found.estimates["quality"]
    assert own.interval is not None
    assert own.cluster is not None
    assert (own.cluster.value, own.cluster.interval, own.cluster.clusters) == (2.5, None, 1)


def test_a_score_undefined_in_some_resamples_has_no_interval() -> None:
    report = make_report("m", {"f1": [(1, 1, 1), (0, 0, 0), (0, 0, 0)]})
    [found] = estimate([report], make_benchmark(["a"] * 3, [F1]))
    assert found.estimates["f1"].value == 1.0
    assert found.estimates["f1"].interval is None
    assert found.estimates["f1"].note.startswith("no interval: undefined in ")


def test_values_at_the_end_of_the_range_of_floats_leave_the_estimate_undefined() -> None:
    [found] = estimate([make_report("m", {"quality": [1.7e308, 1.7e308]})], make_benchmark(["a"] * 2, [QUALITY]))
    assert (found.estimates["quality"].value, found.estimates["quality"].interval) == (None, None)


def test_the_standard_error_is_about_that_of_a_mean() -> None:
    values = np.random.default_rng(3).random(200)
    benchmark = make_benchmark(["a"] * 200, [QUALITY], resamples=2000)
    [found] = estimate([make_report("m", {"quality": values.tolist()})], benchmark)
    assert found.estimates["quality"].standard_error == pytest.approx(values.std() / math.sqrt(200), rel=0.06)


def test_a_ledger_counts_every_sample() -> None:
    found = ledger(["scored", "abstained", "abstained", "missing", "invalid", "pending"], 0.95)
    assert found.total == sum(found.counts.values()) == 6
    assert (found.scored.k, found.abstention.k, found.valid.k) == (1, 2, 4)
    assert found.abstention.value == 2 / 6
    assert found.abstention.interval is not None
    assert ledger([], 0.95).scored.value is None


def test_a_binary_metric_of_a_real_size_needs_every_stratum() -> None:
    """The interval of a mean whose strata are each constant has no width: draws never leave a stratum."""
    values = [1.0] * 30 + [0.0] * 10
    benchmark = make_benchmark(["a"] * 30 + ["b"] * 10, [ACCURACY], resamples=200)
    [found] = estimate([make_report("m", {"accuracy": values})], benchmark)
    assert found.estimates["accuracy"].interval == Interval(0.75, 0.75)


@pytest.mark.parametrize(("right", "lower", "upper"), [(0, 0.0, 0.0076), (500, 0.9924, 1.0)])
def test_a_rate_of_nothing_or_of_all_has_a_wilson_interval_beside_its_resamples(
    right: int, lower: float, upper: float
) -> None:
    board = make_benchmark(["a"] * 500, [ACCURACY], resamples=RESAMPLES)
    made = make_report("m", {"accuracy": [1.0] * right + [0.0] * (500 - right)})
    found = estimate([made], board)[0].estimates["accuracy"]
    assert found.interval == Interval(right / 500, right / 500)
    assert found.wilson is not None
    assert (found.wilson.lower, found.wilson.upper) == pytest.approx((lower, upper), abs=5e-5)

"""The contract's procedure, written out in plain_python.py, must be repeated to the last bit."""

import json
import math
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_python
from tallystick import bootstrap, draws, resample
from tallystick.bootstrap import Measure
from tallystick.metrics.mean import METRIC as MEAN
from tallystick.metrics.micro_f1 import METRIC as MICRO_F1
from tallystick.model import BootstrapSettings, FloatArray, MetricKind, Summation

SETTINGS = BootstrapSettings(resamples=60)
SUMS: dict[Summation, plain_python.Add] = {
    "correctly rounded": math.fsum,
    "plain": plain_python.plain_sum,
    "compensated": plain_python.compensated_sum,
}


# --- cases ------------------------------------------------------------------------------------------------------------


@st.composite
def cases(draw: st.DrawFn, kind: MetricKind) -> dict[str, Any]:
    """Samples with strata, clusters, undefined outcomes, in an order of their own; two methods."""
    n = draw(st.integers(2, 25))
    value = st.floats(-2, 2) if kind is MEAN else st.integers(0, 4).map(float)

    def statistics() -> FloatArray:
        rows = draw(st.lists(st.lists(value, min_size=3, max_size=3), min_size=n, max_size=n))
        return np.array(rows)[:, : len(kind.statistics)]

    rows = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
    return {
        "candidate": statistics(),
        "baseline": statistics(),
        "rows": rows,
        "strata": draw(st.lists(st.sampled_from(["b", "a", "Z", "é", "aa"]), min_size=n, max_size=n)),
        "clusters": draw(st.lists(st.sampled_from(["g2", "g1", "g10", None]), min_size=n, max_size=n)),
    }


def functions(kind: MetricKind, case: dict[str, Any], add: plain_python.Add) -> list[Callable[[list[int]], float]]:
    """Return in plain Python: the candidate's score of drawn rows, and its difference to the baseline."""
    candidate, baseline = ([tuple(row) for row in case[method].tolist()] for method in ("candidate", "baseline"))
    if kind is MEAN:
        single = plain_python.scored(plain_python.mean(add), candidate)
        return [single, plain_python.mean_difference(candidate, baseline, add)]
    single = plain_python.scored(plain_python.micro_f1, candidate)
    return [single, plain_python.difference(plain_python.micro_f1, candidate, baseline)]


# --- the same to the last bit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", SUMS)
@pytest.mark.parametrize("whole", [False, True], ids=["stratified", "clusters"])
@pytest.mark.parametrize("kind", [MEAN, MICRO_F1], ids=lambda kind: kind.id)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_replicates_are_those_of_plain_python(
    kind: MetricKind, whole: bool, rule: Summation, data: st.DataObject
) -> None:
    case = data.draw(cases(kind))
    rows = np.array(case["rows"])
    names = case["clusters" if whole else "strata"]
    layout = bootstrap.clustered(names, rows) if whole else bootstrap.stratified(names, rows)
    single = bootstrap.single(kind, case["candidate"])
    paired = bootstrap.paired(kind, case["candidate"], case["baseline"])
    found = bootstrap.replicates([single, paired], layout, SETTINGS, rule)
    groups = plain_python.grouped(names, case["rows"])
    if not groups:
        assert np.isnan(found).all()
        return
    draw = plain_python.whole if whole else plain_python.within
    for column, function in zip(found.T, functions(kind, case, SUMS[rule]), strict=True):
        expected = plain_python.replicates(function, groups, draw, SETTINGS.resamples, SETTINGS.seed)
        np.testing.assert_array_equal(column, expected)


@pytest.mark.parametrize("kind", [MEAN, MICRO_F1], ids=lambda kind: kind.id)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_spreads_of_a_batch_are_those_of_each_alone(kind: MetricKind, data: st.DataObject) -> None:
    case = data.draw(cases(kind))
    jobs = []
    for rows in (case["rows"], case["rows"][1:], case["rows"][::-1]):
        at = np.array(rows, dtype=np.int64)
        for layout in (bootstrap.stratified(case["strata"], at), bootstrap.clustered(case["clusters"], at)):
            jobs += [(bootstrap.single(kind, case[method]), layout) for method in ("candidate", "baseline")]
            jobs.append((bootstrap.paired(kind, case["candidate"], case["baseline"]), layout))
    for (measure, layout), spread in zip(jobs, bootstrap.spreads(jobs, SETTINGS), strict=True):
        draws = bootstrap.replicates([measure], layout, SETTINGS)[:, 0].tolist()
        if not len(layout.rows):
            assert math.isnan(spread.lower) and math.isnan(spread.upper)
        elif undefined := sum(map(math.isnan, draws)):
            assert spread.undefined == undefined and math.isnan(spread.lower) and math.isnan(spread.above)
        else:
            assert (spread.lower, spread.upper) == plain_python.ends(draws, SETTINGS.confidence)
            assert spread.above == sum(draw > 0 for draw in draws) / len(draws)
            assert spread.below == sum(draw < 0 for draw in draws) / len(draws)


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("outcomes", [(0, 1), (-1, 0, 1), (0, 0.1), (0, 100)], ids=str)
@pytest.mark.parametrize("whole", [False, True], ids=["stratified", "clusters"])
def test_spreads_of_means_are_those_of_plain_python(whole: bool, outcomes: tuple[float, ...], width: int) -> None:
    """Also where short sums are sorted before they are divided; of several statistics, the mean is of the first."""
    numbers = np.random.default_rng(3)
    kind = replace(MEAN, statistics=("value", "other")[:width])
    names = ["b", "a", "a", "c", "c", "c"] * 5
    sets = [numbers.choice(outcomes, (30, width)) for _ in range(5)]
    layout = (bootstrap.clustered if whole else bootstrap.stratified)(names, np.arange(30))
    draw = plain_python.whole if whole else plain_python.within
    spreads = bootstrap.spreads([(bootstrap.single(kind, values), layout) for values in sets], SETTINGS)
    groups = plain_python.grouped(names, range(30))
    for values, spread in zip(sets, spreads, strict=True):
        score = plain_python.scored(plain_python.mean(), [tuple(row) for row in values.tolist()])
        draws = plain_python.replicates(score, groups, draw, SETTINGS.resamples, SETTINGS.seed)
        assert spread.point == score(list(range(30)))
        assert (spread.lower, spread.upper) == plain_python.ends(draws, SETTINGS.confidence)
        assert spread.deviation == pytest.approx(statistics.stdev(draws), rel=1e-12)
        assert spread.above == sum(draw > 0 for draw in draws) / len(draws)
        assert spread.below == sum(draw < 0 for draw in draws) / len(draws)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ends_are_those_of_sorting(draws: list[float], confidence: float) -> None:
    lower, upper = bootstrap.ends(np.array(draws), confidence)
    assert (float(lower), float(upper)) == plain_python.ends(draws, confidence)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_ends_of_the_published_number_of_resamples(confidence: float) -> None:
    draws = np.random.default_rng(1).random((3, 2000))
    lower, upper = bootstrap.ends(draws, confidence)
    for row, ends in zip(draws.tolist(), zip(lower.tolist(), upper.tolist(), strict=True), strict=True):
        assert ends == plain_python.ends(row, confidence)


# --- what must not matter ---------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(cases(MICRO_F1))
def test_exchanging_two_methods_negates_the_difference(case: dict[str, Any]) -> None:
    layout = bootstrap.stratified(case["strata"], np.array(case["rows"]))
    there = bootstrap.paired(MICRO_F1, case["candidate"], case["baseline"])
    back = bootstrap.paired(MICRO_F1, case["baseline"], case["candidate"])
    found = bootstrap.replicates([there, back], layout, SETTINGS)
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])


@pytest.mark.parametrize("compact", [0, 1 << 20])
@pytest.mark.parametrize("names", [["a"] * 40, ["a"] * 10 + ["b"] * 30])
def test_blocks_of_resamples_and_of_measures_change_nothing(
    names: list[str], compact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(2)
    layout = bootstrap.stratified(names, np.arange(40))
    measures = [Measure(numbers.random((40, 1)), MEAN.score) for _ in range(7)]
    whole = bootstrap.replicates(measures, layout, SETTINGS)
    monkeypatch.setattr(resample, "BLOCK", 300)
    monkeypatch.setattr(draws, "REMEMBERED", 0)
    monkeypatch.setattr(draws, "COMPACT", compact)
    monkeypatch.setattr(draws, "VALUES", 600)  # 15 rows, so that the last of 61 is alone
    monkeypatch.setattr(bootstrap, "VALUES", 700)
    monkeypatch.setattr(bootstrap, "CROWD", 0)  # every core there is
    monkeypatch.setattr(bootstrap, "BLOCK", 130)
    monkeypatch.setattr(bootstrap, "BATCH", 50)
    monkeypatch.setattr(bootstrap, "STACK", 90)
    np.testing.assert_array_equal(bootstrap.replicates(measures, layout, SETTINGS), whole)


@pytest.mark.parametrize("bad", [{0}, {1, 3}, {0, 1, 2, 3}])
def test_values_beyond_floats_leave_only_their_own_measure_without_a_spread(bad: set[int]) -> None:
    numbers = np.random.default_rng(4)
    layout = bootstrap.stratified(["a"] * 20, np.arange(20))
    jobs = [(bootstrap.single(MICRO_F1, numbers.integers(1, 5, (20, 3)).astype(np.float64)), layout) for _ in range(4)]
    alone = [bootstrap.spreads([job], SETTINGS)[0] for job in jobs]
    for place in bad:
        jobs[place][0].values[7, 1] = math.inf
    for place, spread in enumerate(bootstrap.spreads(jobs, SETTINGS)):
        assert spread is bootstrap.NOWHERE if place in bad else spread == alone[place]


def test_strata_and_clusters_are_taken_in_sorted_order() -> None:
    names = ["b", "a", "B", "a", "b"]
    layout = bootstrap.stratified(names, np.array([4, 3, 2, 1, 0]))
    assert layout.rows.tolist() == [2, 3, 1, 4, 0]
    assert layout.sizes == (1, 2, 2)
    whole = bootstrap.clustered(["g10", None, "g2", "g10", None], np.arange(5))
    assert (whole.rows.tolist(), whole.starts.tolist(), whole.sizes) == ([0, 3, 2], [0, 2], (2,))


def test_intervals_cover_about_as_often_as_they_say() -> None:
    """600 sets of 80 samples in unequal strata with known means; 95 % nominal, three standard errors allowed."""
    numbers = np.random.default_rng(20)
    names = ["a"] * 50 + ["b"] * 20 + ["c"] * 10
    chances = np.repeat([0.3, 0.6, 0.5], [50, 20, 10])
    layout = bootstrap.stratified(names, np.arange(80))
    sets = [(numbers.random(80) < chances).astype(np.float64)[:, None] for _ in range(600)]
    spreads = bootstrap.spreads(
        [(Measure(values, MEAN.score), layout) for values in sets], BootstrapSettings(resamples=500)
    )
    covered = np.mean([spread.lower <= chances.mean() <= spread.upper for spread in spreads])
    assert 0.95 - 0.015 - 3 * math.sqrt(0.95 * 0.05 / 600) <= covered <= 0.95 + 3 * math.sqrt(0.95 * 0.05 / 600)


# --- real reports -----------------------------------------------------------------------------------------------------

SECTIONS = {"confidence_intervals": "category", "dependency_cluster_intervals": "dependency_group"}
COUNTED = {"typed_conflict_f1", "conflict_presence_f1"}  # not all of their counts stand in the rows


@pytest.mark.parametrize(
    ("folder", "rule", "intervals"), [("far_solo_v1", "plain", 242), ("oracle_far", "correctly rounded", 150)]
)
def test_stated_intervals_of_real_reports_are_repeated_to_the_last_bit(
    shared: Path, folder: str, rule: Summation, intervals: int
) -> None:
    """Means in file order, under the rule of summation of their time; groups as they stand in the rows."""
    checked = 0
    for path in sorted((shared / folder / "evaluations").glob("*/report.json")):
        report = json.loads(path.read_text("utf-8"))
        rows = [json.loads(line) for line in path.with_name("scores.jsonl").read_text("utf-8").splitlines() if line]
        for section, key in SECTIONS.items():
            make = bootstrap.stratified if key == "category" else bootstrap.clustered
            alike: dict[tuple[int, ...], list[str]] = {}
            for metric in report[section].keys() - COUNTED:
                defined = tuple(place for place, row in enumerate(rows) if row[metric] is not None)
                alike.setdefault(defined, []).append(metric)
            for defined, metrics in alike.items():
                values = np.array([[row[metric] or 0.0 for metric in metrics] for row in rows])
                measures = [Measure(values[:, [column]], MEAN.score) for column in range(len(metrics))]
                layout = make([row.get(key) for row in rows], np.array(defined))
                draws = bootstrap.replicates(measures, layout, BootstrapSettings(), rule)
                for metric, *ends in zip(metrics, *bootstrap.ends(draws.T, 0.95), strict=True):
                    assert ends == [report[section][metric][end] for end in ("lower", "upper")]
                    checked += 1
    assert checked >= intervals

import numpy as np

from cases import ABSTAINED, ACCURACY, F1, make_benchmark, make_report
from tallystick import metrics

BENCHMARK = make_benchmark(["a"] * 4, [ACCURACY, F1, ABSTAINED])


def test_every_kind_is_found_by_its_id() -> None:
    assert set(metrics.kinds()) >= {"mean", "micro_f1", "status_rate"}


def test_rows_are_put_in_the_order_of_the_samples() -> None:
    report = make_report("m", {"accuracy": [0.1, 0.2, 0.3, None]}, ids=["s002", "s000", "s003", "s001"])
    column = metrics.align(report, BENCHMARK).columns["accuracy"]
    assert column.statistics[:, 0].tolist() == [0.2, 0.0, 0.1, 0.3]
    assert column.defined.tolist() == [True, False, True, True]


def test_a_sample_that_the_report_lacks_is_missing_and_one_it_invents_is_ignored() -> None:
    report = make_report("m", {"accuracy": [1.0, 1.0]}, ids=["s001", "other"])
    aligned = metrics.align(report, BENCHMARK)
    assert aligned.statuses == ("missing", "scored", "missing", "missing")
    assert aligned.columns["accuracy"].defined.tolist() == [False, True, False, False]


def test_a_metric_of_scored_samples_is_undefined_on_others() -> None:
    report = make_report("m", {"accuracy": [1.0] * 4}, statuses=["scored", "abstained", "invalid", "scored"])
    column = metrics.align(report, BENCHMARK).columns["accuracy"]
    assert column.defined.tolist() == [True, False, False, True]
    assert column.statistics[:, 0].tolist() == [1.0, 0.0, 0.0, 1.0]


def test_a_column_that_the_report_lacks_is_undefined_everywhere() -> None:
    column = metrics.align(make_report("m", {"accuracy": [1.0] * 4}), BENCHMARK).columns["f1"]
    assert column.statistics.shape == (4, 3)
    assert not column.defined.any()


def test_a_rate_of_a_status_needs_no_column() -> None:
    report = make_report("m", {}, statuses=["abstained", "scored"], ids=["s003", "s000"])
    column = metrics.align(report, BENCHMARK).columns["abstained"]
    np.testing.assert_array_equal(column.statistics, [[0], [0], [0], [1]])
    assert column.defined.all()


def test_a_report_without_samples_has_all_of_them_missing() -> None:
    aligned = metrics.align(make_report("m", {"accuracy": []}, ids=[], statuses=[]), BENCHMARK)
    assert aligned.statuses == ("missing",) * 4
    assert not aligned.columns["accuracy"].defined.any()
    assert aligned.columns["accuracy"].statistics.shape == (4, 1)

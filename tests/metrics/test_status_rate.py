import numpy as np

from tallystick.metrics.status_rate import METRIC


def test_a_sample_counts_by_its_status_alone() -> None:
    assert METRIC.from_status is not None
    fields = {"status": "abstained"}
    assert METRIC.from_status("abstained", fields) == (1.0,)
    assert METRIC.from_status("missing", fields) == (0.0,)


def test_score_is_the_rate() -> None:
    assert METRIC.score(np.array([[3.0]]), np.array([12.0])).tolist() == [0.25]


def test_check_wants_an_indicator() -> None:
    assert METRIC.check((1.0,)) is None
    assert METRIC.check((0.5,)) == "is neither 0 nor 1"

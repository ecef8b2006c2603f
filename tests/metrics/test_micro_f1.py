import math

import numpy as np
import pytest

from tallystick.metrics.micro_f1 import METRIC


def test_score_is_that_of_summed_counts() -> None:
    found = METRIC.score(np.array([[33.0, 97.0, 60.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), np.array([60.0, 5.0, 5.0]))
    assert found[0] == 2 * 33 / (97 + 60)
    assert math.isnan(found[1])
    assert found[2] == 0


@pytest.mark.parametrize("counts", [(1, 1, 1), (0, 0, 0), (1, 3, 2)])
def test_check_accepts_counts(counts: tuple[float, ...]) -> None:
    assert METRIC.check(counts) is None


@pytest.mark.parametrize(
    ("counts", "reason"), [((2, 1, 3), "true positives"), ((0, -1, 0), "whole"), ((0, 0.5, 1), "whole")]
)
def test_check_names_what_cannot_be(counts: tuple[float, ...], reason: str) -> None:
    assert reason in (METRIC.check(counts) or "")

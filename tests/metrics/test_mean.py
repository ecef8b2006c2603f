import math

import numpy as np

from tallystick.metrics.mean import METRIC


def test_score_divides_the_sum_by_the_number_of_samples() -> None:
    found = METRIC.score(np.array([[3.0], [0.0], [0.1 + 0.2]]), np.array([4.0, 0.0, 3.0]))
    assert found[[0, 2]].tolist() == [0.75, (0.1 + 0.2) / 3]
    assert math.isnan(found[1])


def test_check_wants_a_finite_value() -> None:
    assert METRIC.check((0.5,)) is None
    assert METRIC.check((math.inf,)) == "is not finite"

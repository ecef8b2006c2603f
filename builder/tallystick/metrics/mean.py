"""The mean of one value per sample."""

from __future__ import annotations

import math

from tallystick.metrics._mean import score
from tallystick.model import MetricKind


def check(statistics: tuple[float, ...]) -> str | None:
    """Say what is wrong with one sample's value."""
    return None if math.isfinite(statistics[0]) else "is not finite"


METRIC = MetricKind(
    id="mean",
    statistics=("value",),
    score=score,
    linear=True,
    whole=False,
    check=check,
    description="The sum of the samples' values, correctly rounded, over their number.",
)

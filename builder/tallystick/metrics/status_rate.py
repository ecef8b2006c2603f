"""The rate of one status among all samples, such as the abstention rate.

`fields` of such a metric maps `status` to the status itself rather than to a field: the samples' statuses say it all.
"""

from __future__ import annotations

from collections.abc import Mapping

from tallystick.metrics._mean import score
from tallystick.model import MetricKind, Status


def from_status(status: Status, fields: Mapping[str, str]) -> tuple[float, ...]:
    """Return 1 for a sample of the metric's status, 0 for any other."""
    return (1.0 if status == fields["status"] else 0.0,)


def check(statistics: tuple[float, ...]) -> str | None:
    """Say what is wrong with one sample's indicator."""
    return None if statistics[0] in (0, 1) else "is neither 0 nor 1"


METRIC = MetricKind(
    id="status_rate",
    statistics=("status",),
    score=score,
    linear=True,
    whole=True,
    check=check,
    description="The number of samples that ended with a status, over the number of all samples.",
    from_status=from_status,
)

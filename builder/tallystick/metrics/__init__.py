"""One file per kind of metric; each defines METRIC. Here: all of them by id, and reports lined up for computing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from tallystick.model import Benchmark, BoolArray, Column, IntArray, Metric, MetricKind, Report, Status
from tallystick.registry import collect


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, MetricKind]:
    """Return every kind of metric by id."""
    return MappingProxyType({kind.id: kind for kind in collect(sys.modules[__name__], "METRIC", MetricKind)})


@dataclass(frozen=True, slots=True)
class Aligned:
    """A report's outcomes in the order of the benchmark's samples: a column for every metric of the board."""

    statuses: tuple[Status, ...]
    scored: BoolArray
    columns: Mapping[str, Column]


def align(report: Report, benchmark: Benchmark) -> Aligned:
    """Line a report up with its benchmark: a sample that it lacks is missing and has no value of its own."""
    ids = benchmark.samples.ids
    index: IntArray | None = None
    if report.ids == ids:
        statuses = report.statuses
    else:
        row = {sample: place for place, sample in enumerate(report.ids)}
        index = np.array([row.get(sample, -1) for sample in ids], np.int64)
        statuses = tuple(report.statuses[place] if place >= 0 else "missing" for place in index.tolist())
    scored: BoolArray | None = None
    if statuses.count("scored") < len(ids):
        scored = np.array([status == "scored" for status in statuses], np.bool_)
    columns = {metric.id: _column(report, metric, index, statuses, scored) for metric in benchmark.metrics}
    return Aligned(statuses, np.ones(len(ids), np.bool_) if scored is None else scored, columns)


def _column(
    report: Report, metric: Metric, index: IntArray | None, statuses: tuple[Status, ...], scored: BoolArray | None
) -> Column:
    """Return a metric's column.

    `index` are the report's rows of the samples, None where they are the same; `scored` is None where all are.
    """
    kind, size = kinds()[metric.kind], len(statuses)
    if kind.from_status is not None:
        by_status = {status: kind.from_status(status, metric.fields) for status in set(statuses)}
        values = np.array([by_status[status] for status in statuses], np.float64).reshape(size, -1)
        return Column(values, np.ones(size, np.bool_))
    own = report.columns.get(metric.id)
    if own is None or not len(own.defined):
        return Column(np.zeros((size, len(kind.statistics))), np.zeros(size, np.bool_))
    if index is not None:
        own = Column(own.statistics[index], own.defined[index] & (index >= 0))
    defined = own.defined if scored is None or metric.over == "all" else own.defined & scored
    if np.count_nonzero(defined) == size:  # several times faster than all()
        return own
    return Column(np.where(defined[:, None], own.statistics, 0.0), defined)

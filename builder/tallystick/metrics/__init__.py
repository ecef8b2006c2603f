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
    if report.ids == ids:
        index, statuses = np.arange(len(ids)), report.statuses
    else:
        row = {sample: place for place, sample in enumerate(report.ids)}
        index = np.array([row.get(sample, -1) for sample in ids], np.int64)
        statuses = tuple(report.statuses[place] if place >= 0 else "missing" for place in index.tolist())
    scored = np.array(statuses, dtype=np.str_) == "scored"
    columns = {metric.id: _column(report, metric, index, statuses, scored) for metric in benchmark.metrics}
    return Aligned(statuses, scored, columns)


def _column(report: Report, metric: Metric, index: IntArray, statuses: tuple[Status, ...], scored: BoolArray) -> Column:
    kind = kinds()[metric.kind]
    if kind.from_status is not None:
        by_status = {status: kind.from_status(status, metric.fields) for status in set(statuses)}
        values = np.array([by_status[status] for status in statuses], np.float64).reshape(len(index), -1)
        return Column(values, np.ones(len(index), np.bool_))
    own = report.columns.get(metric.id)
    if own is None:
        return Column(np.zeros((len(index), len(kind.statistics))), np.zeros(len(index), np.bool_))
    defined = own.defined[index] & (index >= 0)
    if metric.over == "scored":
        defined &= scored
    return Column(np.where(defined[:, None], own.statistics[index], 0.0), defined)

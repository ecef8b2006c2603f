"""A report's rows as its numbers are computed from them: in which order, from which stratum, beside which baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from tallystick import metrics
from tallystick.model import (
    Benchmark,
    BoolArray,
    Column,
    CountOf,
    IntArray,
    McNemarOf,
    MetricKind,
    PairedOf,
    Report,
    Status,
)

FromStatus: TypeAlias = Callable[[Status, Mapping[str, str]], tuple[float, ...]]
Order = Literal["as declared", "sorted by id", "as in the report", "as in the benchmark"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why a quantity has no value here."""

    reason: str


class Rows:
    """One report's rows, and those of the reports that it may be compared with.

    `order` is that of rows within strata: the procedure's own, or another that may have been used instead.
    """

    def __init__(self, report: Report, benchmark: Benchmark, peers: Sequence[Report], order: Order) -> None:
        self.report = report
        self.benchmark = benchmark
        self._peers = {peer.scores_digest: peer for peer in reversed(peers)}
        self._order = order

    # --- what they hold ---

    def column(self, metric: str) -> Column | None:
        """Return a metric's statistics, of the report's rows or of how they ended; None where it has none."""
        return self._column(self.report, metric)

    def _column(self, report: Report, metric: str) -> Column | None:
        own = report.columns.get(metric)
        if own is not None or metric not in self._by_status:
            return own
        from_status, fields = self._by_status[metric]
        values = np.array([from_status(status, fields) for status in report.statuses], dtype=np.float64)
        return Column(values.reshape(len(report.statuses), -1), np.ones(len(report.statuses), dtype=bool))

    @cached_property
    def _by_status(self) -> Mapping[str, tuple[FromStatus, Mapping[str, str]]]:
        """The metrics that the statuses alone decide: a report brings no field for them."""
        found = ((one, metrics.kinds()[one.kind].from_status) for one in self.benchmark.metrics)
        return {one.id: (from_status, one.fields) for one, from_status in found if from_status is not None}

    # --- which rows ---

    def mask(self, quantity: CountOf) -> BoolArray:
        """Return which rows meet all conditions of a count."""
        chosen = np.ones(len(self.report.ids), dtype=bool)
        if quantity.status is not None:
            chosen &= np.array([status == quantity.status for status in self.report.statuses], dtype=bool)
        if quantity.axis is not None:
            chosen &= np.array([value == quantity.axis_value for value in self.axis(quantity.axis)], dtype=bool)
        if quantity.metric is not None:
            column = self.column(quantity.metric)
            chosen &= column.defined if column else False
        return chosen

    def ordered(self, rows: IntArray) -> IntArray:
        """Return the places in `rows`, in the order that is tried."""
        ids = [self.report.ids[row] for row in rows]
        keys: Sequence[str | int]
        match self._order:
            case "as declared":
                keys = range(len(rows))
            case "sorted by id":
                keys = ids
            case "as in the report":
                keys = rows.tolist()
            case "as in the benchmark":
                samples = self.benchmark.samples
                place = dict(zip(samples.ids, samples.positions, strict=False))
                keys = [place.get(sample, 0) for sample in ids]
        return np.array(sorted(range(len(rows)), key=keys.__getitem__), dtype=np.int64)

    def by_cluster(self, rows: IntArray) -> IntArray:
        """Return the rows inside clusters, clusters in order of their first rows: so FAR sums its estimate."""
        inside = [int(row) for row in rows if self.clusters[row] is not None]
        first: dict[str | None, int] = {}
        for row in inside:
            first.setdefault(self.clusters[row], row)
        return np.array(sorted(inside, key=lambda row: (first[self.clusters[row]], row)), dtype=np.int64)

    def pair(self, quantity: PairedOf | McNemarOf) -> tuple[tuple[Column, IntArray], tuple[Column, IntArray]] | Unknown:
        """Return both columns with their rows of the samples that both hold, in order of sample id."""
        peer = self._peers.get(quantity.baseline_digest)
        if peer is None:
            return Unknown(
                f"the scores of {quantity.baseline} that it was compared with are not among admitted reports"
            )
        mine, theirs = (self._column(one, quantity.metric) for one in (self.report, peer))
        if mine is None or theirs is None:
            return Unknown(f"the rows of both hold no {quantity.metric}")
        place = {sample: row for row, sample in enumerate(peer.ids)}
        rows = [row for row in self._by_id if self.report.ids[row] in place]
        others = [place[self.report.ids[row]] for row in rows]
        return (mine, np.array(rows, dtype=np.int64)), (theirs, np.array(others, dtype=np.int64))

    # --- what is said of them ---

    def kind(self, metric: str) -> MetricKind:
        """Return a metric's kind: the board's word, or else the report's."""
        declared = {one.id: one.kind for one in self.benchmark.metrics}
        return metrics.kinds()[declared.get(metric) or self.report.columns[metric].kind]

    def names(self, scheme: str) -> tuple[str | None, ...]:
        """Return what is drawn from, row by row: strata or clusters."""
        return self.strata if scheme == "stratified" else self.clusters

    @cached_property
    def strata(self) -> tuple[str, ...]:
        """The stratum of each row."""
        stratum, samples = self.benchmark.stratum, self.benchmark.samples
        if stratum is not None and stratum in self.report.axes:
            return tuple(str(value) for value in self.report.axes[stratum])
        known = dict(zip(samples.ids, samples.strata, strict=True))
        return tuple(str(known.get(sample)) for sample in self.report.ids)

    @cached_property
    def clusters(self) -> tuple[str | None, ...]:
        """The cluster of each row; None outside of all."""
        own, samples = self.report.clusters, self.benchmark.samples
        if own is not None:
            return own
        known = dict(zip(samples.ids, samples.clusters or (), strict=bool(samples.clusters)))
        return tuple(known.get(sample) for sample in self.report.ids)

    def axis(self, axis: str) -> Sequence[str | None]:
        """Return what the report says of its rows, or else what the benchmark says of these samples."""
        if axis in self.report.axes:
            return self.report.axes[axis]
        samples = self.benchmark.samples
        values = samples.axes.get(axis, (None,) * len(samples.ids))
        known = dict(zip(samples.ids, values, strict=True))
        return [known.get(sample) for sample in self.report.ids]

    @cached_property
    def _by_id(self) -> list[int]:
        return sorted(range(len(self.report.ids)), key=lambda row: self.report.ids[row])

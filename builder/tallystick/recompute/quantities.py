"""The value of every quantity that a report can state, under one rule of summation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tallystick.bootstrap import point, single
from tallystick.exact import column_sums
from tallystick.model import (
    Benchmark,
    Computed,
    CountOf,
    FloatArray,
    IntervalOf,
    McNemarOf,
    MeanOf,
    MeanOfValues,
    PairedOf,
    Quantity,
    Report,
    Summation,
    SumOf,
)
from tallystick.recompute.intervals import Intervals, known
from tallystick.recompute.rows import Order, Rows, Unknown
from tallystick.significance import mcnemar

Value: TypeAlias = float | int | str | bool | Unknown | None


class Recomputation:
    """One report, ready to have its numbers computed again; `order` as in `Rows`."""

    def __init__(
        self, report: Report, benchmark: Benchmark, peers: Sequence[Report], order: Order = "as declared"
    ) -> None:
        self._rows = Rows(report, benchmark, peers, order)
        self._intervals = Intervals(self._rows)

    def values(self, quantities: Sequence[Quantity], rule: Summation) -> list[Value]:
        """Return the value of each quantity."""
        with np.errstate(over="ignore", invalid="ignore"):  # a value beyond all bounds is verify's to tell
            self._intervals.draw((one for one in quantities if isinstance(one, IntervalOf | PairedOf)), rule)
            return [self._value(quantity, rule) for quantity in quantities]

    def _value(self, quantity: Quantity, rule: Summation) -> Value:
        match quantity:
            case Computed():
                return quantity.value
            case MeanOf():
                return self._mean(quantity, rule)
            case MeanOfValues():
                return _mean_of(quantity.values, rule)
            case SumOf():
                return self._sum(quantity, rule)
            case CountOf():
                return int(self._rows.mask(quantity).sum())
            case IntervalOf() | PairedOf():
                return self._intervals.part(quantity, rule)
            case McNemarOf():
                return self._test(quantity)

    def _mean(self, quantity: MeanOf, rule: Summation) -> float | None:
        column = self._rows.column(quantity.metric)
        if column is None:
            return quantity.empty
        chosen = self._rows.mask(CountOf(axis=quantity.axis, axis_value=quantity.axis_value, metric=quantity.metric))
        rows = np.flatnonzero(chosen)
        if len(rows) == 0:
            return quantity.empty
        if quantity.form == "precision-recall":
            return known(_precision_recall(column_sums(column.statistics[rows], rule)))
        value = known(point(single(self._rows.kind(quantity.metric), column.statistics), rows, rule))
        return quantity.empty if value is None else value * quantity.scale

    def _sum(self, quantity: SumOf, rule: Summation) -> float | int | None:
        column = self._rows.report.columns[quantity.metric]
        kind = self._rows.kind(quantity.metric)
        values = column.statistics[column.defined][:, [kind.statistics.index(quantity.statistic)]]
        total = float(column_sums(values, rule)[0])
        return int(total) if total.is_integer() else known(total)

    def _test(self, quantity: McNemarOf) -> Value:
        pair = self._rows.pair(quantity)
        if isinstance(pair, Unknown):
            return pair
        (mine, rows), (theirs, others) = pair
        chosen = np.ones(len(rows), dtype=bool)
        if not quantity.undefined_fails:
            chosen = mine.defined[rows] & theirs.defined[others]
        won, stood = (side.statistics[at, 0][chosen] != 0 for side, at in ((mine, rows), (theirs, others)))
        baseline_only, candidate_only = int((stood & ~won).sum()), int((won & ~stood).sum())
        match quantity.part:
            case "baseline_only":
                return baseline_only
            case "candidate_only":
                return candidate_only
            case "discordant":
                return baseline_only + candidate_only
            case "p_value":
                return mcnemar(baseline_only, candidate_only)


def _mean_of(values: Sequence[float], rule: Summation) -> float | None:
    return float(column_sums(np.array(values, dtype=np.float64)[:, None], rule)[0]) / len(values) if values else None


def _precision_recall(sums: FloatArray) -> float:
    """Return 2PR / (P + R) of true positives, predicted and gold; 0 where a ratio has no denominator."""
    hits, predicted, gold = (float(total) for total in sums)
    precision, recall = (hits / total if total else 0.0 for total in (predicted, gold))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

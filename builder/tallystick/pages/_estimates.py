"""Turn estimates and ledgers into cells and columns, with decimals that follow the uncertainty of each column."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from tallystick import numerals
from tallystick.board import Entry, Estimate, Interval, Ledger, Rate
from tallystick.model import STATUSES, Metric, Status
from tallystick.pages._figures import Axis, axis_over, ledger
from tallystick.pages._words import ABSTENTION_NOTE, direction
from tallystick.table import Cell, Column, Order, Row, Table

NORMAL_WIDTH = 3.92
"""Width of a 95 % interval in standard errors, where an estimate brings an interval but no standard error."""

BOUNDS_NOTE = (
    "Worst to best: every unscored sample at the lower, then at the upper end of the metric. They bound the value over"
    " all samples and are no confidence interval."
)

WILSON_NOTE = (
    "Wilson's score interval: outcomes are alike in every stratum, so no resample can differ, but other samples could."
)

STATUS_TITLES: dict[Status, str] = {
    "scored": "Scored",
    "abstained": "Abstained",
    "unresolved": "Unresolved",
    "pending": "Pending",
    "missing": "Missing",
    "invalid": "Invalid",
}


def error(estimate: Estimate) -> float | None:
    """Return the standard error that decides the decimals of an estimate; none where no resample differs.

    Such resamples still differ in their last bits, and what is left of that is no error.
    """
    ends = estimate.interval
    if ends is not None and math.isclose(ends.lower, ends.upper, rel_tol=1e-12):
        return None
    if estimate.standard_error is not None:
        return estimate.standard_error
    return spread(estimate.interval)


def spread(interval: Interval | None) -> float | None:
    """Return the standard error that an interval suggests."""
    return None if interval is None else (interval.upper - interval.lower) / NORMAL_WIDTH


def places(estimates: Iterable[Estimate | None]) -> int:
    """Return the decimals of a column of estimates."""
    return numerals.decimals(error(estimate) for estimate in estimates if estimate is not None)


def reason(estimate: Estimate | None) -> str:
    """Say why an estimate is undefined."""
    return (estimate.note if estimate is not None else "") or "undefined: no sample of this report has a value"


def counted(estimate: Estimate, total: int, decimals: int) -> str:
    """Say on how many of all samples an estimate rests, where it is not all; and its worst and best case."""
    if estimate.n == total:
        return ""
    return f"on {numerals.of(estimate.n, total)}\n{worst_to_best(estimate, decimals)}"


def shown_interval(estimate: Estimate | None) -> Interval | None:
    """Return the interval to show: Wilson's where resamples cannot differ, else the one over resamples."""
    return None if estimate is None else estimate.wilson or estimate.interval


def remark(estimate: Estimate) -> str:
    """Return what must be said beside a value."""
    return WILSON_NOTE if estimate.wilson is not None else estimate.note


def worst_to_best(estimate: Estimate, decimals: int) -> str:
    """Write the bounds of a conditional mean, where it has them; those of no score at all are the metric's own ends."""
    if estimate.bounds is None:
        return ""
    lower, upper = estimate.bounds.lower, estimate.bounds.upper
    if estimate.value is None:
        return f"worst to best {numerals.bound(lower)} to {numerals.bound(upper)}"
    return f"worst to best {numerals.interval(lower, upper, decimals)}"


def value_cell(estimate: Estimate | None, decimals: int) -> Cell:
    """Return the cell of a value alone."""
    if estimate is None or estimate.value is None:
        return Cell(numerals.UNDEFINED, note=reason(estimate))
    return Cell(numerals.number(estimate.value, decimals), estimate.value, note=remark(estimate))


def interval_text(interval: Interval | None, decimals: int) -> str:
    """Write an interval, or the sign for undefined."""
    return numerals.UNDEFINED if interval is None else numerals.interval(interval.lower, interval.upper, decimals)


def ends(interval: Interval | None) -> tuple[float, float] | None:
    """Return the exact ends of an interval, for exports."""
    return None if interval is None else (interval.lower, interval.upper)


def lacking(estimate: Estimate | None) -> str:
    """Say in few words why a value has no interval, as "n too small"; nothing where it has one."""
    if estimate is None or estimate.value is None or shown_interval(estimate) is not None:
        return ""
    return re.split(r" for |:", estimate.note)[0]


def interval_cell(interval: Interval | None, decimals: int, note: str = "") -> Cell:
    """Return the cell of an interval alone; without an interval, `note` says why."""
    return Cell(interval_text(interval, decimals), note="" if interval is not None else note, ends=ends(interval))


def full_cell(estimate: Estimate | None, decimals: int, total: int) -> Cell:
    """Return one cell with value, interval and, where it is not all samples, the count behind them."""
    if estimate is None or estimate.value is None:
        return Cell(numerals.UNDEFINED, note=reason(estimate))
    interval = shown_interval(estimate)
    interval_words = lacking(estimate) or interval_text(interval, decimals)
    lines = f"{interval_words} {counted(estimate, total, decimals)}"
    text = numerals.number(estimate.value, decimals)
    return Cell(text, estimate.value, lines.strip(), note=remark(estimate), ends=ends(interval))


def metric_column(metric: Metric) -> Column:
    """Return the column of a metric, with the direction in which it improves."""
    return Column(metric.id, metric.title, hint=direction(metric), order=best_first(metric))


def best_first(metric: Metric) -> Order:
    """Return the order of a metric's values that puts the best first."""
    return "descending" if metric.direction == "higher" else "ascending"


def shared_axis(estimates: Iterable[Estimate | None], metric: Metric) -> Axis | None:
    """Return the axis on which all of a column's values, intervals and bounds fit."""
    known = [estimate for estimate in estimates if estimate is not None]
    spans = [span for estimate in known for span in (shown_interval(estimate), estimate.bounds) if span is not None]
    ends = [end for span in spans for end in (span.lower, span.upper)]
    values = [estimate.value for estimate in known if estimate.value is not None]
    return axis_over([*ends, *values], within=(metric.lower, metric.upper))


def best(metric: Metric, estimates: Iterable[Estimate | None]) -> float | None:
    """Return the best value of a column."""
    values = [estimate.value for estimate in estimates if estimate is not None and estimate.value is not None]
    return max(values, key=lambda value: metric.sign * value, default=None)


def statuses_present(ledgers: Iterable[Ledger]) -> tuple[Status, ...]:
    """Return the statuses other than scored that any of these ledgers counts."""
    ledgers = tuple(ledgers)
    return tuple(status for status in STATUSES[1:] if any(one.counts.get(status, 0) for one in ledgers))


def count_columns(statuses: Sequence[Status]) -> tuple[Column, ...]:
    """Return the columns of scored k/n and of each further status."""
    further = (Column(status, STATUS_TITLES[status], group="Samples", minor=True) for status in statuses)
    return (Column("scored", "Scored", group="Samples", minor=True), *further)


def count_cells(counts: Ledger, statuses: Sequence[Status]) -> tuple[Cell, ...]:
    """Return the cells below `count_columns`."""
    scored = counts.counts.get("scored", 0)
    further = (counts.counts.get(status, 0) for status in statuses)
    return (Cell(numerals.of(scored, counts.total), scored), *(Cell(numerals.count(k), k) for k in further))


def absent_statuses(statuses: Sequence[Status]) -> tuple[str, ...]:
    """Say which statuses have no column because no sample ended so."""
    absent = [status for status in STATUSES[1:] if status not in statuses]
    if not absent:
        return ()
    listed = absent[0] if len(absent) == 1 else f"{', '.join(absent[:-1])} or {absent[-1]}"
    return (f"No sample was {listed}.",)


def rate_cell(rate: Rate) -> Cell:
    """Return the cell of a rate with its Wilson interval."""
    if rate.value is None or rate.interval is None:
        return Cell(numerals.UNDEFINED, note="undefined: there are no samples")
    detail = numerals.percentage_interval(rate.interval.lower, rate.interval.upper)
    return Cell(numerals.percentage(rate.value), rate.value, detail, ends=ends(rate.interval))


def ledger_table(entries: Sequence[tuple[Entry, str | None]]) -> Table:
    """Tabulate how every sample of each entry ended; the second of each pair is the path of its page."""
    statuses = statuses_present(entry.ledger for entry, _ in entries)
    columns = (
        Column("method", "Method", "header"),
        Column("bar", "All samples", "figure"),
        *count_columns(statuses),
        Column("scored-rate", "Scored", group="Rates, with Wilson intervals"),
        Column("abstention-rate", "Abstention", group="Rates, with Wilson intervals"),
        Column("valid-rate", "Valid", group="Rates, with Wilson intervals"),
    )
    rows = tuple(
        Row(
            "",
            (
                Cell(entry.report.method.title, entry.method, href=path),
                Cell("", figure=ledger(entry.ledger)),
                *count_cells(entry.ledger, statuses),
                *map(rate_cell, (entry.ledger.scored, entry.ledger.abstention, entry.ledger.valid)),
            ),
        )
        for entry, path in entries
    )
    notes = [" ".join(("Rates have all samples in the denominator.", *absent_statuses(statuses)))]
    if "abstained" in statuses:
        notes.append(ABSTENTION_NOTE)
    return Table("ledger", "How every sample ended", columns, rows, tuple(notes))

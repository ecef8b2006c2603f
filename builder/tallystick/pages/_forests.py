"""Draw the methods of a board by one metric."""

from __future__ import annotations

from tallystick import numerals
from tallystick.board import Board, Entry
from tallystick.model import Metric
from tallystick.pages import _estimates as cells
from tallystick.pages._figures import ForestRow, forest
from tallystick.pages._words import direction
from tallystick.table import Figure

DRAWN = 60
"""Methods of one plot; further ones are in the table."""


def value_of(entry: Entry, metric: Metric) -> float | None:
    """Return an entry's value of a metric."""
    found = entry.estimates.get(metric.id)
    return found.value if found else None


def metrics_shown(board: Board) -> tuple[Metric, ...]:
    """Return the metrics that any shown report has a value of."""
    return tuple(
        metric
        for metric in board.benchmark.metrics
        if any(value_of(entry, metric) is not None for entry in board.entries)
    )


def metric_forest(board: Board, metric: Metric, entries: tuple[Entry, ...]) -> Figure | None:
    """Draw the first complete entries of a board, a line each."""
    shown = entries[:DRAWN]
    decimals = cells.places(entry.estimates.get(metric.id) for entry in shown)
    rows = []
    for entry in shown:
        found = entry.estimates[metric.id]
        interval = cells.shown_interval(found)
        text = f"{numerals.number(found.value, decimals)}  [{cells.interval_text(interval, decimals)}]"
        rows.append(ForestRow(entry.report.method.title, "", found.value, interval, text))
    return forest(
        f"forest-{metric.id}",
        f"{metric.title} on {board.benchmark.title}",
        f"One line for each method: its value and its interval; {direction(metric)}.",
        tuple(rows),
        line=None,
    )

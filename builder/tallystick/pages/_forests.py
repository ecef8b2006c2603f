"""Draw forest plots, for wide screens and for narrow ones, and the methods of a board by one metric as such a plot."""

from __future__ import annotations

from dataclasses import dataclass

from tallystick import numerals
from tallystick.board import Board, Entry, Interval
from tallystick.model import Metric
from tallystick.numerals import number
from tallystick.pages import _estimates as cells
from tallystick.pages._figures import (
    Axis,
    axis_over,
    dot_mark,
    line_mark,
    span_marks,
    text_mark,
    wrapped,
)
from tallystick.pages._words import direction, level
from tallystick.table import Figure, Mark
from tallystick.widths import HINT, LABEL, NUMBERS, cut, width

DRAWN = 60
"""Methods of one plot; further ones are in the table."""

LABEL_WIDTH, PLOT_WIDTH, NUMBERS_WIDTH, ROW_HEIGHT, LOW_ROW, LINE_HEIGHT = 300, 400, 200, 38, 25, 13
NARROW_WIDTH, NARROW_ROW, NARROW_LINE, HINT_CHARACTER = 330, 42, 17, 6.2
TOP, BOTTOM = 26, 24


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One line of a forest plot: `text` repeats the numbers beside it."""

    label: str
    hint: str
    value: float | None
    interval: Interval | None
    text: str


def forest(
    id_: str,
    title: str,
    description: str,
    rows: tuple[ForestRow, ...],
    *,
    line: float | None,
    sides: tuple[str, str] = ("", ""),
    within: tuple[float | None, float | None] = (None, None),
) -> Figure | None:
    """Draw a forest plot with a reference `line` and what lies on either side of it; None without any number.

    `within` are the ends of what the values can be.
    """
    ends = [end for row in rows if row.interval for end in (row.interval.lower, row.interval.upper)]
    ends += [row.value for row in rows if row.value is not None]
    if not ends:
        return None
    ends += [] if line is None else [line]
    axis = axis_over(ends, start=LABEL_WIDTH + 12, width=PLOT_WIDTH, within=within)
    beside = round(max(width(row.text, HINT) for row in rows)) + 12
    close = axis_over(ends, start=beside, width=max(NARROW_WIDTH - beside, NARROW_WIDTH // 3), within=within)
    assert axis is not None and close is not None
    narrow = Figure(
        f"{id_}-narrow",
        NARROW_WIDTH + 12,
        TOP + NARROW_ROW * len(rows) + BOTTOM,
        tuple(_narrow(close, rows, line, sides)),
        title,
        description,
    )
    height = ROW_HEIGHT if any(row.hint or len(wrapped(row.label)) > 1 for row in rows) else LOW_ROW
    marks = tuple(_wide(axis, rows, height, line, sides))
    numbers = max(NUMBERS_WIDTH, round(max(width(row.text, NUMBERS) for row in rows)) + 28)
    return Figure(
        id_, LABEL_WIDTH + PLOT_WIDTH + numbers, TOP + height * len(rows) + BOTTOM, marks, title, description, narrow
    )


def _wide(
    axis: Axis, rows: tuple[ForestRow, ...], height: int, line: float | None, sides: tuple[str, str]
) -> list[Mark]:
    """Draw labels at the left, the plot between, and numbers at the right."""
    bottom = TOP + height * len(rows)
    marks = [line_mark("grid", axis.at(tick), TOP, axis.at(tick), bottom) for tick in axis.ticks]
    marks += _foot(axis, bottom)
    if line is not None:
        marks.append(line_mark("zero", axis.at(line), TOP - 6, axis.at(line), bottom))
        marks.append(text_mark("side", axis.at(line) - 10, 14, f"← {sides[0]}" if sides[0] else "", "end"))
        marks.append(text_mark("side", axis.at(line) + 10, 14, f"{sides[1]} →" if sides[1] else "", "start"))
    for index, row in enumerate(rows):
        y = TOP + height * (index + 0.5)
        lines = [("label", line_of) for line_of in wrapped(row.label)]
        lines += [("hint", row.hint)] if row.hint else []
        first = y + 5 - LINE_HEIGHT * (len(lines) - 1) / 2
        marks += [
            text_mark(role, 0, first + LINE_HEIGHT * place, text, "start") for place, (role, text) in enumerate(lines)
        ]
        marks += _estimate(axis, row, y, line)
        marks.append(text_mark("numbers", axis.start + axis.width + 14, y + 5, row.text, "start"))
    return marks


def _narrow(axis: Axis, rows: tuple[ForestRow, ...], line: float | None, sides: tuple[str, str]) -> list[Mark]:
    """Draw each label on a line of its own, with the numbers and the plot below it."""
    marks = _foot(axis, TOP + NARROW_ROW * len(rows))
    if any(sides):
        marks.append(text_mark("side", 0, 14, f"← {sides[0]}", "start"))
        marks.append(text_mark("side", axis.start + axis.width, 14, f"{sides[1]} →", "end"))
    for index, row in enumerate(rows):
        top = TOP + NARROW_ROW * index
        y = top + NARROW_LINE + 11
        label = cut(row.label, NARROW_WIDTH - (width(row.hint, HINT) + 8 if row.hint else 0), LABEL)
        marks.append(text_mark("label", 0, top + NARROW_LINE - 3, label, "start"))
        if row.hint:
            marks.append(text_mark("hint", NARROW_WIDTH, top + NARROW_LINE - 3, row.hint, "end"))
        marks += [line_mark("grid", axis.at(tick), y - 9, axis.at(tick), y + 9) for tick in axis.ticks]
        if line is not None:
            marks.append(line_mark("zero", axis.at(line), y - 9, axis.at(line), y + 9))
        marks += _estimate(axis, row, y, line)
        marks.append(text_mark("hint", 0, y + 4, row.text, "start"))
    return marks


def _foot(axis: Axis, bottom: float) -> list[Mark]:
    """Draw the axis below a plot; every second number where they would collide."""
    longest = max(len(number(tick, axis.places)) for tick in axis.ticks) if axis.ticks else 0
    crowded = (longest + 2) * HINT_CHARACTER * len(axis.ticks) > axis.width
    marks = [line_mark("tick", axis.at(axis.lower), bottom, axis.at(axis.upper), bottom)]
    marks += [
        text_mark("tick-label", axis.at(tick), bottom + 16, number(tick, axis.places))
        for tick in axis.ticks[:: 2 if crowded else 1]
    ]
    return marks


def _estimate(axis: Axis, row: ForestRow, y: float, line: float | None) -> tuple[Mark, ...]:
    """Draw interval and value; the mark is open where the interval crosses the reference line."""
    marks = span_marks("interval", axis, row.interval, y) if row.interval is not None else ()
    if row.value is None:
        return marks
    crossed = line is not None and row.interval is not None and row.interval.lower <= line <= row.interval.upper
    return (*marks, dot_mark("point open" if crossed else "point", axis.at(row.value), y, 4.5))


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
        f"One line for each method: its value and its {level(board)} interval; {direction(metric)}.",
        tuple(rows),
        line=None,
        within=(metric.lower, metric.upper),
    )

"""Draw estimates as geometry: interval bars on one axis per column, the bar of a ledger, and what plots are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tallystick.board import Interval, Ledger
from tallystick.model import STATUSES, Status
from tallystick.numerals import coordinate, number
from tallystick.table import Figure, Mark
from tallystick.widths import LABEL, cut, lines

BAR_WIDTH, BAR_HEIGHT, MARGIN = 184, 24, 8
LEDGER_WIDTH, LEDGER_HEIGHT = 160, 20
LABEL_ROOM = 288
TICK_CHARACTER = 6.5
TICKS = 4
_LARGEST, _SMALLEST = 1e300, 1e-300
NOTCH: dict[Status, float] = {
    "scored": 1.0,
    "abstained": 0.72,
    "unresolved": 0.56,
    "pending": 0.42,
    "missing": 0.14,
    "invalid": 0.28,
}
"""Height of each status in a ledger's bar, so that colour is never the only cue."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale shared by every bar of a column: `lower`..`upper` on `width` units after `start`, with its `ticks`."""

    lower: float
    upper: float
    ticks: tuple[float, ...]
    places: int
    start: int = MARGIN
    width: int = BAR_WIDTH - 2 * MARGIN

    def at(self, value: float) -> float:
        """Return the position of a value, held inside the axis."""
        share = (value - self.lower) / (self.upper - self.lower)
        return self.start + self.width * min(max(share, 0.0), 1.0)


def axis_over(
    values: Iterable[float],
    *,
    start: int = MARGIN,
    width: int = BAR_WIDTH - 2 * MARGIN,
    within: tuple[float | None, float | None] = (None, None),
) -> Axis | None:
    """Return an axis that just holds some values, with round ticks inside; None where there are no values.

    Values that are all alike get room on both sides, but none beyond what is possible: `within` are its ends.
    """
    known = [min(max(value, -_LARGEST), _LARGEST) for value in values if math.isfinite(value)]
    if not known:
        return None
    low, high = min(known), max(known)
    span = high - low
    if span < _SMALLEST:  # as good as equal: where floats end, no tick can be told from the next
        span = abs(high) if abs(high) > _SMALLEST else 1.0
        first = low - span / 2 if within[0] is None else max(low - span / 2, min(within[0], low))
        last = high + span / 2 if within[1] is None else min(high + span / 2, max(within[1], high))
        low, high = (first, last) if last - first > span / 4 else (low - span / 2, high + span / 2)
        span = high - low
    size = 10.0 ** math.floor(math.log10(span / TICKS))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * TICKS >= span)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(index * step for index in range(first, last + 1))
    places = max(0, -math.floor(math.log10(step))) + (1 if f"{step:e}".startswith("2.5") else 0)
    return Axis(low, high, ticks, places, start, width)


def line_mark(role: str, x1: float, y1: float, x2: float, y2: float) -> Mark:
    """Return a straight line."""
    ends = (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2))
    return Mark("line", role, tuple((name, coordinate(value)) for name, value in ends))


def dot_mark(role: str, x: float, y: float, radius: float = 4) -> Mark:
    """Return a dot."""
    return Mark("circle", role, (("cx", coordinate(x)), ("cy", coordinate(y)), ("r", coordinate(radius))))


def text_mark(role: str, x: float, y: float, text: str, anchor: str = "middle") -> Mark:
    """Return a text that begins, ends or has its middle at a place."""
    return Mark("text", role, (("x", coordinate(x)), ("y", coordinate(y)), ("text-anchor", anchor)), text)


def span_marks(role: str, axis: Axis, interval: Interval, y: float) -> tuple[Mark, ...]:
    """Return the line of an interval with its ends."""
    left, right = axis.at(interval.lower), axis.at(interval.upper)
    return (
        line_mark(role, left, y, right, y),
        line_mark(role, left, y - 4, left, y + 4),
        line_mark(role, right, y - 4, right, y + 4),
    )


def scale(axis: Axis) -> Figure:
    """Draw the numbers of an axis, to stand above a column of bars; every second one where they would collide."""
    longest = max((len(number(tick, axis.places)) for tick in axis.ticks), default=0)
    fits = (longest + 1) * TICK_CHARACTER * len(axis.ticks) < axis.width
    marks = [
        text_mark("tick-label", axis.at(tick), 11, number(tick, axis.places))
        for tick in axis.ticks[:: 1 if fits else 2]
    ]
    marks += [line_mark("tick", axis.at(tick), 14, axis.at(tick), 18) for tick in axis.ticks]
    marks.append(line_mark("tick", axis.at(axis.lower), 18, axis.at(axis.upper), 18))
    return Figure("", BAR_WIDTH, 19, tuple(marks))


def bar(
    axis: Axis | None,
    value: float | None,
    interval: Interval | None,
    *,
    reference: float | None = None,
    bounds: Interval | None = None,
) -> Figure | None:
    """Draw an estimate on the axis of its column: reference line, bounds, interval, and the value on top."""
    if axis is None or (value is None and bounds is None):
        return None
    middle = BAR_HEIGHT / 2
    marks: tuple[Mark, ...] = ()
    if reference is not None:
        marks += (line_mark("reference", axis.at(reference), 0, axis.at(reference), BAR_HEIGHT),)
    if bounds is not None:
        marks += (line_mark("bounds", axis.at(bounds.lower), middle, axis.at(bounds.upper), middle),)
    if interval is not None:
        marks += span_marks("interval", axis, interval, middle)
    if value is not None:
        marks += (dot_mark("point", axis.at(value), middle),)
    return Figure("", BAR_WIDTH, BAR_HEIGHT, marks)


def ledger(counts: Ledger) -> Figure:
    """Draw how the samples of a report ended, statuses in their fixed order and each with a height of its own."""
    marks: list[Mark] = []
    position, unit = 0.0, LEDGER_WIDTH / max(counts.total, 1)
    for status in STATUSES:
        width = counts.counts.get(status, 0) * unit
        if width:
            height = LEDGER_HEIGHT * NOTCH[status]
            place = (
                ("x", position),
                ("y", LEDGER_HEIGHT - height),
                ("width", max(width - 1, 0.75)),
                ("height", height),
            )
            marks.append(Mark("rect", f"status-{status}", tuple((name, coordinate(at)) for name, at in place)))
        position += width
    marks.append(line_mark("base", 0, LEDGER_HEIGHT - 0.5, LEDGER_WIDTH, LEDGER_HEIGHT - 0.5))
    return Figure("", LEDGER_WIDTH, LEDGER_HEIGHT, tuple(marks))


def wrapped(text: str) -> list[str]:
    """Return a label in one or two lines of the room that it has, cut if it needs more."""
    found = lines(text, LABEL_ROOM, LABEL)
    return found if len(found) < 3 else [found[0], cut(f"{found[1]}…", LABEL_ROOM, LABEL)]

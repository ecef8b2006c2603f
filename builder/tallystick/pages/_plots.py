"""Draw what takes more than one axis or more than one row: outcomes of all pairs, panels by axis value, and time."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from tallystick.board import Interval, Ledger
from tallystick.model import STATUSES, Status
from tallystick.numerals import coordinate, count, number
from tallystick.pages._figures import (
    NOTCH,
    Axis,
    axis_over,
    dot_mark,
    ledger,
    line_mark,
    span_marks,
    text_mark,
)
from tallystick.table import Figure, Mark
from tallystick.widths import HINT, LABEL, NUMBERS, cut, lines, width

Outcome = Literal["better", "worse", "open"]
LABEL_ROOM, NARROW_ROOM, KEY_ROOM = 330, 150, 310
SQUARE = 17
PANEL_WIDTH, PANEL_GAP, PANEL_ROW, PANELS_ACROSS = 170, 40, 20, 3
NARROW_PANEL, NARROW_ACROSS, KEY_ROW = 124, 2, 17
TIME_WIDTH, NARROW_TIME, TIME_HEIGHT, TIME_LEFT, TIME_TOP = 720, 270, 300, 56, 16
HINT_ROOM, NARROW_HINT_ROOM, HINT_HEIGHT = 280, 128, 12
STATUS_ROW, NARROW_STATUS_ROW, STATUS_LINE, NARROW_STATUS_WIDTH = 32, 62, 13, 330
LETTER = re.compile(r"([a-z])(\d*)(?:–([a-z])(\d*))?")


def separated(one: str, other: str) -> bool:
    """Say whether two methods with these group letters share none, and so are told apart."""
    return not _letters(one) & _letters(other)


def _letters(text: str) -> frozenset[int]:
    found: set[int] = set()
    for first, round_, last, last_round in LETTER.findall(text):
        start = _place(first, round_)
        found.update(range(start, (_place(last, last_round) if last else start) + 1))
    return frozenset(found)


def _place(letter: str, round_: str) -> int:
    return ord(letter) - ord("a") + 26 * (int(round_ or 1) - 1)


def _label_width(labels: Sequence[str]) -> int:
    """Return the room that the longest label takes."""
    return round(max((width(label, LABEL) for label in labels), default=0)) + 16


def _cut(labels: Sequence[str], room: float = LABEL_ROOM) -> list[str]:
    return [cut(label, room, LABEL) for label in labels]


def _cut_inside(labels: Sequence[str]) -> list[str]:
    """Cut long labels in their middle: variants of one method differ at their end."""
    half = (NARROW_ROOM + width("…", LABEL)) / 2  # each brings an ellipsis, and one of them goes
    short = []
    for label in labels:
        if width(label, LABEL) > NARROW_ROOM:
            head, tail = cut(label, half, LABEL), cut(label[::-1], half, LABEL)[::-1]
            label = f"{head.removesuffix('…')}…{tail.removeprefix('…')}"
        short.append(label)
    return short


def matrix(id_: str, title: str, labels: Sequence[str], outcomes: Sequence[Sequence[Outcome | None]]) -> Figure:
    """Draw every method against every other: a mark points up where the row's is told to be better than the column's.

    Columns carry the numbers of the rows; None is the diagonal.
    """
    narrow = _matrix(f"{id_}-narrow", title, _cut_inside(labels), outcomes)
    return replace(_matrix(id_, title, _cut(labels), outcomes), narrow=narrow)


def _matrix(id_: str, title: str, labels: Sequence[str], outcomes: Sequence[Sequence[Outcome | None]]) -> Figure:
    left, top = _label_width(labels) + 24, 24
    marks: list[Mark] = []
    for row, label in enumerate(labels):
        y = top + SQUARE * (row + 0.5)
        marks.append(text_mark("label", 0, y + 4, label, "start"))
        marks.append(text_mark("tick-label", left - 10, y + 4, count(row + 1), "end"))
        marks.append(text_mark("tick-label", left + SQUARE * (row + 0.5), top - 8, count(row + 1)))
        for column, outcome in enumerate(outcomes[row]):
            marks += _outcome(outcome, left + SQUARE * (column + 0.5), y)
    side = SQUARE * len(labels)
    description = (
        "Rows and columns are the methods, numbered alike. A triangle that points up: the row's method is told to be"
        " better than the column's; down: worse; a dot: not told apart."
    )
    return Figure(id_, left + side + 8, top + side + 8, tuple(marks), title, description)


def _outcome(outcome: Outcome | None, x: float, y: float) -> tuple[Mark, ...]:
    if outcome is None:
        return (line_mark("grid", x - 5, y - 5, x + 5, y + 5),)
    if outcome == "open":
        return (dot_mark("undecided", x, y, 1.5),)
    up = -5 if outcome == "better" else 5
    corners = ((x - 6, y - up), (x + 6, y - up), (x, y + up))
    path = "M" + "L".join(f"{coordinate(across)} {coordinate(down)}" for across, down in corners) + "Z"
    return (Mark("path", outcome, (("d", path),)),)


@dataclass(frozen=True, slots=True)
class Panel:
    """One axis value: its heading, and value and interval of each method, in the order of the labels."""

    title: str
    hint: str
    points: tuple[tuple[float | None, Interval | None], ...]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """How panels lie: so many `across`, each so `wide`, beside the `labels` of their rows and below a `key` to them."""

    labels: Sequence[str]
    across: int
    wide: int
    key: Sequence[str] = ()


def multiples(id_: str, title: str, description: str, labels: Sequence[str], panels: Sequence[Panel]) -> Figure | None:
    """Draw panels on one axis, methods in the same order in each; None without any number.

    The narrow form numbers the methods, and tells their names once.
    """
    ends = [end for panel in panels for _, span in panel.points if span for end in (span.lower, span.upper)]
    ends += [value for panel in panels for value, _ in panel.points if value is not None]
    if not ends:
        return None
    names, numbers = _cut(labels), [count(place) for place in range(1, len(labels) + 1)]
    sheet = _Sheet(names, PANELS_ACROSS, PANEL_WIDTH)
    close = _Sheet(numbers, NARROW_ACROSS, NARROW_PANEL, _cut(labels, KEY_ROOM))
    narrow = Figure(f"{id_}-narrow", *_panels(close, panels, ends), title, description)
    return Figure(id_, *_panels(sheet, panels, ends), title, description, narrow)


def _panels(sheet: _Sheet, panels: Sequence[Panel], ends: Sequence[float]) -> tuple[int, int, tuple[Mark, ...]]:
    """Return the width, the height and the marks of a sheet of panels."""
    room, step = _label_width(sheet.labels), sheet.wide + PANEL_GAP
    top, height = KEY_ROW * len(sheet.key), PANEL_ROW * len(sheet.labels) + 64
    marks: list[Mark] = []
    for place, name in enumerate(sheet.key):
        y = KEY_ROW * (place + 1) - 4
        marks.append(text_mark("tick-label", 14, y, sheet.labels[place], "end"))
        marks.append(text_mark("label", 22, y, name, "start"))
    for place, panel in enumerate(panels):
        column, row = place % sheet.across, place // sheet.across
        axis = axis_over(ends, start=room + column * step, width=sheet.wide)
        assert axis is not None
        marks += _panel(panel, axis, top + row * height, () if column else sheet.labels)
    whole = room + min(len(panels), sheet.across) * step - PANEL_GAP // 2
    return whole, top + math.ceil(len(panels) / sheet.across) * height, tuple(marks)


def _panel(panel: Panel, axis: Axis, top: float, labels: Sequence[str]) -> list[Mark]:
    first, last = top + 36, top + 36 + PANEL_ROW * len(panel.points)
    marks = [
        text_mark("label", axis.start, top + 14, cut(panel.title, axis.width, LABEL), "start"),
        text_mark("hint", axis.start, top + 29, panel.hint, "start"),
    ]
    marks += [line_mark("grid", axis.at(tick), first, axis.at(tick), last) for tick in axis.ticks]
    marks += [
        text_mark("tick-label", axis.at(tick), last + 14, number(tick, axis.places))
        for tick in axis.ticks[:: 1 if len(axis.ticks) < 5 else 2]
    ]
    for row, label in enumerate(labels):
        marks.append(text_mark("label", 0, first + PANEL_ROW * (row + 0.5) + 4, label, "start"))
    for row, (value, interval) in enumerate(panel.points):
        y = first + PANEL_ROW * (row + 0.5)
        marks += span_marks("interval", axis, interval, y) if interval is not None else ()
        marks += (dot_mark("point", axis.at(value), y),) if value is not None else ()
    return marks


@dataclass(frozen=True, slots=True)
class Moment:
    """A value on a day; `label` is set for a top, `firm` is false where it was not told apart from the one before."""

    day: date
    value: float
    label: str = ""
    firm: bool = True


def over_time(id_: str, title: str, description: str, moments: Sequence[Moment]) -> Figure | None:
    """Draw values by day, the tops joined by steps; None where all are of one day."""
    if not moments or len({moment.day for moment in moments}) < 2:
        return None
    narrow = _over_time(f"{id_}-narrow", title, description, moments, NARROW_TIME, NARROW_HINT_ROOM)
    return replace(_over_time(id_, title, description, moments, TIME_WIDTH, HINT_ROOM), narrow=narrow)


def _over_time(id_: str, title: str, description: str, moments: Sequence[Moment], wide: int, room: float) -> Figure:
    days = sorted({moment.day for moment in moments})
    scale = axis_over([moment.value for moment in moments])
    assert scale is not None
    bottom, right = TIME_TOP + TIME_HEIGHT, TIME_LEFT + wide
    whole = (days[-1] - days[0]).days

    def x(day: date) -> float:
        return TIME_LEFT + 10 + (wide - 20) * (day - days[0]).days / whole

    def y(value: float) -> float:
        return bottom - 10 - (TIME_HEIGHT - 20) * (value - scale.lower) / (scale.upper - scale.lower)

    marks: list[Mark] = []
    for tick in scale.ticks:
        marks.append(line_mark("grid", TIME_LEFT, y(tick), right, y(tick)))
        marks.append(text_mark("tick-label", TIME_LEFT - 8, y(tick) + 4, number(tick, scale.places), "end"))
    marks.append(line_mark("tick", TIME_LEFT, bottom, right, bottom))
    marks.append(text_mark("tick-label", x(days[0]), bottom + 16, days[0].isoformat(), "start"))
    marks.append(text_mark("tick-label", x(days[-1]), bottom + 16, days[-1].isoformat(), "end"))
    marks += [dot_mark("other", x(one.day), y(one.value), 2.5) for one in moments if not one.label]
    marks += _steps([(x(one.day), y(one.value), one) for one in moments if one.label], right, room)
    return Figure(id_, right + 16, bottom + 26, tuple(marks), title, description)


def _steps(tops: Sequence[tuple[float, float, Moment]], right: float, room: float) -> list[Mark]:
    marks: list[Mark] = []
    for place, (x, y, _) in enumerate(tops):
        end = tops[place + 1][0] if place + 1 < len(tops) else right
        marks.append(line_mark("record", x, y, end, y))
        if place:
            marks.append(line_mark("record", x, tops[place - 1][1], x, y))
    named: list[tuple[float, float, float]] = []
    for x, y, moment in reversed(tops):  # the last top is the one to name where there is no room for all
        marks.append(dot_mark("point" if moment.firm else "point open", x, y, 4.5))
        beyond = x > right - room
        text = cut(moment.label, room, HINT)
        at, length = x - 9 if beyond else x + 9, width(text, HINT)
        start, end = (at - length, at) if beyond else (at, at + length)
        if all(end < left or start > last or abs(y - height) > HINT_HEIGHT for left, last, height in named):
            named.append((start, end, y))
            marks.append(text_mark("hint", at, y - 7, text, "end" if beyond else "start"))
    return marks


def statuses(id_: str, title: str, description: str, ledgers: Sequence[tuple[str, Ledger]]) -> Figure:
    """Draw how the samples of every method ended, a bar each, below one another, and what the parts of a bar are."""
    labels = _cut([label for label, _ in ledgers])
    room = _label_width(labels)
    found = [status for status in STATUSES if any(counts.counts.get(status) for _, counts in ledgers)]
    said = [", ".join(f"{count(k)} {status}" for status, k in counts.counts.items() if k) for _, counts in ledgers]
    across = max(room + 608, *(room + 176 + math.ceil(width(one, NUMBERS)) for one in said))
    broken = [lines(one.replace(" ", "\xa0").replace(",\xa0", ", "), NARROW_STATUS_WIDTH, HINT) for one in said]
    step = NARROW_STATUS_ROW + STATUS_LINE * (max(map(len, broken)) - 1)
    marks: list[Mark] = []
    close: list[Mark] = []
    for row, (label, (_, counts)) in enumerate(zip(labels, ledgers, strict=True)):
        top, below = STATUS_ROW * row + 6, step * row + 20
        marks.append(text_mark("label", 0, top + 15, label, "start"))
        marks += [_moved(mark, room, top) for mark in ledger(counts).marks]
        marks.append(text_mark("numbers", room + 176, top + 15, said[row], "start"))
        close.append(text_mark("label", 0, below - 6, label, "start"))
        close += [_moved(mark, 0, below) for mark in ledger(counts).marks]
        close += [text_mark("hint", 0, below + 33 + STATUS_LINE * n, one, "start") for n, one in enumerate(broken[row])]
    height, low = step * len(ledgers) + 12, STATUS_ROW * len(ledgers) + 12
    high, legend = _legend(found, 0, height, NARROW_STATUS_WIDTH)
    narrow = Figure(f"{id_}-narrow", NARROW_STATUS_WIDTH, high, (*close, *legend), title, description)
    high, legend = _legend(found, room, low, across)
    return Figure(id_, across, high, (*marks, *legend), title, description, narrow, inferred=False)


def _legend(found: Sequence[Status], left: float, top: float, right: float) -> tuple[int, list[Mark]]:
    """Draw a piece of a bar for each status with its name; return where that ends, and the marks."""
    marks: list[Mark] = []
    x, y = left, top + 18
    for status in found:
        taken = 18 + width(status, HINT) + 14
        if x + taken > right and x > left:
            x, y = left, y + 22
        tall = 14 * NOTCH[status]
        size = (("x", x), ("y", y - tall), ("width", 12), ("height", tall))
        marks.append(Mark("rect", f"status-{status}", tuple((name, coordinate(at)) for name, at in size)))
        marks.append(text_mark("hint", x + 18, y, status, "start"))
        x += taken
    return round(y) + 8, marks


def _moved(mark: Mark, right: float, down: float) -> Mark:
    by = {"x": right, "x1": right, "x2": right, "y": down, "y1": down, "y2": down}
    moved = tuple((name, coordinate(float(at) + by.get(name, 0))) for name, at in mark.attributes)
    return Mark(mark.shape, mark.role, moved)

"""Geometry of bars and plots: nothing leaves its axis, ticks are round, labels keep to their room."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallystick.board import Interval
from tallystick.pages import _figures as figures

finite = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


@given(st.lists(finite, min_size=1, max_size=8))
def test_an_axis_holds_its_values_and_few_round_ticks(values: list[float]) -> None:
    axis = figures.axis_over(values)
    assert axis is not None
    assert axis.lower <= min(values) <= max(values) <= axis.upper
    assert axis.lower < axis.upper
    assert len(axis.ticks) <= figures.TICKS + 2
    for value in (*values, *axis.ticks, axis.lower - 1, axis.upper + 1):
        assert axis.start - 1e-6 <= axis.at(value) <= axis.start + axis.width + 1e-6


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=4))
@example([0.0, 5e-324])
@example([-1.7e308, 1.7e308])
@example([1.7e308])
@example([1.0, 1.0000000000000002])
def test_no_number_is_too_small_too_large_or_too_near_for_an_axis(values: list[float]) -> None:
    """A report whose metric allows such values must not stop the site."""
    axis = figures.axis_over(values)
    if axis is not None:
        assert math.isfinite(axis.lower)
        assert axis.lower < axis.upper < math.inf
        assert len(axis.ticks) <= figures.TICKS + 2
        assert all(axis.start <= axis.at(value) <= axis.start + axis.width for value in values)


@given(st.floats(0, 1), st.integers(1, 4))
@example(0.0, 1)
@example(1.0, 2)
def test_an_axis_of_equal_values_goes_no_further_than_they_can(value: float, count: int) -> None:
    axis = figures.axis_over([value] * count, within=(0.0, 1.0))
    assert axis is not None
    assert 0.0 <= axis.lower <= value <= axis.upper <= 1.0
    assert axis.lower < axis.upper


def test_an_axis_without_room_between_its_ends_takes_some_all_the_same() -> None:
    axis = figures.axis_over([2.0], within=(2.0, 2.0))
    assert axis is not None
    assert axis.lower < 2.0 < axis.upper


def test_where_no_sample_is_scored_the_bounds_are_drawn_without_a_mark() -> None:
    drawn = figures.bar(figures.axis_over([0.0, 1.0]), None, None, bounds=Interval(0.0, 1.0))
    assert drawn is not None
    assert [mark.role for mark in drawn.marks] == ["bounds"]


def test_no_values_no_axis_no_bar() -> None:
    assert figures.axis_over([]) is None
    assert figures.bar(None, 0.5, None) is None
    assert figures.bar(figures.axis_over([0.0, 1.0]), None, None) is None


def test_a_bar_shows_interval_value_and_reference_where_they_are() -> None:
    axis = figures.axis_over([0.0, 1.0], start=0, width=100)
    drawn = figures.bar(axis, 0.5, Interval(0.25, 0.75), reference=1.0)
    assert drawn is not None
    ends = {mark.role: dict(mark.attributes) for mark in reversed(drawn.marks)}
    assert (ends["interval"]["x1"], ends["interval"]["x2"]) == ("25", "75")
    assert ends["point"]["cx"] == "50"
    assert ends["reference"]["x1"] == "100"


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("FAR", ["FAR"]),
        ("dateparser 1.5.0, strict, UTC by default", ["dateparser 1.5.0, strict, UTC by", "default"]),
        ("word " * 40, ["word word word word word word", "word word word word word word…"]),
        ("x" * 100, ["x" * 31, "x" * 30 + "…"]),
        ("W" * 80, ["W" * 19, "W" * 18 + "…"]),
        ("检" * 100, ["检" * 21, "检" * 20 + "…"]),
        ("", [""]),
    ],
)
def test_labels_take_two_lines_at_most(label: str, lines: list[str]) -> None:
    assert figures.wrapped(label) == lines

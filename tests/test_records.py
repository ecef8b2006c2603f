"""Records: every new top against the one it replaced, days as steps, p-values adjusted over the steps."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from tallystick.records import Dated, records


def at(day: int, method: str, value: float, hour: int = 12) -> Dated:
    return Dated(method, datetime(2026, 3, day, hour, tzinfo=UTC), value)


def test_only_new_tops_are_records() -> None:
    entries = [at(1, "a", 0.5), at(2, "b", 0.4), at(3, "c", 0.6), at(4, "d", 0.6), at(5, "e", 0.9)]
    asked = []

    def p_value(new: str, replaced: str) -> float:
        asked.append((new, replaced))
        return {"c": 0.02, "e": 0.03}[new]

    found = records(entries, p_value, 0.95)
    assert [(step.day, step.methods, step.replaced) for step in found] == [
        (date(2026, 3, 1), ("a",), ()),
        (date(2026, 3, 3), ("c",), ("a",)),
        (date(2026, 3, 5), ("e",), ("c",)),
    ]
    assert asked == [("c", "a"), ("e", "c")]
    assert [step.gain for step in found] == [None, pytest.approx(0.1), pytest.approx(0.3)]
    assert [step.holm for step in found] == [None, 0.04, 0.04]
    assert [step.real for step in found] == [None, True, True]


def test_a_record_may_not_be_real() -> None:
    found = records([at(1, "a", 0.5), at(2, "b", 0.6), at(3, "c", 0.7)], lambda new, _: 0.03 + (new == "c"), 0.95)
    assert [step.real for step in found] == [None, False, False]
    assert [step.holm for step in found] == [None, 0.06, 1.0]


def test_reports_of_one_day_are_one_step_whatever_their_hour_and_order() -> None:
    entries = [at(1, "a", 0.5), at(2, "b", 0.7, 1), at(2, "c", 0.8, 23), at(2, "d", 0.6, 2), at(3, "e", 0.75)]
    expected = records(entries, lambda new, replaced: 0.01, 0.95)
    assert [step.methods for step in expected] == [("a",), ("c",)]
    for turned in itertools.permutations(entries):
        assert records(turned, lambda new, replaced: 0.01, 0.95) == expected


def test_equal_tops_of_one_day_share_and_the_least_certain_pair_speaks() -> None:
    asked = []

    def p_value(new: str, replaced: str) -> float:
        asked.append((new, replaced))
        return {"c": 0.001, "d": 0.04}[new]

    found = records([at(1, "b", 0.5), at(1, "a", 0.5), at(2, "d", 0.6), at(2, "c", 0.6)], p_value, 0.95)
    assert [step.methods for step in found] == [("a", "b"), ("c", "d")]
    assert found[1].p == 0.04
    assert len(asked) == 4


def test_days_are_those_of_utc() -> None:
    east = timezone(timedelta(hours=9))
    entries = [
        Dated("a", datetime(2026, 3, 2, 5, tzinfo=east), 0.5),
        Dated("b", datetime(2026, 3, 1, 23), 0.6),
    ]
    found = records(entries, lambda new, replaced: 0.5, 0.95)
    assert [(step.day, step.methods) for step in found] == [(date(2026, 3, 1), ("b",))]


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_a_p_value_at_the_threshold_counts(confidence: float) -> None:
    threshold = float(f"{1 - confidence:.2f}")
    found = records([at(1, "a", 0.5), at(2, "b", 0.6)], lambda new, replaced: threshold, confidence)
    assert found[1].real


def test_nobody_dated_no_records() -> None:
    assert records([], lambda new, replaced: 0.5, 0.95) == ()

"""Moments: one order for all, however they are written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tallystick.strict.moments import instant


def test_a_moment_is_held_in_utc_so_that_text_and_time_have_one_order() -> None:
    earlier, later = instant("2026-01-01T00:30:00+02:00"), instant("2025-12-31T23:00:00Z")
    assert earlier == datetime(2025, 12, 31, 22, 30, tzinfo=UTC)
    assert earlier.isoformat() < later.isoformat()


def test_a_moment_without_a_zone_stays_without() -> None:
    assert instant("2026-01-01T00:30:00") == datetime(2026, 1, 1, 0, 30)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-02-30T00:00:00Z", ""])
def test_what_the_calendar_does_not_have_is_no_moment(text: str) -> None:
    with pytest.raises(ValueError):
        instant(text)

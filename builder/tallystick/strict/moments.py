"""Moments as reports state them: ISO 8601, held in UTC so that they can be put in order however they were written."""

from __future__ import annotations

from datetime import UTC, datetime


def instant(text: str) -> datetime:
    """Return a date and time in UTC; one without a zone stays without. Raise ValueError for what is none.

    East of Greenwich the first year begins before the calendar does: that is no moment either.
    """
    found = datetime.fromisoformat(text)
    try:
        return found if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text} is outside the calendar") from None

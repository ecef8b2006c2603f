"""Score what a parser made of one text: the harness whose digest is the fingerprint's `implementation`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any


def outcome(parse: Callable[[str], object], text: str, gold: str | None) -> dict[str, Any]:
    """Return a sample's status and fields; `parse` must return an aware datetime, or None when it declines.

    Anything else breaks the contract: another type, a naive datetime, one whose offset cannot be computed or that
    cannot be compared with a datetime, an exception that the adapter did not expect.
    """
    instant = None if gold is None else datetime.fromisoformat(gold)
    try:
        answer = parse(text)
        if answer is None:
            return fields("abstained", solved=int(instant is None), silently_wrong=0)
        if not isinstance(answer, datetime) or answer.utcoffset() is None:
            return fields("invalid", solved=0, silently_wrong=0)
        right = int(instant is not None and answer == instant)
    except Exception:
        return fields("invalid", solved=0, silently_wrong=0)
    return fields("scored", solved=right, silently_wrong=1 - right) | {"correct": right}


def unmeasured() -> dict[str, Any]:
    """Return the fields of a sample that a partial run did not reach: nothing was solved, nothing said wrongly."""
    return fields("missing", solved=0, silently_wrong=0)


def fields(status: str, *, solved: int, silently_wrong: int) -> dict[str, Any]:
    """Return the fields that every sample has."""
    return {"status": status, "solved": solved, "silently_wrong": silently_wrong}

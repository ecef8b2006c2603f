"""Score what a parser made of one text: the harness whose digest is the fingerprint's `implementation`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any


def outcome(parse: Callable[[str], object], text: str, gold: str | None) -> dict[str, Any]:
    """Return a sample's status and fields; `parse` returns a datetime, or None when it declines.

    A naive datetime is read as UTC. An exception, which the adapter should have caught, breaks the contract.
    """
    try:
        answer = parse(text)
    except Exception:
        return fields("invalid", solved=0, silently_wrong=0)
    if answer is None:
        return fields("abstained", solved=int(gold is None), silently_wrong=0)
    if not isinstance(answer, datetime):
        return fields("invalid", solved=0, silently_wrong=0)
    aware = answer if answer.tzinfo is not None else answer.replace(tzinfo=UTC)
    right = int(gold is not None and aware == datetime.fromisoformat(gold))
    return fields("scored", solved=right, silently_wrong=1 - right) | {"correct": right}


def unmeasured() -> dict[str, Any]:
    """Return the fields of a sample that a partial run did not reach: nothing was solved, nothing said wrongly."""
    return fields("missing", solved=0, silently_wrong=0)


def fields(status: str, *, solved: int, silently_wrong: int) -> dict[str, Any]:
    """Return the fields that every sample has."""
    return {"status": status, "solved": solved, "silently_wrong": silently_wrong}

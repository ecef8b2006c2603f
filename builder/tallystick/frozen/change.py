"""What differs between two tables: for a reader, method by method; for a check, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tallystick.digest import canonical

Kind = Literal["same", "changed", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A method then and now, as rows of two tables; None where a table has no such row."""

    method: str
    kind: Kind
    then: Mapping[str, Any] | None
    now: Mapping[str, Any] | None


def changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[Change, ...]:
    """Hold two tables against each other: the methods of the first in their order, then those that were added."""
    before = {row["method"]: row for row in then["rows"]}
    after = {row["method"]: row for row in now["rows"]}
    return tuple(_change(method, before.get(method), after.get(method)) for method in {**before, **after})


def _change(method: str, then: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Change:
    if then is None or now is None:
        return Change(method, "added" if then is None else "removed", then, now)
    return Change(method, "same" if canonical(then) == canonical(now) else "changed", then, now)


def differences(then: object, now: object, at: str = "") -> Iterator[tuple[str, object, object]]:
    """Yield the JSON pointer of every value that is not the same to the last bit, with both values."""
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for key in {**then, **now}:
            place = f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}"
            yield from differences(then.get(key), now.get(key), place)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for index, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{at}/{index}")
    elif canonical(then) != canonical(now):
        yield at, then, now

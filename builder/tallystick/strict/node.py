"""Typed access to a foreign document by JSON pointer, collecting problems instead of raising.

A value that is absent or of another type is answered with a neutral one (empty text, 0, False, nothing) so that
reading goes on and every problem is found; call `settle()` before a neutral value could matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tallystick.errors import Problem, Refusal
from tallystick.strict.jsons import describe, numbered_lines
from tallystick.strict.plain import capped

T = TypeVar("T")

_ABSENT = object()


def line_nodes(content: bytes, where: str, problems: list[Problem]) -> tuple[Node, ...]:
    """Parse strict JSON Lines into nodes that name their line and share `problems`; raise Refusal if unreadable."""
    return tuple(Node(row, f"{where} line {number}", problems) for number, row in numbered_lines(content, where))


class Node:
    """An object of a document: `where` names its file (and line), `at` its pointer inside it.

    All nodes made from one share its `problems`. Strict types: booleans are not numbers, "true" is no flag.
    """

    __slots__ = ("at", "problems", "value", "where")

    def __init__(
        self, value: Mapping[str, Any], where: str, problems: list[Problem] | None = None, at: str = ""
    ) -> None:
        self.value = value
        self.where = where
        self.at = at
        self.problems: list[Problem] = [] if problems is None else problems

    def has(self, pointer: str) -> bool:
        """Say whether something stands there, be it null."""
        return self._find(pointer) is not _ABSENT

    def get(self, pointer: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return what stands there, unchecked; None where nothing does."""
        found = self._find(pointer)
        return None if found is _ABSENT else found

    def maybe(self, pointer: str, read: Callable[[str], T]) -> T | None:
        """Return `read(pointer)`, or None where nothing or null stands there: `node.maybe("/seed", node.whole)`."""
        return None if self.get(pointer) is None else read(pointer)

    def text(self, pointer: str) -> str:
        """Return the text that stands there."""
        found = self._find(pointer)
        return found if isinstance(found, str) else self._wrong(pointer, "text", found, "")

    def number(self, pointer: str) -> float:
        """Return the finite number that stands there; whole numbers stay whole."""
        found = self._find(pointer)
        if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
            return found
        return self._wrong(pointer, "a number", found, 0)

    def whole(self, pointer: str) -> int:
        """Return the whole number that stands there; 3.0 is not one."""
        found = self._find(pointer)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        return self._wrong(pointer, "a whole number", found, 0)

    def flag(self, pointer: str) -> bool:
        """Return the true or false that stands there."""
        found = self._find(pointer)
        return found if isinstance(found, bool) else self._wrong(pointer, "true or false", found, False)

    def mapping(self, pointer: str) -> Mapping[str, Any]:
        """Return the object that stands there."""
        found = self._find(pointer)
        return found if isinstance(found, dict) else self._wrong(pointer, "an object", found, {})

    def sequence(self, pointer: str) -> Sequence[Any]:
        """Return the array that stands there."""
        found = self._find(pointer)
        return found if isinstance(found, list) else self._wrong(pointer, "an array", found, [])

    def texts(self, pointer: str) -> tuple[str, ...]:
        """Return the array of texts that stands there."""
        found = self.sequence(pointer)
        if all(isinstance(item, str) for item in found):
            return tuple(found)
        return self._wrong(pointer, "an array of texts", found, ())

    def child(self, pointer: str) -> Node:
        """Return the object that stands there as a node."""
        return Node(self.mapping(pointer), self.where, self.problems, self.at + pointer)

    def children(self, pointer: str) -> Iterator[Node]:
        """Yield each object of the array that stands there as a node."""
        for index in range(len(self.sequence(pointer))):
            yield self.child(f"{pointer}/{index}")

    def place(self, pointer: str = "") -> str:
        """Return the `where` of a problem at that pointer."""
        return f"{self.where} {self.at}{pointer}".rstrip()

    def refuse(self, pointer: str, code: str, expected: str, found: str, remedy: str) -> None:
        """Note a problem at that pointer."""
        self.problems.append(Problem(code, self.place(pointer), expected, found, remedy))

    def settle(self) -> None:
        """Raise Refusal with all problems noted so far, if there are any."""
        if self.problems:
            raise Refusal(capped(self.problems))

    def _find(self, pointer: str) -> Any:  # noqa: ANN401 - any JSON value
        found: Any = self.value
        for raw in pointer.split("/")[1:]:
            part = raw.replace("~1", "/").replace("~0", "~") if "~" in raw else raw
            if isinstance(found, dict):
                found = found.get(part, _ABSENT)
            elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
                found = found[int(part)]
            else:
                return _ABSENT
        return found

    def _wrong(self, pointer: str, expected: str, found: object, neutral: T) -> T:
        if found is _ABSENT:
            self.refuse(pointer, "field-absent", expected, "nothing", "Add the field.")
        else:
            self.refuse(pointer, "wrong-type", expected, describe(found), "Write the value in that type.")
        return neutral

"""Strict JSON and JSON Lines: refuses what JSON parsers disagree about, at the speed of the standard library's scanner.

Hooks put a `_Fault` where a value is wrong and reading goes on; only then is the document walked for its pointers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.strict.plain import MOST_COUNTED, capped, text

DEPTH = 64
"""The deepest nesting of arrays and objects that is read."""

_SAFE_INTEGER = 2**53 - 1
_SAFE_DIGITS = 15  # every whole number of this many digits is safe, which spares most numbers a conversion's check
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def json_document(content: bytes, where: str) -> Any:  # noqa: ANN401 - any JSON value
    """Parse one strict JSON document.

    Raises Refusal with every problem that leaves the document readable (duplicate keys, unsafe numbers), or with the
    one that does not.
    """
    source = text(content, where)
    scanner = _Scanner()
    value, problems = scanner.read(source, where)
    if problems and problems[0].code == "json-trailing" and _is_lines(source):
        found = "several JSON documents, one a line (JSON Lines)"
        remedy = "Write one document, or give the file where JSON Lines is expected."
        problems = [Problem("json-lines-unexpected", where, "one JSON document", found, remedy)]
    if problems:
        raise Refusal(capped(problems))
    return value


def json_object(content: bytes, where: str) -> dict[str, Any]:
    """Parse one strict JSON document that must be an object; raise Refusal otherwise."""
    value = json_document(content, where)
    if not isinstance(value, dict):
        remedy = "Write the report as one JSON object."
        raise Refusal([Problem("wrong-type", where, "an object", describe(value), remedy)])
    return value


def json_lines(content: bytes, where: str) -> tuple[dict[str, Any], ...]:
    """Parse strict JSON Lines, one object a line; raise Refusal with the problems of all lines."""
    return tuple(row for _, row in numbered_lines(content, where))


def numbered_lines(content: bytes, where: str) -> tuple[tuple[int, dict[str, Any]], ...]:
    """Parse strict JSON Lines into pairs of line number and object; blank lines and CRLF are fine.

    Raises Refusal with the problems of all lines.
    """
    source = text(content, where)
    scanner = _Scanner()
    rows: list[tuple[int, dict[str, Any]]] = []
    problems: list[Problem] = []
    for number, line in enumerate(source.split("\n"), start=1):
        if not line.strip(" \t\r"):
            continue
        place = f"{where} line {number}"
        row, found = scanner.read(line, place)
        if not found and not isinstance(row, dict):
            found = [Problem("wrong-type", place, "an object", describe(row), "Write one JSON object a line.")]
        problems += found
        rows.append((number, row))
        if len(problems) > MOST_COUNTED:
            break
    if problems and _is_document(source):
        found_text = "one JSON document over the whole file"
        remedy = "Write one JSON object a line, without brackets around or commas between them."
        problems = [Problem("json-lines-expected", where, "JSON Lines", found_text, remedy)]
    if problems:
        raise Refusal(capped(problems))
    return tuple(rows)


def describe(value: object) -> str:
    """Say what a JSON value is, in few words, for the "found" of a problem."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= 60 else f"{value[:57]}…"
            return f"the text {_visible(shown)}"
        case int() | float():
            return f"the number {value!r}"
        case dict():
            return f"an object of {len(value)} keys" if len(value) != 1 else "an object of 1 key"
        case list() | tuple():
            return f"an array of {len(value)}"
    return f"a {type(value).__name__}"


def _visible(text: str) -> str:
    """Quote a text so that every character of it can be seen."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(part if part.isprintable() else json.dumps(part)[1:-1] for part in quoted)


def pointer(parts: tuple[str | int, ...]) -> str:
    """Write a path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


@dataclass(frozen=True, slots=True)
class _Fault:
    """A value that must not be; it stands in the document in that value's place."""

    code: str
    expected: str
    found: str
    remedy: str

    def problem(self, where: str) -> Problem:
        return Problem(self.code, where, self.expected, self.found, self.remedy)


@lru_cache(maxsize=256)
def _known(code: str, expected: str, found: str, remedy: str) -> _Fault:
    """Return one object for the same fault, however often it occurs."""
    return _Fault(code, expected, found, remedy)


class _Scanner:
    """A JSON decoder that replaces wrong values by faults; one for each file, as it is not thread-safe."""

    def __init__(self) -> None:
        self._faulty = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._constant,
        )

    def read(self, source: str, where: str) -> tuple[Any, list[Problem]]:
        """Parse one document; the value means nothing where there are problems."""
        self._faulty = False
        try:
            value = self._decoder.decode(source)
        except json.JSONDecodeError as error:
            return None, [_syntax(error, source, where)]
        except RecursionError:
            return None, [_too_deep(where)]
        if source.count("[") + source.count("{") > DEPTH and _depth(value) > DEPTH:
            return None, [_too_deep(where)]
        if self._faulty or "\\ud" in source or "\\uD" in source:
            faults = islice(_faults(value, ()), MOST_COUNTED + 1)
            return value, [fault.problem(f"{where} {pointer(path)}".rstrip()) for path, fault in faults]
        return value, []

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    result[key] = self._fault(
                        "duplicate-key", "each key once in an object", "the key twice", "Keep one."
                    )
                seen.add(key)
        return result

    def _float(self, digits: str) -> float | _Fault:
        number = float(digits)
        if math.isinf(number):
            return self._fault(
                "number-out-of-range", "a finite number", digits[:40], "Write a number that a 64-bit float can hold."
            )
        return number

    def _int(self, digits: str) -> int | _Fault:
        if len(digits) <= _SAFE_DIGITS or (len(digits) <= 17 and abs(int(digits)) <= _SAFE_INTEGER):
            return int(digits)
        shown = digits if len(digits) <= 40 else f"a number of {len(digits)} digits"
        expected = "a whole number within ±(2^53 − 1)"
        return self._fault("number-out-of-range", expected, shown, "Write a longer number as text.")

    def _constant(self, name: str) -> _Fault:
        return self._fault("not-finite", "a finite number or null", name, "Write null where a value is undefined.")

    def _fault(self, code: str, expected: str, found: str, remedy: str) -> _Fault:
        self._faulty = True
        return _known(code, expected, found, remedy)


def _depth(value: object) -> int:
    """Return the nesting of a parsed document, level by level: recursion is what deep documents attack."""
    level = [value] if isinstance(value, dict | list) else []
    depth = 0
    while level and depth <= DEPTH:
        depth += 1
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if child.__class__ is dict or child.__class__ is list
        ]
    return depth


def _faults(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], _Fault]]:
    """Walk a document of checked depth for its faults and for text that is no Unicode text."""
    match value:
        case _Fault():
            yield path, value
        case str() if _LONE_SURROGATE.search(value):
            yield path, _surrogate("text")
        case list():
            for index, item in enumerate(value):
                yield from _faults(item, (*path, index))
        case dict():
            for key, item in value.items():
                if _LONE_SURROGATE.search(key):
                    yield path, _surrogate("a key")
                else:
                    yield from _faults(item, (*path, key))


def _surrogate(what: str) -> _Fault:
    found = f"{what} with half of a surrogate pair"
    return _Fault("lone-surrogate", "Unicode text", found, "Write the whole character.")


def _syntax(error: json.JSONDecodeError, source: str, where: str) -> Problem:
    """Turn the scanner's complaint into a problem: trailing, truncated, or wrong where it stands."""
    line = min(error.lineno, source.rstrip().count("\n") + 1)  # at the end, the scanner stands on the line after it
    place = where if " line " in where else f"{where} line {line}"
    if error.msg == "Extra data":
        rest = " ".join(source[error.pos : error.pos + 40].split())
        found = f"more after its end: {_visible(rest)}"
        return Problem("json-trailing", place, "one JSON document", found, "Remove what follows the document.")
    if error.pos >= len(source.rstrip()) or error.msg.startswith("Unterminated string"):
        found = (
            "the end of the file inside it" if place.startswith(f"{where} line") else "the end of the line inside it"
        )
        remedy = "The file was cut off: write it again, whole."
        return Problem("json-truncated", place, "a whole JSON document", found, remedy)
    found = f"a syntax error at column {error.colno} ({error.msg[0].lower()}{error.msg[1:]})"
    return Problem("json-syntax", place, "JSON", found, "Write the file with a JSON library.")


def _too_deep(where: str) -> Problem:
    expected = f"at most {DEPTH} levels of nesting"
    return Problem("nesting-too-deep", where, expected, "deeper nesting", "Flatten the document.")


def _is_document(source: str) -> bool:
    """Say whether the whole is one JSON array or an object over several lines."""
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list | dict)


def _is_lines(source: str) -> bool:
    """Say whether the first two lines that are not blank are a JSON value each."""
    lines = [line for line in source.split("\n") if line.strip()][:2]
    try:
        return len(lines) == 2 and all(isinstance(json.loads(line), dict | list) for line in lines)
    except (ValueError, RecursionError):
        return False

"""Foreign JSON: as strict as our own about duplicate keys and depth, but NaN is left for the format to explain.

Some harnesses write `NaN` for "not scored". It arrives as a float NaN, which no importer may pass on.
"""

from __future__ import annotations

import json
from typing import Any

from tallystick.errors import Problem, Refusal

DEPTH = 200
"""Deeper than reports may nest: agent transcripts inside logs hold JSON schemas."""


def parse(content: bytes, where: str) -> Any:  # noqa: ANN401 - any JSON value
    """Parse one JSON document; raise Refusal for a duplicate key, excessive depth, and what is no JSON."""
    try:
        source = content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{content[error.start]:02x} at offset {error.start}"
        raise Refusal([Problem("not-utf-8", where, "UTF-8 text", found, "Export the log as UTF-8.")]) from None
    duplicates: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            names = [name for name, _ in pairs]
            duplicates.extend(sorted({name for name in names if names.count(name) > 1})[:3])
        return result

    try:
        value = json.loads(source, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise Refusal([_syntax(error, where)]) from None
    except RecursionError:
        raise Refusal([_too_deep(where)]) from None
    except ValueError:  # a whole number of thousands of digits
        remedy = "Write longer numbers as text."
        raise Refusal(
            [Problem("number-out-of-range", where, "numbers of sensible length", "one of thousands of digits", remedy)]
        ) from None
    if duplicates:
        shown = ", ".join(json.dumps(name[:60], ensure_ascii=False) for name in duplicates[:3])
        raise Refusal([Problem("duplicate-key", where, "each key once in an object", f"{shown} twice", "Keep one.")])
    if source.count("[") + source.count("{") > DEPTH and _deeper(value):
        raise Refusal([_too_deep(where)])
    return value


def _deeper(value: object) -> bool:
    level: list[Any] = [value]
    for _ in range(DEPTH):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def _too_deep(where: str) -> Problem:
    return Problem(
        "nesting-too-deep",
        where,
        f"at most {DEPTH} levels of nesting",
        "deeper nesting",
        "Export the log without transcripts.",
    )


def _syntax(error: json.JSONDecodeError, where: str) -> Problem:
    place = where if " line " in where else f"{where} line {error.lineno}"
    cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
    found = "its end in the middle of a value" if cut else f"{error.msg[:1].lower()}{error.msg[1:]}"
    remedy = "The file was cut off: export it again." if cut else "Export the log again with its own tool."
    return Problem("json-syntax", place, "JSON", f"{found} at column {error.colno}", remedy)

"""Strict YAML for settings: one document of plain mappings, sequences and scalars, with the line of every key.

Scalars follow YAML 1.2's core schema, so `no` is text and a date is text; anchors, aliases, tags and duplicate keys
are mistakes. Everything raises SettingsError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from tallystick.errors import Problem, Refusal, SettingsError
from tallystick.strict.jsons import DEPTH, pointer
from tallystick.strict.plain import capped, text

Path: TypeAlias = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,14})")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A parsed document, and the line of each path in it."""

    value: Any
    lines: Mapping[Path, int]
    where: str

    def place(self, path: Path) -> str:
        """Return the `where` of a problem: file, line of the path or of its nearest parent, and the path."""
        known = path
        while known not in self.lines and known:
            known = known[:-1]
        return f"{self.where} line {self.lines.get(known, 1)} {pointer(path)}".rstrip()


def yaml_document(content: bytes, where: str, first_line: int = 1) -> YamlDocument:
    """Parse one strict YAML document; `first_line` is where its text begins in the file.

    Raises SettingsError with every problem that leaves the document readable.
    """
    try:
        source = text(content, where)
        builder = _Builder(where, first_line, yaml.parse(source, Loader=yaml.SafeLoader))
        value = builder.document()
    except Refusal as refusal:
        raise SettingsError(refusal.problems) from None
    except yaml.MarkedYAMLError as error:
        line = first_line + (min(error.problem_mark.line, _last_line(source)) if error.problem_mark else 0)
        remedy = "Mend the syntax; quote text that holds a colon, a hash or a bracket."
        found = f"a syntax error ({error.problem})"
        raise SettingsError([Problem("yaml-syntax", f"{where} line {line}", "YAML", found, remedy)]) from None
    except yaml.YAMLError:
        found = "a control character"
        raise SettingsError([Problem("yaml-syntax", where, "YAML", found, "Remove the character.")]) from None
    if builder.problems:
        raise SettingsError(capped(builder.problems))
    return YamlDocument(value, builder.lines, where)


def _last_line(source: str) -> int:
    """Count the lines before the last one that holds anything: at the end, the parser stands on the one after it."""
    return len(_BREAK.findall(source.rstrip()))


class _Builder:
    """Builds a value from the parser's events, noting lines and everything that settings must not hold."""

    def __init__(self, where: str, first_line: int, events: Iterator[yaml.Event]) -> None:
        self.problems: list[Problem] = []
        self.lines: dict[Path, int] = {}
        self._where = where
        self._first = first_line
        self._events = events

    def document(self) -> object:
        """Build the only document; None where there is none."""
        value: object = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._note(event, "yaml-several-documents", "one document", "another one", "Remove the `---`.")
                    return value
                value = self._value(next(self._events), ())
        return value

    def _value(self, event: yaml.Event, path: Path) -> object:
        self.lines.setdefault(path, self._line(event))
        self._plain(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.AliasEvent):
            return None
        if len(path) >= DEPTH:
            self._note(event, "nesting-too-deep", f"at most {DEPTH} levels", "deeper nesting", "Flatten the settings.")
            raise SettingsError(capped(self.problems))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        return self._mapping(path)

    def _sequence(self, path: Path) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, object]:
        items: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event)
            if key in items:
                found = f"`{key}` a second time"
                self._note(event, "duplicate-key", "each key once", found, "Keep one.")
            inner = (*path, key)
            self.lines[inner] = self._line(event)
            items[key] = self._value(next(self._events), inner)
        return items

    def _key(self, event: yaml.Event) -> str:
        self._plain(event)
        if isinstance(event, yaml.ScalarEvent):
            return event.value
        self._note(event, "yaml-key", "text as a key", "something else", "Write a plain word before the colon.")
        raise SettingsError(capped(self.problems))

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        written: str = event.value
        if event.style is not None:
            return written
        if written in _WORDS:
            return _WORDS[written]
        if _INTEGER.fullmatch(written):
            return int(written)
        if _FLOAT.fullmatch(written):
            if any(mark in written for mark in ".eE") and abs(float(written)) < float("inf"):
                return float(written)
            self._note(
                event, "number-out-of-range", "a number of at most 15 digits", written, "Quote it if it is text."
            )
        elif _NOT_FINITE.fullmatch(written):
            self._note(event, "not-finite", "a finite number", written, "Leave the key out where there is no bound.")
        return written

    def _plain(self, event: yaml.Event) -> None:
        """Note an anchor, alias or tag."""
        anchor = getattr(event, "anchor", None)
        tag = getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            self._note(event, "yaml-alias", "a value", f"the alias *{anchor}", "Write the value out.")
        elif anchor is not None:
            self._note(event, "yaml-anchor", "a value", f"the anchor &{anchor}", "Remove it, and repeat the value.")
        if tag is not None:
            self._note(event, "yaml-tag", "a value without tag", f"the tag {tag}", "Remove the tag.")

    def _line(self, event: yaml.Event) -> int:
        mark = event.start_mark
        return self._first + (mark.line if mark is not None else 0)

    def _note(self, event: yaml.Event, code: str, expected: str, found: str, remedy: str) -> None:
        place = f"{self._where} line {self._line(event)}"
        self.problems.append(Problem(code, place, expected, found, remedy))

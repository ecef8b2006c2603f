"""A corpus in columns: one parse, then every rule is a question to arrays over its documents."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tallystick.errors import Problem, Refusal
from tallystick.model import Blob, BoolArray, IntArray

Codes: TypeAlias = npt.NDArray[np.int32]
YEAR = "report_year"
_GZIP = 31  # the window bits by which zlib expects a gzip header
_REMEDY = "Restore the corpus that the task list pins."


@dataclass(frozen=True, slots=True)
class Strata:
    """The documents by one field: `codes` (n,) number the `names`, −1 where a document has no value."""

    names: tuple[str, ...]
    codes: Codes


@dataclass(frozen=True)
class Corpus:
    """The documents of a task in file order; `index` finds a document by its id."""

    ids: tuple[str, ...]
    index: Mapping[str, int]
    rows: Sequence[Mapping[str, Any]]
    _strata: dict[str, Strata] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)

    def text(self, document: str) -> str:
        """Return a document's text."""
        return str(self.rows[self.index[document]].get("text", ""))

    def values(self, name: str) -> list[Any]:
        """Return each document's value of a metadata field; None where it has none."""
        if name == YEAR:
            return [None if day is None else day.year for day in self.days]
        return [row.get(name) for row in self.rows]

    @cached_property
    def days(self) -> list[date | None]:
        """Return each document's day; None where its timestamp cannot be read."""
        known: dict[Any, date | None] = {}
        days: list[date | None] = []
        for row in self.rows:
            written = row.get("timestamp")
            start = written[:10] if isinstance(written, str) else None
            if start not in known:
                known[start] = _day(start)
            days.append(known[start])
        return days

    def where(self, name: str, holds: Callable[[Any], bool]) -> BoolArray:
        """Return which documents have a value of a field for which `holds` is true; each value is asked once."""
        answers: dict[tuple[type, Any], bool] = {}
        found = np.zeros(len(self), dtype=np.bool_)
        for position, value in enumerate(self.values(name)):
            if value is None or isinstance(value, list | dict):
                continue
            key = (value.__class__, value)
            answer = answers.get(key)
            if answer is None:
                answer = answers[key] = holds(value)
            found[position] = answer
        return found

    def strata(self, name: str) -> Strata:
        """Return the documents by the text of a field; blank is no value."""
        if name not in self._strata:
            names: dict[str, int] = {}
            codes = [
                -1 if value is None or not (text := str(value)).strip() else names.setdefault(text, len(names))
                for value in self.values(name)
            ]
            self._strata[name] = Strata(tuple(names), np.array(codes, dtype=np.int32))
        return self._strata[name]

    def positions(self, documents: Sequence[str]) -> IntArray:
        """Return the place of each document, −1 where the corpus has no such document."""
        get = self.index.get
        return np.array([get(document, -1) for document in documents], dtype=np.int64)


def read_corpus(blob: Blob, most_bytes: int) -> Corpus:
    """Unpack and parse a corpus, one JSON object a line; raise Refusal where it is none, or larger than allowed."""
    lines = [line for line in _unpacked(blob, most_bytes).split(b"\n") if line.strip()]
    try:
        rows = json.loads((b"[" + b",".join(lines) + b"]").decode(), parse_constant=_no_number)
        if any(b"\\ud" in line or b"\\uD" in line for line in lines):  # half of a surrogate pair has no UTF-8
            json.dumps(rows, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise _refusal(blob, "corpus-unreadable", "JSON Lines", f"{type(error).__name__}: {error}"[:200]) from None
    ids = tuple(row["doc_id"] for row in rows if isinstance(row, dict) and isinstance(row.get("doc_id"), str))
    if not 0 < len(ids) == len(rows) == len(lines):
        raise _refusal(blob, "corpus-unreadable", "one object with a doc_id a line", "something else")
    index = {document: position for position, document in enumerate(ids)}
    if len(index) < len(ids):
        raise _refusal(blob, "corpus-doubled", "each doc_id once", f"{len(ids) - len(index)} a second time")
    return Corpus(ids, index, rows)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _unpacked(blob: Blob, most_bytes: int) -> bytes:
    if not blob.content.startswith(b"\x1f\x8b"):
        return blob.content
    parts: list[bytes] = []
    packed, room = blob.content, most_bytes
    while packed:  # a gzip file may have several members; zero bytes may fill it up
        unpacker = zlib.decompressobj(_GZIP)
        try:
            parts.append(unpacker.decompress(packed, room + 1))
        except zlib.error as error:
            raise _refusal(blob, "corpus-unreadable", "gzip data", str(error)) from None
        room -= len(parts[-1])
        if room < 0 or not unpacker.eof:
            found = f"more than {most_bytes >> 20} MB" if room < 0 else "data that was cut off"
            raise _refusal(blob, "corpus-unreadable", "a whole corpus within the limits of benchmark.yaml", found)
        packed = unpacker.unused_data.lstrip(b"\0")
    return b"".join(parts)


def _refusal(blob: Blob, code: str, expected: str, found: str) -> Refusal:
    return Refusal([Problem(code, blob.path, expected, found, _REMEDY)])


def _day(start: str | None) -> date | None:
    try:
        return None if start is None else date.fromisoformat(start)
    except ValueError:
        return None

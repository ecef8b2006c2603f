"""The content of a log file: objects one by one, and tables, always the bytes that were digested."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.logs.files import LIMITS, ROW_NAME, Limits, LogFile, opened, whole
from tallystick.logs.scan import parse
from tallystick.strict import csv_rows, describe


def objects(file: LogFile, limits: Limits = LIMITS) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where each object of a file stands and the object: one a line, in an array, or a single one.

    Of JSON Lines, memory holds one line at a time. Raises Refusal where a line is too long or no object, where the file
    unpacks to too much, or where its bytes are no longer those that were digested.
    """
    if file.kind == "lines":
        yield from _lines(file, limits)
        return
    for index, value in enumerate(file.head if isinstance(file.head, list) else [file.head]):
        where = f"{file.name} /{index}" if isinstance(file.head, list) else file.name
        yield where, _object(value, where)


def _lines(file: LogFile, limits: Limits) -> Iterator[tuple[str, Mapping[str, Any]]]:
    number = total = 0
    state = hashlib.sha256()
    with opened(file.path) as stream:
        packed = isinstance(stream, gzip.GzipFile)
        for line in iter(lambda: stream.readline(limits.line + 1), b""):
            number += 1
            total += len(line)
            state.update(line)
            where = f"{file.name} line {number}"
            if len(line) > limits.line or total > limits.stream:
                expected = f"lines of at most {limits.line} bytes, {limits.stream} bytes in all"
                raise _refusal("file-too-large", where, expected, "more", "Export the log without transcripts.")
            if line.strip():
                yield where, _object(parse(line, where), where)
    _unchanged(file, _digest(file) if packed else state.hexdigest())


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _refusal("wrong-type", where, "an object", describe(value), "Write one object for each sample.")
    return value


def table(file: LogFile, limits: Limits = LIMITS) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield where each row of a CSV file stands and its cells as text, `NA` and `None` included."""
    rows = csv_rows(whole(file.path, file.name, limits), file.name, ROW_NAME)
    _unchanged(file, _digest(file))
    for number, row in enumerate(rows, start=2):
        yield f"{file.name} row {number}", row


def _digest(file: LogFile) -> str:
    with file.path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _unchanged(file: LogFile, digest: str) -> None:
    if digest != file.digest:
        raise _refusal(
            "file-changed",
            file.name,
            f"the bytes of sha256 {file.digest}",
            "other bytes",
            "Wait until the log is written, then try again.",
        )


def _refusal(code: str, where: str, expected: str, found: str, remedy: str) -> Refusal:
    return Refusal([Problem(code, where, expected, found, remedy)])

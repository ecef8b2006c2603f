"""Which files were given, and what each is: told from its first bytes and its content, never from its name."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from tallystick.errors import Problem, Refusal, UsageError
from tallystick.logs.archive import member_names
from tallystick.logs.scan import parse
from tallystick.strict import capped

ROW_NAME = "row name"
"""What a table's first column is called where it has no name, as in tables written with the names of their rows."""

Kind = Literal["json", "lines", "csv", "zip", "parquet", "unknown"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read at most, in bytes unpacked unless said otherwise; JSON Lines are streamed, so they may be long."""

    document: int = 64 * 2**20
    line: int = 16 * 2**20
    stream: int = 4 * 2**30
    files: int = 20_000
    depth: int = 12


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file as it was first looked at. `name` is relative to what was given, with forward slashes.

    `head` is what recognising needs: the whole document of JSON, the first object of JSON Lines, the column names of
    CSV or Parquet, the member names of ZIP. `digest` is of the raw bytes on disk.
    """

    path: Path
    name: str
    kind: Kind
    digest: str
    size: int
    head: Any = field(repr=False)

    @property
    def folder(self) -> str:
        """The folder part of the name, empty at the top."""
        return self.name.rpartition("/")[0]

    @property
    def stem(self) -> str:
        """The last part of the name, without `.gz` and its extension."""
        last = self.name.rpartition("/")[2].removesuffix(".gz")
        return last.rpartition(".")[0] or last


def gather(paths: Sequence[Path], limits: Limits = LIMITS) -> tuple[LogFile, ...]:
    """Look at every file given or lying below a folder given, once each, in order of their names.

    Names are relative to the folder given, or to the folder that holds everything given: files of two runs never seem
    to lie together. Raises UsageError where a path does not exist, Refusal with the problems of every file that cannot
    be looked at.
    """
    base = _base(paths)
    found: dict[str, LogFile] = {}
    problems: list[Problem] = []
    for path in {path: None for given in paths for path in _walk(given.resolve(), limits)}:
        name = path.relative_to(base).as_posix()
        try:
            found[name] = _look(path, name, limits)
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise Refusal(capped(problems))
    return tuple(found[name] for name in sorted(found))


def _base(paths: Sequence[Path]) -> Path:
    absent = [str(path) for path in paths if not path.exists()]
    if absent or not paths:
        where, remedy = ", ".join(absent) or "the paths given", "Check the path."
        raise UsageError([Problem("path-absent", where, "a log file or a folder of logs", "nothing", remedy)])
    folders = [path.resolve() if path.is_dir() else path.resolve().parent for path in paths]
    return Path(os.path.commonpath(folders))


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, through gzip where its first bytes say so."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def _walk(given: Path, limits: Limits) -> Iterator[Path]:
    if not given.is_dir():
        yield given
        return
    count = 0
    pending = [given]
    while pending:
        folder = pending.pop()
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") or path.is_symlink():
                continue
            count += 1
            if count > limits.files or len(path.relative_to(given).parts) > limits.depth:
                expected = f"at most {limits.files} files, {limits.depth} folders deep"
                raise UsageError([Problem("too-many-files", given.name, expected, "more", "Give a smaller folder.")])
            if path.is_dir():
                pending.append(path)
            else:
                yield path


def _look(path: Path, name: str, limits: Limits) -> LogFile:
    if not stat.S_ISREG(path.stat().st_mode):
        raise Refusal([Problem("not-a-file", name, "a regular file", "a device, pipe or socket", "Leave it out.")])
    digest, size = _digest(path)
    try:
        with opened(path) as stream:
            start = stream.read(64 * 2**10)
    except (gzip.BadGzipFile, EOFError, OSError) as error:
        raise Refusal([Problem("gzip-broken", name, "a whole gzip file", str(error)[:80], "Write it again.")]) from None
    kind, head = _kind(path, name, start, limits)
    return LogFile(path, name, kind, digest, size, head)


def _digest(path: Path) -> tuple[str, int]:
    size = 0
    state = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            state.update(block)
            size += len(block)
    return state.hexdigest(), size


def _kind(path: Path, name: str, start: bytes, limits: Limits) -> tuple[Kind, Any]:
    if start.startswith(b"PK\x03\x04"):
        return "zip", member_names(path, name)
    if start.startswith(b"PAR1"):
        return "parquet", None
    text = start.lstrip(b" \t\r\n")
    if text[:1] in (b"{", b"["):
        first = _first_line(text)
        if first is not None and text[:1] == b"{" and len(first) < len(text.rstrip()):
            return "lines", first_object(path, name, limits)
        return _document_or_line(path, name, limits)
    return _csv(start)


def _first_line(text: bytes) -> bytes | None:
    """Return the first line if it is a whole JSON value of its own; also where it is longer than what was read."""
    line, newline, _ = text.partition(b"\n")
    if not newline:
        return None
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return None
    return line


def _document_or_line(path: Path, name: str, limits: Limits) -> tuple[Kind, Any]:
    with opened(path) as stream:
        line = stream.readline(limits.line)
        rest = stream.read(1)
        if rest and _first_line(line.lstrip()) is not None and line.lstrip()[:1] == b"{":
            return "lines", parse(line, f"{name} line 1")
    return "json", parse(whole(path, name, limits), name)


def first_object(path: Path, name: str, limits: Limits) -> Any:  # noqa: ANN401 - any JSON value
    """Return the first JSON value of a JSON Lines file."""
    with opened(path) as stream:
        for line in iter(lambda: stream.readline(limits.line), b""):
            if line.strip():
                return parse(line, f"{name} line 1")
    return None


def whole(path: Path, name: str, limits: Limits) -> bytes:
    """Return a file's bytes, unpacked; raise Refusal where they are more than a document may have."""
    with opened(path) as stream:
        content = stream.read(limits.document + 1)
    if len(content) > limits.document:
        remedy = "Give the log as JSON Lines or in its archive form, which are read piece by piece."
        raise Refusal(
            [Problem("file-too-large", name, f"at most {limits.document} bytes in one document", "more", remedy)]
        )
    return content


def _csv(start: bytes) -> tuple[Kind, Any]:
    """Take for CSV a first line of at least two cells; the file itself is parsed strictly when it is read."""
    line = start.partition(b"\n")[0].rstrip(b"\r")
    try:
        cells = line.decode("utf-8-sig").split(",")
    except UnicodeDecodeError:
        return "unknown", None
    if len(cells) < 2 or any(ord(letter) < 32 for letter in line.decode("utf-8-sig")):
        return "unknown", None
    names = [cell.strip().strip('"') for cell in cells]
    return "csv", (names[0] or ROW_NAME, *names[1:])

"""Open a file that strangers may have placed: never through a link, never a device, never half written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tallystick.errors import Problem, Refusal

MEGABYTE = 2**20
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_file(folder: Path, path: str, limit: int, where: str) -> bytes:
    """Return the bytes of `folder/path`, a plain relative path, at most `limit` of them.

    Raises Refusal where the file is absent, unreadable, too large, no regular file, behind a link, or changes while it
    is read.
    """
    try:
        problem = link_problem(folder, path, where) or kind_problem((folder / path).lstat().st_mode, where)
        if problem:
            raise Refusal([problem])
        descriptor = os.open(folder / path, _FLAGS)
        try:
            return _content(descriptor, limit, where)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise Refusal([Problem("file-absent", where, "a file", "none", "Add the file, or mend its path.")]) from None
    except OSError as error:
        found = error.strerror or type(error).__name__
        remedy = "Make the file a plain one that everyone may read."
        raise Refusal([Problem("file-unreadable", where, "a readable file", found.lower(), remedy)]) from None


def link_problem(folder: Path, path: str, where: str) -> Problem | None:
    """Return the problem where any component of `path` below `folder` is a symbolic link."""
    place = folder
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            found = f"a symbolic link at {place.relative_to(folder).as_posix()}"
            expected = "a regular file in a regular folder"
            return Problem("symlink", where, expected, found, "Put the file itself there.")
    return None


def kind_problem(mode: int, where: str) -> Problem | None:
    """Return the problem where a file of that mode is not a regular one."""
    if stat.S_ISREG(mode):
        return None
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
    found = kinds.get(stat.S_IFMT(mode), "a device")
    return Problem("not-a-file", where, "a regular file", found, "Remove it, or put a regular file there.")


def _content(descriptor: int, limit: int, where: str) -> bytes:
    before = os.fstat(descriptor)
    if problem := kind_problem(before.st_mode, where):
        raise Refusal([problem])
    if before.st_size > limit:
        expected = f"at most {limit:,} bytes"
        remedy = "Make the file smaller, or raise `limits` in benchmark.yaml."
        raise Refusal([Problem("file-too-large", where, expected, f"{before.st_size:,} bytes", remedy)])
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        content = stream.read(before.st_size + 1)
    after = os.fstat(descriptor)
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(content) == after.st_size
    if not same:
        size = max(len(content), after.st_size)  # no more is read than was announced, and a byte
        found = f"{size:,} bytes where {before.st_size:,} were announced, or a newer time of change"
        remedy = "Wait until nothing writes to it, then build again."
        raise Refusal([Problem("file-changed", where, "a file at rest", found, remedy)])
    return content

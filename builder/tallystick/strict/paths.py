"""Paths that others wrote: which are plain on every system, and which match a pattern. Nothing here opens a file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from tallystick.errors import Problem

_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')


def name_fault(name: str) -> str | None:
    """Say why a file or folder name is not plain on every system; None where it is."""
    if _RESERVED.match(name):
        return f"the name {name!r}, which Windows reserves"
    if forbidden := _FORBIDDEN.search(name):
        return f"the name {name!r} with the character {forbidden[0]!r}"
    if name.endswith((".", " ")):
        return f"the name {name!r} with a trailing {'dot' if name.endswith('.') else 'space'}"
    if len(name.encode("utf-8", "surrogatepass")) > 255:
        return "a name of more than 255 bytes"
    if not name.isprintable():
        return f"the name {name!r} with an invisible or undecodable character"
    return None


def reference_problem(path: str, where: str) -> Problem | None:
    """Return what is wrong with a path that a file uses for another one beside it; None where it is plain."""
    fault = _reference_fault(path)
    if fault is None:
        return None
    expected = "a plain relative path with forward slashes"
    return Problem("unsafe-path", where, expected, fault, "Put the file beside this one and name it plainly.")


def fold(path: str) -> str:
    """Return the form in which two paths are the same on a system that ignores case and Unicode normal form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def matches(path: str, globs: Iterable[str]) -> bool:
    """Say whether a relative path matches one of the patterns: `*` within a part, `**/` any number of parts."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


def _reference_fault(path: str) -> str | None:
    if not path:
        return "no path"
    if "\x00" in path:
        return "a path with a NUL character"
    if path.startswith(("//", "\\\\")):
        return f"the network path {path!r}"
    if path.startswith(("/", "\\")):
        return f"the absolute path {path!r}"
    if re.match(r"[A-Za-z]:", path):
        return f"the path {path!r} with a drive letter"
    parts = path.replace("\\", "/").split("/")
    if ".." in parts:
        return f"the path {path!r}, which leaves its folder"
    if "" in parts or "." in parts:
        return f"the path {path!r} with an empty part"
    return next((fault for part in path.split("/") if (fault := name_fault(part))), None)


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*/|\*)", glob)
    known = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return re.compile("".join(known.get(piece, re.escape(piece)) for piece in pieces))

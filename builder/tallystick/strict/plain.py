"""Bytes → text: names what a file really is where it is not plain UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from tallystick.errors import PROBLEMS_SHOWN, Problem, Refusal

_CONFLICT = re.compile(rb"^(<{7}|={7}|>{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_LFS = b"version https://git-lfs.github.com/spec/"

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "ZIP",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
_BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": ("byte-order-mark", "a UTF-8 byte order mark at its start"),
    b"\xff\xfe": ("not-utf-8", "UTF-16 (little endian, by its byte order mark)"),
    b"\xfe\xff": ("not-utf-8", "UTF-16 (big endian, by its byte order mark)"),
}


MOST_COUNTED = 1000
"""Problems beyond are not even looked for: a file of nothing else must not cost time and memory."""


def text(content: bytes, where: str) -> str:
    """Decode a plain UTF-8 file; raise Refusal naming the one thing that it is instead."""
    problem = _disguise(content, where)
    if problem is not None:
        raise Refusal([problem])
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{content[error.start]:02x} at offset {error.start} ({error.reason})"
        raise Refusal(
            [Problem("not-utf-8", f"{where} line {line}", "UTF-8 text", found, "Save the file as UTF-8.")]
        ) from None


def capped(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return at most as many problems as are shown; the last one counts the rest."""
    every = tuple(islice(problems, MOST_COUNTED + 1))
    rest = len(every) - PROBLEMS_SHOWN + 1
    if rest <= 1:
        return every
    last = every[PROBLEMS_SHOWN - 1]
    more = Problem(
        "more-problems",
        last.where,
        f"at most {PROBLEMS_SHOWN} problems to show",
        f"{'at least ' if len(every) > MOST_COUNTED else ''}{rest} further problems from here on",
        "Mend the ones above first; the rest will then be listed.",
        last.effect,
    )
    return (*every[: PROBLEMS_SHOWN - 1], more)


def _disguise(content: bytes, where: str) -> Problem | None:
    """Name a file that is no plain text of its own: empty, compressed, a pointer, half merged, or not UTF-8."""
    if not content.strip():
        return Problem("empty-file", where, "content", "an empty file", "Add the content, or remove the file.")
    for magic, name in _COMPRESSED.items():
        if content.startswith(magic):
            return Problem("compressed-file", where, "plain text", f"{name} data", "Commit the file uncompressed.")
    for mark, (code, found) in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return Problem(code, where, "UTF-8 text without byte order mark", found, "Save the file as plain UTF-8.")
    if b"\x00" in content[:4]:
        found = "zero bytes at its start, as UTF-16 and UTF-32 have"
        return Problem("not-utf-8", where, "UTF-8 text", found, "Save the file as plain UTF-8.")
    if content.startswith(_LFS):
        remedy = "Commit the file itself, or fetch it before the build (git lfs pull)."
        return Problem("lfs-pointer", where, "the file's content", "a Git LFS pointer", remedy)
    if (b"<<<<<<<" in content or b">>>>>>>" in content) and (conflict := _CONFLICT.search(content)):
        line = content.count(b"\n", 0, conflict.start()) + 1
        found = f"the unmerged conflict marker {conflict[1].decode()}"
        return Problem("conflict-marker", f"{where} line {line}", "merged content", found, "Resolve the conflict.")
    return None

"""Say whether a static host such as GitHub Pages will take a site: its size, and the names in it.

The limits are those that Pages documents: a site of 1 GB at most, and no file over 100 MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tallystick.board import File
from tallystick.errors import Problem

MEGABYTE = 1_000_000
SITE_AT_MOST = 1000 * MEGABYTE
FILE_AT_MOST = 100 * MEGABYTE
NEAR = 0.8
_NAME = re.compile(r"[a-z0-9_][a-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Hosting:
    """What a host would receive: `size` in bytes, and notes on what it might not take."""

    size: int
    problems: tuple[Problem, ...]


def hosting(files: Iterable[File]) -> Hosting:
    """Weigh the files of a site and note each that a host may refuse; nothing here stops a build."""
    files = tuple(files)
    size = sum(len(file.content) for file in files)
    problems = [_too_large("the site", size, SITE_AT_MOST)] if size > NEAR * SITE_AT_MOST else []
    for file in files:
        if len(file.content) > NEAR * FILE_AT_MOST:
            problems.append(_too_large(file.path, len(file.content), FILE_AT_MOST))
        if not all(_NAME.fullmatch(part) for part in file.path.split("/")):
            expected = "lower-case letters, digits, dots, dashes and underscores, no dot first"
            remedy = "Rename what the page is made of."
            problems.append(Problem("site-name", file.path, expected, "another name", remedy, "note"))
    return Hosting(size, tuple(problems))


def _too_large(where: str, size: int, limit: int) -> Problem:
    return Problem(
        code="site-size",
        where=where,
        expected=f"well under {limit // MEGABYTE} MB",
        found=f"{size / MEGABYTE:.1f} MB",
        remedy="Remove reports or data files that the site can do without, or host it elsewhere.",
        effect="note",
    )

"""What a build was made of and what it made: with both unchanged, to the last byte, there is nothing to build."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tallystick.board import Checked
from tallystick.cache import Cache, key
from tallystick.hosting import Hosting
from tallystick.messages import Verdict
from tallystick.render import template_folders
from tallystick.typeset import release

INPUTS = ("results", "content", "templates")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a build said of its reports and its site, which has `files` files."""

    verdicts: tuple[Verdict, ...]
    files: int
    hosting: Hosting


def inputs(root: Path, out: Path, base_url: str | None) -> str:
    """Name a build by all that goes into it; `out` belongs to it, because a site keeps assets of the one before."""
    place = os.path.abspath(out)  # noqa: PTH100 - resolve() would follow a link
    folders = [root / name for name in INPUTS] + [*template_folders(None)]
    return key("site", place, repr(base_url), release(), *map(tree, folders))


def present(cache: Cache, name: str, out: Path, now: datetime) -> Receipt | None:
    """Return the receipt of a build whose site still stands in `out`; None where there is none, or it was touched.

    Finish dates are held against the present: what was admitted once stays admitted, but not before that.
    """
    found: Any = cache.recall(name)
    if found is None or now < found[0] or tree(out) != found[1]:
        return None
    _, _, verdicts, files, size, problems = found
    return Receipt(tuple(Verdict(*fields) for fields in verdicts), files, Hosting(size, problems))


def file(cache: Cache, name: str, out: Path, now: datetime, checked: Checked, receipt: Receipt) -> None:
    """Keep a receipt, unless a report states that it will be finished some day: tomorrow would judge it otherwise."""
    finished = [
        item.report.run.finished for docket in checked.dockets for item in docket.judgements if item.report.run.finished
    ]
    latest = max(finished, default=now)
    if latest <= now:
        verdicts = tuple(
            (one.benchmark, one.path, one.method, one.outcome, one.problems, one.stated) for one in receipt.verdicts
        )
        told = (verdicts, receipt.files, receipt.hosting.size, receipt.hosting.problems)
        cache.keep(name, (latest if finished else datetime.min.replace(tzinfo=now.tzinfo), tree(out), *told))


def tree(folder: Path) -> str:
    """Return the digest of everything below a folder: names, kinds, and the bytes of files."""
    total = hashlib.sha256()
    for path, digest in _entries(folder, ""):
        total.update(f"{len(path)} {path} {digest}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _entries(folder: Path, prefix: str) -> Iterable[tuple[str, str]]:
    try:
        listing = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield prefix, type(error).__name__
        return
    for entry in listing:
        path = prefix + entry.name
        if entry.is_symlink():
            yield path, f"link {Path(entry.path).readlink()}"
        elif entry.is_dir():
            yield path, "folder"
            yield from _entries(Path(entry.path), path + "/")
        elif entry.is_file():
            yield path, _digest(entry.path)
        else:
            yield path, "neither"


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as content:  # noqa: PTH123 - a thousand pages: Path costs more than it says
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return type(error).__name__

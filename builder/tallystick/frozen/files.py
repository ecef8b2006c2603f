"""Where frozen tables lie, and how one that changed or vanished is found out.

`results/frozen.sha256` lists every frozen table as `sha256sum` would, so that `sha256sum -c` checks them without this
program. Lines are only ever added. Each table also names the one frozen before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tallystick import strict
from tallystick.board import FrozenTable
from tallystick.digest import canonical, sha256
from tallystick.errors import Problem, Refusal, SettingsError, UsageError
from tallystick.frozen.shape import FrozenShape
from tallystick.replacing import replace_file
from tallystick.strict.files import MEGABYTE, read_file

LEDGER = "results/frozen.sha256"
SIZE_AT_MOST = 50 * MEGABYTE
_LINE = re.compile(r"([0-9a-f]{64})  ([a-z0-9][a-z0-9._-]{0,62})/frozen/\1\.json")
_RESTORE = "Restore it from the history of the repository: a table that was cited must stay as it was."


def load(root: Path) -> Mapping[str, tuple[FrozenTable, ...]]:
    """Return the frozen tables of each benchmark, in the order in which they were frozen.

    Raises SettingsError with every table that changed, vanished, is not listed or names one that is not there.
    """
    problems: list[Problem] = []
    listed = dict(_listed(root, problems))
    tables = {digest: found for digest, path in listed.items() if (found := _read(root, digest, path, problems))}
    problems += _unlisted(root, set(listed.values()))
    for found in tables.values():
        previous = found.document["previous"]
        if previous is not None and previous not in listed:
            where = f"results/{listed[found.digest]} /previous"
            problems.append(Problem("frozen-vanished", where, "a table that is listed", previous, _RESTORE))
    if problems:
        raise SettingsError(strict.capped(problems))
    shelves: dict[str, tuple[FrozenTable, ...]] = {}
    for found in tables.values():
        shelves[found.benchmark] = (*shelves.get(found.benchmark, ()), found)
    return shelves


def add(root: Path, document: Mapping[str, Any]) -> FrozenTable:
    """Write a frozen table and its line in the ledger; nothing that is there is changed.

    Raises UsageError, with both as they were, where they cannot be written.
    """
    content = canonical(document)
    frozen = parse(content, "the frozen table")
    path = f"{frozen.benchmark}/frozen/{frozen.digest}.json"
    file, ledger = root / "results" / path, root / LEDGER
    before = ledger.read_bytes() if ledger.exists() else b""
    apart = b"" if before.endswith(b"\n") or not before else b"\n"
    absent = not file.exists()
    try:
        if absent:
            file.parent.mkdir(exist_ok=True)
            replace_file(file, content)
        replace_file(ledger, before + apart + f"{frozen.digest}  {path}\n".encode("ascii"))
    except OSError as error:
        if absent:
            with suppress(OSError):
                file.unlink()
        found = (error.strerror or type(error).__name__).lower()
        remedy = "Make room, or make the folder writable, and freeze again; no table was changed."
        raise UsageError([Problem("file-unusable", f"results/{path}", "a file to write", found, remedy)]) from None
    return frozen


def parse(content: bytes, where: str) -> FrozenTable:
    """Return the frozen table in some bytes; raise Refusal where they are none, or not in canonical form."""
    value = strict.json_object(content, where)
    try:
        shape = FrozenShape.model_validate(value)
    except ValidationError as error:
        raise Refusal(strict.capped([_misshapen(item, where) for item in error.errors(include_url=False)])) from None
    if canonical(value) != content:
        remedy = "Take the file as it was published, byte for byte."
        raise Refusal([Problem("frozen-form", where, "canonical JSON (RFC 8785)", "another form", remedy)])
    return FrozenTable(sha256(content), shape.table.benchmark.id, content, value)


def _misshapen(item: Any, where: str) -> Problem:  # noqa: ANN401 - an error of pydantic's
    place = f"{where} {strict.pointer(item['loc'])}"
    found = strict.describe(item["input"])
    return Problem("frozen-shape", place, "a frozen table", f"{found}: {item['msg']}", _RESTORE)


def _listed(root: Path, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    """Yield digest and path of each line of the ledger; a digest that was listed before is a problem."""
    if not (root / LEDGER).is_symlink() and not (root / LEDGER).exists():
        return
    try:
        lines = strict.text(read_file(root, LEDGER, MEGABYTE, LEDGER), LEDGER).splitlines()
    except Refusal as refusal:
        problems += refusal.problems
        return
    known: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        where = f"{LEDGER} line {number}"
        if not (match := _LINE.fullmatch(line)):
            expected = "`<digest>  <benchmark>/frozen/<digest>.json`"
            problems.append(Problem("frozen-ledger", where, expected, "another line", _RESTORE))
        elif match[1] in known:
            found, remedy = f"the table of line {known[match[1]]} again", "Take this line out; keep the first."
            problems.append(Problem("frozen-ledger", where, "each table once", found, remedy))
        else:
            known[match[1]] = number
            yield match[1], f"{match[2]}/frozen/{match[1]}.json"


def _read(root: Path, digest: str, path: str, problems: list[Problem]) -> FrozenTable | None:
    where = f"results/{path}"
    try:
        content = read_file(root, where, SIZE_AT_MOST, where)
        if sha256(content) != digest:
            expected = "content whose SHA-256 is its name"
            problems.append(Problem("frozen-changed", where, expected, f"content of {sha256(content)}", _RESTORE))
            return None
        found = parse(content, where)
    except Refusal as refusal:
        absent = [problem.code for problem in refusal.problems] == ["file-absent"]
        vanished = Problem("frozen-vanished", where, f"the table that {LEDGER} lists", "none", _RESTORE)
        problems += [vanished] if absent else refusal.problems
        return None
    if found.benchmark != path.split("/")[0]:
        expected = f"a table of {path.split('/')[0]}"
        problems.append(Problem("frozen-misplaced", where, expected, f"one of {found.benchmark}", "Move it there."))
    return found


def _unlisted(root: Path, listed: set[str]) -> Iterator[Problem]:
    for file in sorted((root / "results").glob("*/frozen/*")):
        path = file.relative_to(root / "results").as_posix()
        if path not in listed and not file.name.startswith("."):
            expected = f"a table that {LEDGER} lists"
            remedy = "Add its line to the end of the ledger, or remove the file if it was never published."
            yield Problem("frozen-unlisted", f"results/{path}", expected, "a file that it does not", remedy)

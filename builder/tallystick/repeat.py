"""Repeat a frozen table from the reports that it names: found by digest, verified and computed again, compared.

The same line runs as in a build, on a folder that holds exactly the files that the table follows from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path

from tallystick import frozen, pipeline
from tallystick.board import FrozenTable
from tallystick.digest import sha256
from tallystick.errors import Problem, TallystickError

SIZE_AT_MOST = 2**30
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Repetition:
    """What came of it: `absent` are (path, digest) of files not found; `different` are pointers with both values.

    `problems` are those of reports that verification does not admit. All empty: the table was repeated, `numbers`
    values to the last bit.
    """

    files: int
    numbers: int
    absent: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    different: tuple[tuple[str, object, object], ...] = ()

    @property
    def repeated(self) -> bool:
        """Whether everything came out as it was frozen."""
        return not (self.absent or self.problems or self.different)


def repeat(table: FrozenTable, reports: Path, workspace: Path, progress: Callable[[str], None]) -> Repetition:
    """Compute a frozen table again from files below `reports`, in the empty folder `workspace`."""
    wanted = dict(_wanted(table))
    found = _find(wanted, reports, table.benchmark, progress)
    absent = tuple((path, digest) for path, digest in wanted.items() if digest not in found)
    if absent:
        return Repetition(len(wanted), 0, absent)
    try:
        _lay_out(table, wanted, found, workspace)
    except OSError as error:
        expected, remedy = "paths that can lie in one folder", "Take the file from where it was published."
        problem = Problem("frozen-paths", table.digest, expected, error.strerror or type(error).__name__, remedy)
        return Repetition(len(wanted), 0, problems=(problem,))
    end = datetime.combine(datetime.fromisoformat(table.document["frozen"]), time.max, UTC)
    then = table.document["table"]
    try:
        (docket,) = pipeline.check(workspace, end, progress).dockets
    except TallystickError as error:
        return Repetition(len(wanted), 0, problems=error.problems)
    refused = [problem for item in docket.judgements if item.outcome == "refused" for problem in item.problems]
    refused += [problem for unread in docket.unread for problem in unread.problems]
    now = frozen.table(pipeline.compute(docket))
    different = tuple(frozen.differences(then, now))
    return Repetition(len(wanted), _numbers(then), problems=tuple(refused), different=different)


def _wanted(table: FrozenTable) -> Iterator[tuple[str, str]]:
    """Yield path and digest of every file that a table follows from."""
    benchmark = table.document["table"]["benchmark"]
    for file in (benchmark["samples"], *benchmark["supplements"]):
        yield file["path"], file["sha256"]
    for row in table.document["table"]["rows"]:
        for file in row["report"]["files"]:
            yield file["path"], file["sha256"]


def _find(wanted: dict[str, str], reports: Path, benchmark: str, progress: Callable[[str], None]) -> dict[str, bytes]:
    """Return the content of every wanted digest that is somewhere below `reports`, likely places first."""
    missing = set(wanted.values())
    found: dict[str, bytes] = {}
    likely = [folder / path for path in wanted for folder in (reports / "results" / benchmark, reports)]
    for path in (*likely, *_files(reports)):
        if not missing:
            break
        content = _content(path)
        if content is not None and (digest := sha256(content)) in missing:
            progress(f"found {path.name}")
            missing.remove(digest)
            found[digest] = content
    return found


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names))


def _content(path: Path) -> bytes | None:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > SIZE_AT_MOST:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _lay_out(table: FrozenTable, wanted: dict[str, str], found: dict[str, bytes], workspace: Path) -> None:
    """Write a board that holds nothing but the table's files; their paths were checked when it was parsed."""
    folder = workspace / "results" / table.benchmark
    for path, digest in wanted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(found[digest])
    (folder / "benchmark.yaml").write_text(table.document["settings"], encoding="utf-8", newline="")


def _numbers(value: object) -> int:
    """Count the numbers of a table."""
    if isinstance(value, dict):
        return sum(map(_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(_numbers, value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))

"""Change real reports at random, byte by byte and value by value, and hold every verdict to what it must be.

Boards are made around the shared data (FAR with both layouts, RAMDocs, TextInsight) and the example board. A case
changes one file of one report: its bytes; or one value of its document, after which every digest, signature and seal is
made true again, as a forger would. Of each case is asked:

- no traceback (nor an `internal-error`), and no more than ten CPU seconds;
- a changed report that is accepted has the numbers it had: where not, it was admitted wrongly;
- all other reports are judged as before.

What was changed in reports that were accepted is listed at the end: fields that no published number depends on.

Usage: python benchmarks/fuzz.py [--minutes N] [--seed N] [--case BOARD:NUMBER] [--shared FOLDER]. A case follows from
seed, board and number alone, so that each can be seen again.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fuzz_boards import ROOT, Board, Files, boards, dumped
from tallystick.board import Judgement
from tallystick.cache import Cache
from tallystick.metrics import align
from tallystick.model import Benchmark
from tallystick.pipeline import check
from tallystick.workshop import Workshop

NOW = datetime(2027, 1, 1, tzinfo=UTC)
SECONDS = 10
CLOSE = 1e-12
"""Stated numbers agree up to this, and so may the rows that they were computed from."""

Pointer = tuple[str | int, ...]


# --- changes ----------------------------------------------------------------------------------------------------------

TOKENS = (b"NaN", b"1e999", b"null", b"true", b"-0.0", b"\x00", b"\xff", b"\xef\xbb\xbf", b",", b"}", b'"', b"\\ud800")
Change = tuple[Files, str]


def change_bytes(rng: random.Random, board: Board) -> Change:
    """Change a few bytes of one file, and leave all digests as they are."""
    path = rng.choice(board.victim)
    content = bytearray(board.files[path])
    at = rng.randrange(len(content))
    kind = rng.choice(("flip", "digit", "cut", "double", "token", "truncate", "lines"))
    if kind == "flip":
        content[at] ^= 1 << rng.randrange(8)
    elif kind == "digit" and (digits := [match.start() for match in re.finditer(rb"\d", content)]):
        content[rng.choice(digits)] = rng.choice(b"0123456789")
    elif kind == "cut":
        del content[at : at + rng.randrange(1, 40)]
    elif kind == "double":
        content[at:at] = content[at : at + rng.randrange(1, 400)]
    elif kind == "token":
        content[at:at] = rng.choice(TOKENS)
    elif kind == "truncate":
        del content[at:]
    else:
        lines = bytes(content).split(b"\n")
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
        content = bytearray(b"\n".join(lines))
    return {**board.files, path: bytes(content)}, f"bytes {path} {kind}"


def change_value(rng: random.Random, board: Board) -> Change:
    """Change one value of one document, then make digests, signatures and seals true again."""
    path = rng.choice(board.victim)
    lined = path.endswith(".jsonl")
    document: Any = (
        [json.loads(line) for line in board.files[path].splitlines()] if lined else json.loads(board.files[path])
    )
    places = list(_places(document, ()))
    if board.resealed:  # other samples, or another name, are another honest report
        places = [place for place in places if place[0] not in ("samples", "seal")]
    place = rng.choice(places)
    parent = document
    for key in place[:-1]:
        parent = parent[key]
    told = _changed(rng, parent, place[-1])
    content = b"".join(dumped(row) + b"\n" for row in document) if lined else dumped(document)
    files = {**board.files, path: content}
    with suppress(KeyError, TypeError, ValueError, AttributeError):  # what cannot be repaired is left as it is
        files = board.repair(files, board.roles())
    return files, f"value {path} {_shown(place)} {told}"


def _places(value: object, path: Pointer) -> Iterator[Pointer]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _changed(rng: random.Random, parent: Any, key: Any) -> str:  # noqa: ANN401 - any JSON value
    """Change what stands in `parent[key]`; say how."""
    value = parent[key]
    if (other := rng.random()) < 0.12:
        del parent[key]
        return "removed"
    if other < 0.2 and len(parent) > 1:
        swapped = rng.choice(
            [one for one in (parent if isinstance(parent, dict) else range(len(parent))) if one != key]
        )
        parent[key], parent[swapped] = parent[swapped], parent[key]
        return f"swapped with {swapped}"
    if other < 0.25 and isinstance(parent, list):
        parent.append(copy.deepcopy(value))
        return "doubled"
    parent[key] = rng.choice(_instead(rng, value))
    return f"{str(value)[:40]!r} → {str(parent[key])[:40]!r}"


def _instead(rng: random.Random, value: object) -> list[Any]:
    further: list[Any] = [None, True, False, 0, 1, -1, 1.5, "", "x", [], {}]
    if isinstance(value, int | float) and not isinstance(value, bool):
        further += [
            value + 1,
            value - 1,
            value * (1 + 1e-9),
            -value,
            float(value),
            str(value),
            value / 2,
            2 * value,
        ] * 2
    if isinstance(value, str):
        position = rng.randrange(len(value) + 1)
        further += [value + " ", value.upper(), value[1:], value[:position] + "\u0430" + value[position:], [value]] * 2
    if isinstance(value, dict):
        further += [{**value, "new": 1}] * 4
    if isinstance(value, list):
        further += [value[::-1], value[1:], value * 2] * 3
    return [item for item in further if type(item) is not type(value) or item != value]


def _shown(place: Pointer) -> str:
    """Write a pointer without numbers and digests, so that rows count together."""
    digest = re.compile(r"[0-9a-f]{64}")
    return "/" + "/".join("*" if isinstance(part, int) or digest.fullmatch(part) else part for part in place)


# --- verdicts ---------------------------------------------------------------------------------------------------------


class Hang(Exception):
    """A case took too much processor time."""


def _hang(*_: object) -> None:
    raise Hang


@dataclass(frozen=True)
class Seen:
    """What became of a board: outcome and numbers by main file, and problems of our own making."""

    outcomes: Mapping[str, str]
    numbers: Mapping[str, tuple[Any, ...]]
    internal: tuple[str, ...]


class Bench:
    """Judges boards on disk, remembering what was computed of reports that did not change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache = Cache()
        self._on_disk: dict[str, Files] = {}

    def judge(self, board: Board, files: Files) -> Seen:
        """Write what changed, and check the board."""
        root = self._folder / board.name.replace("/", "-")
        home = root / "results" / board.id
        known = self._on_disk.setdefault(board.name, {})
        for path, content in files.items():
            if known.get(path) != content:
                (home / path).parent.mkdir(parents=True, exist_ok=True)
                (home / path).write_bytes(content)
                known[path] = content
        (docket,) = check(root, NOW, lambda _: None, Workshop(self._cache)).dockets
        self._cache.settle()
        told = [problem for item in docket.unread for problem in item.problems]
        told += [problem for item in docket.judgements for problem in item.problems]
        return Seen(
            {_name(item): item.outcome for item in docket.judgements}
            | {item.path: "unread" for item in docket.unread if any(one.effect != "note" for one in item.problems)},
            {_name(item): _numbers(item, docket.benchmark) for item in docket.judgements},
            tuple(str(problem) for problem in told if problem.code == "internal-error"),
        )


def _name(judgement: Judgement) -> str:
    path = judgement.report.path
    return f"{path} {judgement.report.method.id}" if path == "agent-runs.json" else path


def _numbers(judgement: Judgement, benchmark: Benchmark) -> tuple[Any, ...]:
    """Return all that is computed from: who it is, how samples ended, every statistic in order of the samples."""
    report = judgement.report
    aligned = align(report, benchmark)
    columns = [(name, column.defined, column.statistics) for name, column in sorted(aligned.columns.items())]
    return report.method.id, report.fingerprint, aligned.statuses, columns


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return one[:3] == other[:3] and all(
        np.array_equal(a[1], b[1]) and np.allclose(a[2], b[2], rtol=CLOSE, atol=0)
        for a, b in zip(one[3], other[3], strict=True)
    )


def run_case(bench: Bench, board: Board, honest: Seen, seed: int, number: int) -> None:
    """Do one case, and note its outcome or its failure."""
    rng = random.Random(f"{seed}/{board.name}/{number}")
    files, told = (change_bytes if rng.random() < 0.4 else change_value)(rng, board)
    if files == board.files:
        return
    board.cases += 1
    label = f"{board.name}:{number} {told}"
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        seen = bench.judge(board, files)
    except Hang:
        board.failures.append(f"hang        {label}")
        return
    except Exception:
        board.failures.append(f"traceback   {label}\n{traceback.format_exc(limit=-4)}")
        return
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if seen.internal:
        board.failures.append(f"our fault   {label}\n{seen.internal[0]}")
    _hold(board, honest, seen, label, told)


def _hold(board: Board, honest: Seen, seen: Seen, label: str, told: str) -> None:
    mine = {name for name in honest.outcomes if name.split(" ")[0] == board.main}
    accepted = {name for name in mine if seen.outcomes.get(name) in ("admitted", "diagnostic")}
    board.outcomes.update(seen.outcomes.get(name, "unread") for name in mine)
    if accepted == mine:  # one of several runs in a file may be refused for all of it
        board.free[" ".join(told.split(" ")[:3])] += 1
    for name in sorted(accepted):
        if not _same(honest.numbers[name], seen.numbers[name]):
            board.failures.append(f"wrong admission {label}")
    for name in seen.outcomes.keys() - mine - honest.outcomes.keys():
        if seen.outcomes[name] == "admitted":
            board.failures.append(f"new report  {label}: {name}")
    for name in honest.outcomes.keys() - mine:
        if seen.outcomes.get(name) != honest.outcomes[name]:
            board.failures.append(f"other fell  {label}: {name} {seen.outcomes.get(name)}")


def main() -> None:
    """Fuzz until the time is over, board by board in turn; exit with 1 where anything failed."""
    options = _options()
    signal.signal(signal.SIGPROF, _hang)
    temporary = Path(tempfile.mkdtemp())
    try:
        bench = Bench(temporary)
        every = [(board, bench.judge(board, board.files)) for board in boards(options.shared)]
        for board, honest in every:
            print(f"{board.name}: {len(board.files)} files, {dict(Counter(honest.outcomes.values()))} unchanged")
        if options.case:
            name, _, number = options.case.rpartition(":")
            for board, honest in every:
                if board.name == name:
                    run_case(bench, board, honest, options.seed, int(number))
        else:
            _until(time.monotonic() + 60 * options.minutes, bench, every, options.seed)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sys.exit(_report([board for board, _ in every]))


def _until(end: float, bench: Bench, every: list[tuple[Board, Seen]], seed: int) -> None:
    """Give every board the same time, though one report takes a hundred times as long as another."""
    spent = [0.0] * len(every)
    numbers = [0] * len(every)
    while time.monotonic() < end:
        turn = spent.index(min(spent))
        before = time.process_time()
        run_case(bench, *every[turn], seed, numbers[turn])
        spent[turn] += time.process_time() - before
        numbers[turn] += 1


def _report(every: list[Board]) -> int:
    for board in every:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(board.outcomes.items()))
        print(f"\n{board.name}: {board.cases} cases; {outcomes}; {len(board.failures)} failures")
        for place, count in sorted(board.free.items()):
            print(f"  accepted {count:4}  {place}")
        for failure in board.failures:
            print(f"  FAILURE {failure}")
    failed = sum(len(board.failures) for board in every)
    print(f"\n{sum(board.cases for board in every)} cases, {failed} failures")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--case", default="", help="one case, such as native:17")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("TALLYSTICK_SHARED", ROOT.parent / "shared")) / "data"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()

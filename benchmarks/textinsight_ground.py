"""Time the verification of a TextInsight report down to the texts against plain sets and loops, and tell its memory.

One table from one run: tasks of every kind, each with a corpus, three findings and a review. Plain Python parses the
same files and does the partitions, statistics, audit samples and gate counts with the second implementation of the
tests (tests/textinsight_ground_made.py), for a few of the tasks; its time is scaled up, as the table says.

CPU seconds are those of all processes together, so that neither busy neighbours nor cores blur the ratio; wall seconds
stand beside them.

Usage: python benchmarks/textinsight_ground.py [--tasks N] [--documents N] [--characters N] [--plain N]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import textinsight_ground_made as beneath  # noqa: E402  # the tests' second implementation, found by the line above
import textinsight_made as made  # noqa: E402
from tallystick.model import Blob  # noqa: E402
from tallystick.protocols import textinsight  # noqa: E402

KINDS = ("group_difference", "temporal_change", "compound_association")
T = TypeVar("T")


def main() -> None:
    """Make the load, verify it, and print the table."""
    options = _options()
    names = {f"task{number:02}": (KINDS[number % 3], "scored") for number in range(options.tasks)}
    tasks, blobs = _load(options, names)
    board = made.benchmark(content=tasks)
    contents = {blob.path: blob.content for blob in blobs}
    few = list(names)[: options.plain]
    plain, plain_wall, _ = _timed(lambda: [_plainly(contents, name) for name in few])
    before = _peak(resource.RUSAGE_SELF)
    (bundle,), _ = textinsight.assemble(tuple(blobs), board)
    ours, ours_wall, report = _timed(lambda: textinsight.read(bundle, board))
    wrong = [problem for problem in report.problems if problem.effect == "refuse"]
    if wrong or report.depth != "texts":
        sys.exit(f"the load is not sound: {wrong[:3]}, verified {report.depth}")
    scale = len(names) / len(few)
    size = f"{options.documents:,} documents of {options.characters:,} characters"
    megabytes = sum(map(len, contents.values())) >> 20
    _print(f"{len(names)} tasks × 3 findings × {size}, {megabytes:,} MB of files")
    _print(f"{ours:8.2f} s CPU {ours_wall:8.2f} s wall  tallystick, on {os.cpu_count()} processors")
    _print(f"{plain * scale:8.2f} s CPU {plain_wall * scale:8.2f} s wall  plain Python ({len(few)} tasks, scaled up)")
    _print(f"{plain * scale / ours:.1f} times the CPU time")
    _print(
        f"{_peak(resource.RUSAGE_SELF):,} MB at most, {before:,} MB before, files included; "
        f"{_peak(resource.RUSAGE_CHILDREN):,} MB at most in each further process"
    )


def _load(options: argparse.Namespace, names: Mapping[str, tuple[str, str]]) -> tuple[bytes, list[Blob]]:
    """Return `tasks.json` and the files of a load, made task by task."""
    rows, records, blobs = [], [], []
    for number, (name, kind) in enumerate(names.items()):
        content, files = beneath.files(beneath.ground(options.documents, 3, {name: kind}, options.characters))
        rows += json.loads(content)
        records += json.loads(files[0].content)["task_scores"]
        blobs += files[1:]
        if sys.stderr.isatty():
            sys.stderr.write(f"\rmaking the load: {number + 1} of {len(names)}")
    content = json.dumps(rows).encode()
    references = made.references(rows, content)
    records = [record | {"reference_sha256": references} for record in records]
    blobs = [_rebound(blob, references) if "/reviews/" in blob.path else blob for blob in blobs]
    report = made.blob(made.report_of(rows, records, content), f"{beneath.FOLDER}/report.json")
    return content, [report, *blobs]


def _rebound(blob: Blob, references: str) -> Blob:
    """Return a review as made over all the tasks, not over its own alone."""
    return made.blob(json.loads(blob.content) | {"reference_sha256": references}, blob.path)


def _plainly(contents: Mapping[str, bytes], name: str) -> None:
    unpacked = gzip.decompress(contents[f"corpora/{name}.jsonl.gz"])
    rows = [json.loads(line) for line in unpacked.decode().split("\n")]
    submission = json.loads(contents[f"{beneath.FOLDER}/submissions/{name}.json"])
    review = json.loads(contents[f"{beneath.FOLDER}/reviews/{name}.json"])
    made.compact(submission)
    for number, finding in enumerate(submission["findings"]):
        chosen = {row["doc_id"] for row in beneath.population(finding, rows)}
        for states in beneath.sets(finding):
            if set().union(*states.values()) != chosen or sum(map(len, states.values())) != len(chosen):
                sys.exit("the load is not sound: no partition")
        if beneath.statistics(finding, rows) != finding["statistics"]:
            sys.exit("the load is not sound: statistics")
        beneath.gate(submission, number, review)
    beneath.drawn(name, submission, rows)


def _timed(work: Callable[[], T]) -> tuple[float, float, T]:
    """Return CPU seconds of this and its finished child processes, wall seconds, and the result."""
    wall, cpu = time.perf_counter(), _cpu()
    result = work()
    return _cpu() - cpu, time.perf_counter() - wall, result


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak(who: int) -> int:
    """Return the most memory of a process, in MB (the system tells KB)."""
    return resource.getrusage(who).ru_maxrss >> 10


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=1000, help="the length of a text, in addition to a few words")
    parser.add_argument("--plain", type=int, default=3, help="how many tasks plain Python does")
    return parser.parse_args()


if __name__ == "__main__":
    main()

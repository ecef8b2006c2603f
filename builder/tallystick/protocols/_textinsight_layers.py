"""How deep a report can be verified with what lies beside it: records alone, its submissions, or down to the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from tallystick.errors import Problem
from tallystick.model import Benchmark, Blob, Bundle, Stated, Unread
from tallystick.protocols._textinsight_ground import Depth, Ground, Job, Pinned, Supplied, each_ground
from tallystick.protocols._textinsight_judge import AUDIT_SEED, AUDIT_SIZE, EVIDENCE_PROTOCOL
from tallystick.protocols._textinsight_records import Record
from tallystick.protocols._textinsight_scoring import Profile
from tallystick.protocols._textinsight_submission import asked
from tallystick.protocols._textinsight_tasks import Tasks

LAYERS = ("submissions", "reviews")
CORPORA = "corpora"
_MEGABYTE = 2**20
_DEPTHS: tuple[Depth, ...] = ("records", "submissions", "texts")


@dataclass(frozen=True, slots=True)
class Layers:
    """What was found beneath a report's records, task by task and on the whole."""

    problems: tuple[Problem, ...]
    stated: tuple[Stated, ...]
    depth: Depth
    unverified: tuple[str, ...]
    tasks: Mapping[str, Ground]


def parts_beneath(report: Blob, by_path: Mapping[str, Blob], benchmark: Benchmark) -> dict[str, Blob]:
    """Return submissions and reviews in a report's folder, by `layer/task`, with the corpora of the tasks they name."""
    parts: dict[str, Blob] = {}
    folder = PurePosixPath(report.path).parent
    by_digest = {blob.digest: blob for blob in (*by_path.values(), *benchmark.supplements.values())}
    for row in benchmark.samples.rows:
        task = str(row.get("task_id"))
        found = {f"{layer}/{task}": by_path.get(str(folder / layer / f"{task}.json")) for layer in LAYERS}
        if any(found.values()):
            found[f"{CORPORA}/{task}"] = by_digest.get(str(row.get("corpus_sha256")))
        parts |= {role: blob for role, blob in found.items() if blob is not None}
    return parts


def foreign_corpora(by_path: Mapping[str, Blob], benchmark: Benchmark) -> tuple[Unread, ...]:
    """Name each file that lies where a task's corpus belongs and is another."""
    remedy = "Restore the corpus that the task list pins, or remove the file."
    found = []
    for row in benchmark.samples.rows:
        path, digest = str(row.get("corpus_path")), str(row.get("corpus_sha256"))
        if path in by_path and by_path[path].digest != digest:
            expected = f"the corpus of {row.get('task_id')}, {digest}"
            problem = Problem("corpus-digest", path, expected, by_path[path].digest, remedy)
            found.append(Unread(path, None, (problem,)))
    return tuple(found)


def layers(
    bundle: Bundle,
    benchmark: Benchmark,
    records: Sequence[Record],
    profile: Profile,
    judge: Mapping[str, str],
) -> Layers:
    """Verify every task of a report as deep as it was supplied."""
    if not any(role.startswith(LAYERS) for role in bundle.parts):
        return Layers((), (), "records", _taken_as_stated(records), {})
    pinned = _pinned(benchmark, judge)
    tasks = Tasks(benchmark)
    jobs = [
        Job(record, asked(tasks.rows[record.task], profile), _supplied(bundle, record.task), pinned, bundle.path)
        for record in records
        if record.task in tasks.rows
    ]
    found = {job.record.task: one for job, one in zip(jobs, each_ground(jobs), strict=True)}
    return Layers(
        problems=tuple(problem for one in found.values() for problem in one.problems),
        stated=tuple(number for one in found.values() for number in one.stated),
        depth=min((one.depth for one in found.values()), key=_DEPTHS.index, default="records"),
        unverified=tuple(_shallow(found)),
        tasks=found,
    )


def _pinned(benchmark: Benchmark, judge: Mapping[str, str]) -> Pinned:
    """Take the board's protocol of blind checks before the judge's own word for it."""
    budget = judge.get(AUDIT_SIZE, "")
    return Pinned(
        protocol=benchmark.options.get("evidence_protocol_sha256") or judge.get(EVIDENCE_PROTOCOL),
        seed=judge.get(AUDIT_SEED),
        budget=int(budget) if budget.isdecimal() else None,
        most_bytes=benchmark.limits.total_mb * _MEGABYTE,
    )


def _supplied(bundle: Bundle, task: str) -> Supplied:
    return Supplied(*(bundle.parts.get(f"{layer}/{task}") for layer in (*LAYERS, CORPORA)))


def _taken_as_stated(records: Sequence[Record]) -> tuple[str, ...]:
    if not any(record.findings for record in records):
        return ()
    return (
        "support, dimensions and gate counts, which are the reviewer's",
        "that every submitted finding was assessed: the submissions are not here",
    )


def _shallow(found: Mapping[str, Ground]) -> list[str]:
    """Say which tasks could not be verified down to the texts, and what they lack."""
    told = []
    for depth, lack in (("records", "a submission"), ("submissions", "a corpus or a review")):
        names = [task for task, one in found.items() if one.depth == depth]
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            told.append(f"{len(names)} tasks down to the texts, for want of {lack}: {', '.join(names[:3])}{more}")
    return told


def shown_with_ground(shown: Mapping[str, Any], one: Ground | None) -> Mapping[str, Any]:
    """Join what pages show of a record with what lies beneath it."""
    if one is None:
        return {**shown, "depth": "records", "faults": ()}
    findings = tuple({**finding, "submitted": one.findings.get(finding["id"])} for finding in shown["findings"])
    return {**shown, "findings": findings, "depth": one.depth, "faults": one.faults}

"""One task from the ground up: its submission against its corpus, its review against both, its record against all.

Each layer is checked as deep as it was supplied. A submission that breaks a rule is invalid: where the report calls it
valid, the rule that it breaks refuses the report; where the report calls it invalid, none broken refuses it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, Literal

from tallystick.digest import compact_unicode, sha256
from tallystick.errors import Problem, Refusal
from tallystick.model import Blob, Stated
from tallystick.protocols._textinsight_audit import REMEDY as ANOTHER_SAMPLE
from tallystick.protocols._textinsight_audit import Assigned
from tallystick.protocols._textinsight_corpus import Corpus, read_corpus
from tallystick.protocols._textinsight_evidence import check_quotes, check_support
from tallystick.protocols._textinsight_partition import partition
from tallystick.protocols._textinsight_records import REVIEWED, Record
from tallystick.protocols._textinsight_review import blind_check, check_review, stated_of_gates, stated_of_review
from tallystick.protocols._textinsight_scope import scope
from tallystick.protocols._textinsight_statistics import check_statistics
from tallystick.protocols._textinsight_submission import Asked, Submitted, read_submission
from tallystick.protocols._textinsight_told import told
from tallystick.strict import Node, describe, json_object

Depth = Literal["records", "submissions", "texts"]
WORTH_PROCESSES = 32 * 2**20
"""Bytes of files from which further processes save more time than they take to start."""

_OTHER = "Bring the submission that this report was made from."


@dataclass(frozen=True, slots=True)
class Pinned:
    """What every blind check of a report must have in common, as far as somebody pinned it; limits for corpora."""

    protocol: str | None
    seed: str | None
    budget: int | None
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Supplied:
    """What lies beneath a task's record; None for what was not handed in."""

    submission: Blob | None
    review: Blob | None
    corpus: Blob | None

    @property
    def size(self) -> int:
        """How many bytes were supplied."""
        return sum(len(blob.content) for blob in (self.submission, self.review, self.corpus) if blob is not None)


@dataclass(frozen=True, slots=True)
class Ground:
    """What was found beneath a task's record, and how deep it went; `findings` are for pages, by finding."""

    problems: tuple[Problem, ...] = ()
    stated: tuple[Stated, ...] = ()
    depth: Depth = "records"
    findings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One task to verify; `path` is the report's file."""

    record: Record
    task: Asked
    supplied: Supplied
    pinned: Pinned
    path: str


def each_ground(jobs: Sequence[Job]) -> list[Ground]:
    """Verify tasks in their order, on all processors where there is so much of it that starting them pays."""
    size = sum(job.supplied.size for job in jobs)
    workers = min(os.cpu_count() or 1, len(jobs))
    if size < WORTH_PROCESSES or workers < 2:
        return [ground(job) for job in jobs]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(ground, jobs))


def ground(job: Job) -> Ground:
    """Verify one task as deep as it was supplied."""
    record, task, supplied, pinned, path = job.record, job.task, job.supplied, job.pinned, job.path
    if record.status == "missing":
        return _missing(record, supplied)
    if supplied.submission is None:
        return Ground()
    try:
        document = json_object(supplied.submission.content, supplied.submission.path)
        corpus = None if supplied.corpus is None else _corpus(supplied.corpus, task, pinned)
    except Refusal as refusal:
        return _unreadable(record, refusal)
    node = Node(document, supplied.submission.path)
    findings = read_submission(node, task)
    assigned, shown = ((), {}) if corpus is None else _checked(findings, task, corpus)
    faults = tuple(node.problems)
    depth: Depth = "submissions" if corpus is None else "texts"
    if record.status == "invalid":
        return Ground(_really_invalid(record, supplied, faults, corpus), (), depth, {}, tuple(map(str, faults)))
    problems = [*faults, *_same_submission(record, node)]
    stated: list[Stated] = []
    if supplied.review is not None and record.status in REVIEWED:
        review = _review(supplied.review, problems)
        if review is not None:
            check_review(review, record, [child.text("/finding_id") for child in node.children("/findings")])
            stated += stated_of_review(review, record, path)
            if corpus is not None and not faults and record.findings and record.findings[0].counts is not None:
                stated += _gates(review, record, assigned, corpus, pinned, path)
            problems += review.problems
    elif record.status in REVIEWED:
        depth = "submissions"
    elif supplied.review is not None and record.status == "pending":
        expected = f"{record.task}: no review, as the report calls it pending_review"
        problems.append(Problem("review-present", supplied.review.path, expected, "one", "Evaluate with this review."))
    return Ground(tuple(problems), tuple(stated), depth, shown)


def _corpus(blob: Blob, task: Asked, pinned: Pinned) -> Corpus:
    """Return a task's corpus; raise Refusal where it cannot be read or has not as many documents as the task says."""
    corpus = read_corpus(blob, pinned.most_bytes)
    expected = task.row.get("n_documents", len(corpus))
    if expected != len(corpus):
        told = f"{task.task}: n_documents {expected}, as the task list says"
        remedy = "Restore the corpus that the task list pins, or mend the list."
        raise Refusal([Problem("corpus-size", blob.path, told, f"{len(corpus)} documents", remedy)])
    return corpus


def _missing(record: Record, supplied: Supplied) -> Ground:
    if supplied.submission is None:
        return Ground(depth="texts")
    expected = f"{record.task}: no submission, as the report calls it missing"
    return Ground((Problem("submission-present", supplied.submission.path, expected, "one", _OTHER),))


def _unreadable(record: Record, refusal: Refusal) -> Ground:
    """Return what a submission that is no JSON means: nothing more for an invalid one."""
    about_corpus = any(problem.code.startswith("corpus") for problem in refusal.problems)
    if record.status == "invalid" and not about_corpus:
        return Ground((), (), "texts", {}, tuple(map(str, refusal.problems)))
    return Ground(refusal.problems)


def _checked(
    findings: Sequence[Submitted], task: Asked, corpus: Corpus
) -> tuple[tuple[Assigned, ...], dict[str, Mapping[str, Any]]]:
    """Apply the local gates to each finding; what breaks one is noted in the finding's node."""
    assigned: list[Assigned] = []
    shown: dict[str, Mapping[str, Any]] = {}
    for finding in findings:
        chosen = scope(finding, task, corpus)
        if chosen is None:
            continue
        check_quotes(finding, task, chosen, corpus)
        states = partition(finding, chosen, corpus)
        if states is None or len(states) != task.conditions:
            continue
        if task.robust:
            check_support(finding, states, corpus)
        numbers = check_statistics(finding, task, chosen, states, corpus)
        assigned.append(Assigned(finding, states))
        shown[finding.id] = told(finding, chosen, states, numbers, corpus)
    return tuple(assigned), shown


def _really_invalid(
    record: Record, supplied: Supplied, faults: Sequence[Problem], corpus: Corpus | None
) -> tuple[Problem, ...]:
    if faults or corpus is None or supplied.submission is None:
        return ()
    expected = f"{record.task}: a rule that the submission breaks, as the report calls it invalid"
    found = "none: it keeps every rule"
    return (Problem("submission-valid", supplied.submission.path, expected, found, "Evaluate the submission again."),)


def _same_submission(record: Record, node: Node) -> list[Problem]:
    """Hold a valid submission's digest and findings against the record."""
    own = Node(node.value, node.where)
    submitted = [child.text("/finding_id") for child in own.children("/findings")]
    own.problems.clear()  # `read_submission` has told those
    if record.status in REVIEWED:
        digest = sha256(compact_unicode(node.value))
        if digest != record.binding.get("submission_sha256"):
            expected = f"{record.task}: submission_sha256 {record.binding.get('submission_sha256')}"
            own.refuse("", "submission-digest", expected, digest, _OTHER)
        assessed = [finding.id for finding in record.findings]
        if assessed != submitted:
            expected = f"{record.task}: every submitted finding assessed, in order ({', '.join(submitted)})"
            own.refuse("/findings", "findings-assessed", expected, ", ".join(assessed) or "none", _OTHER)
    elif (record.status == "abstained") != (not submitted):
        expected = (
            f"{record.task}: {'no findings' if submitted else 'findings'}, as the report calls it {record.status}"
        )
        own.refuse("/findings", "abstention", expected, f"{len(submitted)} findings", _OTHER)
    return own.problems


def _review(blob: Blob, problems: list[Problem]) -> Node | None:
    try:
        return Node(json_object(blob.content, blob.path), blob.path)
    except Refusal as refusal:
        problems += refusal.problems
        return None


def _gates(
    review: Node, record: Record, assigned: Sequence[Assigned], corpus: Corpus, pinned: Pinned, path: str
) -> list[Stated]:
    for field_name, value in (("seed", pinned.seed), ("budget", pinned.budget)):
        at = f"/blind_check/{field_name}"
        if value is not None and review.get(at) != value:
            expected = f"{record.task}: the judge's audit {field_name}, {value}"
            review.refuse(at, f"audit-{field_name}", expected, describe(review.get(at)), ANOTHER_SAMPLE)
    derived = blind_check(review, record.task, assigned, corpus, pinned.protocol)
    return [] if derived is None else list(stated_of_gates(derived, record, path))

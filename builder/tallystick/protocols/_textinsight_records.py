"""Task records of a TextInsight report: read, and checked for what each must hold by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tallystick.model import Status
from tallystick.protocols._textinsight_gates import read_gate, read_support, written
from tallystick.protocols._textinsight_scoring import (
    DIMENSIONS,
    Cap,
    EvidenceCounts,
    Profile,
    Support,
    cap,
)
from tallystick.protocols._textinsight_submission import asked
from tallystick.protocols._textinsight_tasks import Tasks
from tallystick.strict import Node, describe

WORDS: dict[str, Status] = {
    "scored": "scored",
    "abstained": "abstained",
    "unresolved": "unresolved",
    "pending_review": "pending",
    "missing": "missing",
    "invalid": "invalid",
}
REVIEWED = ("scored", "unresolved")
BINDING = ("submission_sha256", "corpus_sha256", "reference_sha256", "scoring_version", "task_sha256")
LONGEST_ERROR = 500
_REMEDY = "Evaluate again; a record is not edited by hand."


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding as a report records it; `at` is its JSON pointer and `name` is `task/finding`."""

    at: str
    id: str
    name: str
    score: float | None
    support: Support
    effective: Support
    fulfilled: bool
    duplicate_of: str | None
    dimensions: tuple[float, float, float, float]
    reference_match: str | None
    rationale: str
    gate: Support | None
    counts: EvidenceCounts | None

    @property
    def allowed(self) -> Cap | None:
        """What the counts allow; None without a gate."""
        return None if self.counts is None else cap(self.counts)

    @property
    def earns_nothing(self) -> str | None:
        """Why the finding scores 0 whatever its support, or None."""
        if not self.fulfilled:
            return "task_fulfilled is false"
        return None if self.duplicate_of is None else f"duplicate_of {self.duplicate_of}"


@dataclass(frozen=True, slots=True)
class Record:
    """One task as a report records it; `at` is its JSON pointer."""

    at: str
    task: str
    status: Status
    quality: float | None
    coverage: float | None
    findings: tuple[Finding, ...]
    binding: Mapping[str, str]
    reviewer: str | None
    error: str


def read_record(node: Node, profile: Profile, tasks: Tasks) -> Record:
    """Read one entry of `task_scores`; what is wrong with it is noted in the node's problems."""
    word = node.text("/status")
    task = node.text("/task_id")
    if node.has("/status") and word not in WORDS:
        expected = f"{task}: one of {', '.join(WORDS)}"
        node.refuse("/status", "status-unknown", expected, describe(word), _REMEDY)
    status = WORDS.get(word, "invalid")
    _keep_to_status(node, task, word)
    reviewed = word in REVIEWED and _is_reviewed(node)
    return Record(
        at=node.at,
        task=task,
        status=status,
        quality=_quality(node, task, word),
        coverage=_between(node, "/reference_coverage", 1, task) if _stands(node, "/reference_coverage", task) else None,
        findings=_findings(node, task, profile, tasks.rows.get(task, {})) if reviewed else (),
        binding={key: node.text(f"/{key}") for key in _binding_keys(node, profile)} if reviewed else {},
        reviewer=node.text("/reviewer_method") if reviewed else None,
        error=_error(node, task, word),
    )


def _binding_keys(node: Node, profile: Profile) -> tuple[str, ...]:
    if profile.binds_task or node.has("/task_sha256"):
        return BINDING
    return BINDING[:-1]


def _keep_to_status(node: Node, task: str, word: str) -> None:
    """Note what a record has that its status rules out, or lacks that it needs."""
    has_findings = bool(node.get("/findings"))
    bound = [key for key in (*BINDING, "reviewer_method") if node.has(f"/{key}")]
    if word in REVIEWED and not has_findings:
        expected = f"{task} is {word} by a review, so it has findings" + ("" if bound else " and review bindings")
        found = "no findings" if bound else "neither findings nor review bindings"
        node.refuse("/findings", "review-absent", expected, found, _REMEDY)
    if word not in REVIEWED and (has_findings or bound):
        found = "findings" if has_findings else f"the review binding {bound[0]}"
        node.refuse("/status", "review-unexpected", f"{task} is {word}, so it has no review", found, _REMEDY)


def _error(node: Node, task: str, word: str) -> str:
    """Return why a submission is invalid; note an error of another one, or one longer than the seed writes."""
    error = node.maybe("/error", node.text)
    if error is None:
        return ""
    if word in WORDS and word != "invalid":
        expected = f"{task} is {word}, so it has no error"
        node.refuse("/error", "error-unexpected", expected, describe(error), _REMEDY)
    elif len(error) > LONGEST_ERROR:
        expected = f"{task}: an error of at most {LONGEST_ERROR} characters"
        node.refuse("/error", "error-unexpected", expected, f"error of {len(error)}", _REMEDY)
    return error


def _is_reviewed(node: Node) -> bool:
    return node.has("/findings") or any(node.has(f"/{key}") for key in BINDING)


def _stands(node: Node, pointer: str, task: str) -> bool:
    """Say whether a value other than null stands there; note it where not even null does."""
    if not node.has(pointer):
        node.refuse(pointer, "field-absent", f"{task}: a number or null", "nothing", "Add the field.")
    return node.get(pointer) is not None


def _quality(node: Node, task: str, word: str) -> float | None:
    stands = _stands(node, "/quality", task)
    if word == "scored" and not stands:
        node.refuse("/quality", "quality-absent", f"{task} is scored and must have a quality", "null", _REMEDY)
    elif word in WORDS and word != "scored" and stands:
        expected = f"{task} is {word} and must have quality null"
        node.refuse("/quality", "quality-unexpected", expected, describe(node.get("/quality")), _REMEDY)
    return _between(node, "/quality", 100, task) if stands else None


def _between(node: Node, pointer: str, upper: int, name: str) -> float:
    value = node.number(pointer)
    if not 0 <= value <= upper:
        field = pointer.removeprefix("/")
        expected = f"{name}: {field} in 0..{upper}"
        node.refuse(pointer, "value-out-of-range", expected, f"{field} {value!r}", _REMEDY)
    return value


def _findings(node: Node, task: str, profile: Profile, row: Mapping[str, Any]) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    most = asked(row, profile).most_findings
    if len(node.sequence("/findings")) > most:
        found = str(len(node.sequence("/findings")))
        node.refuse("/findings", "findings-many", f"{task}: at most {most} findings", found, _REMEDY)
    earlier: set[str] = set()
    for child in node.children("/findings"):
        finding = _finding(child, task, profile, row)
        if finding.id in earlier:
            child.refuse("/finding_id", "finding-doubled", f"{task}: each finding once", finding.id, _REMEDY)
        if finding.duplicate_of is not None and finding.duplicate_of not in earlier:
            child.refuse(
                "/duplicate_of",
                "duplicate-unknown",
                f"{finding.name}: an earlier finding of this task ({', '.join(sorted(earlier)) or 'there is none'})",
                describe(finding.duplicate_of),
                "A finding is a duplicate of one before it; score the first and mark the later.",
            )
        earlier.add(finding.id)
        findings.append(finding)
    return tuple(findings)


def _finding(node: Node, task: str, profile: Profile, row: Mapping[str, Any]) -> Finding:
    finding_id = written(node, "/finding_id", task)
    name = f"{task}/{finding_id}"
    counts, gate = read_gate(node, name, row) if profile.gated else (None, None)
    score = _between(node, "/score", 100, name) if _stands(node, "/score", name) else None
    return Finding(
        at=node.at,
        id=finding_id,
        name=name,
        score=score,
        support=read_support(node, "/support", name),
        effective=read_support(node, "/effective_support", name),
        fulfilled=node.flag("/task_fulfilled"),
        duplicate_of=node.maybe("/duplicate_of", node.text),
        dimensions=cast(
            "tuple[float, float, float, float]", tuple(_between(node, f"/{key}", 1, name) for key in DIMENSIONS)
        ),
        reference_match=node.maybe("/reference_match", node.text),
        rationale=written(node, "/rationale", name),
        gate=gate,
        counts=counts,
    )

"""A submission as it was handed in: exactly the fields of its format, each of its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick.protocols._textinsight_gates import COMPOUND
from tallystick.protocols._textinsight_scoring import Profile
from tallystick.strict import Node, describe

STATES = ("positive", "negative", "unknown")
REMEDY = "An invalid submission has no quality: evaluate again, or submit again."
_FIELDS = {
    "finding_id",
    "claim",
    "kind",
    "scope",
    "definitions",
    "assignments",
    "statistics",
    "evidence",
    "limitations",
}
_SPAN = {"doc_id", "start", "end", "quote", "role"}
MOST_FINDINGS = 5
ROLES = ("supporting", "counterexample", "context")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a task asks of a submission, under a profile."""

    task: str
    kind: str
    row: Mapping[str, Any]
    most_findings: int
    discovery: bool
    robust: bool

    @property
    def conditions(self) -> int:
        """How many conditions each finding has."""
        return 2 if self.kind == COMPOUND else 1


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of a document that a finding quotes."""

    at: str
    document: str
    start: int
    end: int
    text: str
    role: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A condition as a finding defines it, with the documents that it assigns to each state."""

    id: str
    inclusion: str
    exclusion: str
    at: str
    documents: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Submitted:
    """One finding of a submission; `node` stands at it, `name` is `task/finding`."""

    node: Node
    id: str
    name: str
    claim: str
    scope: str
    limitations: tuple[str, ...]
    definitions: tuple[Definition, ...]
    statistics: Mapping[str, Any]
    quotes: tuple[Quote, ...]


def asked(row: Mapping[str, Any], profile: Profile) -> Asked:
    """Return what a task of the task list asks; the hard profile allows three findings whatever the list says."""
    allowed = row.get("max_findings")
    most = min(allowed, MOST_FINDINGS) if isinstance(allowed, int) else MOST_FINDINGS
    return Asked(
        task=str(row.get("task_id")),
        kind=str(row.get("kind")),
        row=row,
        most_findings=min(most, 3) if profile.difficulty == "hard" else most,
        discovery=row.get("discovery_mode") == "agent_selected",
        robust=profile.difficulty in ("hard", "discovery"),
    )


def read_submission(node: Node, task: Asked) -> tuple[Submitted, ...]:
    """Return the findings whose fields can be understood; note everything that breaks the format."""
    exactly(node, "", {"task_id", "findings", "abstention_reason"}, task.task)
    if node.text("/task_id") != task.task:
        expected = f"task_id {task.task}"
        node.refuse("/task_id", "submission-task", expected, describe(node.get("/task_id")), REMEDY)
    reason = node.text("/abstention_reason")
    count = len(node.sequence("/findings"))
    if count == 0 and not reason.strip():
        expected = f"{task.task}: an abstention_reason, as there is no finding"
        node.refuse("/abstention_reason", "abstention-reason", expected, "none", REMEDY)
    if count > task.most_findings:
        node.refuse("/findings", "findings-many", f"{task.task}: at most {task.most_findings}", str(count), REMEDY)
    findings: list[Submitted] = []
    ids: set[str] = set()
    for child in node.children("/findings"):
        before = len(node.problems)
        finding = _finding(child, task)
        if finding.id in ids:
            child.refuse("/finding_id", "finding-doubled", f"{task.task}: each finding once", finding.id, REMEDY)
        ids.add(finding.id)
        if len(node.problems) == before:
            findings.append(finding)
    return tuple(findings)


def exactly(node: Node, at: str, fields: set[str], name: str) -> None:
    """Note fields that are absent or too many."""
    found = set(node.mapping(at))
    if found != fields:
        wrong = [f"no {key}" for key in sorted(fields - found)] + [f"also {key}" for key in sorted(found - fields)]
        expected = f"{name}: exactly the fields {', '.join(sorted(fields))}"
        node.refuse(at, "submission-fields", expected, ", ".join(wrong), REMEDY)


def _finding(node: Node, task: Asked) -> Submitted:
    name = f"{task.task}/{node.text('/finding_id')}"
    exactly(node, "", _FIELDS | ({"population", "comparison"} if task.discovery else set()), name)
    for key in ("finding_id", "claim", "scope"):
        if not node.text(f"/{key}").strip():
            node.refuse(f"/{key}", "finding-text", f"{name}: a {key}", "none", REMEDY)
    if node.text("/kind") != task.kind:
        node.refuse("/kind", "finding-kind", f"{name}: {task.kind}", describe(node.get("/kind")), REMEDY)
    limitations = node.texts("/limitations")
    if not limitations or "" in limitations or len(set(limitations)) < len(limitations):
        expected = f"{name}: at least one limitation, none empty, each once"
        node.refuse("/limitations", "finding-text", expected, f"{len(limitations)} limitations", REMEDY)
    return Submitted(
        node=node,
        id=node.text("/finding_id"),
        name=name,
        claim=node.text("/claim"),
        scope=node.text("/scope"),
        limitations=limitations,
        definitions=_definitions(node, task, name),
        statistics=node.mapping("/statistics"),
        quotes=tuple(_quote(child, name) for child in node.children("/evidence")),
    )


def _definitions(node: Node, task: Asked, name: str) -> tuple[Definition, ...]:
    """Join definitions and assignments by condition, in the order of the definitions."""
    defined = list(node.children("/definitions"))
    assigned = list(node.children("/assignments"))
    for key, found in (("definitions", defined), ("assignments", assigned)):
        if len(found) != task.conditions:
            expected = f"{name}: {key} of {task.conditions} condition{'s' if task.conditions > 1 else ''}"
            node.refuse(f"/{key}", "conditions-number", expected, str(len(found)), REMEDY)
        ids = [child.text("/condition_id") for child in found]
        if len(set(ids)) < len(ids):
            node.refuse(f"/{key}", "condition-doubled", f"{name}: each condition once", ", ".join(ids), REMEDY)
    by_id = {child.text("/condition_id"): child for child in assigned}
    definitions = []
    for child in defined:
        condition = child.text("/condition_id")
        exactly(child, "", {"condition_id", "inclusion", "exclusion"}, f"{name}, {condition}")
        for key in ("condition_id", "inclusion", "exclusion"):
            if not child.text(f"/{key}"):
                child.refuse(f"/{key}", "finding-text", f"{name}, {condition}: an {key}", "none", REMEDY)
        if condition not in by_id:
            expected = f"{name}: assignments of the condition {condition}"
            node.refuse("/assignments", "condition-unassigned", expected, "none", REMEDY)
            continue
        own = by_id[condition]
        exactly(own, "", {"condition_id", *(f"{state}_doc_ids" for state in STATES)}, f"{name}, {condition}")
        documents = {state: own.texts(f"/{state}_doc_ids") for state in STATES}
        at = own.at
        definitions.append(Definition(condition, child.text("/inclusion"), child.text("/exclusion"), at, documents))
    return tuple(definitions)


def _quote(node: Node, name: str) -> Quote:
    exactly(node, "", _SPAN, name)
    if node.text("/role") not in ROLES:
        expected = f"{name}: a role of {', '.join(ROLES)}"
        node.refuse("/role", "evidence-role", expected, describe(node.get("/role")), REMEDY)
    return Quote(
        at=node.at,
        document=node.text("/doc_id"),
        start=node.whole("/start"),
        end=node.whole("/end"),
        text=node.text("/quote"),
        role=node.text("/role"),
    )

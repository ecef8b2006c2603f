"""Evidence gates as a report records them: counts that must fit each other, and the cap that they are said to give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.protocols._textinsight_scoring import (
    CONFIRMED_NEEDED,
    SUPPORTS,
    ConditionCounts,
    EvidenceCounts,
    Support,
)
from tallystick.strict import Node, describe

COMPOUND = "compound_association"
MOST_EVIDENCE = 15
COUNTS = ConditionCounts.__slots__[1:]
_REMEDY = "Evaluate again; a record is not edited by hand."


def read_support(node: Node, pointer: str, name: str) -> Support:
    """Return a word of support; note any other."""
    word = node.text(pointer)
    for support in SUPPORTS:
        if support == word:
            return support
    if node.has(pointer):
        field = pointer.rpartition("/")[2]
        expected = f"{name}: {field} one of {', '.join(SUPPORTS)}"
        node.refuse(pointer, "support-unknown", expected, describe(word), _REMEDY)
    return "uncertain"


def written(node: Node, pointer: str, name: str) -> str:
    """Return a text that must say something; note a blank one."""
    found = node.text(pointer)
    if node.has(pointer) and isinstance(node.get(pointer), str) and not found.strip():
        field = pointer.removeprefix("/")
        node.refuse(pointer, "finding-text", f"{name}: a {field}", describe(found), _REMEDY)
    return found


def read_gate(node: Node, name: str, task: Mapping[str, Any]) -> tuple[EvidenceCounts | None, Support | None]:
    """Read the evidence gate of a finding: its counts and the support that it states; note what cannot be."""
    if node.get("/evidence_gate") is None:
        expected = f"{name}: an evidence gate, as every finding of a discovery task has"
        node.refuse("/evidence_gate", "gate-missing", expected, "a finding without evidence_gate", _REMEDY)
        return None, None
    gate = node.child("/evidence_gate")
    most = task.get("n_documents")
    conditions = tuple(_condition(child, name, most) for child in gate.children("/conditions"))
    needed = 2 if task.get("kind") == COMPOUND else 1
    if "kind" in task and len(conditions) != needed:
        expected = f"{name}: counts of {needed} condition{'s' if needed > 1 else ''}"
        gate.refuse("/conditions", "gate-counts", expected, f"conditions {len(conditions)}", _REMEDY)
    if len({condition.condition for condition in conditions}) < len(conditions):
        gate.refuse("/conditions", "gate-counts", f"{name}: each condition once", "one twice", _REMEDY)
    counts = EvidenceCounts(
        conditions,
        supporting=_count(gate, "supporting_documents", name),
        confirmed=_count(gate, "blind_supported_documents", name),
        contradicted=_count(gate, "blind_contradicted_documents", name),
    )
    if not CONFIRMED_NEEDED <= counts.supporting <= MOST_EVIDENCE:
        expected = f"{name}: {CONFIRMED_NEEDED} to {MOST_EVIDENCE} supporting documents"
        found = f"supporting_documents {counts.supporting}"
        gate.refuse("/supporting_documents", "gate-counts", expected, found, _REMEDY)
    if counts.confirmed + counts.contradicted > counts.supporting:
        gate.refuse(
            "/supporting_documents",
            "gate-counts",
            f"{name}: blind_supported_documents and blind_contradicted_documents within {counts.supporting}",
            f"{counts.confirmed} and {counts.contradicted} of supporting_documents {counts.supporting}",
            _REMEDY,
        )
    _check_supporting(gate, counts, name)
    return counts, read_support(gate, "/support_cap", name)


def _check_supporting(gate: Node, counts: EvidenceCounts, name: str) -> None:
    """Hold the supporting documents against the conditions: each is checked, and claimed positive in all of them."""
    for index, c in enumerate(counts.conditions):
        at, place = f"/conditions/{index}", f"{name}, {c.condition}"
        if c.claimed_positive_checked < counts.supporting:
            expected = f"{place}: claimed_positive_checked at least supporting_documents ({counts.supporting})"
            found = f"claimed_positive_checked {c.claimed_positive_checked}"
            gate.refuse(f"{at}/claimed_positive_checked", "gate-counts", expected, found, _REMEDY)
        kept = c.claimed_positive_checked - c.positive_contradictions
        if counts.confirmed > kept:
            expected = f"{place}: blind_supported_documents at most the {kept} claimed positives not contradicted"
            found = f"blind_supported_documents {counts.confirmed}"
            gate.refuse("/blind_supported_documents", "gate-counts", expected, found, _REMEDY)
    contradictions = sum(c.positive_contradictions for c in counts.conditions)
    if counts.contradicted > contradictions:
        expected = f"{name}: blind_contradicted_documents at most all positive_contradictions ({contradictions})"
        found = f"blind_contradicted_documents {counts.contradicted}"
        gate.refuse("/blind_contradicted_documents", "gate-counts", expected, found, _REMEDY)


def _condition(node: Node, name: str, documents: int | None) -> ConditionCounts:
    condition = node.text("/condition_id")
    counts = ConditionCounts(condition, *(_count(node, key, name) for key in COUNTS))
    for smaller, larger in (
        ("checker_unknown", "checked"),
        ("claimed_positive_checked", "checked"),
        ("known_compared", "checked"),
        ("disagreements", "known_compared"),
        ("positive_contradictions", "disagreements"),
        ("positive_contradictions", "claimed_positive_checked"),
    ):
        few, many = getattr(counts, smaller), getattr(counts, larger)
        if few > many:
            expected = f"{name}, {condition}: {smaller} at most {larger} ({many})"
            node.refuse(f"/{smaller}", "gate-counts", expected, f"{smaller} {few}", _REMEDY)
    if documents is not None and counts.checked > documents:
        expected = f"{name}, {condition}: checked at most the {documents} documents of the task"
        node.refuse("/checked", "gate-counts", expected, f"checked {counts.checked}", _REMEDY)
    if counts.known_compared + counts.checker_unknown > counts.checked:
        expected = f"{name}, {condition}: known_compared and checker_unknown within checked ({counts.checked})"
        found = f"known_compared {counts.known_compared} and checker_unknown {counts.checker_unknown}"
        node.refuse("/checked", "gate-counts", expected, found, _REMEDY)
    if counts.claimed_positive_checked > counts.known_compared + counts.checker_unknown:
        expected = f"{name}, {condition}: claimed_positive_checked within known_compared and checker_unknown"
        found = f"{counts.claimed_positive_checked} of {counts.known_compared} and {counts.checker_unknown}"
        told = f"claimed_positive_checked {found}"
        node.refuse("/claimed_positive_checked", "gate-counts", expected, told, _REMEDY)
    return counts


def _count(node: Node, key: str, name: str) -> int:
    value = node.whole(f"/{key}")
    if value < 0:
        node.refuse(f"/{key}", "gate-counts", f"{name}: a count", f"{key} {value}", _REMEDY)
    return value

"""A review held against its report's record, and its blind check against submission and corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tallystick.model import Computed, Stated
from tallystick.protocols._textinsight_audit import (
    LEAST_BUDGET,
    MOST_BUDGET,
    REMEDY,
    Assigned,
    counts,
    read_annotations,
    sample,
)
from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_gates import COUNTS
from tallystick.protocols._textinsight_records import Finding, Record
from tallystick.protocols._textinsight_scoring import DIMENSIONS, EvidenceCounts
from tallystick.strict import Node, describe

_STALE = "The review was made for something else: review again, then evaluate."
_ASSESSED = (
    "finding_id",
    "support",
    "task_fulfilled",
    "duplicate_of",
    "reference_match",
    "rationale",
    *DIMENSIONS,
)


def check_review(node: Node, record: Record, submitted: Sequence[str]) -> None:
    """Note a review that is bound to something else than its record, or does not assess each finding once."""
    expected = {"task_id": record.task, **record.binding, "reviewer_method": record.reviewer or ""}
    for field, value in expected.items():
        if node.text(f"/{field}") != value:
            told = f"{record.task}: {field} {value}, as the report states"
            node.refuse(f"/{field}", "review-stale", told, describe(node.get(f"/{field}")), _STALE)
    assessed = [child.text("/finding_id") for child in node.children("/findings")]
    if sorted(assessed) != sorted(submitted):
        told = f"{record.task}: each submitted finding assessed once ({', '.join(submitted) or 'there is none'})"
        node.refuse("/findings", "findings-assessed", told, ", ".join(assessed) or "none", _STALE)
    for child in node.children("/findings"):
        if set(child.value) != set(_ASSESSED):
            told = f"{record.task}/{child.text('/finding_id')}: exactly {', '.join(_ASSESSED)}"
            child.refuse("", "review-fields", told, ", ".join(child.value), _STALE)
        if not child.text("/rationale").strip():
            child.refuse("/rationale", "review-fields", f"{record.task}: a rationale", "none", _STALE)


def stated_of_review(node: Node, record: Record, path: str) -> Iterator[Stated]:
    """Yield what the record says that a reviewer said, against what the reviewer said."""
    reviews = {child.text("/finding_id"): child for child in node.children("/findings")}
    for finding in record.findings:
        review = reviews.get(finding.id)
        if review is None:
            continue
        for field, value in _assessed(finding).items():
            yield Stated(
                f"{path} {finding.at}/{field}",
                value,
                Computed(review.get(f"/{field}"), f"the review, {node.where}"),
                group="reviews",
                label=f"{field} of {finding.name}",
            )


def _assessed(finding: Finding) -> dict[str, float | str | bool | None]:
    return {
        "support": finding.support,
        "task_fulfilled": finding.fulfilled,
        "duplicate_of": finding.duplicate_of,
        "reference_match": finding.reference_match,
        "rationale": finding.rationale,
        **dict(zip(DIMENSIONS, finding.dimensions, strict=True)),
    }


def blind_check(
    review: Node, task: str, findings: Sequence[Assigned], corpus: Corpus, protocol: str | None
) -> dict[str, EvidenceCounts] | None:
    """Return the gate counts of each finding that follow from the texts; note what the blind check does wrong.

    `protocol` is the pinned hash of the checker's protocol, None where nobody pinned one.
    """
    node = review.child("/blind_check")
    stated = node.text("/protocol_sha256")
    if protocol is not None and stated != protocol:
        told = f"{task}: the evidence protocol {protocol}"
        node.refuse("/protocol_sha256", "audit-protocol", told, describe(stated), REMEDY)
    seed, budget = node.text("/seed"), node.whole("/budget")
    if not seed:
        node.refuse("/seed", "audit-seed", f"{task}: the seed of the sample", "none", REMEDY)
    if not LEAST_BUDGET <= budget <= MOST_BUDGET:
        told = f"{task}: a budget of {LEAST_BUDGET} to {MOST_BUDGET} documents"
        node.refuse("/budget", "audit-budget", told, str(budget), REMEDY)
        return None
    drawn = sample(task, findings, corpus, seed, budget)
    if drawn is None:
        told = f"{task}: quoted documents within half of the {budget} to check"
        node.refuse("/budget", "audit-evidence", told, "more", REMEDY)
        return None
    annotations = read_annotations(node, task, findings, drawn, corpus)
    _check_told(review, task, findings, drawn, corpus)
    return None if annotations is None else counts(findings, drawn, annotations, corpus)


def _check_told(review: Node, task: str, findings: Sequence[Assigned], drawn: Sequence[str], corpus: Corpus) -> None:
    """Hold what the review says of its sample against the sample itself."""
    if not review.has("/semantic_audit"):
        return
    node = review.child("/semantic_audit")
    quoted = {quote.document for item in findings for quote in item.finding.quotes}
    for field, value in (
        ("corpus_documents", len(corpus)),
        ("sample_documents", len(drawn)),
        ("participant_evidence_documents", len(quoted)),
    ):
        if node.whole(f"/{field}") != value:
            node.refuse(f"/{field}", "audit-told", f"{task}: {field} {value}", describe(node.get(f"/{field}")), REMEDY)
    if node.has("/document_ids") and sorted(node.texts("/document_ids")) != sorted(drawn):
        told = f"{task}: the {len(drawn)} documents drawn by the seed"
        node.refuse("/document_ids", "audit-sample", told, "others", REMEDY)


def stated_of_gates(derived: dict[str, EvidenceCounts], record: Record, path: str) -> Iterator[Stated]:
    """Yield every count of the record's gates against the count that follows from the texts."""
    for finding in record.findings:
        ours = derived.get(finding.id)
        if ours is None or finding.counts is None:
            continue
        at = f"{path} {finding.at}/evidence_gate"
        documents = (
            ("supporting_documents", finding.counts.supporting, ours.supporting),
            ("blind_supported_documents", finding.counts.confirmed, ours.confirmed),
            ("blind_contradicted_documents", finding.counts.contradicted, ours.contradicted),
        )
        for field, stated, value in documents:
            yield _stated_count(f"{at}/{field}", stated, value, f"{field} of {finding.name}")
        by_condition = {item.condition: item for item in ours.conditions}
        for index, item in enumerate(finding.counts.conditions):
            own = by_condition.get(item.condition)
            for field in COUNTS:
                label = f"{field} of {finding.name}, {item.condition}"
                derived_count = None if own is None else getattr(own, field)
                yield _stated_count(f"{at}/conditions/{index}/{field}", getattr(item, field), derived_count, label)


def _stated_count(where: str, stated: int, value: int | None, label: str) -> Stated:
    rule = "the blind check against the assignments"
    return Stated(where, stated, Computed(value, rule), group="texts", label=label)

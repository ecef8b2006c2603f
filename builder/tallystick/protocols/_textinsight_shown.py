"""What pages show of a task record, in plain values: nothing here is a problem or a number to reconcile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.protocols._textinsight_gates import COUNTS
from tallystick.protocols._textinsight_records import Finding, Record
from tallystick.protocols._textinsight_scoring import DIMENSIONS, SUPPORTS


def shown(record: Record) -> Mapping[str, Any]:
    """Return what pages show of a record, in plain values."""
    return {
        "status": record.status,
        "error": record.error,
        "quality": record.quality,
        "reference_coverage": record.coverage,
        "submission_sha256": record.binding.get("submission_sha256"),
        "findings": tuple(_shown_finding(finding) for finding in record.findings),
    }


def _shown_finding(finding: Finding) -> Mapping[str, Any]:
    return {
        "id": finding.id,
        "score": finding.score,
        "support": finding.support,
        "effective_support": finding.effective,
        "task_fulfilled": finding.fulfilled,
        "duplicate_of": finding.duplicate_of,
        "earns_nothing": finding.earns_nothing,
        "dimensions": dict(zip(DIMENSIONS, finding.dimensions, strict=True)),
        "rationale": finding.rationale,
        "rationale_length": len(finding.rationale),
        "gate": _shown_gate(finding),
    }


def _shown_gate(finding: Finding) -> Mapping[str, Any] | None:
    if finding.counts is None or finding.allowed is None:
        return None
    return {
        "cap": finding.allowed.support,
        "rule": finding.allowed.rule,
        "capped": SUPPORTS.index(finding.allowed.support) < SUPPORTS.index(finding.support),
        "supporting_documents": finding.counts.supporting,
        "confirmed_documents": finding.counts.confirmed,
        "contradicted_documents": finding.counts.contradicted,
        "conditions": tuple(
            {"condition": counts.condition, **{key: getattr(counts, key) for key in COUNTS}}
            for counts in finding.counts.conditions
        ),
    }

"""The metrics of FAR's evaluator, in the shape of benchmark.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BASE = (
    "answer_correctness",
    "answer_exact_match",
    "unsupported_claim_rate",
    "evidence_precision",
    "evidence_recall",
    "counter_evidence_recall",
    "conflict_detected",
    "typed_conflict_correct",
    "revision_action_correct",
    "revision_accuracy",
    "overclaim_reduction",
)
"""Means that every layout of the rows holds."""

REVISION = ("revision_delta_precision", "revision_delta_recall", "revision_delta_f1", "typed_revision_delta_f1")
"""Means of the revision-delta profile only."""

_DESCRIBED: Mapping[str, tuple[str, str]] = {
    "typed_conflict_f1": ("Typed conflict F1", "Micro F1 of predicted against gold conflict types."),
    "conflict_presence_f1": ("Conflict presence F1", "Micro F1 of seeing that there is a conflict."),
    "answer_correctness": ("Answer correctness", "Mixed Chinese and English soft F1 against the revised answer."),
    "answer_exact_match": ("Exact match", "The answer equals the revised answer after normalisation."),
    "unsupported_claim_rate": ("Unsupported claims", "Claims without any retrieved gold or counter-evidence document."),
    "evidence_precision": ("Evidence precision", "Share of the retrieved documents that are relevant."),
    "evidence_recall": ("Evidence recall", "Share of the relevant documents that were retrieved."),
    "counter_evidence_recall": ("Counter-evidence recall", "Share of the falsifying documents that were retrieved."),
    "conflict_detected": ("Conflict detected", "A conflict is predicted exactly when there is one."),
    "typed_conflict_correct": ("Conflict type", "The gold type is among the predicted ones."),
    "revision_action_correct": ("Revision action", "The expected revision action was chosen."),
    "revision_accuracy": ("Revision accuracy", "Right action and soft F1 of at least 0.8."),
    "overclaim_reduction": ("Overclaim reduction", "Unsupported causal words or wrong numbers removed, where defined."),
    "revision_delta_precision": ("Revision delta precision", "Share of the token edits made that were wanted."),
    "revision_delta_recall": ("Revision delta recall", "Share of the wanted token edits that were made."),
    "revision_delta_f1": ("Revision delta F1", "F1 of the token edits made against those wanted."),
    "typed_revision_delta_f1": ("Typed revision delta F1", "Revision delta F1, 0 without the right action."),
}
BINARY = frozenset(
    {
        "answer_exact_match",
        "conflict_detected",
        "typed_conflict_correct",
        "revision_action_correct",
        "revision_accuracy",
    }
)
"""Means of 0 and 1, on which exact tests are allowed."""


def described() -> list[dict[str, Any]]:
    """Return every metric as benchmark.yaml would declare it, the primary one first."""
    return [_declared(metric, title, description) for metric, (title, description) in _DESCRIBED.items()]


def _declared(metric: str, title: str, description: str) -> dict[str, Any]:
    mean = metric in BASE or metric in REVISION
    fields = {"value": metric} if mean else {name: name for name in ("true_positives", "predicted", "gold")}
    return {
        "id": metric,
        "title": title,
        "description": description,
        "kind": "mean" if mean else "micro_f1",
        "fields": fields,
        "direction": "lower" if metric == "unsupported_claim_rate" else "higher",
        "binary": metric in BINARY,
    }

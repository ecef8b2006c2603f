"""What must be said beside a TextInsight score: the judge's model, its input budget, the size of its audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tallystick.model import Bundle
from tallystick.strict import Node, describe, json_object

INPUT_BUDGET = "Input budget (characters)"
AUDIT_SIZE = "Audit size (documents)"
AUDIT_SEED = "Audit seed"
EVIDENCE_PROTOCOL = "Evidence protocol"
JUDGE_MODEL = "Judge model"
NOT_STATED = "not stated"
BESIDE = (JUDGE_MODEL, INPUT_BUDGET, AUDIT_SIZE)
"""What must be shown next to every score."""

MODEL_BASED = (
    "These scores come from a model and have evaluator error; that other models agree with it is no certified ground"
    " truth."
)
NO_REFERENCES = (
    "Reference coverage is null: the tasks have no fixed reference conclusions that could be covered, so it says"
    " nothing about a method, and a novel supported finding loses nothing for matching none."
)
_LABELS = {
    "model": JUDGE_MODEL,
    "max_input_chars": INPUT_BUDGET,
    "max_output_tokens": "Output budget (tokens)",
    "audit_documents": AUDIT_SIZE,
    "audit_seed": AUDIT_SEED,
    "evidence_protocol_sha256": EVIDENCE_PROTOCOL,
}
_REMEDY = "Bring the configuration that this report was judged with."


def judge_settings(bundle: Bundle, node: Node) -> Mapping[str, str]:
    """Return the judge's settings by label where they lie beside the report, held against the report."""
    blob = bundle.parts.get("judge_config")
    if blob is None:
        return {}
    judge = Node(json_object(blob.content, blob.path), blob.path, node.problems)
    for field in ("tasks_sha256", "reference_sha256", "difficulty"):
        if judge.has(f"/{field}") and judge.get(f"/{field}") != node.get(f"/{field}"):
            expected = f"the report's {field}, {node.get(f'/{field}')}"
            judge.refuse(f"/{field}", "judge-foreign", expected, describe(judge.get(f"/{field}")), _REMEDY)
    reviewer = f"{judge.text('/base_url')} / {judge.text('/model')}"
    listed = node.texts("/reviewer_methods")
    if listed and reviewer not in listed:
        judge.refuse("/model", "judge-foreign", f"the reviewer {listed[0]}", reviewer, _REMEDY)
    return {label: str(judge.get(f"/{field}")) for field, label in _LABELS.items() if judge.has(f"/{field}")}


def provenance(node: Node, judge: Mapping[str, str]) -> Mapping[str, str]:
    """Return what is shown beside the scores, label by label."""
    reviewers = node.texts("/reviewer_methods")
    told: dict[str, Any] = {
        "Scoring version": node.get("/scoring_version"),
        "Difficulty": node.get("/difficulty"),
        "Benchmark version": node.get("/benchmark_version"),
        "Task list": node.get("/tasks_sha256"),
        "References": node.get("/reference_sha256"),
        "Reviewer": ", ".join(reviewers) or "none",
        JUDGE_MODEL: reviewers[0].rpartition(" / ")[2] if reviewers else "none",
        INPUT_BUDGET: NOT_STATED,
        AUDIT_SIZE: NOT_STATED,
        "Track": node.get("/run/track"),
        "Time limit (seconds)": node.get("/run/timeout_seconds"),
    }
    told.update(judge)
    return {label: str(value) for label, value in told.items() if value is not None}


def beside(told: Mapping[str, str]) -> Mapping[str, str]:
    """Return what of the provenance must be shown next to every score."""
    return {label: told[label] for label in BESIDE if label in told}


def notes(coverages: Iterable[float | None]) -> tuple[str, ...]:
    """Return what must be said wherever the scores are shown."""
    return (MODEL_BASED,) if any(value is not None for value in coverages) else (MODEL_BASED, NO_REFERENCES)

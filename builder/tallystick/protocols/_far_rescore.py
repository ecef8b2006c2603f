"""Score a FAR prediction against its gold sample: the seed's definitions, or `UNDETERMINED` where they are not known.

A definition was taken only as far as the real reports determine it. Where a row falls outside of that (several claims,
a wording on which the readings disagree) its value is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tallystick.protocols._far_text import edit_overlap, normal, soft_f1

UNDETERMINED: Final = "undetermined"
"""In place of a value: the seed's definition of it is not known well enough for this row."""

Value = float | bool | int | str | None

_CAUSAL = "导致|造成|引起|caus(?:e|ed|es)|leads? to|results? in"
# Words that no real report confirms or excludes as marks of a causal claim: where one would decide, nothing is said.
_PERHAPS_CAUSAL = (
    "使得|促使|致使|带来|决定|源于|所以|由于|完全由|because|due to|led to|result(?:ed)? in|owing|driv|trigger|thus|"
    "caus|produc|therefore|hence|affect|impact"
)
_CAUSAL_READINGS = (re.compile(_CAUSAL), re.compile(f"{_CAUSAL}|{_PERHAPS_CAUSAL}"))
_NUMBER_READINGS = (
    re.compile(r"\b\d+(?:\.\d+)?[%％亿万]?"),
    re.compile(r"(?<!\w)\d+(?:[.,]\d+)*\s*[%％亿万]?"),
)


def rescore(prediction: Mapping[str, Any], gold: Mapping[str, Any]) -> dict[str, Value]:
    """Return every metric of the row that FAR's evaluator writes for this prediction.

    Raises KeyError or TypeError where gold or prediction lack what the definitions speak of.
    """
    answer, reference, initial = (
        prediction["answer"],
        gold["expected_revision"]["revised_answer"],
        gold["initial_answer"],
    )
    correctness = soft_f1(answer, reference)
    action = prediction["revision_action"] == gold["expected_revision"]["action"]
    precision, recall, delta = edit_overlap(initial, answer, reference)
    return {
        "answer_correctness": correctness,
        "answer_exact_match": float(normal(answer) == normal(reference)),
        **_evidence(prediction, gold),
        **_conflict(prediction, gold),
        "revision_action_correct": float(action),
        "revision_accuracy": float(action and correctness >= 0.8),
        "overclaim_reduction": _overclaim(gold["category"], initial, answer, reference),
        "revision_delta_precision": precision,
        "revision_delta_recall": recall,
        "revision_delta_f1": delta,
        "typed_revision_delta_f1": delta if action else 0.0,
    }


def _evidence(prediction: Mapping[str, Any], gold: Mapping[str, Any]) -> dict[str, Value]:
    """Overlap of document ids. How several claims would share an unsupported rate is not known from any report."""
    found = set(prediction["evidence_ids"])
    against = {item["doc_id"] for item in gold["counter_evidence"]}
    relevant = against | {item["doc_id"] for item in gold["gold_evidence"]}
    hits = len(found & relevant)
    return {
        "evidence_precision": hits / len(found) if found else 0.0,
        "evidence_recall": hits / len(relevant) if relevant else 1.0,
        "counter_evidence_recall": len(found & against) / len(against) if against else 1.0,
        "unsupported_claim_rate": float(not hits) if len(gold["claims"]) == 1 else UNDETERMINED,
    }


def _conflict(prediction: Mapping[str, Any], gold: Mapping[str, Any]) -> dict[str, Value]:
    """Presence and type; a gold type of "conflict" says that there is one, not which: no typed outcome then."""
    types = set(prediction["predicted_conflict_types"])
    present = gold["conflict_type"] != "no_conflict"
    typed: float | None = float(gold["conflict_type"] in types if present else not types)
    return {
        "conflict_detected": float(bool(types) == present),
        "typed_conflict_correct": None if gold["conflict_type"] == "conflict" else typed,
        "predicted_conflict_count": len(types),
        "gold_conflict_present": present,
    }


def _overclaim(category: str, initial: str, answer: str, reference: str) -> Value:
    """Defined for two categories, where the initial answer has words (or numbers) that the reference avoids."""
    if category == "causal_overclaim":
        readings = {_words_removed(pattern, initial, answer, reference) for pattern in _CAUSAL_READINGS}
    elif category == "numerical_conflict":
        readings = {_numbers_removed(pattern, initial, answer, reference) for pattern in _NUMBER_READINGS}
    else:
        return None
    return readings.pop() if len(readings) == 1 else UNDETERMINED


def _words_removed(pattern: re.Pattern[str], initial: str, answer: str, reference: str) -> Value:
    """1 where the answer has none of the words."""
    before, after, wanted = (bool(pattern.search(text.lower())) for text in (initial, answer, reference))
    return float(not after) if before and not wanted else None


def _numbers_removed(pattern: re.Pattern[str], initial: str, answer: str, reference: str) -> Value:
    """1 where no number of the answer is foreign to the reference; a part of them gone is not determined."""
    wanted = set(pattern.findall(reference))
    before, after = (len(set(pattern.findall(text)) - wanted) for text in (initial, answer))
    if not before:
        return None
    return float(not after) if not 0 < after < before else UNDETERMINED

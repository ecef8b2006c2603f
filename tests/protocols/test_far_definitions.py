"""FAR's definitions on small texts of our own: what each rule says where it could be read two ways."""

from __future__ import annotations

from typing import Any

import pytest

from tallystick.protocols._far_rescore import UNDETERMINED, rescore
from tallystick.protocols._far_text import contains_words, edit_overlap, normal, soft_f1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat, a dog!", "cat dog"),
        ("3.5% of them", "3 5 of them"),
        ("co-operative", "co operative"),
        ("An  apple\n and the pear", "apple and pear"),
        ("ÄHRE", "ähre"),
    ],
)
def test_normalisation(text: str, expected: str) -> None:
    assert normal(text) == expected


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("It opened in 1999.", "It opened in 1998.", 0.75),
        ("they say it opened in 1998 or so", "It opened in 1998.", 1.0),  # contained
        ("Paris", "Rome", 0.0),
        ("", "Rome", 0.0),
        ("水库已关闭", "水库未关闭", 0.5),  # two of four pairs
        ("白", "白马", 0.0),  # a lone character is no pair
        ("cat cat dog", "cat bird", 0.4),  # counted, not a set
    ],
)
def test_soft_f1(answer: str, reference: str, expected: float) -> None:
    assert soft_f1(answer, reference) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("red house", "red house", (1.0, 1.0, 1.0)),  # nothing wanted, nothing done
        ("blue house", "red house", (0.0, 1.0, 0.0)),  # nothing wanted, something done
        ("red house", "red barn", (0.0, 0.0, 0.0)),  # something wanted, nothing done
        ("blue barn", "red barn", (0.5, 1.0, 2 / 3)),
    ],
)
def test_edits_against_wanted_ones(answer: str, reference: str, expected: tuple[float, float, float]) -> None:
    assert edit_overlap("red house", answer, reference) == pytest.approx(expected, rel=1e-15)


def test_a_phrase_is_found_by_whole_words() -> None:
    assert contains_words("Born in the York area.", "York")
    assert not contains_words("Born in Yorkshire.", "York")
    assert contains_words("3,559 people", "3 559 People!")


def gold(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    sample = {
        "category": "temporal_shift",
        "conflict_type": "temporal",
        "claims": [{"claim_id": "C1"}],
        "gold_evidence": [{"doc_id": "D1"}],
        "counter_evidence": [{"doc_id": "D2"}],
        "initial_answer": "It opened in 1998.",
        "expected_revision": {"action": "correct_temporal", "revised_answer": "It opened in 1999."},
    }
    return sample | changes


def prediction(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    answered = {
        "answer": "It opened in 1999.",
        "evidence_ids": ["D1", "D9", "D9"],
        "predicted_conflict_types": ["temporal", "temporal"],
        "revision_action": "correct_temporal",
    }
    return answered | changes


def test_a_right_prediction() -> None:
    row = rescore(prediction(), gold())
    assert row["evidence_precision"] == 0.5
    assert row["evidence_recall"] == 0.5
    assert row["counter_evidence_recall"] == 0.0
    assert row["unsupported_claim_rate"] == 0.0
    assert row["predicted_conflict_count"] == 1
    assert row["typed_conflict_correct"] == row["conflict_detected"] == row["revision_accuracy"] == 1.0
    assert row["overclaim_reduction"] is None
    assert row["typed_revision_delta_f1"] == 1.0


def test_without_relevant_documents() -> None:
    row = rescore(prediction(), gold(gold_evidence=[], counter_evidence=[]))
    assert row["evidence_recall"] == row["counter_evidence_recall"] == 1.0
    assert row["evidence_precision"] == 0.0
    assert row["unsupported_claim_rate"] == 1.0


@pytest.mark.parametrize(
    ("gold_type", "predicted", "detected", "typed"),
    [
        ("no_conflict", [], 1.0, 1.0),
        ("no_conflict", ["causal"], 0.0, 0.0),
        ("conflict", ["causal"], 1.0, None),
        ("conflict", [], 0.0, None),
        ("causal", ["temporal"], 1.0, 0.0),
        ("causal", ["temporal", "causal"], 1.0, 1.0),
    ],
)
def test_presence_and_type(gold_type: str, predicted: list[str], detected: float, typed: float | None) -> None:
    row = rescore(prediction(predicted_conflict_types=predicted), gold(conflict_type=gold_type))
    assert (row["conflict_detected"], row["typed_conflict_correct"]) == (detected, typed)


@pytest.mark.parametrize(
    ("category", "initial", "answer", "reference", "expected"),
    [
        ("causal_overclaim", "Rain caused it.", "Rain goes with it.", "Rain is seen with it.", 1.0),
        ("causal_overclaim", "Rain caused it.", "Rain leads to it.", "Rain is seen with it.", 0.0),
        ("causal_overclaim", "Rain caused it.", "No.", "Rain is no proven cause.", None),
        ("causal_overclaim", "Rain is seen.", "No.", "Rain is seen.", None),
        ("causal_overclaim", "Rain caused it.", "It came due to rain.", "Rain is seen with it.", UNDETERMINED),
        ("numerical_conflict", "It was 4.2%.", "It was 8.3%.", "It was 8.3%.", 1.0),
        ("numerical_conflict", "It was 4.2%.", "It was 4.2%.", "It was 8.3%.", 0.0),
        ("numerical_conflict", "It was 4.2%.", "Unknown.", "It was 8.3%.", 1.0),
        ("numerical_conflict", "It was 8.3%.", "It was 9%.", "It was 8.3%.", None),
        ("numerical_conflict", "It was 1 or 2.", "It was 2.", "It was 3.", UNDETERMINED),
    ],
)
def test_overclaims(category: str, initial: str, answer: str, reference: str, expected: object) -> None:
    revision = {"action": "keep", "revised_answer": reference}
    row = rescore(
        prediction(answer=answer), gold(category=category, initial_answer=initial, expected_revision=revision)
    )
    assert row["overclaim_reduction"] == expected


def test_several_claims_leave_the_unsupported_rate_open() -> None:
    assert rescore(prediction(), gold(claims=[{}, {}]))["unsupported_claim_rate"] == UNDETERMINED

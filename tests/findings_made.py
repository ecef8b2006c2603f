"""A made-up board one of whose methods has findings, as a protocol hands them on: every part of a record, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import synthetic
from tallystick.board import Board


def finding(text: Callable[[str], str], **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - plain values
    said = {
        "claim": text("Hinges crack in winter."),
        "scope": text("All reviews."),
        "limitations": (text("One shop only."),),
        "population": {
            "corpus": 1800,
            "documents": 1520,
            "filters": ({"field": text("rating"), "op": "in", "value": (1, 2)},),
        },
        "comparison": {"field": text("rating"), "groups": ((1, 2), (4, 5))},
        "conditions": (
            {
                "condition": text("crack"),
                "inclusion": text("It cracked."),
                "exclusion": text("It may crack."),
                "positive": 69,
                "negative": 74,
                "unknown": 9,
            },
        ),
        "statistics": {
            "group0_total_n": 62,
            "delta_known_pp": -26.5,
            "delta_identification_lower_pp": -30.4,
            "lift": None,
        },
        "robustness": {text("rating"): {"strata_n": 5, "standardized_delta_pp": None}},
        "quotes": (
            {
                "document": text("doc-1"),
                "role": "supporting",
                "start": 1058,
                "end": 1087,
                "before": text("It was new. "),
                "quote": text("The hinge cracked."),
                "after": text(" I sent it back."),
                "cut_before": True,
                "cut_after": False,
            },
        ),
    }
    judged = {
        "id": text("f1"),
        "score": 41.75,
        "support": "supported",
        "effective_support": "partial",
        "task_fulfilled": True,
        "duplicate_of": None,
        "earns_nothing": None,
        "dimensions": {"statistical_validity": 0.8, "calibration": 0.75},
        "rationale": text("The counts hold."),
        "gate": {
            "cap": "partial",
            "rule": text("crack: 27 of 153 assignments disagree, more than a tenth"),
            "capped": True,
            "supporting_documents": 4,
            "confirmed_documents": 3,
            "contradicted_documents": 1,
            "conditions": ({"condition": text("crack"), "checked": 160, "disagreements": 27},),
        },
        "submitted": said,
    }
    return judged | changes


def board(text: Callable[[str], str] = synthetic.same, depth: str = "texts", **changes: Any) -> Board:  # noqa: ANN401
    made = synthetic.board(text=text)
    records = {
        "sample-000": {
            "status": "scored",
            "error": "",
            "quality": 41.75,
            "findings": (finding(text, **changes),),
            "depth": depth,
            "faults": (),
        },
        "sample-001": {
            "status": "invalid",
            "error": text("no quote"),
            "faults": (text("f1: no quote"),),
            "depth": depth,
        },
        "sample-002": {"status": "abstained", "error": "", "findings": ()},
    }
    entries = tuple(
        replace(entry, report=replace(entry.report, records=records, depth=depth)) if entry.method == "far" else entry
        for entry in made.entries
    )
    return replace(made, entries=entries)

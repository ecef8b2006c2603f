"""What pages tell of a submitted finding: claim, scope, statistics, robustness and quotes in their context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_partition import NEGATIVE, POSITIVE, UNKNOWN, State, is_state
from tallystick.protocols._textinsight_scope import Scope
from tallystick.protocols._textinsight_statistics import AXES, Numbers
from tallystick.protocols._textinsight_submission import Quote, Submitted

AROUND = 160
"""How many code points of a text are shown on either side of a quote."""


def told(
    finding: Submitted, scope: Scope, states: tuple[State, ...], numbers: Numbers, corpus: Corpus
) -> Mapping[str, Any]:
    """Return a finding's own words and the numbers that follow from them, in plain values.

    `statistics` are all but the robustness ones, which `robustness` holds by axis.
    """
    return {
        "claim": finding.claim,
        "scope": finding.scope,
        "limitations": finding.limitations,
        "population": {
            "filters": tuple(finding.node.get("/population/filters") or ()),
            "documents": int(scope.population.sum()),
            "corpus": len(corpus),
        },
        "comparison": finding.node.get("/comparison"),
        "conditions": tuple(
            {
                "condition": definition.id,
                "inclusion": definition.inclusion,
                "exclusion": definition.exclusion,
                **{
                    word: int(is_state(state, number).sum())
                    for word, number in (("positive", POSITIVE), ("negative", NEGATIVE), ("unknown", UNKNOWN))
                },
            }
            for definition, state in zip(finding.definitions, states, strict=True)
        ),
        "statistics": {key: value for key, value in numbers.items() if not key.startswith("robustness_")},
        "robustness": _robustness(numbers),
        "quotes": tuple(_in_context(quote, corpus) for quote in finding.quotes if quote.document in corpus.index),
    }


def _robustness(numbers: Numbers) -> Mapping[str, Mapping[str, float | None]]:
    found: dict[str, Mapping[str, float | None]] = {}
    for axis in AXES:
        prefix = f"robustness_{axis}_"
        own = {key.removeprefix(prefix): value for key, value in numbers.items() if key.startswith(prefix)}
        if own:
            found[axis] = own
    return found


def _in_context(quote: Quote, corpus: Corpus) -> Mapping[str, Any]:
    text = corpus.text(quote.document)
    return {
        "document": quote.document,
        "role": quote.role,
        "start": quote.start,
        "end": quote.end,
        "before": text[max(0, quote.start - AROUND) : quote.start],
        "quote": text[quote.start : quote.end],
        "after": text[quote.end : quote.end + AROUND],
        "cut_before": quote.start > AROUND,
        "cut_after": len(text) > quote.end + AROUND,
    }

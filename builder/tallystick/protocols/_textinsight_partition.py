"""A finding's assignments as columns: every document of the population in exactly one state of each condition."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tallystick.model import BoolArray, IntArray
from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_scope import Scope
from tallystick.protocols._textinsight_submission import REMEDY, STATES, Definition, Submitted

State: TypeAlias = npt.NDArray[np.int8]
OUTSIDE, POSITIVE, NEGATIVE, UNKNOWN = range(4)
"""A document's state: outside the population, or one of `STATES` in their order."""

SHOWN = 3


def partition(finding: Submitted, scope: Scope, corpus: Corpus) -> tuple[State, ...] | None:
    """Return the state (n,) of each document by condition; None where an assignment is no partition."""
    before = len(finding.node.problems)
    states = tuple(_states(finding, definition, scope, corpus) for definition in finding.definitions)
    return states if len(finding.node.problems) == before else None


def _states(finding: Submitted, definition: Definition, scope: Scope, corpus: Corpus) -> State:
    state = np.zeros(len(corpus), dtype=np.int8)
    times = np.zeros(len(corpus), dtype=np.int64)
    for number, word in enumerate(STATES, start=1):
        documents = definition.documents[word]
        positions = corpus.positions(documents)
        if (positions < 0).any():
            strange = [documents[int(index)] for index in np.flatnonzero(positions < 0)]
            _refuse(finding, definition, f"/{word}_doc_ids", "documents of the corpus", "unknown", strange)
            positions = positions[positions >= 0]
        state[positions] = number
        times += np.bincount(positions, minlength=len(corpus))
    doubled = np.flatnonzero(times > 1)
    outside = np.flatnonzero((times > 0) & ~scope.population)
    absent = np.flatnonzero((times == 0) & scope.population)
    for found, expected, what in (
        (doubled, "each document in one state, once", "more than once"),
        (outside, "documents of the population only", "outside it"),
        (absent, "every document of the population", "in no state"),
    ):
        if len(found):
            _refuse(finding, definition, "", expected, what, _names(corpus, found))
    return state


def _names(corpus: Corpus, positions: IntArray) -> list[str]:
    return [corpus.ids[index] for index in positions]


def _refuse(
    finding: Submitted, definition: Definition, field: str, expected: str, what: str, documents: list[str]
) -> None:
    codes = {"unknown": "partition-strange", "more than once": "partition-overlap", "outside it": "partition-outside"}
    shown = ", ".join(documents[:SHOWN]) + (", …" if len(documents) > SHOWN else "")
    where = f"{definition.at}{field}".removeprefix(finding.node.at)
    told = f"{finding.name}, {definition.id}: {expected}"
    finding.node.refuse(
        where, codes.get(what, "partition-incomplete"), told, f"{len(documents)} {what}: {shown}", REMEDY
    )


def is_state(states: State, state: int) -> BoolArray:
    """Return which documents are in a state."""
    return np.equal(states, state)

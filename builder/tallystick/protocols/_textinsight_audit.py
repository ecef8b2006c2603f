"""The blind evidence check: its sample rebuilt from its seed, its annotations held against the texts, its counts.

The sample is no uniform one: all quoted documents, some of each state of each condition, then the corpus at large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tallystick.model import IntArray
from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_partition import NEGATIVE, OUTSIDE, POSITIVE, UNKNOWN, State
from tallystick.protocols._textinsight_scoring import ConditionCounts, EvidenceCounts
from tallystick.protocols._textinsight_submission import STATES, Submitted
from tallystick.strict import Node, describe

LEAST_BUDGET, MOST_BUDGET = 60, 2000
REMEDY = "The blind check belongs to another sample, submission or corpus: check again, then review."
_STATE = {word: number for number, word in enumerate(STATES, start=1)}
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Assigned:
    """A finding with its documents in columns: one state array for each condition."""

    finding: Submitted
    states: tuple[State, ...]


Annotations = Mapping[str, tuple[int, ...]]
"""The checker's state of each condition, in the order of findings and definitions, by document."""


def sample(task: str, findings: Sequence[Assigned], corpus: Corpus, seed: str, budget: int) -> tuple[str, ...] | None:
    """Return the ids of the documents to check, in the order of the corpus; None where quotes leave no room."""
    quoted = {quote.document for item in findings for quote in item.finding.quotes}
    if len(quoted) > budget // 2:
        return None
    chosen = np.zeros(len(corpus), dtype=np.bool_)
    chosen[corpus.positions(sorted(quoted))] = True
    cells = [
        (f"{item.finding.id}/{definition.id}/{word}", np.flatnonzero(state == _STATE[word]))
        for item in findings
        for definition, state in zip(item.finding.definitions, item.states, strict=True)
        for word in STATES
    ]
    filled = [(key, members) for key, members in cells if len(members)]
    quota = max(1, (budget - len(quoted)) // (2 * max(1, len(filled))))
    for key, members in filled:
        chosen[first_by_rank(corpus, members, seed, key, quota)] = True
    room = max(0, budget - int(np.count_nonzero(chosen)))
    chosen[first_by_rank(corpus, np.flatnonzero(~chosen), seed, task, room)] = True
    return tuple(corpus.ids[position] for position in np.flatnonzero(chosen))


def first_by_rank(corpus: Corpus, members: IntArray, seed: str, key: str, count: int) -> IntArray:
    """Return the `count` members whose SHA-256 of seed, key and id, parted by zero bytes, comes first."""
    if count >= len(members):
        return members
    start = f"{seed}\0{key}\0".encode()
    ids = corpus.ids
    digests = b"".join([hashlib.sha256(start + ids[member].encode()).digest() for member in members])
    order = np.frombuffer(digests, dtype=">u8").reshape(-1, 4)
    lead = np.argpartition(order[:, 0], count - 1)[:count] if count else np.empty(0, dtype=np.int64)
    last = order[lead, 0].max() if count else 0
    near = np.flatnonzero(order[:, 0] <= last)  # equal leading bytes are settled by the whole digest
    ranked = near[np.lexsort(tuple(order[near, column] for column in (3, 2, 1, 0)))]
    return members[ranked[:count]]


def read_annotations(
    node: Node, task: str, findings: Sequence[Assigned], expected: Sequence[str], corpus: Corpus
) -> Annotations | None:
    """Return the checker's states; note every annotation that is not of the sample, its conditions or its text."""
    before = len(node.problems)
    conditions = sum(len(item.states) for item in findings)
    found: dict[str, tuple[int, ...]] = {}
    for child in node.children("/annotations"):
        document = child.text("/doc_id")
        if document in found:
            child.refuse("/doc_id", "audit-doubled", f"{task}, {document}: annotated once", "a second time", REMEDY)
        found[document] = _annotation(child, f"{task}, {document}", conditions, document, corpus)
    wrong = set(expected) ^ found.keys()
    if wrong:
        absent, strange = sorted(set(expected) - found.keys()), sorted(found.keys() - set(expected))
        told = f"{task}: exactly the {len(expected)} documents drawn by the seed"
        parts = [f"{len(names)} {what}: {_some(names)}" for names, what in ((absent, "absent"), (strange, "too many"))]
        shown = "; ".join(part for part, names in zip(parts, (absent, strange), strict=True) if names)
        node.refuse("/annotations", "audit-sample", told, shown, REMEDY)
    return found if len(node.problems) == before else None


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _annotation(node: Node, name: str, conditions: int, document: str, corpus: Corpus) -> tuple[int, ...]:
    states, quotes = node.texts("/states"), node.texts("/quotes")
    if set(node.value) != {"doc_id", "states", "quotes"}:
        told = ", ".join(sorted(node.value))
        node.refuse("", "audit-fields", f"{name}: exactly doc_id, states and quotes", told, REMEDY)
    if not len(states) == len(quotes) == conditions:
        told = f"{len(states)} states and {len(quotes)} quotes"
        node.refuse("/states", "audit-fields", f"{name}: a state and a quote for {conditions} conditions", told, REMEDY)
    if strange := [state for state in states if state not in _STATE]:
        node.refuse("/states", "audit-state", f"{name}: one of {', '.join(STATES)}", describe(strange[0]), REMEDY)
    text = corpus.text(document) if document in corpus.index else ""
    for index, (state, quote) in enumerate(zip(states, quotes, strict=False)):
        if state == "positive" and not quote:
            expected = f"{name}: a quote for the positive state of condition {index + 1}"
            node.refuse(f"/quotes/{index}", "audit-quote", expected, "none", REMEDY)
        elif quote and quote not in text:
            expected = f"{name}: a quote from the text for condition {index + 1}"
            node.refuse(f"/quotes/{index}", "audit-quote", expected, describe(quote), REMEDY)
    return tuple(_STATE.get(state, UNKNOWN) for state in states)


def counts(
    findings: Sequence[Assigned], documents: Iterable[str], annotations: Annotations, corpus: Corpus
) -> dict[str, EvidenceCounts]:
    """Return the counts of each finding's gate, by finding: what was assigned against what was seen blind."""
    sampled = list(documents)
    places = corpus.positions(sampled)
    seen = np.array([annotations[document] for document in sampled], dtype=np.int8).reshape(len(sampled), -1)
    result: dict[str, EvidenceCounts] = {}
    offset = 0
    for item in findings:
        columns = range(offset, offset + len(item.states))
        conditions = tuple(
            _condition(definition.id, state[places], seen[:, column])
            for definition, state, column in zip(item.finding.definitions, item.states, columns, strict=True)
        )
        supporting = {quote.document for quote in item.finding.quotes if quote.role == "supporting"}
        judged = [annotations[document][offset : offset + len(item.states)] for document in supporting]
        confirmed = sum(all(state == POSITIVE for state in states) for states in judged)
        contradicted = sum(NEGATIVE in states for states in judged)
        result[item.finding.id] = EvidenceCounts(conditions, len(supporting), confirmed, contradicted)
        offset += len(item.states)
    return result


def _condition(name: str, claimed: State, seen: State) -> ConditionCounts:
    compared = claimed != OUTSIDE
    positive = claimed == POSITIVE
    known = compared & (claimed != UNKNOWN) & (seen != UNKNOWN)

    def count(documents: np.ndarray) -> int:
        return int(np.count_nonzero(documents))

    return ConditionCounts(
        condition=name,
        checked=count(compared),
        known_compared=count(known),
        disagreements=count(known & (claimed != seen)),
        claimed_positive_checked=count(positive),
        positive_contradictions=count(positive & (seen == NEGATIVE)),
        checker_unknown=count(compared & (seen == UNKNOWN)),
    )

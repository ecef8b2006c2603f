"""A finding's quotes: exact spans in Unicode code points, enough of them, and from documents that bear them out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tallystick.model import BoolArray
from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_gates import MOST_EVIDENCE
from tallystick.protocols._textinsight_partition import NEGATIVE, POSITIVE, State, is_state
from tallystick.protocols._textinsight_scope import Scope
from tallystick.protocols._textinsight_scoring import CONFIRMED_NEEDED
from tallystick.protocols._textinsight_submission import REMEDY, Asked, Quote, Submitted
from tallystick.strict import describe


def check_quotes(finding: Submitted, task: Asked, scope: Scope, corpus: Corpus) -> None:
    """Note quotes that are not where they are said to be, are doubled, or too many or few."""
    node, name = finding.node, finding.name
    if task.discovery and len(finding.quotes) > MOST_EVIDENCE:
        expected = f"{name}: at most {MOST_EVIDENCE} quotes"
        node.refuse("/evidence", "evidence-many", expected, str(len(finding.quotes)), REMEDY)
    if not any(quote.role == "supporting" for quote in finding.quotes):
        node.refuse("/evidence", "evidence-unsupported", f"{name}: a supporting quote", "none", REMEDY)
    spans: set[tuple[str, int, int]] = set()
    for quote in finding.quotes:
        span = (quote.document, quote.start, quote.end)
        where = quote.at.removeprefix(node.at)
        place = f"{name}, {quote.document} [{quote.start}:{quote.end}]"
        if span in spans:
            node.refuse(where, "evidence-doubled", f"{place}: each span once", "the same span again", REMEDY)
        spans.add(span)
        position = corpus.index.get(quote.document)
        if position is None or not scope.population[position]:
            found = "none there" if position is None else "a document outside the population"
            node.refuse(f"{where}/doc_id", "evidence-document", f"{place}: a document of the population", found, REMEDY)
        else:
            _check_span(finding, quote, where, place, corpus.text(quote.document))


def _check_span(finding: Submitted, quote: Quote, where: str, place: str, text: str) -> None:
    if not 0 <= quote.start < quote.end <= len(text):
        expected = f"{place}: a span within the {len(text)} code points of the text"
        finding.node.refuse(where, "evidence-span", expected, f"{quote.start} to {quote.end}", REMEDY)
    elif text[quote.start : quote.end] != quote.text:
        expected = f"{place}: {describe(text[quote.start : quote.end])}, which stands there"
        finding.node.refuse(f"{where}/quote", "evidence-quote", expected, describe(quote.text), REMEDY)


def check_support(finding: Submitted, states: tuple[State, ...], corpus: Corpus) -> None:
    """Note supporting quotes that do not support and counterexamples that are none (hard and discovery profiles)."""
    node, name = finding.node, finding.name
    support, counter = _pools(states)
    supporting = _documents(finding, "supporting")
    if len(supporting) < CONFIRMED_NEEDED:
        expected = f"{name}: supporting quotes from at least {CONFIRMED_NEEDED} distinct documents"
        node.refuse("/evidence", "evidence-few", expected, str(len(supporting)), REMEDY)
    for document in _outside(supporting, support, corpus):
        expected = f"{name}, {document}: a supporting document that is positive in every condition"
        node.refuse("/evidence", "evidence-not-positive", expected, "another state", REMEDY)
    counterexamples = _documents(finding, "counterexample")
    kind = "discordant" if len(states) > 1 else "negative"
    for document in _outside(counterexamples, counter, corpus):
        expected = f"{name}, {document}: a counterexample that is known {kind}"
        node.refuse("/evidence", "counterexample-wrong", expected, "another state", REMEDY)
    if counter.any() and not counterexamples:
        expected = f"{name}: a counterexample, as {int(counter.sum())} documents are known {kind}"
        node.refuse("/evidence", "counterexample-absent", expected, "none", REMEDY)


def _pools(states: tuple[State, ...]) -> tuple[BoolArray, BoolArray]:
    """Return the documents that may support, and those that may stand against."""
    positive = [is_state(state, POSITIVE) for state in states]
    negative = [is_state(state, NEGATIVE) for state in states]
    if len(states) == 1:
        return positive[0], negative[0]
    discordant = (positive[0] & negative[1]) | (negative[0] & positive[1])
    return np.logical_and(positive[0], positive[1]), discordant


def _documents(finding: Submitted, role: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(quote.document for quote in finding.quotes if quote.role == role))


def _outside(documents: Iterable[str], pool: BoolArray, corpus: Corpus) -> list[str]:
    """Return those of the documents that the corpus has, but not the pool."""
    return [document for document in documents if document in corpus.index and not pool[corpus.index[document]]]

"""How FAR compares texts: one normalisation, then containment, soft F1 and edits on mixed Chinese and English tokens.

Each definition was confirmed against every row of the real and the oracle reports; see the tests.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_PUNCTUATION = re.compile(r"[^\w\s]")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_TOKEN = re.compile("[\u4e00-\u9fff]+|\\d+|[a-z]+")


@lru_cache(maxsize=8192)  # reference answers recur in every report
def normal(text: str) -> str:
    """Lower the text, blank out its punctuation and English articles, and leave single spaces."""
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub(" ", text.lower())).split())


@lru_cache(maxsize=8192)
def _counted(text: str) -> Counter[str]:
    """Count tokens: runs of digits, runs of a–z, and the pairs (or the only one) of a run of Chinese characters."""
    counts: Counter[str] = Counter()
    for run in _TOKEN.findall(normal(text)):
        if len(run) > 1 and run[0] >= "\u4e00" and not run[0].isdigit():
            counts.update(run[index : index + 2] for index in range(len(run) - 1))
        else:
            counts[run] += 1
    return counts


def soft_f1(answer: str, reference: str) -> float:
    """Return the F1 of shared tokens; 1 where the answer contains the reference, spaces aside."""
    if (bare := normal(reference).replace(" ", "")) and bare in normal(answer).replace(" ", ""):
        return 1.0
    found, wanted = _counted(answer), _counted(reference)
    shared = (found & wanted).total()
    return harmonic(shared / found.total(), shared / wanted.total()) if shared else 0.0


def edit_overlap(initial: str, answer: str, reference: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the answer's token edits of `initial` against the reference's.

    No edit where none was wanted is perfect; edits where none was wanted have nothing to miss (recall 1).
    """
    made, wanted = _edits(initial, answer), _edits(initial, reference)
    shared = sum((mine & theirs).total() for mine, theirs in zip(made, wanted, strict=True))
    total, expected = (sum(kind.total() for kind in edits) for edits in (made, wanted))
    if not total and not expected:
        return 1.0, 1.0, 1.0
    precision = shared / total if total else 0.0
    recall = shared / expected if expected else 1.0
    return precision, recall, harmonic(precision, recall)


def contains_words(text: str, phrase: str) -> bool:
    """Say whether the phrase's words follow each other in the text, both normalised."""
    return f" {normal(phrase)} " in f" {normal(text)} "


def harmonic(precision: float, recall: float) -> float:
    """Return 2PR / (P + R), rounded as FAR rounds it; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@lru_cache(maxsize=8192)
def _edits(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """Return the tokens removed and those added."""
    old, new = _counted(before), _counted(after)
    return old - new, new - old

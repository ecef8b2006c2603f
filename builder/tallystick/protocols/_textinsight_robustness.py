"""Robustness of a contrast along one metadata axis: stratified, without the largest stratum, and its concentration.

Sensitivity within the corpus that was given; no causal adjustment and no independent confirmation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallystick.model import BoolArray, IntArray
from tallystick.protocols._textinsight_corpus import Codes, Strata

LEAST_PER_ARM = 5


@dataclass(frozen=True, slots=True)
class Known:
    """The documents (n,) of both arms whose outcome is known, and those with the outcome, in or outside the arms."""

    first: BoolArray
    second: BoolArray
    outcome: BoolArray


@dataclass(frozen=True, slots=True)
class _Counts:
    """Documents of each stratum (strata,): of the population, known in each arm, and with the outcome among those."""

    documents: IntArray
    known: tuple[IntArray, IntArray]
    outcome: tuple[IntArray, IntArray]


def robustness(axis: str, strata: Strata, population: BoolArray, known: Known) -> dict[str, float | None]:
    """Return the statistics of one axis, named `robustness_<axis>_…`."""
    counts = _counts(strata, population, known)
    missing = population & (strata.codes < 0)
    numbers: dict[str, float | None] = {
        "strata_n": int(np.count_nonzero(counts.documents)),
        "missing_metadata_n": int(np.count_nonzero(missing)),
        **_stratified(counts, known),
        **_without_largest(strata.names, counts),
        **_concentration(counts, known, missing),
    }
    return {f"robustness_{axis}_{key}": value for key, value in numbers.items()}


def _counts(strata: Strata, population: BoolArray, known: Known) -> _Counts:
    def per_stratum(documents: BoolArray) -> IntArray:
        codes: Codes = strata.codes[documents & population & (strata.codes >= 0)]
        return np.bincount(codes, minlength=len(strata.names))

    return _Counts(
        per_stratum(population),
        (per_stratum(known.first), per_stratum(known.second)),
        (per_stratum(known.first & known.outcome), per_stratum(known.second & known.outcome)),
    )


def _effect(known: tuple[IntArray, IntArray], outcome: tuple[IntArray, IntArray]) -> float:
    """Return the difference of shares, in percentage points, over all the strata given."""
    n0, n1, p0, p1 = (int(part.sum()) for part in (*known, *outcome))
    return 100 * (p1 / n1 - p0 / n0)


def _stratified(counts: _Counts, known: Known) -> dict[str, float | None]:
    eligible = np.minimum(*counts.known) >= LEAST_PER_ARM
    n0, n1 = (part[eligible] for part in counts.known)
    p0, p1 = (part[eligible] for part in counts.outcome)
    covered = int(n0.sum() + n1.sum())
    everything = int(np.count_nonzero(known.first) + np.count_nonzero(known.second))
    numbers: dict[str, float | None] = {
        "eligible_strata_n": int(np.count_nonzero(eligible)),
        "covered_known_n": covered,
        "excluded_known_n": everything - covered,
    }
    if not covered:
        undefined = ("standardized_delta_pp", "covered_crude_delta_pp", "min_stratum_delta_pp", "max_stratum_delta_pp")
        return numbers | dict.fromkeys(undefined)
    effects = 100 * (p1 / n1 - p0 / n0)
    return numbers | {
        "standardized_delta_pp": float(((n0 + n1) * effects).sum() / covered),
        "covered_crude_delta_pp": _effect((n0, n1), (p0, p1)),
        "min_stratum_delta_pp": float(effects.min()),
        "max_stratum_delta_pp": float(effects.max()),
    }


def _without_largest(names: tuple[str, ...], counts: _Counts) -> dict[str, float | None]:
    """Return the contrast without the stratum of most documents, the first by name among equals."""
    kept = counts.documents > 0
    removed = 0
    if kept.any():
        removed = int(counts.documents.max())
        largest = min(np.flatnonzero(counts.documents == removed), key=lambda index: names[index])
        kept[largest] = False
    known = (counts.known[0][kept], counts.known[1][kept])
    outcome = (counts.outcome[0][kept], counts.outcome[1][kept])
    n0, n1 = int(known[0].sum()), int(known[1].sum())
    return {
        "drop_largest_n": removed,
        "drop_largest_arm0_n": n0,
        "drop_largest_arm1_n": n1,
        "drop_largest_delta_pp": _effect(known, outcome) if min(n0, n1) >= LEAST_PER_ARM else None,
    }


def _concentration(counts: _Counts, known: Known, missing: BoolArray) -> dict[str, float | None]:
    support = counts.outcome[0] + counts.outcome[1]
    total = int(support.sum())
    return {
        "support_missing_metadata_n": int(np.count_nonzero((known.first | known.second) & known.outcome & missing)),
        "max_support_share": int(support.max()) / total if total else None,
    }

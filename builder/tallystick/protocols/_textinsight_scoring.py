"""TextInsight's arithmetic: what evidence counts allow, what a finding earns, which profile weighs how.

Thresholds are compared in whole numbers, so that exactly one fifth is one fifth (the seed's "Evidence-based quality"
and "Semantic audit").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Support: TypeAlias = Literal["unsupported", "uncertain", "partial", "supported"]

SUPPORTS: tuple[Support, ...] = ("unsupported", "uncertain", "partial", "supported")
"""Most restrictive first."""

FACTORS: dict[Support, float | None] = {"supported": 1, "partial": 0.5, "unsupported": 0, "uncertain": None}
DIMENSIONS = ("statistical_validity", "evidence_entailment", "analytical_depth", "calibration")
CONFIRMED_NEEDED = 3


@dataclass(frozen=True, slots=True)
class Profile:
    """A scoring version: its difficulty, its two weights that differ, and whether evidence gates cap the support."""

    scoring_version: str
    difficulty: str
    base: int
    depth: int
    gated: bool
    binds_task: bool

    @property
    def formula(self) -> str:
        """The score of a finding in one line, for readers."""
        return f"factor × ({self.base} + 25·S + 20·E + {self.depth}·D + 10·C)"


PROFILES = {
    profile.scoring_version: profile
    for profile in (
        Profile("finding-quality", "standard", base=35, depth=10, gated=False, binds_task=False),
        Profile("finding-quality-robustness", "hard", base=15, depth=30, gated=False, binds_task=True),
        Profile("finding-quality-discovery-evidence", "discovery", base=15, depth=30, gated=True, binds_task=True),
    )
}


@dataclass(frozen=True, slots=True)
class ConditionCounts:
    """How the blind check of one condition compares with the submitted assignments."""

    condition: str
    checked: int
    known_compared: int
    disagreements: int
    claimed_positive_checked: int
    positive_contradictions: int
    checker_unknown: int


@dataclass(frozen=True, slots=True)
class EvidenceCounts:
    """All counts of one finding's gate: its conditions, and its supporting documents as the blind check saw them."""

    conditions: tuple[ConditionCounts, ...]
    supporting: int
    confirmed: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class Cap:
    """The most support that a gate allows, and the rule with its counts that says so."""

    support: Support
    rule: str


def cap(counts: EvidenceCounts) -> Cap:
    """Return what the evidence counts allow: the first rule that applies, most restrictive first."""
    rules: tuple[tuple[Support, Iterator[str]], ...] = (
        ("unsupported", _contradicted(counts)),
        ("uncertain", _unclear(counts)),
        ("partial", _disagreeing(counts)),
    )
    for support, broken in rules:
        for rule in broken:
            return Cap(support, rule)
    return Cap("supported", "no gate applies")


def _contradicted(counts: EvidenceCounts) -> Iterator[str]:
    for c in counts.conditions:
        if c.claimed_positive_checked >= 5 and 2 * c.positive_contradictions >= c.claimed_positive_checked:
            yield (
                f"{c.condition}: {c.positive_contradictions} of {c.claimed_positive_checked} claimed positives "
                "contradicted, half or more of at least 5"
            )
    if 0 < counts.supporting == counts.contradicted and counts.confirmed < CONFIRMED_NEEDED:
        yield f"all {counts.supporting} supporting documents contradicted"


def _unclear(counts: EvidenceCounts) -> Iterator[str]:
    for c in counts.conditions:
        if c.checked == 0:
            yield f"{c.condition}: nothing was checked"
        if 5 * c.checker_unknown > c.checked:
            yield f"{c.condition}: {c.checker_unknown} of {c.checked} unknown to the checker, more than a fifth"
    if counts.confirmed < CONFIRMED_NEEDED:
        yield f"{counts.confirmed} of {counts.supporting} supporting documents confirmed, fewer than {CONFIRMED_NEEDED}"


def _disagreeing(counts: EvidenceCounts) -> Iterator[str]:
    for c in counts.conditions:
        if c.known_compared >= 20 and 10 * c.disagreements > c.known_compared:
            yield f"{c.condition}: {c.disagreements} of {c.known_compared} assignments disagree, more than a tenth"
        if c.claimed_positive_checked >= 8 and 20 * c.positive_contradictions > 3 * c.claimed_positive_checked:
            yield (
                f"{c.condition}: {c.positive_contradictions} of {c.claimed_positive_checked} claimed positives "
                "contradicted, more than 15 % of at least 8"
            )


def most_restrictive(narrative: Support, gate: Support | None) -> Support:
    """Return the effective support; a narrative never lifts a cap."""
    if gate is None:
        return narrative
    return min(narrative, gate, key=SUPPORTS.index)


def finding_score(
    profile: Profile, support: Support, dimensions: tuple[float, float, float, float], earns_nothing: str | None
) -> float | None:
    """Return a finding's score from its effective support, or None where it is unresolved.

    `earns_nothing` is the reason why the finding scores 0 before anything else, or None.
    """
    if earns_nothing is not None:
        return 0.0
    factor = FACTORS[support]
    if factor is None:
        return None
    statistics, entailment, depth, calibration = dimensions
    return factor * (profile.base + 25 * statistics + 20 * entailment + profile.depth * depth + 10 * calibration)

"""TextInsight's arithmetic: the seed's worked example, and every threshold at, just below and just above it."""

from __future__ import annotations

import itertools

import pytest

from tallystick.protocols._textinsight_scoring import (
    PROFILES,
    SUPPORTS,
    ConditionCounts,
    EvidenceCounts,
    Support,
    cap,
    finding_score,
    most_restrictive,
)

CURRENT = PROFILES["finding-quality-discovery-evidence"]
OLDER = PROFILES["finding-quality"]
SEED_EXAMPLE = (0.8, 0.9, 0.75, 0.8)


def condition(
    checked: int = 100,
    known: int = 90,
    disagreements: int = 0,
    claimed: int = 40,
    contradictions: int = 0,
    unknown: int = 0,
    name: str = "a",
) -> ConditionCounts:
    return ConditionCounts(name, checked, known, disagreements, claimed, contradictions, unknown)


def evidence(
    *conditions: ConditionCounts, supporting: int = 4, confirmed: int = 4, contradicted: int = 0
) -> EvidenceCounts:
    return EvidenceCounts(conditions or (condition(),), supporting, confirmed, contradicted)


def test_the_seeds_example_earns_what_the_seed_says() -> None:
    assert finding_score(CURRENT, "supported", SEED_EXAMPLE, None) == 83.5
    assert finding_score(CURRENT, "partial", SEED_EXAMPLE, None) == 41.75
    assert finding_score(CURRENT, "unsupported", SEED_EXAMPLE, None) == 0


def test_the_older_profile_weighs_base_and_depth_otherwise() -> None:
    depth_alone = (0.0, 0.0, 1.0, 0.0)
    assert finding_score(OLDER, "supported", depth_alone, None) == 45
    assert finding_score(CURRENT, "supported", depth_alone, None) == 45
    assert finding_score(OLDER, "supported", (0, 0, 0, 0), None) == 35
    assert finding_score(CURRENT, "supported", (0, 0, 0, 0), None) == 15
    for profile in PROFILES.values():
        assert finding_score(profile, "supported", (1, 1, 1, 1), None) == 100


def test_uncertain_never_becomes_zero() -> None:
    assert finding_score(CURRENT, "uncertain", (0, 0, 0, 0), None) is None
    assert finding_score(CURRENT, "uncertain", (1, 1, 1, 1), None) is None


def test_nothing_earned_comes_before_the_uncertain_rule() -> None:
    for support in SUPPORTS:
        assert finding_score(CURRENT, support, SEED_EXAMPLE, "duplicate of f1") == 0


def test_the_effective_support_is_the_more_restrictive_of_the_two() -> None:
    order: tuple[Support, ...] = ("unsupported", "uncertain", "partial", "supported")
    for narrative, gate in itertools.product(order, order):
        expected = order[min(order.index(narrative), order.index(gate))]
        assert most_restrictive(narrative, gate) == expected
    assert most_restrictive("supported", None) == "supported"


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param(evidence(condition(claimed=4, contradictions=4)), "supported", id="four positives are too few"),
        pytest.param(evidence(condition(claimed=5, contradictions=2)), "supported", id="two of five, below half"),
        pytest.param(evidence(condition(claimed=5, contradictions=3)), "unsupported", id="three of five, above half"),
        pytest.param(evidence(condition(claimed=6, contradictions=3)), "unsupported", id="three of six, exactly half"),
        pytest.param(evidence(condition(claimed=7, contradictions=3)), "supported", id="three of seven, below half"),
        pytest.param(evidence(confirmed=0, contradicted=4), "unsupported", id="every supporting document contradicted"),
        pytest.param(evidence(confirmed=1, contradicted=3), "uncertain", id="all but one contradicted"),
        pytest.param(evidence(confirmed=2), "uncertain", id="two confirmed"),
        pytest.param(evidence(confirmed=3), "supported", id="three confirmed"),
        pytest.param(evidence(condition(checked=0, known=0, claimed=0)), "uncertain", id="nothing checked"),
        pytest.param(evidence(condition(checked=100, known=79, unknown=20)), "supported", id="a fifth unknown"),
        pytest.param(evidence(condition(checked=100, known=79, unknown=21)), "uncertain", id="above a fifth unknown"),
        pytest.param(evidence(condition(checked=101, known=79, unknown=20)), "supported", id="below a fifth unknown"),
        pytest.param(evidence(condition(known=20, disagreements=2)), "supported", id="a tenth disagrees"),
        pytest.param(evidence(condition(known=20, disagreements=3)), "partial", id="above a tenth of twenty"),
        pytest.param(evidence(condition(known=19, disagreements=3)), "supported", id="nineteen compared are too few"),
        pytest.param(evidence(condition(known=29, disagreements=3)), "partial", id="just above a tenth"),
        pytest.param(evidence(condition(known=30, disagreements=3)), "supported", id="exactly a tenth of thirty"),
        pytest.param(evidence(condition(claimed=20, contradictions=3)), "supported", id="exactly 15 %"),
        pytest.param(evidence(condition(claimed=19, contradictions=3)), "partial", id="just above 15 %"),
        pytest.param(evidence(condition(claimed=21, contradictions=3)), "supported", id="just below 15 %"),
        pytest.param(evidence(condition(claimed=8, contradictions=2)), "partial", id="a quarter of eight"),
        pytest.param(evidence(condition(claimed=7, contradictions=2)), "supported", id="seven positives are too few"),
    ],
)
def test_every_gate_at_below_and_above_its_threshold(counts: EvidenceCounts, expected: Support) -> None:
    assert cap(counts).support == expected


def test_unsupported_goes_before_uncertain_and_uncertain_before_partial() -> None:
    everything = condition(claimed=10, contradictions=6, disagreements=30, unknown=60, known=40)
    assert cap(evidence(everything, confirmed=0)).support == "unsupported"
    unclear = condition(claimed=10, contradictions=2, disagreements=30, unknown=60, known=40)
    assert cap(evidence(unclear)).support == "uncertain"
    assert cap(evidence(condition(claimed=10, contradictions=2, disagreements=30))).support == "partial"


def test_one_condition_is_enough_and_the_rule_names_it_with_its_counts() -> None:
    counts = evidence(condition(), condition(name="b", known=50, disagreements=6))
    assert cap(counts).support == "partial"
    assert cap(counts).rule == "b: 6 of 50 assignments disagree, more than a tenth"


@pytest.mark.parametrize("scale", [1, 3, 7, 1_000_003])
def test_thresholds_are_exact_at_any_size(scale: int) -> None:
    assert cap(evidence(condition(checked=10 * scale, unknown=2 * scale))).support == "supported"
    assert cap(evidence(condition(checked=10 * scale, unknown=2 * scale + 1))).support == "uncertain"
    assert cap(evidence(condition(known=30 * scale, disagreements=3 * scale))).support == "supported"
    assert cap(evidence(condition(known=30 * scale, disagreements=3 * scale + 1))).support == "partial"
    assert cap(evidence(condition(claimed=20 * scale, contradictions=3 * scale))).support == "supported"
    assert cap(evidence(condition(claimed=20 * scale, contradictions=3 * scale + 1))).support == "partial"
    assert cap(evidence(condition(claimed=12 * scale, contradictions=6 * scale))).support == "unsupported"
    assert cap(evidence(condition(claimed=12 * scale, contradictions=6 * scale - 1))).support == "partial"

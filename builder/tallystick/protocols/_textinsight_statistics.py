"""The statistics that a finding must state, recomputed from its assignments (the seed's "Local gates").

Undefined is null: a rate of nothing, a contrast with an empty arm.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tallystick.model import BoolArray
from tallystick.protocols._textinsight_corpus import YEAR, Corpus
from tallystick.protocols._textinsight_gates import COMPOUND
from tallystick.protocols._textinsight_partition import NEGATIVE, POSITIVE, UNKNOWN, State, is_state
from tallystick.protocols._textinsight_robustness import Known, robustness
from tallystick.protocols._textinsight_scope import Scope
from tallystick.protocols._textinsight_submission import REMEDY, Asked, Submitted
from tallystick.strict import describe

TOLERANCE = 1e-6
AXES = ("entity_id", "rating", YEAR)

Numbers = Mapping[str, float | None]


def check_statistics(
    finding: Submitted, task: Asked, scope: Scope, states: tuple[State, ...], corpus: Corpus
) -> Numbers:
    """Recompute a finding's statistics and note each that is absent, too many or another; return ours."""
    expected = statistics(task, scope, states, corpus)
    node, name = finding.node, finding.name
    for key in sorted(finding.statistics.keys() - expected.keys()):
        told = f"{name}: no statistic but those of its kind"
        node.refuse(f"/statistics/{key}", "statistic-unexpected", told, key, REMEDY)
    for key, value in expected.items():
        stated = finding.statistics.get(key)
        if key not in finding.statistics:
            node.refuse(f"/statistics/{key}", "statistic-absent", f"{name}: {key} {value}", "none", REMEDY)
        elif not _agrees(stated, value):
            told = f"{name}: {key} {'null' if value is None else value}"
            node.refuse(f"/statistics/{key}", "statistic-differs", told, describe(stated), REMEDY)
    return expected


def _agrees(stated: object, value: float | None) -> bool:
    if value is None or stated is None:
        return value is None and stated is None
    return isinstance(stated, int | float) and not isinstance(stated, bool) and abs(stated - value) <= TOLERANCE


def statistics(task: Asked, scope: Scope, states: tuple[State, ...], corpus: Corpus) -> Numbers:
    """Return every statistic of a finding by name."""
    compound = task.kind == COMPOUND
    numbers = dict(_joint(scope, *states) if compound else _contrast(scope, states[0]))
    if task.discovery:
        total = int(scope.population.sum())
        numbers |= {
            "corpus_total_n": len(corpus),
            "population_total_n": total,
            "population_coverage": total / len(corpus),
        }
    if task.robust:
        known = _known_jointly(*states) if compound else _known_by_arm(scope, states[0])
        numbers |= {"robustness_known_arm0_n": _count(known.first), "robustness_known_arm1_n": _count(known.second)}
        for axis in AXES:
            numbers |= robustness(axis, corpus.strata(axis), scope.population, known)
    return numbers


def _known_by_arm(scope: Scope, state: State) -> Known:
    decided = ~is_state(state, UNKNOWN)
    return Known(scope.arm(0) & decided, scope.arm(1) & decided, is_state(state, POSITIVE))


def _known_jointly(first: State, second: State) -> Known:
    """Return A negative and A positive as arms, with B known, and B positive as outcome."""
    known = is_state(second, POSITIVE) | is_state(second, NEGATIVE)
    return Known(is_state(first, NEGATIVE) & known, is_state(first, POSITIVE) & known, is_state(second, POSITIVE))


def _count(documents: BoolArray) -> int:
    return int(np.count_nonzero(documents))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _contrast(scope: Scope, state: State) -> dict[str, float | None]:
    """Return the counts and rates of two arms, their difference and its identification bounds."""
    numbers: dict[str, float | None] = {}
    arms = []
    for number in (0, 1):
        arm = scope.arm(number)
        total = _count(arm)
        positive, unknown = _count(arm & is_state(state, POSITIVE)), _count(arm & is_state(state, UNKNOWN))
        rate = _share(positive, total - unknown)
        arms.append((total, positive, unknown, rate))
        numbers |= {
            f"group{number}_total_n": total,
            f"group{number}_known_n": total - unknown,
            f"group{number}_positive_n": positive,
            f"group{number}_unknown_n": unknown,
            f"group{number}_rate_known": rate,
        }
    (n0, p0, u0, rate0), (n1, p1, u1, rate1) = arms
    numbers["excluded_metadata_n"] = _count(scope.population) - n0 - n1
    numbers["delta_known_pp"] = None if rate0 is None or rate1 is None else 100 * (rate1 - rate0)
    bounded = n0 > 0 and n1 > 0
    numbers["delta_identification_lower_pp"] = 100 * (p1 / n1 - (p0 + u0) / n0) if bounded else None
    numbers["delta_identification_upper_pp"] = 100 * ((p1 + u1) / n1 - p0 / n0) if bounded else None
    return numbers


def _joint(scope: Scope, first: State, second: State) -> dict[str, float | None]:
    """Return the joint table of two conditions over the documents known in both, and what follows from it."""
    n11, n10, n01, n00 = (
        _count(is_state(first, a) & is_state(second, b)) for a in (POSITIVE, NEGATIVE) for b in (POSITIVE, NEGATIVE)
    )
    known = n11 + n10 + n01 + n00
    given, otherwise = _share(n11, n11 + n10), _share(n01, n01 + n00)
    product = (n11 + n10) * (n11 + n01)
    return {
        "n11": n11,
        "n10": n10,
        "n01": n01,
        "n00": n00,
        "known_joint_n": known,
        "unknown_joint_n": _count(scope.population) - known,
        "p_b_given_a": given,
        "p_b_given_not_a": otherwise,
        "conditional_difference_pp": None if given is None or otherwise is None else 100 * (given - otherwise),
        "lift": n11 * known / product if product else None,
    }

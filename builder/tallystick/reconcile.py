"""Hold every number that a report states against the recomputed one: exact, agrees, differs, or unverified.

Three rules of summation occur in the wild for the same procedure. The rule that makes all of a report's numbers exact
is named for all of them; failing that, each number's own, in the order of `RULES`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tallystick.errors import PROBLEMS_SHOWN, Problem
from tallystick.model import (
    Benchmark,
    Computed,
    CountOf,
    IntervalOf,
    McNemarOf,
    PairedOf,
    Quantity,
    Reconciliation,
    Report,
    Stated,
    Summation,
    Verdict,
)
from tallystick.recompute import Drawn, Order, Recomputation, Unknown, Value

RULES: tuple[Summation, ...] = ("correctly rounded", "plain", "compensated")
AGREES = 1e-12
"""The relative difference up to which two numbers agree."""

EXPLAINED = 3
"""How many of the ends that differ are asked for their cause."""


def reconcile(report: Report, benchmark: Benchmark, peers: Sequence[Report]) -> tuple[Reconciliation, ...]:
    """Reconcile all that a report states, in its order; `peers` are the reports it may have been compared with."""
    others = [peer for peer in peers if peer.path != report.path]
    rows = Recomputation(report, benchmark, others)
    judged = [
        _judged(stated, value, rule)
        for stated, (value, rule) in zip(report.stated, _computed(report.stated, rows), strict=True)
    ]
    ends = {
        index: stated.quantity
        for index, (stated, one) in enumerate(zip(report.stated, judged, strict=True))
        if one.verdict == "differs"
        and isinstance(stated.quantity, IntervalOf | PairedOf)
        and stated.quantity.part in ("lower", "upper", "probability")
    }
    orders = {order: Recomputation(report, benchmark, others, order) for order in {cause.order for cause in CAUSES}}
    for index, cause in _causes(ends, [one.value for one in report.stated], orders, _likely(benchmark)).items():
        judged[index] = replace(judged[index], note=cause)
    return tuple(judged)


def reconcile_each(
    pieces: Sequence[tuple[Report, Sequence[Report]]], benchmark: Benchmark
) -> list[tuple[Reconciliation, ...]]:
    """Reconcile each report of `pieces` with the peers that stand beside it."""
    return [reconcile(report, benchmark, peers) for report, peers in pieces]


def named(report: Report, peers: Sequence[Report]) -> tuple[Report, ...]:
    """Return those of `peers` that a report says it was compared with: no other can change what is recomputed."""
    digests = {one.quantity.baseline_digest for one in report.stated if isinstance(one.quantity, PairedOf | McNemarOf)}
    return tuple(peer for peer in peers if peer.scores_digest in digests)


def problems(reconciliations: Sequence[Reconciliation]) -> tuple[Problem, ...]:
    """Return one problem for each number that differs, at most fifty; the last then counts the rest."""
    different = [one for one in reconciliations if one.verdict == "differs"]
    found = tuple(_problem(one) for one in different[:PROBLEMS_SHOWN])
    if len(different) <= PROBLEMS_SHOWN:
        return found
    last = found[-1]
    more = f"{len(different) - PROBLEMS_SHOWN + 1} further numbers that differ, of {len(reconciliations)} stated"
    return (*found[:-1], replace(last, code="more-problems", expected="numbers that follow from the rows", found=more))


def _problem(one: Reconciliation) -> Problem:
    cause = f" Likely cause: {one.note}." if one.note else ""
    named = one.rule if one.label or one.group == "rows" else "recomputed from the rows"
    how = "the exact value" if one.rule == "exact test" else named
    return Problem(
        "stated-differs",
        one.where,
        f"{one.label + ': ' if one.label else ''}{_shown(one.recomputed)} ({how})",
        f"stated value differs from the recomputed one: {_shown(one.stated)}",
        f"State what the rows give: evaluate again, and edit nothing by hand.{cause}",
    )


# --- recomputing ------------------------------------------------------------------------------------------------------


def _computed(stated: Sequence[Stated], rows: Recomputation) -> list[tuple[Value, str]]:
    """Return for each number the recomputed value that comes nearest, and the name of its rule."""
    quantities = [one.quantity for one in stated]
    rules = [_rule(quantity) for quantity in quantities]
    summed = [index for index, rule in enumerate(rules) if rule == RULES[0]]
    for rule in _promising(stated, rows):
        values = rows.values(quantities, rule)
        if all(_matches(stated[index].value, values[index]) for index in summed):
            return [(value, rule if own == RULES[0] else own) for value, own in zip(values, rules, strict=True)]
    values = rows.values(quantities, RULES[0])
    left = [index for index in summed if not _matches(stated[index].value, values[index])]
    for rule in RULES[1:]:
        if not left:
            break
        tried = dict(zip(left, rows.values([quantities[index] for index in left], rule), strict=True))
        matched = [index for index in left if _matches(stated[index].value, tried[index])]
        if matched == left:  # perhaps this rule wrote the whole report
            tried = dict(zip(summed, rows.values([quantities[index] for index in summed], rule), strict=True))
            matched = [index for index in summed if _matches(stated[index].value, tried[index])]
        for index in matched:
            values[index], rules[index] = tried[index], rule
        left = [index for index in left if index not in matched]
    return list(zip(values, rules, strict=True))


def _promising(stated: Sequence[Stated], rows: Recomputation) -> Iterator[Summation]:
    """Yield the other rules that give the first end of an interval where the first rule does not.

    It saves drawing every interval of a report under a rule that did not write it; what comes out is the same.
    """
    for one in stated:
        if isinstance(one.quantity, IntervalOf | PairedOf) and one.quantity.part in ("lower", "upper"):
            if not _matches(one.value, rows.values([one.quantity], RULES[0])[0]):
                yield from (rule for rule in RULES[1:] if _matches(one.value, rows.values([one.quantity], rule)[0]))
            return


def _rule(quantity: Quantity) -> str:
    match quantity:
        case Computed():
            return quantity.rule
        case CountOf() | IntervalOf(part="clusters") | PairedOf(part="pairs"):
            return "count"
        case McNemarOf():
            return "exact test" if quantity.part == "p_value" else "count"
    return RULES[0]


def _judged(stated: Stated, value: Value, rule: str) -> Reconciliation:
    if isinstance(value, Unknown):
        return _reconciliation(stated, None, "unverified", "", value.reason)
    if _equal(stated.value, value):
        return _reconciliation(stated, value, "exact", rule)
    return _reconciliation(stated, value, "agrees" if _agrees(stated.value, value) else "differs", rule)


def _reconciliation(
    stated: Stated, recomputed: float | int | str | bool | None, verdict: Verdict, rule: str, note: str = ""
) -> Reconciliation:
    return Reconciliation(stated.where, stated.value, recomputed, verdict, rule, stated.group, note, stated.label)


def _matches(stated: Value, value: Value) -> bool:
    """Say whether nothing is left to try: an unknown value is the same under every rule."""
    return isinstance(value, Unknown) or _equal(stated, value)


def _equal(stated: Value, value: Value) -> bool:
    """Compare strictly: true is not 1, null equals null only, and −0.0 is another number than 0.0."""
    if isinstance(stated, bool) or isinstance(value, bool):
        return stated is value
    if isinstance(stated, float) and isinstance(value, float):
        return stated == value and math.copysign(1, stated) == math.copysign(1, value)
    return stated == value


def _agrees(stated: Value, value: Value) -> bool:
    if _equal(stated, value):
        return True
    if not (isinstance(stated, float) or isinstance(value, float)) or isinstance(stated, bool):
        return False  # counts agree when they are equal
    if not (isinstance(stated, int | float) and isinstance(value, int | float)):
        return False
    return math.isclose(stated, value, rel_tol=AGREES)


def _shown(value: Value) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# --- likely causes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cause:
    """Another way of drawing: with what was it done instead?"""

    label: str
    seed: int | None = None
    resamples: int | None = None
    order: Order = "as declared"

    def instead(self, quantity: Drawn) -> Drawn:
        """Return the quantity as it would have been drawn."""
        seed = quantity.seed if self.seed is None else self.seed
        return replace(quantity, seed=seed, resamples=self.resamples or quantity.resamples)


def _seeded(seed: int) -> _Cause:
    return _Cause(f"not reproducible with the declared seed, it was drawn with seed {seed}", seed=seed)


def _resampled(count: int) -> _Cause:
    return _Cause(f"it was drawn with {count} resamples, not as many as declared", resamples=count)


CAUSES = (
    *map(_seeded, (1730, 1728, 0, 1, 42)),
    *map(_resampled, (500, 1000, 2000, 10_000)),
    _Cause("the rows were drawn in another order, sorted by id", order="sorted by id"),
    _Cause("the rows were drawn in another order, that of the scores file", order="as in the report"),
    _Cause("the rows were drawn in another order, that of the benchmark file", order="as in the benchmark"),
)


def _likely(benchmark: Benchmark) -> tuple[_Cause, ...]:
    """Return the causes worth a try: first that numbers were drawn as the board asks, and say otherwise."""
    return (_seeded(benchmark.bootstrap.seed), _resampled(benchmark.bootstrap.resamples), *CAUSES)


def _causes(
    ends: Mapping[int, Drawn],
    stated: Sequence[Value],
    orders: Mapping[Order, Recomputation],
    causes: Sequence[_Cause],
) -> dict[int, str]:
    """Name what explains ends that differ: each cause found is tried on all of them, a few are asked for theirs."""
    found: dict[int, str] = {}
    left = dict(ends)
    for index in list(left)[:EXPLAINED]:
        if index not in left:
            continue
        quantity = left.pop(index)
        for cause in causes:
            if _explained({index: quantity}, stated, cause, orders):
                found[index] = cause.label
                also = _explained(left, stated, cause, orders)
                found |= dict.fromkeys(also, cause.label)
                left = {other: one for other, one in left.items() if other not in also}
                break
    return found


def _explained(
    ends: Mapping[int, Drawn], stated: Sequence[Value], cause: _Cause, orders: Mapping[Order, Recomputation]
) -> set[int]:
    """Return which ends come out as stated if drawn that way, by whatever rule of summation."""
    values = orders[cause.order].values([cause.instead(quantity) for quantity in ends.values()], RULES[0])
    return {index for index, value in zip(ends, values, strict=True) if _agrees(stated[index], value)}

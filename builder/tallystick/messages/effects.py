"""What a proposal is and would do, in sentences; `name` makes strangers' text inert for the form that asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tallystick import numerals
from tallystick.board import Comparison, Estimate, Interval
from tallystick.errors import Problem
from tallystick.messages.verdicts import tally
from tallystick.proposal import Change, Effect, Proposal, Rival

Name = Callable[[str], str]


def told(proposal: Proposal) -> tuple[Problem, ...]:
    """Return the problems of the change itself: broken rules, notes, and mistakes in settings."""
    return (*proposal.problems, *proposal.unsettled)


def heading(proposal: Proposal, name: Name) -> str:
    """Say what was compared, and how much of it changed."""
    count = len(proposal.changes)
    files = "1 file differs" if count == 1 else f"{count} files differ"
    return f"{files} from {name(proposal.ref)} ({proposal.commit[:12]})"


def change(one: Change, name: Name) -> str:
    """Say what became of a file."""
    return f"{one.action} ({one.kind}): {name(one.path)}"


def withdrawals(proposal: Proposal, name: Name) -> Iterator[str]:
    """Say which reports are taken back, and why."""
    for benchmark, item in proposal.withdrawn:
        yield f"withdrawn from {name(benchmark)}: {name(item.method)}, {item.day.isoformat()}: {name(item.reason)}"


def effect_title(effect: Effect, name: Name) -> str:
    """Say which report would be what."""
    return f"{name(effect.entry.method)} on {name(effect.benchmark.title)} would be {effect.entry.outcome}"


def effect_lines(effect: Effect, name: Name) -> Iterator[str]:
    """Say value, rank, comparisons, ledger and what became of the stated numbers, a line each."""
    primary = effect.benchmark.metric(effect.benchmark.primary)
    places = _places(effect)
    yield f"{name(primary.title)}: {_value(effect.entry.estimates.get(primary.id), places)}{_position(effect)}"
    yield _rank(effect, name)
    for rival in effect.rivals:
        yield _rival(rival, effect, places, name)
    yield _ledger(effect)
    counts = {word: count for word, count in tally(effect.entry.reconciliations).items() if count}
    yield f"stated numbers: {counted(counts) or 'none'}"


def counted(counts: Mapping[str, int]) -> str:
    """Write counts by word: "3 exact, 1 differs"."""
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _places(effect: Effect) -> int:
    primary = effect.entry.estimates.get(effect.benchmark.primary)
    return numerals.decimals([primary.standard_error if primary else None])


def _value(estimate: Estimate | None, places: int) -> str:
    if estimate is None or estimate.value is None:
        return f"undefined ({estimate.note if estimate and estimate.note else 'no sample has a value'})"
    shown = numerals.number(estimate.value, places)
    if estimate.interval:
        shown += f" ({numerals.interval(estimate.interval.lower, estimate.interval.upper, places)})"
    if estimate.conditional:
        shown += f", conditional on {numerals.of(estimate.n, estimate.total)} samples"
    return shown


def _position(effect: Effect) -> str:
    return f", place {numerals.of(*effect.position)} by value" if effect.position else ""


def _rank(effect: Effect, name: Name) -> str:
    standing = effect.standing
    if standing is None:
        return f"not ranked: {name(effect.unranked or 'no reason')}"
    best = ", possibly the best" if standing.best else ""
    return f"rank {numerals.ranks(standing.lower, standing.upper)}, group {standing.letters}{best}"


def _rival(rival: Rival, effect: Effect, places: int, name: Name) -> str:
    found = rival.comparison
    level = numerals.level(effect.benchmark.bootstrap.confidence)
    parts = [f"difference {numerals.signed(found.difference, places)}{_ends(found.interval, places)} at {level}"]
    parts.append(f"better in {numerals.percentage(found.probability)} of resamples")
    parts.append(_test(found))
    parts.append(f"{numerals.count(found.pairs)} pairs, {numerals.count(found.left_out)} left out")
    return f"against the {' and '.join(rival.roles)} {name(found.baseline)}: {', '.join(filter(None, parts))}"


def _ends(interval: Interval | None, places: int) -> str:
    return f" ({numerals.signed_interval(interval.lower, interval.upper, places)})" if interval else ""


def _test(found: Comparison) -> str:
    test = found.test
    if test is None:
        return ""
    discordant = f"{test.baseline_only} against {test.candidate_only} discordant pairs"
    p = numerals.p_value(test.p)
    return f"exact p {p if p[0] in '<>' else f'= {p}'} ({discordant})"


def _ledger(effect: Effect) -> str:
    ledger = effect.entry.ledger
    counts = {str(status): count for status, count in ledger.counts.items()}
    return f"{numerals.count(ledger.total)} samples: {counted(counts)}"

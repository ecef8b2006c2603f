"""What was found as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tallystick.errors import Problem
from tallystick.messages import effects
from tallystick.messages.inert import printable
from tallystick.messages.verdicts import Verdict, summary
from tallystick.proposal import Proposal


def text(found: Iterable[Verdict], proposal: Proposal | None = None, known: int = 0) -> str:
    """Return a line for each report, its problems indented below, a summary last; what would change stands around."""
    found = tuple(found)
    lines = [*_change(proposal), ""] if proposal else []
    for verdict in found:
        lines += _report(verdict, verdict.problems)
    lines.append(summary(found, proposal, known))
    for effect in proposal.effects if proposal else ():
        lines += ["", f"If merged: {effects.effect_title(effect, printable)}"]
        lines += [f"  {line}" for line in effects.effect_lines(effect, printable)]
    return "\n".join(lines) + "\n"


def brief(found: Iterable[Verdict]) -> str:
    """Return the same lines without notes, which are only counted: what a build says."""
    found = tuple(found)
    lines = [
        line for verdict in found for line in _report(verdict, [one for one in verdict.problems if not _note(one)])
    ]
    lines.append(summary(found, None))
    if count := sum(_note(problem) for verdict in found for problem in verdict.problems):
        lines.append(f"{count} note{'s' * (count != 1)}, told by `tallystick check` and on the pages of the methods")
    return "\n".join(lines) + "\n"


def _report(verdict: Verdict, problems: Iterable[Problem]) -> Iterator[str]:
    name = f" ({printable(verdict.method)})" if verdict.method else ""
    checked = sum(verdict.stated.values())
    numbers = f" · {checked} stated number{'s' * (checked != 1)}: {effects.counted(verdict.stated)}" if checked else ""
    yield f"{verdict.outcome:<10} {printable(verdict.file)}{name}{numbers}"
    for problem in problems:
        yield f"  {problem.effect}: {printable(str(problem))}"


def _note(problem: Problem) -> bool:
    return problem.effect == "note"


def _change(proposal: Proposal) -> Iterator[str]:
    yield effects.heading(proposal, printable)
    for change in proposal.changes:
        yield f"  {effects.change(change, printable)}"
    for line in effects.withdrawals(proposal, printable):
        yield f"  {line}"
    for problem in effects.told(proposal):
        yield f"  {problem.effect}: {printable(str(problem))}"

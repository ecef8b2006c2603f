"""What was found as workflow commands that annotate files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tallystick.errors import Problem
from tallystick.messages import effects
from tallystick.messages.inert import attribute, data, printable
from tallystick.messages.verdicts import LEVELS, Verdict
from tallystick.proposal import Proposal


def github(found: Iterable[Verdict], proposal: Proposal | None = None, _known: int = 0) -> str:
    """Return workflow commands that annotate the files; data is escaped so that it cannot issue a command."""
    lines = [_problem(problem, verdict.file) for verdict in found for problem in verdict.problems]
    lines += list(_proposal(proposal)) if proposal else []
    return "".join(f"{line}\n" for line in lines)


def _problem(problem: Problem, file: str) -> str:
    return _command(LEVELS[problem.effect], file, problem.code, str(problem))


def _proposal(proposal: Proposal) -> Iterator[str]:
    for problem in effects.told(proposal):
        yield _problem(problem, problem.where.partition(" ")[0])
    for line in effects.withdrawals(proposal, printable):
        yield _command("notice", "results", "withdrawn", line)
    for effect in proposal.effects:
        file = f"results/{effect.benchmark.id}/{effect.entry.report.path}"
        lines = [f"{effects.effect_title(effect, printable)}:", *effects.effect_lines(effect, printable)]
        yield _command("notice", file, "If merged", "\n".join(lines))


def _command(level: str, file: str, title: str, message: str) -> str:
    return f"::{level} file={attribute(file)},title={attribute(title)}::{data(message)}"

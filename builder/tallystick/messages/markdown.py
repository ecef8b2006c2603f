"""What was found as Markdown: a job summary, or what a bot would post on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tallystick.errors import Problem, UsageError
from tallystick.messages import effects
from tallystick.messages.inert import code
from tallystick.messages.verdicts import Verdict, summary
from tallystick.proposal import Proposal

SUMMARY_LINES = 500
SUMMARY_LENGTH = 60_000
"""Characters; a comment on a pull request holds 65,536."""


def markdown(found: Iterable[Verdict], proposal: Proposal | None = None, known: int = 0) -> str:
    """Return a heading and lists of what would change, of reports and their problems, cut where they grow too long.

    All that strangers wrote stands in code spans, and every line begins with a word of ours.
    """
    found = tuple(found)
    lines = [*_change(proposal), *_effects(proposal)] if proposal else []
    lines += _reports(found)
    lines += [f"- {effects.change(one, code)}" for one in (proposal.changes if proposal else ())]
    return "\n".join([f"### {summary(found, proposal, known)}", "", *_cut(lines)]) + "\n"


def write_summary(found: Iterable[Verdict], file: Path, proposal: Proposal | None = None, known: int = 0) -> None:
    """Write the Markdown form to a file; raise UsageError where it cannot be written."""
    try:
        file.write_text(markdown(found, proposal, known), "utf-8")
    except OSError as error:
        found_instead = (error.strerror or type(error).__name__).lower()
        problem = Problem("file-unusable", str(file), "a file to write", found_instead, "Name another file.")
        raise UsageError([problem]) from None


def _reports(found: Iterable[Verdict]) -> Iterator[str]:
    for verdict in found:
        name = f" {code(verdict.method)}" if verdict.method else ""
        board = f" {code(verdict.benchmark)}" if verdict.benchmark else ""
        yield f"- **{verdict.outcome}**{board}{name} ({code(verdict.path)})"
        yield from (f"  - {problem.effect}: {code(str(problem))}" for problem in verdict.problems)


def _change(proposal: Proposal) -> Iterator[str]:
    yield f"- {effects.heading(proposal, code)}"
    for problem in effects.told(proposal):
        yield f"  - **{problem.effect}**: {code(str(problem))}"
    for line in effects.withdrawals(proposal, code):
        yield f"  - {line}"


def _effects(proposal: Proposal) -> Iterator[str]:
    for effect in proposal.effects:
        yield f"- If merged, {effects.effect_title(effect, code)}"
        yield from (f"  - {line}" for line in effects.effect_lines(effect, code))


def _cut(lines: list[str]) -> list[str]:
    length = 0
    for number, line in enumerate(lines):
        length += len(line) + 1
        if number == SUMMARY_LINES or length > SUMMARY_LENGTH:
            return [*lines[:number], f"- and {len(lines) - number} more lines"]
    return lines

"""What came of each report, as every form says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tallystick.board import Checked, Docket, Outcome
from tallystick.errors import Problem, UsageError
from tallystick.model import Reconciliation
from tallystick.proposal import Proposal

OUR_FAULT = "internal-error"
LEVELS = {"refuse": "error", "diagnostic": "warning", "note": "notice"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One report's outcome."""

    benchmark: str
    path: str
    method: str | None
    outcome: Outcome
    problems: tuple[Problem, ...]
    stated: Mapping[str, int]

    @property
    def file(self) -> str:
        """The main file, relative to the board repository."""
        return f"results/{self.benchmark}/{self.path}" if self.benchmark else self.path

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it the same verdict as another, though other reports may be named in its words."""
        told = sorted((problem.code, problem.where, problem.effect) for problem in self.problems)
        return self.benchmark, self.path, self.outcome, tuple(told)


def verdicts(checked: Checked) -> tuple[Verdict, ...]:
    """Return one verdict for each report, each file that could not be read and each folder that is no benchmark."""
    strays = [Verdict("", problem.where, None, "refused", (problem,), {}) for problem in checked.problems]
    found = [*strays, *(verdict for docket in checked.dockets for verdict in _of(docket))]
    return tuple(sorted(found, key=lambda verdict: (verdict.benchmark, verdict.path, verdict.method or "")))


def _of(docket: Docket) -> Iterator[Verdict]:
    benchmark = docket.benchmark.id
    for unread in docket.unread:
        refused = any(problem.effect == "refuse" for problem in unread.problems)
        outcome: Outcome = "refused" if refused else "diagnostic"
        yield Verdict(benchmark, unread.path, unread.method, outcome, unread.problems, {})
    for item in docket.judgements:
        stated = tally(item.reconciliations)
        yield Verdict(benchmark, item.report.path, item.report.method.id, item.outcome, item.problems, stated)


def tally(reconciliations: Iterable[Reconciliation]) -> dict[str, int]:
    """Count stated numbers by how they came out, in the order exact, agrees, differs, unverified."""
    counts = Counter(item.verdict for item in reconciliations)
    return {verdict: counts[verdict] for verdict in ("exact", "agrees", "differs", "unverified")}


def below(found: Iterable[Verdict], root: Path, paths: Sequence[Path]) -> tuple[Verdict, ...]:
    """Keep the verdicts of files at or below `paths`; all of them where none is given.

    Raises UsageError for a path that leads to no report, lest a typing error read as "all is well".
    """
    kept = tuple(found)
    if not paths:
        return kept
    chosen: dict[Path, list[Verdict]] = {path: [] for path in paths}
    for verdict in kept:
        place = (root / verdict.file).resolve()
        for path, verdicts_below in chosen.items():
            if place.is_relative_to(path.resolve()):
                verdicts_below.append(verdict)
    if lost := [path for path, verdicts_below in chosen.items() if not verdicts_below]:
        remedy = "Name a report, or a folder that holds reports, below results/."
        raise UsageError([Problem("path-without-report", str(path), "a report", "none", remedy) for path in lost])
    wanted = {id(verdict) for verdicts_below in chosen.values() for verdict in verdicts_below}
    return tuple(verdict for verdict in kept if id(verdict) in wanted)


def beyond(found: Iterable[Verdict], earlier: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Keep the verdicts that were not there earlier with the same outcome and problems."""
    before = {verdict.identity for verdict in earlier}
    return tuple(verdict for verdict in found if verdict.identity not in before)


def exit_status(found: Iterable[Verdict], proposal: Proposal | None = None) -> int:
    """Return 3 where our own fault kept a report from being read, 2 where settings are wrong, 1 where one was refused.

    A change that breaks the rules of pull requests ends with 1 too; 0 means that all is well.
    """
    kept = tuple(found)
    if any(problem.code == OUR_FAULT for verdict in kept for problem in verdict.problems):
        return 3
    if proposal and proposal.unsettled:
        return 2
    broken = proposal is not None and any(problem.effect == "refuse" for problem in proposal.problems)
    return 1 if broken or any(verdict.outcome == "refused" for verdict in kept) else 0


def summary(found: Sequence[Verdict], proposal: Proposal | None = None, known: int = 0) -> str:
    """Count the reports by outcome, in a line; before them, what is wrong with the change itself.

    `known` is how many more were read and left out, since they were known.
    """
    if known and not found:
        return f"{known} report{'s' * (known != 1)} read: nothing is new"
    outcomes = Counter(verdict.outcome for verdict in found)
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    reports = f"{len(found)} report{'s' * (len(found) != 1)}: {counted or 'none found'}"
    if known:
        reports += f"; {known} more {'are' if known != 1 else 'is'} known"
    if proposal is None:
        return reports
    breaches = sum(problem.effect == "refuse" for problem in proposal.problems)
    mistakes = len(proposal.unsettled)
    wrong = [f"{breaches} breach{'es' * (breaches != 1)} of the rules"] if breaches else []
    wrong += [f"{mistakes} mistake{'s' * (mistakes != 1)} in settings"] if mistakes else []
    return "; ".join([*wrong, reports if found else "no report is new or judged otherwise"])

"""Say what verification found: as text for a terminal, JSON for programs, workflow commands and SARIF for reviewers.

Names and values come from strangers' reports: each form neutralises what its reader would take for a command.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tallystick.board import Docket, Outcome
from tallystick.errors import Problem, UsageError
from tallystick.model import Reconciliation

LEVELS = {"refuse": "error", "diagnostic": "warning", "note": "notice"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One report's outcome, as every form says it."""

    benchmark: str
    path: str
    method: str | None
    outcome: Outcome
    problems: tuple[Problem, ...]
    stated: Mapping[str, int]


def verdicts(dockets: Iterable[Docket]) -> tuple[Verdict, ...]:
    """Return one verdict for each report and each file that could not be read, by benchmark and path."""
    found = [verdict for docket in dockets for verdict in _of(docket)]
    return tuple(sorted(found, key=lambda verdict: (verdict.benchmark, verdict.path, verdict.method or "")))


def _of(docket: Docket) -> Iterator[Verdict]:
    benchmark = docket.benchmark.id
    for unread in docket.unread:
        yield Verdict(benchmark, unread.path, unread.method, "refused", unread.problems, {})
    for item in docket.judgements:
        stated = tally(item.reconciliations)
        yield Verdict(benchmark, item.report.path, item.report.method.id, item.outcome, item.problems, stated)


def below(found: Iterable[Verdict], root: Path, paths: Sequence[Path]) -> tuple[Verdict, ...]:
    """Keep the verdicts of files at or below `paths`; all of them where none is given.

    Raises UsageError for a path that leads to no report, lest a typing error read as "all is well".
    """
    kept = tuple(found)
    if not paths:
        return kept
    chosen: dict[Path, list[Verdict]] = {path: [] for path in paths}
    for verdict in kept:
        place = (root / "results" / verdict.benchmark / verdict.path).resolve()
        for path, verdicts_below in chosen.items():
            if place.is_relative_to(path.resolve()):
                verdicts_below.append(verdict)
    if lost := [path for path, verdicts_below in chosen.items() if not verdicts_below]:
        remedy = "Name a report, or a folder that holds reports, below results/."
        raise UsageError([Problem("path-without-report", str(path), "a report", "none", remedy) for path in lost])
    wanted = {id(verdict) for verdicts_below in chosen.values() for verdict in verdicts_below}
    return tuple(verdict for verdict in kept if id(verdict) in wanted)


def tally(reconciliations: Iterable[Reconciliation]) -> dict[str, int]:
    """Count stated numbers by how they came out, in the order exact, agrees, differs, unverified."""
    counts = Counter(item.verdict for item in reconciliations)
    return {verdict: counts[verdict] for verdict in ("exact", "agrees", "differs", "unverified")}


def text(found: Iterable[Verdict]) -> str:
    """Return lines for a terminal: a line for each report, its problems indented below, a summary last."""
    found = tuple(found)
    lines: list[str] = []
    for verdict in found:
        name = f" {printable(verdict.method)}" if verdict.method else ""
        checked = sum(verdict.stated.values())
        numbers = f" · {checked} stated numbers: {_tally_text(verdict.stated)}" if checked else ""
        lines.append(f"{verdict.outcome:<10} {printable(verdict.benchmark)}{name} ({printable(verdict.path)}){numbers}")
        for problem in verdict.problems:
            lines.append(f"  {problem.effect}: {printable(str(problem))}")
    outcomes = Counter(verdict.outcome for verdict in found)
    summary = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    lines.append(f"{len(found)} reports: {summary or 'none found'}")
    return "\n".join(lines) + "\n"


def _tally_text(stated: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in stated.items() if count)


def as_json(found: Iterable[Verdict]) -> str:
    """Return the verdicts as one JSON object, `tallystick-check/1`."""
    reports = [
        {
            "benchmark": verdict.benchmark,
            "path": verdict.path,
            "method": verdict.method,
            "outcome": verdict.outcome,
            "stated": dict(verdict.stated),
            "problems": [
                {
                    "code": problem.code,
                    "where": problem.where,
                    "expected": problem.expected,
                    "found": problem.found,
                    "remedy": problem.remedy,
                    "effect": problem.effect,
                }
                for problem in verdict.problems
            ],
        }
        for verdict in found
    ]
    return json.dumps({"format": "tallystick-check/1", "reports": reports}, indent=2) + "\n"


def github(found: Iterable[Verdict]) -> str:
    """Return workflow commands that annotate the files; data is escaped so that it cannot issue a command."""
    lines = [
        f"::{LEVELS[problem.effect]} file={_property(f'results/{verdict.benchmark}/{verdict.path}')},"
        f"title={_property(problem.code)}::{_data(str(problem))}"
        for verdict in found
        for problem in verdict.problems
    ]
    return "".join(f"{line}\n" for line in lines)


def _data(value: str) -> str:
    """Escape as the runner's toolkit does: percent, carriage return, line feed."""
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(found: Iterable[Verdict]) -> str:
    """Return a SARIF 2.1.0 log with one result for each problem."""
    results = [
        {
            "ruleId": problem.code,
            "level": {"error": "error", "warning": "warning", "notice": "note"}[LEVELS[problem.effect]],
            "message": {"text": str(problem)},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": _uri(f"results/{verdict.benchmark}/{verdict.path}")}}}
            ],
        }
        for verdict in found
        for problem in verdict.problems
    ]
    rules = [{"id": code} for code in sorted({str(result["ruleId"]) for result in results})]
    driver = {"name": "tallystick", "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2) + "\n"


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


def printable(value: str) -> str:
    """Return `value` with every control, format and line character escaped, so that a terminal shows it as text."""
    return "".join(
        character if unicodedata.category(character)[0] not in "CZ" or character == " " else _escaped(character)
        for character in value
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii") if ord(character) != 0xA0 else "\\xa0"


FORMATS: Mapping[str, Callable[[Iterable[Verdict]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}

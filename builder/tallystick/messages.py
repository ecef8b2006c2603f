"""Say what verification found: as text for a terminal, JSON for programs, and as Markdown, workflow commands and SARIF.

Names and values come from strangers' reports: each form neutralises what its reader would take for a command.
"""

from __future__ import annotations

import json
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import quote

from tallystick.board import Checked, Docket, Outcome
from tallystick.errors import Problem, UsageError
from tallystick.model import Reconciliation

OUR_FAULT = "internal-error"
LEVELS = {"refuse": "error", "diagnostic": "warning", "note": "notice"}
SUMMARY_LINES = 500
CHECK_FORMAT = "tallystick-check/1"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One report's outcome, as every form says it."""

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


def since(found: Iterable[Verdict], known: Path) -> tuple[Verdict, ...]:
    """Keep the verdicts that do not stand in the file `known`, an earlier outcome as JSON, with the same problems.

    Raises UsageError where the file holds no such outcome.
    """
    try:
        earlier = json.loads(known.read_bytes())
        if earlier["format"] != CHECK_FORMAT:
            raise ValueError
        before = [(item["benchmark"], item["path"], item["outcome"], item["problems"]) for item in earlier["reports"]]
    except (OSError, ValueError, KeyError, TypeError):
        expected = f"an outcome as {CHECK_FORMAT}"
        remedy = "Write it with `tallystick check --format json`."
        raise UsageError([Problem("known-unusable", str(known), expected, "none", remedy)]) from None
    return tuple(
        verdict
        for verdict in found
        if (verdict.benchmark, verdict.path, verdict.outcome, [_fields(problem) for problem in verdict.problems])
        not in before
    )


def exit_status(found: Iterable[Verdict]) -> int:
    """Return 3 where our own fault kept a report from being read, else 1 where one was refused, else 0."""
    kept = tuple(found)
    if any(problem.code == OUR_FAULT for verdict in kept for problem in verdict.problems):
        return 3
    return 1 if any(verdict.outcome == "refused" for verdict in kept) else 0


def tally(reconciliations: Iterable[Reconciliation]) -> dict[str, int]:
    """Count stated numbers by how they came out, in the order exact, agrees, differs, unverified."""
    counts = Counter(item.verdict for item in reconciliations)
    return {verdict: counts[verdict] for verdict in ("exact", "agrees", "differs", "unverified")}


def text(found: Iterable[Verdict]) -> str:
    """Return lines for a terminal: a line for each report, its problems indented below, a summary last."""
    found = tuple(found)
    lines: list[str] = []
    for verdict in found:
        name = f" ({printable(verdict.method)})" if verdict.method else ""
        checked = sum(verdict.stated.values())
        numbers = f" · {checked} stated numbers: {_tally_text(verdict.stated)}" if checked else ""
        lines.append(f"{verdict.outcome:<10} {printable(verdict.file)}{name}{numbers}")
        for problem in verdict.problems:
            lines.append(f"  {problem.effect}: {printable(str(problem))}")
    lines.append(_summary(found))
    return "\n".join(lines) + "\n"


def _summary(found: Sequence[Verdict]) -> str:
    outcomes = Counter(verdict.outcome for verdict in found)
    summary = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{len(found)} reports: {summary or 'none found'}"


def _tally_text(stated: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in stated.items() if count)


def markdown(found: Iterable[Verdict]) -> str:
    """Return a heading and a list of reports and their problems, cut where a job summary would grow too long."""
    found = tuple(found)
    lines: list[str] = []
    for verdict in found:
        name = f" {_inert(verdict.method)}" if verdict.method else ""
        lines.append(f"- **{verdict.outcome}** {_inert(verdict.benchmark)}{name} ({_inert(verdict.path)})")
        lines += [f"  - {problem.effect}: {_inert(str(problem))}" for problem in verdict.problems]
    more = len(lines) - SUMMARY_LINES
    if more > 0:
        lines[SUMMARY_LINES:] = [f"- and {more} more lines"]
    return "\n".join([f"### {_summary(found)}", "", *lines]) + "\n"


def write_summary(found: Iterable[Verdict], file: Path) -> None:
    """Write the Markdown form to a file; raise UsageError where it cannot be written."""
    try:
        file.write_text(markdown(found), "utf-8")
    except OSError as error:
        found_instead = (error.strerror or type(error).__name__).lower()
        problem = Problem("file-unusable", str(file), "a file to write", found_instead, "Name another file.")
        raise UsageError([problem]) from None


def _inert(value: str) -> str:
    """Escape all that Markdown could take for markup, a mention or an address."""
    return "".join(f"\\{character}" if character in string.punctuation else character for character in printable(value))


def as_json(found: Iterable[Verdict]) -> str:
    """Return the verdicts as one JSON object, `tallystick-check/1`."""
    reports = [
        {
            "benchmark": verdict.benchmark,
            "path": verdict.path,
            "method": verdict.method,
            "outcome": verdict.outcome,
            "stated": dict(verdict.stated),
            "problems": [_fields(problem) for problem in verdict.problems],
        }
        for verdict in found
    ]
    return json.dumps({"format": CHECK_FORMAT, "reports": reports}, indent=2) + "\n"


def _fields(problem: Problem) -> dict[str, str]:
    return {field.name: getattr(problem, field.name) for field in fields(problem)}


def github(found: Iterable[Verdict]) -> str:
    """Return workflow commands that annotate the files; data is escaped so that it cannot issue a command."""
    lines = [
        f"::{LEVELS[problem.effect]} file={_property(verdict.file)},"
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
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(verdict.file)}}}],
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


def printable(value: str) -> str:
    """Return `value` with every control, format and line character escaped, so that a terminal shows it as text.

    `##[`, which workflow runners take for a command anywhere in a line, is escaped too.
    """
    shown = "".join(
        character if unicodedata.category(character)[0] not in "CZ" or character == " " else _escaped(character)
        for character in value
    )
    return shown.replace("##[", "##\\x5b")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii") if ord(character) != 0xA0 else "\\xa0"


FORMATS: Mapping[str, Callable[[Iterable[Verdict]], str]] = {
    "text": text,
    "markdown": markdown,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}

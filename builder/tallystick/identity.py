"""Find reports that are not themselves: a run replayed, a method claimed twice, names that read alike.

Identity is a property of the set of reports: each is held against those before it, in order of precedence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tallystick.errors import Problem, some
from tallystick.model import Report


def identity(reports: Sequence[Report]) -> list[list[Problem]]:
    """Find reports that are not themselves: a run replayed, a method claimed twice, names that read alike."""
    found: list[list[Problem]] = [[] for _ in reports]
    first_source: dict[str, tuple[str, str]] = {}
    first_outputs: dict[str, tuple[str, str]] = {}
    first_method: dict[str, str] = {}
    first_spelling: dict[str, str] = {}
    for problems, report in zip(found, reports, strict=True):
        method = report.method.id
        replayed = [
            f"{source.path} = {path} of {other}"
            for source in report.sources
            for path, other in [first_source.setdefault(source.digest, (source.path, method))]
            if path != source.path and source.size > 0
        ]
        elsewhere, other = first_outputs.setdefault(report.outputs, (report.path, method))
        if report.outputs and elsewhere != report.path:
            replayed.append(f"every prediction of {report.path} = {elsewhere} of {other}")
        if replayed:
            problems.append(_replayed(report, replayed))
        if first_method.setdefault(method, report.path) != report.path:
            problems.append(_doubled(report, first_method[method]))
        if (alike := first_spelling.setdefault(_folded(method), method)) != method:
            problems.append(_alike(report, alike))
    return found


def _replayed(report: Report, same: Sequence[str]) -> Problem:
    return Problem(
        "content-replayed",
        report.path,
        "outcomes of a run of its own",
        f"the same as another report's ({some(same)})",
        "Submit each run once, under the name of the method that made it.",
    )


def _doubled(report: Report, path: str) -> Problem:
    return Problem(
        "method-doubled",
        report.path,
        "one report for each method",
        f"{report.method.id}, which {path} reports too",
        "Give the method an id of its own, or withdraw the older report.",
    )


def _alike(report: Report, other: str) -> Problem:
    return Problem(
        "method-spelled-alike",
        report.path,
        "ids that a reader can tell apart",
        f"{report.method.id} beside {other}",
        "If both are one method, keep one report.",
        "note",
    )


def _folded(name: str) -> str:
    """Reduce a name to what a reader keeps of it: case, width, accents and separators folded away."""
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in decomposed if character.isalnum())

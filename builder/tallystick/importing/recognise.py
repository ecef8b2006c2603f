"""Which importer a file belongs to: exactly one must say so, from content alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from tallystick import importers as folder
from tallystick.errors import Problem, Refusal, UsageError
from tallystick.imported import ImportedRun, Importer, ImportOptions, Recognised
from tallystick.logs import LogFile
from tallystick.registry import collect
from tallystick.strict import capped


@cache
def importers() -> tuple[Importer, ...]:
    """Return every importer, in order of their names."""
    return collect(folder, "IMPORTER", Importer)


def recognise(
    files: Iterable[LogFile], format_id: str | None
) -> tuple[dict[str, tuple[Recognised, ...]], tuple[LogFile, ...]]:
    """Return the recognised files by importer, and those that nobody knows.

    Raises Refusal where a file could be two formats, or where no file is any; UsageError for an unknown `format_id`.
    """
    known = {importer.id: importer for importer in importers()}
    if format_id is not None and format_id not in known:
        remedy = "Choose one of them, or leave the format out."
        raise UsageError([Problem("format-unknown", "--from", ", ".join(known), format_id, remedy)])
    candidates = (known[format_id],) if format_id else importers()
    found: dict[str, list[Recognised]] = {}
    unknown: list[LogFile] = []
    problems: list[Problem] = []
    for file in files:
        claims = [(importer.id, role) for importer in candidates if (role := _role(importer, file, format_id))]
        if len(claims) == 1:
            found.setdefault(claims[0][0], []).append(Recognised(file, claims[0][1]))
        elif claims:
            names = " and ".join(f"{name} ({role})" for name, role in claims)
            problems.append(Problem("format-ambiguous", file.name, "one format", names, "Say which: --from FORMAT."))
        else:
            unknown.append(file)
    if not found and not problems:
        problems = [_unrecognised(file, format_id) for file in unknown] or [
            Problem("format-unknown", "the paths given", "a log file", "no file", "Give the folder of a run.")
        ]
    if problems:
        raise Refusal(capped(problems))
    return {name: tuple(members) for name, members in sorted(found.items())}, tuple(unknown)


def _role(importer: Importer, file: LogFile, format_id: str | None) -> str | None:
    try:
        role = importer.recognises(file)
    except (AttributeError, IndexError, KeyError, TypeError):  # a document of such a shape is none of this format
        return None
    return importer.forced(file) if role is None and format_id and importer.forced else role


def _unrecognised(file: LogFile, format_id: str | None) -> Problem:
    wanted = format_id or f"one of {', '.join(importer.id for importer in importers())}"
    remedy = "For a table of scores: --from plain_table --option sample_id=COLUMN --option score=COLUMN …"
    return Problem("format-unknown", file.name, wanted, seen(file), remedy)


def imported(importer: Importer, files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    """Return the runs that an importer reads; a log that breaks its format's shape in any way is refused, not a crash.

    An importer takes a format's shape for granted where a check would say no more than this does.
    """
    names = ", ".join(file.file.name for file in files[:3])
    try:
        runs = importer.read(files, options)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        found = f"a value of another shape ({type(error).__name__}: {str(error)[:120]})"
        remedy = f"Export the log again; if {importer.title} writes such files, please report it."
        raise Refusal([Problem("log-malformed", names, f"the shape of {importer.title}", found, remedy)]) from error
    return runs


def all_imported(
    found: Mapping[str, tuple[Recognised, ...]], options: ImportOptions
) -> tuple[list[ImportedRun], tuple[LogFile, ...]]:
    """Return the runs that all importers read, and the files that were recognised but hold none by themselves.

    Raises Refusal where there is no run at all.
    """
    runs: list[ImportedRun] = []
    idle: list[LogFile] = []
    problems: list[Problem] = []
    for importer in importers():
        if importer.id in found:
            members = found[importer.id]
            made = imported(importer, members, options)
            runs += made
            if not made:
                idle += (member.file for member in members)
                roles = ", ".join(sorted({member.role for member in members}))
                names = ", ".join(member.file.name for member in members[:3])
                expected = f"a run with samples, of {importer.title}"
                remedy = "Give the files that hold the scores of samples too."
                problems.append(Problem("run-absent", names, expected, f"{roles} alone", remedy))
    if not runs:
        raise Refusal(capped(problems))
    return runs, tuple(idle)


def seen(file: LogFile) -> str:
    """Say in a few words what a file holds, whoever may read it."""
    head = file.head
    if isinstance(head, dict):
        return f"{_KINDS[file.kind]} with the keys {_some(head)}"
    if isinstance(head, list):
        inner = f", the first with the keys {_some(head[0])}" if head and isinstance(head[0], dict) else ""
        return f"JSON, an array of {len(head)}{inner}"
    if file.kind in {"csv", "zip"}:
        return f"{_KINDS[file.kind]} {_some(head)}"
    return _KINDS[file.kind]


_KINDS = {
    "json": "JSON",
    "lines": "JSON Lines",
    "csv": "CSV with the columns",
    "zip": "a ZIP archive of",
    "parquet": "Parquet",
    "unknown": "neither JSON, CSV, Parquet nor ZIP",
}


def _some(names: Iterable[object]) -> str:
    shown = [str(name)[:40] for name in names]
    return ", ".join(shown[:8]) + (f" and {len(shown) - 8} more" if len(shown) > 8 else "")

"""AlpacaEval annotations: preferences in [1, 2] of a method's answers over a reference method's.

The score of a sample is 100 · (preference − 1), so that its mean is the win rate, in percent as AlpacaEval states it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tallystick.digest import sha256
from tallystick.errors import Problem
from tallystick.imported import (
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    ImportedStatement,
    Importer,
    ImportOptions,
    Recognised,
    identifier,
)
from tallystick.importers._values import fingerprint_of, given_name, method, number, score, settle
from tallystick.logs import LogFile, objects, table
from tallystick.model import Fingerprint

_ANNOTATION = {"preference", "generator_1", "generator_2"}
_LEADERBOARD = {"win_rate", "standard_error", "n_total"}
_WIN = ImportedMetric(
    "win",
    "Win rate, %",
    upper=100.0,
    description="100 · (preference − 1): 100 where the method's answer was preferred, 50 a draw, 0 the reference's.",
)
_UNNAMED = "an unnamed judge"
_DRAW = 0  # before 1.5 was written for it


def _recognises(file: LogFile) -> str | None:
    if file.kind == "csv" and set(file.head) >= _ANNOTATION:
        return "table"
    if file.kind == "csv" and set(file.head) >= _LEADERBOARD:
        return "leaderboard"
    document = file.head
    if file.kind == "json" and isinstance(document, list) and document and isinstance(document[0], dict):
        return "annotations" if set(document[0]) >= _ANNOTATION else None
    return None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    samples: dict[str, list[ImportedSample]] = defaultdict(list)
    judged: dict[str, set[tuple[str, str]]] = defaultdict(set)
    sources: dict[str, dict[str, LogFile]] = defaultdict(dict)
    for file in files:
        for where, row in table(file.file) if file.role == "table" else ():
            preference = number(row["preference"], where, problems)
            samples[row["generator_2"]].append(_sample(row, preference, where, problems))
            judged[row["generator_2"]].add((str(row.get("annotator") or _UNNAMED), row["generator_1"]))
            sources[row["generator_2"]][file.file.name] = file.file
        for where, entry in objects(file.file) if file.role == "annotations" else ():
            name = given_name(entry.get("generator_2"), where, "method", problems)
            reference = given_name(entry.get("generator_1"), where, "reference method", problems)
            preference = score(entry.get("preference"), where, problems)
            samples[name].append(_sample(entry, preference, where, problems))
            judged[name].add((str(entry.get("annotator") or _UNNAMED), reference))
            sources[name][file.file.name] = file.file
    stated = _stated(files, problems)
    for name, pairs in judged.items():
        if len(pairs) != 1:
            found = ", ".join(f"{annotator} against {reference}" for annotator, reference in sorted(pairs))
            problems.append(
                Problem(
                    "several-judges",
                    f"annotations of {name}",
                    "one annotator and one reference",
                    found,
                    "Import each annotator's annotations into a benchmark of its own.",
                )
            )
    settle(problems)
    return tuple(
        _run(name, rows, next(iter(judged[name])), stated.get(name, ()), tuple(sources[name].values()), options)
        for name, rows in sorted(samples.items())
    )


def _sample(row: Mapping[str, Any], preference: float | None, where: str, problems: list[Problem]) -> ImportedSample:
    asked = row.get("instruction")
    if not row.get("instruction_sha16") and not isinstance(asked, str):
        remedy = "Export the annotations with their instructions."
        problems.append(Problem("sample-id", where, "an instruction", "none", remedy))
    digest = row.get("instruction_sha16") or sha256(str(asked).encode("utf-8", "replace"))[:16]
    axes = {"dataset": str(row["dataset"])} if row.get("dataset") else {}
    if preference is None:
        return ImportedSample(str(digest), "unresolved", {}, axes, content=str(digest))
    if preference == _DRAW:
        preference = 1.5
    if not 1 <= preference <= 2:
        remedy = "Only preferences in [1, 2] are known; 1.5 and 0 are a draw."
        problems.append(Problem("preference-range", where, "a preference in [1, 2]", str(preference), remedy))
    return ImportedSample(str(digest), "scored", {"win": 100 * (preference - 1)}, axes, content=str(digest))


def _stated(files: tuple[Recognised, ...], problems: list[Problem]) -> dict[str, tuple[ImportedStatement, ...]]:
    """Read what leaderboards state of each method."""
    stated: dict[str, tuple[ImportedStatement, ...]] = {}
    for file in files:
        if file.role == "leaderboard":
            for where, row in table(file.file):
                rate, error, total = (
                    number(row[key], where, problems) for key in ("win_rate", "standard_error", "n_total")
                )
                found: list[ImportedStatement] = []
                if rate is not None:
                    found.append(ImportedStatement(f"{where} win_rate", "win", rate))
                if error is not None:
                    found.append(ImportedStatement(f"{where} standard_error", "win", error, "standard_error"))
                if total is not None:
                    found.append(ImportedStatement(f"{where} n_total", "win", total, "count"))
                stated[next(iter(row.values()))] = tuple(found)
    return stated


def _run(
    name: str,
    rows: list[ImportedSample],
    judged: tuple[str, str],
    stated: tuple[ImportedStatement, ...],
    sources: tuple[LogFile, ...],
    options: ImportOptions,
) -> ImportedRun:
    annotator, reference = judged
    return ImportedRun(
        format="alpaca_eval",
        method=method(options, name),
        benchmark=identifier(f"alpaca_eval-{annotator}"),
        title=f"AlpacaEval, judged by {annotator}",
        metrics=(_WIN,),
        samples=tuple(rows),
        fingerprint=Fingerprint(None, None, fingerprint_of({"annotator": annotator, "reference": reference}), None),
        sources=sources,
        stated=stated,
        provenance={"annotator": annotator, "reference method": reference},
        content_from="the first 16 digits of each instruction's SHA-256",
        unproven=(
            "that the preferences are the judge's: its raw answers are not looked at",
            "the length-controlled win rate: it is a model's estimate, no mean of samples",
            "agreement with people: the preference is one model's judgement",
        ),
    )


IMPORTER = Importer("alpaca_eval", "AlpacaEval annotations", _recognises, _read)

"""EvalPlus results: solutions per task with their base and plus outcome, and the hash of the dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from tallystick.importers._values import method, moment, sample_id, settle
from tallystick.logs import LogFile
from tallystick.model import Fingerprint

_OUTCOMES = {"pass": 1, "fail": 0, "timeout": 0}
_BASE = ImportedMetric("base", "Base tests", binary=True, description="Passes the original tests.")
_PLUS = ImportedMetric("plus", "Base and extra tests", binary=True, description="Passes the original and extra tests.")


def _recognises(file: LogFile) -> str | None:
    document = file.head
    if file.kind == "json" and isinstance(document, dict) and {"hash", "eval"} <= set(document):
        return "results" if isinstance(document["eval"], dict) and "model" not in document["eval"] else None
    return None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    runs = [_run(file.file, options, problems) for file in files]
    settle(problems)
    return tuple(runs)


def _run(file: LogFile, options: ImportOptions, problems: list[Problem]) -> ImportedRun:
    document = file.head
    plus = any(solution.get("plus_status") is not None for rows in document["eval"].values() for solution in rows)
    samples: list[ImportedSample] = []
    for task, rows in sorted(document["eval"].items()):
        several = len(rows) > 1
        for index, solution in enumerate(rows):
            where = f"{file.name} /eval/{task}/{index}"
            name = sample_id(f"{task}#{index}" if several else task, where, problems)
            samples.append(_sample(name, task if several else None, solution, plus, where, problems))
    name = file.stem.removesuffix("_eval_results").removesuffix("-sanitized") or file.stem
    if name == "eval_results":
        name = file.path.parent.name
    tasks = {task.partition("/")[0] for task in document["eval"]}
    return ImportedRun(
        format="evalplus",
        method=method(options, name),
        benchmark=identifier("-".join(sorted(tasks)) or "evalplus"),
        title=f"EvalPlus {', '.join(sorted(tasks))}",
        metrics=(_BASE, _PLUS) if plus else (_BASE,),
        samples=tuple(samples),
        fingerprint=Fingerprint(None, str(document["hash"]), None, None),
        sources=(file,),
        finished=moment(document.get("date")),
        stated=tuple(_stated(file, plus)),
        provenance={"dataset hash": str(document["hash"])},
        unproven=(
            "the name of the method: it stands in the file's name only",
            "that the solutions were run: their outcome is what the log says",
        ),
    )


def _sample(
    name: str, cluster: str | None, solution: Mapping[str, Any], plus: bool, where: str, problems: list[Problem]
) -> ImportedSample:
    base, extra = (solution.get(key) for key in ("base_status", "plus_status"))
    for status in (base, extra):
        if status is not None and status not in _OUTCOMES:
            remedy = "Evaluate the solutions again."
            problems.append(Problem("outcome-unknown", where, "pass, fail or timeout", repr(status)[:40], remedy))
    if base is None or (plus and extra is None):
        return ImportedSample(name, "unresolved", {}, {}, cluster)
    values = {"base": _OUTCOMES.get(str(base), 0)}
    if plus:
        values["plus"] = values["base"] * _OUTCOMES.get(str(extra), 0)
    return ImportedSample(name, "scored", values, {}, cluster)


def _stated(file: LogFile, plus: bool) -> list[ImportedStatement]:
    """Read pass@1 only: pass@k for larger k is no mean of outcomes."""
    stated = []
    for key in ("base", "plus") if plus else ("base",):
        value = ((file.head.get("pass_at_k") or {}).get(key) or {}).get("pass@1")
        if isinstance(value, int | float) and not isinstance(value, bool):
            stated.append(ImportedStatement(f"{file.name} /pass_at_k/{key}/pass@1", key, value))
    return stated


IMPORTER = Importer("evalplus", "EvalPlus results", _recognises, _read)

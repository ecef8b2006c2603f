"""terminal-bench: trials of tasks; a trial whose outcome the harness could not tell is unresolved, not failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import (
    Difference,
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    ImportedStatement,
    Importer,
    ImportOptions,
    Recognised,
)
from tallystick.importers._values import identifier, method, number, sample_id, score, settle
from tallystick.logs import LogFile, table
from tallystick.model import Fingerprint

_TRIAL = {"trial_name", "task_id", "is_resolved"}
_RESOLVED = ImportedMetric("resolved", "Resolved", binary=True, description="the task's tests pass in a trial")
_NULLS = "terminal-bench-null-is-failure"
_Key = tuple[str, str]
"""The method's name and the benchmark's."""


def _recognises(file: LogFile) -> str | None:
    document = file.head
    if file.kind == "csv":
        return "table" if set(document) >= _TRIAL | {"system"} else None
    if file.kind != "json" or not isinstance(document, dict):
        return None
    if set(document) >= _TRIAL:
        return "trial"
    results = document.get("results")
    if isinstance(results, list) and results and isinstance(results[0], dict) and set(results[0]) >= _TRIAL:
        return "run"
    return "metadata" if {"run_id", "dataset_name", "agent_name"} <= set(document) else None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    trials: dict[_Key, list[tuple[str, str, Mapping[str, Any], str]]] = defaultdict(list)
    for key, order, where, trial in _trials(files, options, problems):
        trials[key].append((order, str(trial.get("trial_name")), trial, where))
    runs = []
    for (name, dataset), rows in sorted(trials.items()):
        samples = _samples(rows, problems)
        runs.append(_run(name, dataset, samples, files, options))
    settle(problems)
    return tuple(runs)


def _trials(
    files: tuple[Recognised, ...], options: ImportOptions, problems: list[Problem]
) -> Iterator[tuple[_Key, str, str, Mapping[str, Any]]]:
    """Yield each trial once with its method and benchmark and the run that orders it."""
    metadata = {file.file.folder: file.file.head for file in files if file.role == "metadata"}
    whole = {file.file.folder for file in files if file.role == "run"}
    for file in files:
        where, folder = file.file.name, file.file.folder
        if file.role == "table":
            for place, row in table(file.file):
                outcome = number(row["is_resolved"], place, problems)
                yield (
                    (row["system"], row.get("dataset_label") or "terminal-bench"),
                    row.get("run_file", ""),
                    place,
                    {
                        **row,
                        "is_resolved": outcome,
                    },
                )
        elif file.role == "run" or (file.role == "trial" and not _below(folder, whole)):
            facts = metadata.get(folder) or metadata.get(folder.partition("/")[0]) or {}
            name = options.method or facts.get("agent_name")
            if not name:
                remedy = "Give run_metadata.json beside it, or --method."
                problems.append(Problem("method-unknown", where, "the agent's name", "none", remedy))
            if facts.get("model_name"):
                name = options.method or f"{name} {facts['model_name']}"
            version = facts.get("dataset_version")
            dataset = f"{facts.get('dataset_name', 'terminal-bench')}{f'@{version}' if version else ''}"
            rows = file.file.head["results"] if file.role == "run" else [file.file.head]
            for index, trial in enumerate(rows):
                yield (str(name), dataset), folder, f"{where} /results/{index}", trial


def _below(folder: str, whole: set[str]) -> bool:
    """Say whether a trial's own file lies below a run whose results hold it already."""
    parts = folder.split("/")
    return any("/".join(parts[:depth]) in whole for depth in range(len(parts) + 1))


def _samples(rows: list[tuple[str, str, Mapping[str, Any], str]], problems: list[Problem]) -> list[ImportedSample]:
    """Number each task's trials in the order of runs; which trial has which number means nothing."""
    count: dict[str, int] = defaultdict(int)
    samples = []
    for _, _, trial, where in sorted(rows, key=lambda row: row[:2]):
        task = sample_id(trial.get("task_id"), where, problems)
        count[task] += 1
        value = score(trial.get("is_resolved"), f"{where}/is_resolved", problems)
        name = f"{task}#{count[task]}"
        if value is None:
            samples.append(ImportedSample(name, "unresolved", {}, {}, task))
        else:
            samples.append(ImportedSample(name, "scored", {"resolved": value}, {}, task))
    return samples


def _run(
    name: str,
    dataset: str,
    samples: list[ImportedSample],
    files: tuple[Recognised, ...],
    options: ImportOptions,
) -> ImportedRun:
    unknown = sum(sample.status == "unresolved" for sample in samples)
    stated = tuple(_stated([file.file for file in files if file.role == "run"], _NULLS if unknown else None))
    reason = f"the log's accuracy counts {unknown} trials without an outcome as failures; here they are unresolved"
    return ImportedRun(
        format="terminal_bench",
        method=method(options, name),
        benchmark=identifier(dataset),
        title=dataset,
        metrics=(_RESOLVED,),
        samples=tuple(samples),
        fingerprint=Fingerprint(None, None, None, None),
        sources=tuple(file.file for file in files),
        stated=stated,
        differences=(Difference(_NULLS, reason),) if unknown and stated else (),
        unproven=(
            "which version of the tasks was run: the dataset's name holds a version that nothing binds",
            "that two trials of one task are alike: trials are numbered in the order of their runs",
        ),
        notes=("Trials are samples, clustered by task; pairing trial 1 with trial 1 of another method is arbitrary.",),
    )


def _stated(runs: list[LogFile], under: str | None) -> list[ImportedStatement]:
    """Read a run's accuracy, where the log holds a single run."""
    if len(runs) != 1:
        return []
    file = runs[0]
    value = file.head.get("accuracy")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return []
    return [ImportedStatement(f"{file.name} /accuracy", "resolved", value, under=under)]


IMPORTER = Importer("terminal_bench", "terminal-bench trials", _recognises, _read)

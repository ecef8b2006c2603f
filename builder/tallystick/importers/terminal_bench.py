"""terminal-bench: trials of tasks; a trial whose outcome the harness could not tell is unresolved, not failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
    identifier,
)
from tallystick.importers._values import method, number, sample_id, score, settle, several
from tallystick.logs import LogFile, table
from tallystick.model import Fingerprint, Status

_TRIAL = {"trial_name", "task_id", "is_resolved"}
_RESOLVED = ImportedMetric("resolved", "Resolved", binary=True, description="The task's tests pass in a trial.")
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


@dataclass(frozen=True, slots=True)
class _Trial:
    """A trial with its file, the method and benchmark it belongs to, and the run that orders it."""

    file: LogFile
    key: _Key
    run: str
    where: str
    row: Mapping[str, Any]

    @property
    def order(self) -> tuple[str, str]:
        return self.run, str(self.row.get("trial_name"))


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    trials: dict[_Key, list[_Trial]] = defaultdict(list)
    metadata = {file.file.folder: file.file for file in files if file.role == "metadata"}
    whole = {file.file.folder for file in files if file.role == "run"}
    for file in files:
        if file.role == "table":
            found = _of_table(file.file, problems)
        elif file.role == "run" or (file.role == "trial" and not _below(file.file.folder, whole)):
            found = _of_run(file.file, metadata, options, problems)
        else:
            continue
        for trial in found:
            trials[trial.key].append(trial)
    runs = [_run(key, rows, options, problems) for key, rows in sorted(trials.items())]
    settle(problems)
    return tuple(runs)


def _of_table(file: LogFile, problems: list[Problem]) -> Iterator[_Trial]:
    for where, row in table(file):
        outcome = {"is_resolved": number(row["is_resolved"], where, problems)}
        key = (row["system"], row.get("dataset_label") or "terminal-bench")
        yield _Trial(file, key, row.get("run_file", ""), where, {**row, **outcome})


def _of_run(
    file: LogFile, metadata: Mapping[str, LogFile], options: ImportOptions, problems: list[Problem]
) -> Iterator[_Trial]:
    above = next((folder for folder in _upwards(file.folder) if folder in metadata), None)
    facts = metadata[above].head if above is not None else {}
    name = options.method or " ".join(str(facts[key]) for key in ("agent_name", "model_name") if facts.get(key))
    if not name:
        remedy = "Give run_metadata.json of the run too, or --method."
        problems.append(Problem("method-unknown", file.name, "the agent's name", "none", remedy))
    version = facts.get("dataset_version")
    dataset = f"{facts.get('dataset_name', 'terminal-bench')}{f'@{version}' if version else ''}"
    for index, row in enumerate(file.head.get("results", [file.head])):
        yield _Trial(file, (name, dataset), file.folder, f"{file.name} /results/{index}", row)


def _below(folder: str, whole: set[str]) -> bool:
    """Say whether a trial's own file lies below a run whose results hold it already."""
    return any(above in whole for above in _upwards(folder))


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all above it, the nearest first; the topmost is empty."""
    parts = folder.split("/")
    yield from dict.fromkeys("/".join(parts[:depth]) for depth in range(len(parts), -1, -1))


def _samples(trials: list[_Trial], problems: list[Problem]) -> list[ImportedSample]:
    """Number each task's trials in the order of runs; which trial has which number means nothing."""
    count: dict[str, int] = defaultdict(int)
    samples = []
    for trial in sorted(trials, key=lambda trial: trial.order):
        task = sample_id(trial.row.get("task_id"), trial.where, problems)
        count[task] += 1
        value = score(trial.row.get("is_resolved"), f"{trial.where}/is_resolved", problems)
        values = {} if value is None else {"resolved": value}
        status: Status = "scored" if values else "unresolved"
        samples.append(ImportedSample(f"{task}#{count[task]}", status, values, {}, task))
    return samples


def _run(key: _Key, trials: list[_Trial], options: ImportOptions, problems: list[Problem]) -> ImportedRun:
    name, dataset = key
    samples = _samples(trials, problems)
    sources = tuple({trial.file.name: trial.file for trial in trials}.values())
    unknown = sum(sample.status == "unresolved" for sample in samples)
    stated = tuple(_stated(sources, _NULLS if unknown else None))
    reason = (
        f"the log's accuracy counts {several(unknown, 'trial')} without an outcome as failed; here that is unresolved"
    )
    return ImportedRun(
        format="terminal_bench",
        method=method(options, name),
        benchmark=identifier(dataset),
        title=dataset,
        metrics=(_RESOLVED,),
        samples=tuple(samples),
        fingerprint=Fingerprint(None, None, None, None),
        sources=sources,
        stated=stated,
        differences=(Difference(_NULLS, reason),) if unknown and stated else (),
        unproven=(
            "which version of the tasks was run: the dataset's name holds a version that nothing binds",
            "that two trials of one task are alike: trials are numbered in the order of their runs",
        ),
        notes=("Trials are samples, clustered by task; pairing trial 1 with trial 1 of another method is arbitrary.",),
    )


def _stated(sources: tuple[LogFile, ...], under: str | None) -> list[ImportedStatement]:
    """Read a run's accuracy, where the log holds a single run."""
    if len(sources) != 1 or not isinstance(sources[0].head, dict):
        return []
    value = sources[0].head.get("accuracy")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return []
    return [ImportedStatement(f"{sources[0].name} /accuracy", "resolved", value, under=under)]


IMPORTER = Importer("terminal_bench", "terminal-bench trials", _recognises, _read)

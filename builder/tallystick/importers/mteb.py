"""MTEB results: one main score per task, split and subset; aggregates of samples that the log does not hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import (
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    Importer,
    ImportOptions,
    Recognised,
)
from tallystick.importers._values import given_name, method, number, score, settle
from tallystick.logs import LogFile, table
from tallystick.model import Fingerprint

_COLUMNS = {"model", "revision", "task", "split", "hf_subset", "main_score"}
_MAIN = ImportedMetric(
    "main_score",
    "Main score",
    lower=-1.0,
    upper=1.0,
    description="The task's own main measure: accuracy, F1, a correlation, …; its mean mixes them.",
)


def _recognises(file: LogFile) -> str | None:
    if file.kind == "csv" and set(file.head) >= _COLUMNS:
        return "table"
    document = file.head
    if file.kind != "json" or not isinstance(document, dict):
        return None
    if {"task_name", "dataset_revision", "scores"} <= set(document) and isinstance(document["scores"], dict):
        return "task"
    if {"name", "revision", "release_date"} <= set(document):
        return "model"
    return None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One main score, whichever of the two layouts it came in, with the files that say so."""

    files: tuple[LogFile, ...]
    where: str
    row: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        return str(self.row["model"]), str(self.row["revision"])


def _entries(files: tuple[Recognised, ...], problems: list[Problem]) -> Iterator[_Entry]:
    models = {file.file.folder: file.file for file in files if file.role == "model"}
    for file in files:
        if file.role == "table":
            for where, row in table(file.file):
                value = {"main_score": number(row["main_score"], where, problems)}
                yield _Entry((file.file,), where, {**row, **value})
        elif file.role == "task" and file.file.folder in models:
            yield from _of_task(file.file, models[file.file.folder], problems)
        elif file.role == "task":
            remedy = "Give the folder that holds model_meta.json beside the task files."
            problems.append(Problem("model-unknown", file.file.name, "model_meta.json beside it", "none", remedy))


def _of_task(file: LogFile, model: LogFile, problems: list[Problem]) -> Iterator[_Entry]:
    document = file.head
    shared = {
        "model": given_name(model.head["name"], model.name, "method", problems),
        "revision": model.head["revision"],
        "task": document["task_name"],
        "mteb_version": document.get("mteb_version"),
        "dataset_revision": document["dataset_revision"],
    }
    for split, entries in document["scores"].items():
        for index, entry in enumerate(entries):
            where = f"{file.name} /scores/{split}/{index}"
            value = score(entry.get("main_score"), where, problems)
            own = {"split": split, "hf_subset": entry.get("hf_subset"), "main_score": value}
            yield _Entry((model, file), where, {**shared, **own})


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    entries: dict[tuple[str, str], list[_Entry]] = defaultdict(list)
    for entry in _entries(files, problems):
        entries[entry.key].append(entry)
    names = [name for name, _ in entries]
    runs = [
        _run(f"{key[0]}@{key[1][:8]}" if names.count(key[0]) > 1 else key[0], key[1], found, options, problems)
        for key, found in sorted(entries.items())
    ]
    settle(problems)
    return tuple(runs)


def _run(
    name: str, revision: str, entries: list[_Entry], options: ImportOptions, problems: list[Problem]
) -> ImportedRun:
    versions = {str(entry.row.get("mteb_version") or "unknown") for entry in entries}
    several = "A model with results of several revisions is one method for each of them."
    return ImportedRun(
        format="mteb",
        method=method(options, name.replace("__", "/", 1)),
        benchmark="mteb",
        title="MTEB main scores",
        metrics=(_MAIN,),
        samples=tuple(_unit(entry, problems) for entry in entries),
        fingerprint=Fingerprint(None, None, None, None),
        sources=tuple({file.name: file for entry in entries for file in entry.files}.values()),
        provenance={"model revision": revision, "mteb versions": ", ".join(sorted(versions))},
        content_from="each task's dataset revision",
        unproven=(
            "any score: each is an aggregate, and the predictions behind it are not in the log",
            "an interval over test cases: the interval speaks of drawing other tasks, not other test cases",
        ),
        notes=(several,) if "@" in name else (),
        aggregate_only="The unit is a task's split and subset: an aggregate, not a sample.",
    )


def _unit(found: _Entry, problems: list[Problem]) -> ImportedSample:
    entry, where = found.row, found.where
    name = f"{entry['task']}/{entry['split']}/{entry['hf_subset']}"
    axes = {"task": str(entry["task"]), "split": str(entry["split"])}
    content = str(entry["dataset_revision"]) if entry.get("dataset_revision") else None
    value = entry["main_score"]
    if value is None:
        return ImportedSample(name, "missing", {}, axes, str(entry["task"]), content)
    if not -1 <= value <= 1:
        remedy = "Old results hold percentages: divide them by 100 before importing."
        problems.append(Problem("score-range", where, "a main score in [−1, 1]", str(value), remedy))
    return ImportedSample(name, "scored", {"main_score": value}, axes, str(entry["task"]), content)


IMPORTER = Importer("mteb", "MTEB results", _recognises, _read)

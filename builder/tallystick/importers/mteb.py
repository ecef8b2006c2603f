"""MTEB results: one main score per task, split and subset; aggregates of samples that the log does not hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
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
from tallystick.importers._values import method, number, score, settle
from tallystick.logs import LogFile, table
from tallystick.model import Fingerprint

_COLUMNS = {"model", "revision", "task", "split", "hf_subset", "main_score"}
_MAIN = ImportedMetric(
    "main_score",
    "Main score",
    lower=-1.0,
    upper=1.0,
    description="the task's own main measure: accuracy, F1, a correlation, …; its mean mixes them",
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


def _entries(files: tuple[Recognised, ...], problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield one entry per main score, whichever of the two layouts it came in."""
    models = {file.file.folder: file.file.head for file in files if file.role == "model"}
    for file in files:
        if file.role == "table":
            for where, row in table(file.file):
                yield where, {**row, "main_score": number(row["main_score"], where, problems)}
        elif file.role == "task":
            document = file.file.head
            model = models.get(file.file.folder)
            if model is None:
                remedy = "Give the folder that holds model_meta.json beside the task files."
                problems.append(Problem("model-unknown", file.file.name, "model_meta.json beside it", "none", remedy))
                continue
            for split, entries in document["scores"].items():
                for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                    where = f"{file.file.name} /scores/{split}/{index}"
                    yield (
                        where,
                        {
                            "model": model["name"],
                            "revision": model["revision"],
                            "task": document["task_name"],
                            "split": split,
                            "hf_subset": entry.get("hf_subset"),
                            "main_score": score(entry.get("main_score"), where, problems),
                            "mteb_version": document.get("mteb_version"),
                            "dataset_revision": document["dataset_revision"],
                        },
                    )


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    samples: dict[tuple[str, str], list[ImportedSample]] = defaultdict(list)
    versions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for where, entry in _entries(files, problems):
        key = (str(entry["model"]), str(entry["revision"]))
        versions[key].add(str(entry.get("mteb_version") or "unknown"))
        samples[key].append(_unit(entry, where, problems))
    settle(problems)
    names = [name for name, _ in samples]
    runs = []
    for (name, revision), rows in sorted(samples.items()):
        told_apart = f"{name}@{revision[:8]}" if names.count(name) > 1 else name
        runs.append(
            ImportedRun(
                format="mteb",
                method=method(options, told_apart.replace("__", "/", 1)),
                benchmark="mteb",
                title="MTEB main scores",
                metrics=(_MAIN,),
                samples=tuple(rows),
                fingerprint=Fingerprint(None, None, None, None),
                sources=tuple(file.file for file in files),
                provenance={
                    "model revision": revision,
                    "mteb versions": ", ".join(sorted(versions[name, revision])),
                },
                content_from="each task's dataset revision",
                unproven=(
                    "any score: each is an aggregate, and the predictions behind it are not in the log",
                    "an interval over test cases: the interval speaks of drawing other tasks, not other test cases",
                ),
                notes=("A model with results of several revisions is one method for each of them.",)
                if told_apart != name
                else (),
                aggregate_only="The unit is a task's split and subset: an aggregate, not a sample.",
            )
        )
    return tuple(runs)


def _unit(entry: Mapping[str, Any], where: str, problems: list[Problem]) -> ImportedSample:
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

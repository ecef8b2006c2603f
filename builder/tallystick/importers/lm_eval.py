"""lm-evaluation-harness: a results file and its samples files, joined by the hash of the samples that results state.

A sample is a document of a task; a filter is another way of scoring it, so it makes another metric, not another sample.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import (
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    Importer,
    ImportOptions,
    Recognised,
    identifier,
)
from tallystick.importers._lm_eval_groups import parent, top, tree
from tallystick.importers._lm_eval_samples import SamplesFile, Task, is_sample, read_samples
from tallystick.importers._lm_eval_stated import absent, differences_in, stated_in
from tallystick.importers._values import fingerprint_of, method, metric, moment, settle, several
from tallystick.logs import LogFile
from tallystick.model import Fingerprint, Status


def _recognises(file: LogFile) -> str | None:
    document = file.head
    if file.kind not in {"json", "lines"}:
        return None
    if is_sample(document[0] if isinstance(document, list) and document else document):
        return "samples"
    if isinstance(document, dict) and isinstance(document.get("results"), dict) and "versions" in document:
        return "results" if isinstance(document.get("config"), dict) else None
    return None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    loose = [read_samples(file, problems) for file in files if file.role == "samples"]
    runs: list[ImportedRun] = []
    for file in files:
        if file.role == "results":
            tasks = _join(file.file, loose, problems)
            parts = _parts(file.file.head, tasks)
            runs += (_run(file.file, part, tasks, options, problems) for part in parts)
            if tasks and not parts:
                found = "; ".join(_listed(task) for task in tasks)
                remedy = "Such a metric is computed over all samples at once, so no sample can be verified."
                expected = "a metric with one number for each sample"
                problems.append(Problem("metric-absent", file.file.name, expected, found, remedy))
    for samples in loose:
        remedy = "Give the results_….json of the same run too."
        problems.append(Problem("samples-unclaimed", samples.file.name, "a results file that states this file's hash "
                                "or bears the same time", "none among the files given", remedy))  # fmt: skip
    settle(problems)
    return tuple(runs)


def _join(results: LogFile, loose: list[SamplesFile], problems: list[Problem]) -> list[Task]:
    """Find each task's samples by the stated hash, else by the harness's file names; claimed files leave `loose`."""
    document = results.head
    hashes = document.get("task_hashes") or {}
    groups = set(document.get("groups") or {})
    tasks: list[Task] = []
    for name in sorted(set(document["results"]) - groups):
        by_hash = [item for item in loose if item.task_hash and item.task_hash == hashes.get(name)]
        by_name = [item for item in loose if _named_alike(item.file, results, name)]
        both = [item for item in by_hash if item in by_name]
        if len(by_hash) > 1 and not both:  # models that saw the same prompts have the same hash
            remedy = "Keep the names that the harness gave: they tell apart models that saw the same prompts."
            problems.append(Problem("samples-ambiguous", f"{results.name} {name}", "one samples file of that hash",
                                    f"{len(by_hash)}", remedy))  # fmt: skip
        found = both or by_hash or by_name
        if found:
            loose.remove(found[0])
            task = Task(name, found[0], bool(by_hash))
            _index(task, problems)
            tasks.append(task)
    if not tasks:
        remedy = "Run lm_eval with --log_samples, and give the samples_….jsonl files too."
        problems.append(Problem("samples-absent", results.name, "samples of at least one task", "none", remedy))
    return tasks


def _named_alike(samples: LogFile, results: LogFile, task: str) -> bool:
    """Say whether a samples file bears the task's name and the results file's time, as the harness names files."""
    time = re.sub(r"^.*?(\d{4}-\d\d-\d\dT[\d.-]+)$", r"\1", results.stem)
    return samples.folder == results.folder and samples.stem in {f"samples_{task}_{time}", f"samples_{task}", task}


def _index(task: Task, problems: list[Problem]) -> None:
    for row in task.samples.rows:
        filters = task.documents.setdefault(row.doc_id, {})
        if row.filter in filters:
            where = f"{task.samples.file.name} doc_id {row.doc_id} filter {row.filter}"
            remedy = "Log the run again: a sample cannot count twice."
            problems.append(Problem("sample-duplicated", where, "one row", "two", remedy))
        filters[row.filter] = row


def _parts(results: Mapping[str, Any], tasks: list[Task]) -> list[tuple[str, list[Task]]]:
    """Split tasks into benchmarks: tasks of one declared group stay together where they have the same metrics."""
    parts: dict[tuple[str, frozenset[tuple[str, str]]], list[Task]] = defaultdict(list)
    groups = tree(results)
    for task in tasks:
        parts[top(groups, task.name), task.metrics()].append(task)
    named = []
    for (group, metrics), members in sorted(parts.items(), key=lambda item: (item[0][0], sorted(item[0][1]))):
        split = sum(other == group for other, _ in parts) > 1
        name = members[0].name if len(members) == 1 else group
        if len(members) > 1 and split:
            name = f"{group}-{min(metrics)[0]}"
        if metrics:
            named.append((name, members))
    return named


def _run(
    results: LogFile, part: tuple[str, list[Task]], sampled: list[Task], options: ImportOptions, problems: list[Problem]
) -> ImportedRun:
    name, tasks = part
    document = results.head
    several = len({filter for _, filter in tasks[0].metrics()}) > 1
    ids = {pair: f"{pair[0]}.{pair[1]}" if several else pair[0] for pair in sorted(tasks[0].metrics())}
    axes = _axes(tasks, document)
    samples = tuple(sample for task in tasks for sample in _samples(task, ids, document, axes[task.name]))
    stated = tuple(stated_in(results, tasks, ids))
    config = document["config"]
    model = document.get("model_name") or _argument(config.get("model_args"), "pretrained") or config.get("model")
    if not model:
        problems.append(Problem("method-unknown", results.name, "a model name", "none", "Give --method."))
    return ImportedRun(
        format="lm_eval",
        method=method(options, str(model)),
        benchmark=identifier(name),
        title=name,
        metrics=_metrics(ids, tasks, document),
        samples=samples,
        fingerprint=_fingerprint(document, tasks),
        sources=(results, *(task.samples.file for task in tasks)),
        finished=_finished(document),
        stated=stated,
        differences=tuple(differences_in(document, tasks, stated)),
        provenance=_provenance(document),
        unproven=(
            "that the model was the one named: the log states its name and revision only",
            "how an answer was scored: a sample holds the score, and the harness's code is not run again",
        ),
        notes=tuple(_notes(document, tasks, sampled)),
        content_from="the log's own hashes of each document and target",
    )


def _finished(document: Mapping[str, Any]) -> datetime | None:
    """Return when the run ended: `date` is its start, and how long it took is written as text."""
    start = document.get("date")
    try:
        seconds = float(document.get("total_evaluation_time_seconds") or 0)
    except (TypeError, ValueError):
        seconds = 0.0
    return moment(start + seconds) if isinstance(start, int | float) else moment(start)


def _argument(arguments: object, key: str) -> str | None:
    if isinstance(arguments, dict):
        return str(arguments[key]) if key in arguments else None
    found = re.search(rf"(?:^|,){key}=([^,]+)", str(arguments or ""))
    return found[1] if found else None


def _axes(tasks: list[Task], document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the axes of each task's samples: the task, and the group inside the benchmark's own that holds it."""
    groups = tree(document)
    outermost = {top(groups, task.name) for task in tasks}
    axes: dict[str, dict[str, str]] = {}
    for task in tasks:
        group = parent(groups, task.name)
        inner = {"group": group} if group is not None and group not in outermost else {}
        axes[task.name] = inner | {"task": task.name} if len(tasks) > 1 else {}
    return axes


def _samples(
    task: Task, ids: Mapping[tuple[str, str], str], document: Mapping[str, Any], axes: Mapping[str, str]
) -> list[ImportedSample]:
    prefix = f"{task.name}/" if axes else ""
    samples = []
    for doc_id, filters in task.documents.items():
        values = {
            ids[name, row.filter]: value
            for row in filters.values()
            for name, value in row.values.items()
            if value is not None
        }
        content = next(iter(filters.values())).content
        status: Status = "scored" if values else "unresolved"
        samples.append(ImportedSample(f"{prefix}{doc_id}", status, values, axes, content=content))
    return samples + [ImportedSample(f"{prefix}{doc_id}", "missing", {}, axes) for doc_id in absent(task, document)]


def _metrics(
    ids: Mapping[tuple[str, str], str], tasks: list[Task], document: Mapping[str, Any]
) -> tuple[ImportedMetric, ...]:
    better = (document.get("higher_is_better") or {}).get(tasks[0].name) or {}
    metrics = []
    for (name, filter), metric_id in ids.items():
        values = [
            value
            for task in tasks
            for row in task.samples.rows
            if row.filter == filter and (value := row.values.get(name)) is not None
        ]
        metrics.append(metric(metric_id, values, "lower" if better.get(name) is False else "higher"))
    return tuple(metrics)


def _listed(task: Task) -> str:
    return f"{task.name}: {', '.join(sorted(task.samples.lists)) or 'no metric'} with lists, not numbers, per sample"


def _notes(document: Mapping[str, Any], tasks: list[Task], sampled: list[Task]) -> list[str]:
    notes = []
    for task in tasks:
        count = len(task.samples.rows)
        notes.append(f"{task.name}: {task.samples.proven} of {count} rows hold the document and target they hash")
        unextracted = sum(not row.extracted for row in task.samples.rows)
        if unextracted:
            notes.append(f"{task.name}: the harness scored {several(unextracted, 'row')} without an extractable answer")
        for name in sorted(task.samples.lists):
            notes.append(f"{task.name}: {name} has lists, not numbers, per sample; what is stated of it is not checked")
    notes += [f"{_listed(task)}, and not imported" for task in sampled if not task.metrics()]
    groups = {*(document.get("groups") or {}), *tree(document)}
    for name in sorted(set(document["results"]) - groups - {task.name for task in sampled}):
        notes.append(f"{name}: stated without samples, and not imported")
    return notes


def _fingerprint(document: Mapping[str, Any], tasks: list[Task]) -> Fingerprint:
    """Hash what makes two runs comparable: each task's settings without what belongs to the model, and the harness."""
    configs = document.get("configs") or {}
    settings = {
        task.name: {
            "config": {key: value for key, value in (configs.get(task.name) or {}).items() if key != "metadata"},
            "version": document["versions"].get(task.name),
            "shots": (document.get("n-shot") or {}).get(task.name),
        }
        for task in tasks
    }
    shared = {key: document.get(key) for key in ("system_instruction_sha", "fewshot_as_multiturn")}
    seeds = {key: document["config"].get(key) for key in ("fewshot_seed", "gen_kwargs")}
    harness = document.get("lm_eval_version") or document.get("git_hash")
    return Fingerprint(
        benchmark=None,
        corpus=None,
        configuration=fingerprint_of({"tasks": settings, **shared, **seeds}),
        implementation=fingerprint_of({"lm_eval": harness}) if harness else None,
    )


def _provenance(document: Mapping[str, Any]) -> dict[str, str]:
    config = document["config"]
    facts = {
        "lm_eval version": document.get("lm_eval_version"),
        "lm_eval git": document.get("git_hash"),
        "transformers version": document.get("transformers_version"),
        "model revision": config.get("model_revision"),
        "model sha": config.get("model_sha"),
        "model dtype": config.get("model_dtype"),
        "chat template sha": document.get("chat_template_sha"),
    }
    return {label: str(value) for label, value in facts.items() if value}


IMPORTER = Importer("lm_eval", "lm-evaluation-harness", _recognises, _read)

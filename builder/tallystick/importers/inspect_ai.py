"""Inspect AI logs (`.json` and `.eval`): errors and refusals keep their own status, NaN means that nobody scored.

Epochs stay samples of their own, clustered by the sample they repeat, unless `epochs=reduce` is asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import ImportedRun, ImportedSample, Importer, ImportOptions, Recognised, identifier
from tallystick.importers._inspect_log import header, recognises, reductions, samples
from tallystick.importers._inspect_stated import MEANS, differences_in, metric_name, reducers, stated_in
from tallystick.importers._values import fingerprint_of, given_name, method, metric, moment, sample_id, score, settle
from tallystick.model import Fingerprint, Status

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5}
_REFUSAL = "N"


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    how = options.values.get("epochs", "keep")
    if how not in {"keep", "reduce"}:
        problems.append(Problem("option-value", "epochs", "keep or reduce", how, "Choose one."))
    runs: dict[object, ImportedRun] = {}
    for file in files:
        run = _run(file, how, options, problems)
        evaluation = header(file)["eval"]
        key = (evaluation.get("run_id"), evaluation.get("task_id"), run.method.id)
        twin = runs.get(key)
        if twin is not None and twin.samples == run.samples:  # one log in both containers
            note = f"{file.file.name} holds the same run and was left out"
            runs[key] = replace(twin, notes=(*twin.notes, note))
        else:
            runs[(*key, file.file.name) if twin else key] = run
    settle(problems)
    return tuple(runs.values())


def _run(file: Recognised, how: str, options: ImportOptions, problems: list[Problem]) -> ImportedRun:
    log = header(file)
    evaluation = log["eval"]
    rows = [_sample(raw, where, problems) for where, raw in samples(file)]
    repeated = len({row.id.rpartition("#")[2] for row in rows}) > 1
    differences = differences_in(rows)
    under = differences[0].name if differences else None
    reduced = reductions(file) if repeated and how == "reduce" else []
    if not repeated:
        rows = [_without_epoch(row) for row in rows]
    elif how == "reduce":
        rows = _reduced(rows, reduced, file.file.name, problems)
    rows += _unseen(evaluation, rows)
    names = sorted({name for row in rows for name in row.values})
    task = given_name(evaluation["task"], file.file.name, "task", problems)
    model = given_name(evaluation["model"] or options.method, file.file.name, "method", problems)
    return ImportedRun(
        format="inspect_ai",
        method=method(options, model),
        benchmark=identifier(task.rpartition("/")[2]),
        title=task,
        metrics=tuple(metric(name, (row.values[name] for row in rows if name in row.values)) for name in names),
        samples=tuple(rows),
        fingerprint=_fingerprint(log),
        sources=(file.file,),
        finished=moment((log.get("stats") or {}).get("completed_at")),
        complete=log.get("status") == "success" and not log.get("invalidated"),
        stated=tuple(stated_in(file.file.name, log, rows, under, reducers(reduced))),
        differences=differences,
        provenance=_provenance(log),
        unproven=(
            "which version of the dataset was run: the log names it without a hash, so samples are told apart by "
            "their input, choices and target",
            "how an answer was scored: the scorer's code is not run again",
        ),
        notes=tuple(_notes(log, repeated, how)),
        content_from="each sample's input, choices and target",
    )


def _sample(raw: Mapping[str, Any], where: str, problems: list[Problem]) -> ImportedSample:
    name = sample_id(raw.get("id"), where, problems)
    scores = raw.get("scores") or {}
    values: dict[str, float] = {}
    letters: list[str] = []
    for scorer, given in scores.items():
        value = given.get("value") if isinstance(given, dict) else given
        values |= _values(value, str(scorer), None, f"{where} {scorer}", letters, problems)
    status: Status = "scored"
    if raw.get("error") or raw.get("invalidation"):
        status = "invalid"
    elif _REFUSAL in letters:
        status = "abstained"
    elif not values:
        status = "unresolved"
    content = fingerprint_of([_asked(raw.get("input")), raw.get("choices"), raw.get("target")])
    cluster = name
    return ImportedSample(
        f"{name}#{raw.get('epoch', 1)}", status, values if status == "scored" else {}, {}, cluster, content
    )


def _values(
    value: object, scorer: str, reducer: str | None, where: str, letters: list[str], problems: list[Problem]
) -> dict[str, float]:
    """Return the numbers of a score by metric: one, or one for each of its parts."""
    parts = value if isinstance(value, dict) else {"": value}
    found = {metric_name(scorer, key, reducer): _value(item, where, letters, problems) for key, item in parts.items()}
    return {name: number for name, number in found.items() if number is not None}


def _value(item: object, where: str, letters: list[str], problems: list[Problem]) -> float | None:
    """Read a score as Inspect's own default does, but leave NaN, null and lists unscored and refuse other text."""
    if isinstance(item, str):
        if item in _LETTERS:
            return _LETTERS[item]
        if item == _REFUSAL:
            letters.append(item)
            return None
    if isinstance(item, list) or (isinstance(item, float) and math.isnan(item)):
        return None
    return score(item, where, problems)


def _asked(given: object) -> object:
    """Return the input without the random ids that messages bear."""
    if not isinstance(given, list):
        return given
    return [[entry.get("role"), entry.get("content")] if isinstance(entry, dict) else entry for entry in given]


def _without_epoch(row: ImportedSample) -> ImportedSample:
    return ImportedSample(row.id.rpartition("#")[0], row.status, row.values, row.axes, None, row.content)


def _reduced(
    rows: list[ImportedSample], reduced: list[Mapping[str, Any]], where: str, problems: list[Problem]
) -> list[ImportedSample]:
    """Make one sample of the epochs of each, with the values that the log itself reduced them to."""
    if not reduced:
        remedy = "Import with epochs=keep."
        problems.append(Problem("reductions-absent", where, "the log's own reductions", "none", remedy))
    values: dict[str, dict[str, float]] = defaultdict(dict)
    ways = reducers(reduced)
    for entry in reduced:
        scorer = str(entry.get("scorer"))
        reducer = str(entry.get("reducer")) if len(ways[scorer]) > 1 else None
        for item in entry.get("samples") or ():
            place = f"{where} reductions {scorer}"
            values[str(item.get("sample_id"))] |= _values(item.get("value"), scorer, reducer, place, [], problems)
    epochs: dict[str, list[ImportedSample]] = defaultdict(list)
    for row in rows:
        epochs[str(row.cluster)].append(row)
    result = []
    for name, members in epochs.items():
        ended = {row.status for row in members}
        status: Status = (
            "scored" if ended == {"scored"} and values[name] else (ended - {"scored"} or {"unresolved"}).pop()
        )
        result.append(ImportedSample(name, status, values[name] if status == "scored" else {}, {}, None,
                                     members[0].content))  # fmt: skip
    return result


def _unseen(evaluation: Mapping[str, Any], rows: list[ImportedSample]) -> list[ImportedSample]:
    """Return the samples that the log announces but does not hold: they never ended."""
    announced = (evaluation.get("dataset") or {}).get("sample_ids") or ()
    seen = {row.cluster or row.id for row in rows}
    absent = sorted({str(name) for name in announced} - seen)
    if any(row.cluster for row in rows):
        epochs = sorted({row.id.rpartition("#")[2] for row in rows})
        return [ImportedSample(f"{name}#{epoch}", "missing", {}, {}, name) for name in absent for epoch in epochs]
    return [ImportedSample(name, "missing") for name in absent]


def _fingerprint(log: Mapping[str, Any]) -> Fingerprint:
    evaluation = log["eval"]
    configuration = {key: evaluation.get(key) for key in ("task", "task_version", "task_args", "scorers")}
    configuration["solvers"] = (log.get("plan") or {}).get("steps")
    revision = evaluation.get("revision") or {}
    code = {"commit": revision.get("commit"), "packages": evaluation.get("packages")}
    return Fingerprint(None, None, fingerprint_of(configuration), fingerprint_of(code))


def _provenance(log: Mapping[str, Any]) -> dict[str, str]:
    evaluation = log["eval"]
    revision = evaluation.get("revision") or {}
    facts = {
        "run id": evaluation.get("run_id"),
        "inspect_ai version": (evaluation.get("packages") or {}).get("inspect_ai"),
        "task version": evaluation.get("task_version"),
        "dataset": (evaluation.get("dataset") or {}).get("name"),
        "commit": f"{revision['commit']}{' (dirty)' if revision.get('dirty') else ''}"
        if revision.get("commit")
        else None,
    }
    return {label: str(value) for label, value in facts.items() if value is not None}


def _notes(log: Mapping[str, Any], repeated: bool, how: str) -> list[str]:
    notes = []
    if log.get("status") != "success":
        notes.append(f"the log's status is {log.get('status', 'unfinished')!s}: the run did not end well")
    if repeated:
        notes.append(f"epochs: {'one sample each, clustered by what they repeat' if how == 'keep' else 'reduced'}")
    for entry in (log.get("results") or {}).get("scores") or ():
        other = sorted(set(entry.get("metrics") or ()) - MEANS - {"stderr"})
        if other:
            notes.append(f"{entry.get('name')}: {', '.join(other)} is stated but no mean, and not checked")
    return notes


IMPORTER = Importer(
    "inspect_ai",
    "Inspect AI log",
    recognises,
    _read,
    {"epochs": "keep (default): each epoch is a sample, clustered by what it repeats; reduce: the log's own reduction"},
)

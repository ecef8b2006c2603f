"""Plain tables, long (a row per method and sample) or wide (a column per method), with a mapping of columns.

Cells of CSV are text: methods named `NA` and `None` are methods, an empty score is no score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from tallystick.importers._table_rows import columns, rows
from tallystick.importers._values import given_name, method, metric, number, sample_id, score, settle
from tallystick.logs import LogFile
from tallystick.model import STATUSES, Fingerprint, Status
from tallystick.strict import describe

_LONG = {"method", "sample_id", "score"}
_ROLES = ("method", "task", "sample_id", "score", "status", "weight", "cluster")
_Key = tuple[str, str]
"""The benchmark's name and the method's."""


def _recognises(file: LogFile) -> str | None:
    names = columns(file)
    if set(names) >= _LONG:
        return "long"
    return "wide" if names[:1] == ("sample_id",) and len(names) > 1 and not _LONG & set(names[1:]) else None


def _forced(file: LogFile) -> str | None:
    return _recognises(file) or ("mapped" if columns(file) else None)


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    samples: dict[_Key, list[ImportedSample]] = defaultdict(list)
    sources: dict[_Key, dict[str, LogFile]] = defaultdict(dict)
    for file in files:
        layout = options.values.get("layout", "wide" if file.role == "wide" else "long")
        _columns_exist(file.file, layout, options, problems)
        if not problems:
            for key, sample in (_wide if layout == "wide" else _long)(file.file, options, problems):
                samples[key].append(sample)
                sources[key][file.file.name] = file.file
    bounds = {name: number(options.values.get(name, ""), f"option {name}", problems) for name in ("lower", "upper")}
    settle(problems)
    by_task: dict[str, list[ImportedSample]] = defaultdict(list)
    for (task, _), found in samples.items():
        by_task[task] += found
    metrics = {task: _metrics(found, options, bounds) for task, found in by_task.items()}
    return tuple(
        ImportedRun(
            format="plain_table",
            method=method(options, name),
            benchmark=identifier(task or files[0].file.stem),
            title=task or files[0].file.stem,
            metrics=metrics[task],
            samples=tuple(found),
            fingerprint=Fingerprint(None, None, None, None),
            sources=tuple(sources[task, name].values()),
            unproven=("anything about where the scores come from: a table holds scores alone",),
        )
        for (task, name), found in sorted(samples.items())
    )


def _named(options: ImportOptions, role: str) -> str:
    return options.values.get(role, role)


def _axes(options: ImportOptions) -> list[str]:
    return [name for name in options.values.get("axes", "").split(",") if name]


def _scores(options: ImportOptions) -> list[str]:
    return [name for name in options.values.get("score", "score").split(",") if name]


def _columns_exist(file: LogFile, layout: str, options: ImportOptions, problems: list[Problem]) -> None:
    held = columns(file)
    needed = [_named(options, "sample_id"), *_axes(options)]
    needed += [] if layout == "wide" else [_named(options, "method"), *_scores(options)]
    needed += [options.values[role] for role in ("task", "status", "cluster") if role in options.values]
    absent = [name for name in dict.fromkeys(needed) if name not in held]
    if absent:
        expected = f"the columns {', '.join(absent)}"
        remedy = "Say which column is which: --option sample_id=… --option method=… --option score=…"
        problems.append(Problem("columns-absent", file.name, expected, ", ".join(held), remedy))


def _long(file: LogFile, options: ImportOptions, problems: list[Problem]) -> Iterator[tuple[_Key, ImportedSample]]:
    for where, row in rows(file):
        weight = row.get(_named(options, "weight"))
        if weight not in (None, "", "1", 1):
            remedy = "Leave the column out: every sample counts alike here."
            problems.append(Problem("weight-unsupported", where, "a weight of 1 or none", describe(weight), remedy))
        values = {
            name: value
            for name in _scores(options)
            if (value := _number(row.get(name), f"{where} {name}", problems)) is not None
        }
        status = _status(row.get(_named(options, "status")), bool(values), where, problems)
        cluster = row.get(_named(options, "cluster"))
        sample = ImportedSample(
            sample_id(row.get(_named(options, "sample_id")), where, problems),
            status,
            values if status == "scored" else {},
            {name: str(row[name]) for name in _axes(options) if row.get(name) not in (None, "")},
            str(cluster) if cluster not in (None, "") else None,
        )
        method_name = given_name(row.get(_named(options, "method")), where, "method", problems)
        yield (str(row.get(_named(options, "task")) or ""), method_name), sample


def _wide(file: LogFile, options: ImportOptions, problems: list[Problem]) -> Iterator[tuple[_Key, ImportedSample]]:
    name, axes, cluster = _named(options, "sample_id"), _axes(options), _named(options, "cluster")
    metric_id = _scores(options)[0]
    for where, row in rows(file):
        shared = ImportedSample(
            sample_id(row.get(name), where, problems),
            "missing",
            axes={axis: str(row[axis]) for axis in axes if row.get(axis) not in (None, "")},
            cluster=str(row[cluster]) if row.get(cluster) not in (None, "") else None,
        )
        for column in columns(file):
            if column not in {name, cluster, *axes}:
                found: list[Problem] = []
                value = _number(row.get(column), f"{where} {column}", found)
                remedy = f"Write numbers, or nothing; if the column is no method's: --option axes={column}"
                problems += (replace(problem, remedy=remedy) for problem in found)
                scored = shared if value is None else replace(shared, status="scored", values={metric_id: value})
                yield ("", column), scored


def _number(cell: Any, where: str, problems: list[Problem]) -> float | None:  # noqa: ANN401 - a cell of any table
    return number(cell, where, problems) if isinstance(cell, str) else score(cell, where, problems)


def _status(cell: object, scored: bool, where: str, problems: list[Problem]) -> Status:
    """Read a status; where there is none, a row without a score is missing. A failure must be written as 0."""
    if cell in (None, ""):
        return "scored" if scored else "missing"
    known = next((status for status in STATUSES if status == cell), None)
    if known is None or (known == "scored") != scored:
        expected = (
            "a score where the status is scored, and none elsewhere" if known else f"one of {', '.join(STATUSES)}"
        )
        problems.append(Problem("status-unknown", where, expected, describe(cell), "Mend the status or the score."))
    return known or "invalid"


def _metrics(
    samples: list[ImportedSample], options: ImportOptions, bounds: Mapping[str, float | None]
) -> tuple[ImportedMetric, ...]:
    direction = "lower" if options.values.get("direction") == "lower" else "higher"
    metrics = []
    for name in _scores(options):
        found = metric(name, (s.values[name] for s in samples if name in s.values), direction)  # type: ignore[arg-type]  # one of two literals
        given = {key: value for key, value in bounds.items() if value is not None}
        metrics.append(replace(found, **given))  # type: ignore[arg-type]  # floats, by name
    return tuple(metrics)


IMPORTER = Importer(
    "plain_table",
    "Plain table (CSV, JSON Lines, Parquet)",
    _recognises,
    _read,
    {
        **{role: f"the column that holds the {role.replace('_', ' ')}" for role in _ROLES if role != "weight"},
        "score": "the column or columns (comma-separated) that hold scores; each becomes a metric",
        "axes": "columns (comma-separated) that split tables",
        "layout": "long (a row per method and sample) or wide (a column per method)",
        "direction": "higher (default) or lower is better",
        "lower": "the least value that a sample can have",
        "upper": "the greatest value that a sample can have",
    },
    _forced,
)

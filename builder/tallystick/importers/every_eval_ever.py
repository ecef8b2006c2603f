"""every_eval_ever records: aggregates with the samples they point to, joined by checksum; or aggregates alone."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from tallystick.importers._every_eval_ever_units import bound, runs
from tallystick.importers._values import fingerprint_of, given_name, method, moment, sample_id, score, settle
from tallystick.logs import LogFile, objects
from tallystick.model import Fingerprint

_AGGREGATE = {"schema_version", "evaluation_id", "model_info", "evaluation_results"}
_UNPROVEN = "the record states no checksum of its samples file"
_INSTANCE = {"schema_version", "evaluation_id", "sample_id", "evaluation"}


def _recognises(file: LogFile) -> str | None:
    document = file.head
    if not isinstance(document, dict):
        return None
    if file.kind in {"json", "lines"} and set(document) >= _AGGREGATE:
        return "aggregate" if file.kind == "json" else None
    return "instances" if file.kind in {"json", "lines"} and set(document) >= _INSTANCE else None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    details = {file.file.digest: file.file for file in files if file.role == "instances"}
    used: set[str] = set()
    found: list[ImportedRun] = []
    alone: list[LogFile] = []
    for file in files:
        if file.role == "aggregate":
            pointed = file.file.head.get("detailed_evaluation_results")
            if pointed:
                samples = _detail(file.file, pointed, details, problems)
                if samples is not None:
                    used.add(samples.digest)
                    found += _runs_of(file.file, samples, options, problems)
            else:
                alone.append(file.file)
    found += runs(alone, options, problems)
    for digest in sorted(details.keys() - used):
        remedy = "Give the aggregate record that states this file's checksum too."
        expected = "an aggregate record that points here by checksum"
        problems.append(Problem("samples-unclaimed", details[digest].name, expected, "none", remedy))
    settle(problems)
    return tuple(found)


def _detail(
    record: LogFile, pointed: Mapping[str, Any], details: Mapping[str, LogFile], problems: list[Problem]
) -> LogFile | None:
    """Find the samples file by the checksum that the record states; by its name only where it states none."""
    checksum, algorithm = pointed.get("checksum"), pointed.get("hash_algorithm")
    if checksum is None:
        name = str(pointed.get("file_path")).rpartition("/")[2]
        alike = [file for file in details.values() if file.name.rpartition("/")[2] == name]
        if len(alike) == 1:
            return alike[0]
        where = f"{record.name} /detailed_evaluation_results/file_path"
        remedy = "Give the samples file that the record points to, under its own name."
        problems.append(Problem("samples-absent", where, f"one file {name}", f"{len(alike)}", remedy))
        return None
    if algorithm == "sha256":
        match = details.get(str(checksum))
    else:
        match = next((file for file in details.values() if _md5(file) == checksum), None)
    if match is None:
        where = f"{record.name} /detailed_evaluation_results/checksum"
        remedy = "Give the samples file as it was when the record was written."
        problems.append(Problem("digest-differs", where, f"a samples file of {algorithm} {checksum}", "none", remedy))
    return match


def _md5(file: LogFile) -> str:
    return hashlib.md5(file.path.read_bytes(), usedforsecurity=False).hexdigest()


def _runs_of(record: LogFile, samples: LogFile, options: ImportOptions, problems: list[Problem]) -> list[ImportedRun]:
    """Make a run of each evaluation, of whose results each is a metric: every row belongs to exactly one result."""
    results = record.head["evaluation_results"]
    by_key = _keys(results)
    given_name(options.method or record.head["model_info"]["id"], record.name, "method", problems)
    rows: dict[int, list[ImportedSample]] = defaultdict(list)
    for where, row in objects(samples):
        index = by_key.get(str(row.get("evaluation_result_id") or row.get("evaluation_name")))
        if row.get("evaluation_id") != record.head["evaluation_id"] or index is None:
            remedy = "Keep each record's rows in a file of its own."
            problems.append(Problem("row-unclaimed", where, "an evaluation of the record", _told(row), remedy))
        else:
            rows[index].append(_sample(row, index, where, problems))
    return [_run(record, samples, {index: rows[index] for index in part}, options) for part in _parts(results, rows)]


def _parts(results: Sequence[Mapping[str, Any]], rows: Mapping[int, object]) -> list[list[int]]:
    """Put the results of one evaluation together where their metrics have names of their own."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for index in sorted(rows):
        by_name[str(results[index]["evaluation_name"])].append(index)
    parts: list[list[int]] = []
    for indices in by_name.values():
        distinct = len({_metric_id(results[index]) for index in indices}) == len(indices)
        parts += [indices] if distinct else [[index] for index in indices]
    return parts


def _keys(results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the evaluations by id, and by name where that is of one alone: rows need not state the id."""
    names = [str(result.get("evaluation_name")) for result in results]
    by_name = {name: index for index, name in enumerate(names) if names.count(name) == 1}
    by_id = {
        str(result["evaluation_result_id"]): index
        for index, result in enumerate(results)
        if result.get("evaluation_result_id")
    }
    return by_name | by_id


def _told(row: Mapping[str, Any]) -> str:
    named = row.get("evaluation_result_id") or row.get("evaluation_name")
    return f"{named} of {row.get('evaluation_id')}"


def _metric_id(result: Mapping[str, Any]) -> str:
    config = result["metric_config"]
    return str(config.get("metric_id") or config.get("metric_kind") or "score")


def _sample(row: Mapping[str, Any], index: int, where: str, problems: list[Problem]) -> ImportedSample:
    name = sample_id(row.get("sample_id"), where, problems)
    asked = row.get("input") or {}
    content = row.get("sample_hash") or fingerprint_of([asked.get("raw"), asked.get("reference")])
    value = score((row.get("evaluation") or {}).get("score"), f"{where} score", problems)
    if row.get("error"):
        return ImportedSample(name, "invalid", content=content)
    values = {} if value is None else {"": value}  # named when the run's metric is known
    return ImportedSample(name, "scored" if values else "unresolved", values, content=content)


def _metric(result: Mapping[str, Any], rows: Sequence[ImportedSample]) -> ImportedMetric:
    config = result["metric_config"]
    values = {row.values[""] for row in rows if row.values}
    return ImportedMetric(
        _metric_id(result),
        str(config.get("metric_name") or config.get("metric_id") or "Score"),
        "lower" if config.get("lower_is_better") else "higher",
        bound(config.get("min_score")),
        bound(config.get("max_score")),
        binary=config.get("score_type") == "binary" or values <= {0, 1},
        description=str(config.get("evaluation_description") or ""),
    )


def _merged(rows: Mapping[str, Sequence[ImportedSample]]) -> tuple[ImportedSample, ...]:
    """Return each sample once with its values by metric; rows that repeat one metric stay as they are, to be told."""
    samples: dict[tuple[str, int], ImportedSample] = {}
    for metric_id, found in rows.items():
        seen: Counter[str] = Counter()
        for row in found:
            key = (row.id, seen[row.id])
            seen[row.id] += 1
            values = {metric_id: row.values[""]} if row.values else {}
            known = samples.get(key)
            if known is None:
                samples[key] = replace(row, values=values)
            elif "invalid" in (known.status, row.status):
                samples[key] = replace(known, status="invalid", values={})
            elif values:
                samples[key] = replace(known, status="scored", values={**known.values, **values})
    return tuple(samples.values())


def _run(
    record: LogFile, source: LogFile, rows: Mapping[int, Sequence[ImportedSample]], options: ImportOptions
) -> ImportedRun:
    document = record.head
    results = document["evaluation_results"]
    result = results[min(rows)]
    library, model = document.get("eval_library") or {}, document["model_info"]
    return ImportedRun(
        format="every_eval_ever",
        method=method(options, str(model["id"]), title=str(model["name"]) if model.get("name") else None),
        benchmark=identifier(str(result["evaluation_name"])),
        title=str(result["evaluation_name"]),
        metrics=tuple(_metric(results[index], found) for index, found in rows.items()),
        samples=_merged({_metric_id(results[index]): found for index, found in rows.items()}),
        fingerprint=Fingerprint(None, None, None, fingerprint_of(library)),
        sources=(record, source),
        finished=moment(document.get("evaluation_timestamp")),
        stated=tuple(item for index in rows for item in _stated(record, index, _metric_id(results[index]))),
        provenance={
            "evaluation library": f"{library.get('name')} {library.get('version')}",
            "evaluation id": str(document["evaluation_id"])[:500],
        },
        notes=() if document["detailed_evaluation_results"].get("checksum") else (_UNPROVEN,),
        content_from="the record's sample hashes, or each input and its references",
        unproven=(
            "that hashes of samples made by another converter mean the same: there are several recipes",
            "that a score of 0.0 was a score: some converters write it where the harness gave none",
        ),
    )


def _stated(record: LogFile, index: int, metric_id: str) -> list[ImportedStatement]:
    details = record.head["evaluation_results"][index]["score_details"]
    where = f"{record.name} /evaluation_results/{index}/score_details"
    uncertainty = details.get("uncertainty") or {}
    error = (uncertainty.get("standard_error") or {}).get("value")
    stated = [ImportedStatement(f"{where}/score", metric_id, details["score"])]
    if isinstance(error, int | float):
        place = f"{where}/uncertainty/standard_error"
        stated.append(ImportedStatement(place, metric_id, error, "standard_error"))
    if isinstance(uncertainty.get("num_samples"), int):
        place = f"{where}/uncertainty/num_samples"
        stated.append(ImportedStatement(place, metric_id, uncertainty["num_samples"], "count"))
    return stated


IMPORTER = Importer(
    "every_eval_ever",
    "every_eval_ever records",
    _recognises,
    _read,
    {"retrieval": "latest: of several records of one model, read the one retrieved last"},
)

"""A board → every_eval_ever records: one aggregate a method, and a row for each sample and metric that has a value.

A row needs a score, so a sample without one has no row: the counts of every status stand in the aggregate instead.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from tallystick.board import Board, Entry, Estimate, File
from tallystick.digest import sha256
from tallystick.model import Benchmark, Metric

SCHEMA_VERSION = "0.3.0"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who evaluated, in the words of every_eval_ever, and when the record is made."""

    organization: str
    relationship: Relationship
    retrieved: datetime
    version: str


def exchange(board: Board, origin: Origin) -> tuple[File, ...]:
    """Return an aggregate record and its samples file for each admitted method of a board.

    A method's id that reads `developer__model` becomes the model `developer/model`; any other has no developer. The
    record's id follows from its content, so that the same board gives the same files.
    """
    files: list[File] = []
    for entry in board.entries:
        developer, model = _names(entry.method)
        rows = b"".join(_line(row) for row in _rows(board.benchmark, entry, origin))
        name = uuid.UUID(bytes=bytes.fromhex(sha256(rows + entry.method.encode())[:32]), version=4)
        folder = f"data/{board.benchmark.id}/{developer}/{model}"
        samples = File(f"{folder}/{name}_samples.jsonl", rows)
        record = _record(board.benchmark, entry, origin, samples)
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        files += [File(f"{folder}/{name}.json", text.encode("utf-8")), samples]
    return tuple(files)


def _names(method: str) -> tuple[str, str]:
    developer, separator, model = method.partition("__")
    return (developer, model) if separator and model else ("unknown", method)


def _stamp(moment: datetime) -> str:
    return str(int(moment.timestamp()))


def _evaluation_id(benchmark: Benchmark, entry: Entry, origin: Origin) -> str:
    return f"{benchmark.id}/{entry.method}/{_stamp(origin.retrieved)}"


def _result_id(benchmark: Benchmark, metric: Metric) -> str:
    return f"{benchmark.id}.{metric.id}"


def _record(benchmark: Benchmark, entry: Entry, origin: Origin, samples: File) -> dict[str, Any]:
    developer, model = _names(entry.method)
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": _evaluation_id(benchmark, entry, origin),
        "retrieved_timestamp": _stamp(origin.retrieved),
        "source_metadata": {
            "source_name": benchmark.title,
            "source_type": "evaluation_run",
            "source_organization_name": origin.organization,
            "evaluator_relationship": origin.relationship,
        },
        "eval_library": {"name": "tallystick", "version": origin.version},
        "model_info": {
            "name": entry.report.method.title,
            "id": f"{developer}/{model}",
            "developer": developer,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "method_id": entry.method,
                "scores_sha256": entry.report.scores_digest,
            },
        },
        "evaluation_results": [
            _result(benchmark, metric, entry, estimate)
            for metric in benchmark.metrics
            if (estimate := entry.estimates.get(metric.id)) is not None and estimate.value is not None
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": samples.path,
            "hash_algorithm": "sha256",
            "checksum": sha256(samples.content),
            "total_rows": samples.content.count(b"\n"),
        },
    }
    if entry.report.run.finished is not None:
        record["evaluation_timestamp"] = _stamp(entry.report.run.finished)
    return record


def _result(benchmark: Benchmark, metric: Metric, entry: Entry, estimate: Estimate) -> dict[str, Any]:
    hashes = {
        name: str(value)
        for name in ("benchmark", "corpus", "configuration", "implementation")
        if (value := getattr(entry.report.fingerprint, name)) is not None
    }
    return {
        "evaluation_result_id": _result_id(benchmark, metric),
        "evaluation_name": _result_id(benchmark, metric),
        "source_data": {
            "dataset_name": benchmark.id,
            "source_type": "other",
            "additional_details": {"samples_sha256": benchmark.samples.digest, **hashes},
        },
        "metric_config": {
            "metric_id": metric.id,
            "metric_name": metric.title,
            "metric_kind": metric.kind,
            "lower_is_better": metric.direction == "lower",
            "score_type": "continuous",
            "min_score": "-Infinity" if metric.lower is None else metric.lower,
            "max_score": "Infinity" if metric.upper is None else metric.upper,
        },
        "score_details": {
            "score": estimate.value,
            "details": _details(entry, estimate),
            "uncertainty": _uncertainty(benchmark, estimate),
        },
    }


def _details(entry: Entry, estimate: Estimate) -> dict[str, str]:
    counts = {f"samples_{status}": str(number) for status, number in entry.ledger.counts.items()}
    counts["speaks_of"] = "scored samples only" if estimate.conditional else "every sample"
    if estimate.bounds is not None:
        counts["worst_case"], counts["best_case"] = repr(estimate.bounds.lower), repr(estimate.bounds.upper)
    return counts


def _uncertainty(benchmark: Benchmark, estimate: Estimate) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": estimate.n}
    if estimate.interval is not None:
        drawn = benchmark.bootstrap
        found["confidence_interval"] = {
            "lower": estimate.interval.lower,
            "upper": estimate.interval.upper,
            "confidence_level": drawn.confidence,
            "method": f"percentile bootstrap over samples, seed {drawn.seed}"
            + (f", stratified by {benchmark.stratum}" if benchmark.stratum else ""),
        }
        found["num_bootstrap_samples"] = drawn.resamples
    return found


def _rows(benchmark: Benchmark, entry: Entry, origin: Origin) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each metric of one value a sample and each sample with a value; prompts and answers we lack."""
    place = {name: index for index, name in enumerate(entry.report.ids)}
    developer, model = _names(entry.method)
    for metric in benchmark.metrics:
        column = entry.report.columns.get(metric.id)
        if column is None or column.statistics.shape[1] != 1:
            continue
        for index, name in enumerate(benchmark.samples.ids):
            row = place.get(name)
            if row is None or not column.defined[row]:
                continue
            value = float(column.statistics[row, 0])
            best = metric.upper if metric.direction == "higher" else metric.lower
            content = benchmark.samples.rows[index].get("content")
            yield {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": _evaluation_id(benchmark, entry, origin),
                "model_id": f"{developer}/{model}",
                "evaluation_name": _result_id(benchmark, metric),
                "evaluation_result_id": _result_id(benchmark, metric),
                "sample_id": name,
                "sample_hash": content if isinstance(content, str) else None,
                "interaction_type": "single_turn",
                "input": {"raw": "", "reference": []},
                "output": {"raw": []},
                "answer_attribution": [],
                "evaluation": {"score": value, "is_correct": value == best},
                "metadata": {
                    axis: told for axis, values in benchmark.samples.axes.items() if (told := values[index]) is not None
                },
            }


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n"

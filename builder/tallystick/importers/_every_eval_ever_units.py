"""Aggregates of every_eval_ever without their samples: the unit is an evaluation, and the board is no evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import (
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    ImportOptions,
    identifier,
)
from tallystick.importers._values import fingerprint_of, method, sample_id, score
from tallystick.logs import LogFile
from tallystick.model import Direction, Fingerprint

_REASON = "The unit is an evaluation: an aggregate, not a sample."


def bound(given: object) -> float | None:
    """Return a stated limit; the texts "Infinity" and "-Infinity", and nothing, are no limit."""
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


def runs(files: list[LogFile], options: ImportOptions, problems: list[Problem]) -> list[ImportedRun]:
    """Make one run of each model's record in a collection, and one more where some evaluations are better lower."""
    records: dict[tuple[str, str], list[LogFile]] = defaultdict(list)
    for file in files:
        collection, _, rest = str(file.head["evaluation_id"]).partition("/")
        records[collection, rest.rpartition("/")[0] or rest].append(file)
    found: list[ImportedRun] = []
    for (collection, name), versions in sorted(records.items()):
        chosen = _chosen(collection, name, versions, options, problems)
        for lower in sorted({_lower(result) for result in chosen.head["evaluation_results"]}):
            found.append(_run(collection, name, chosen, lower, options, problems))
    return found


def _chosen(
    collection: str, name: str, versions: list[LogFile], options: ImportOptions, problems: list[Problem]
) -> LogFile:
    """Return the record to read; the latest of several only where the person asked for it."""
    ordered = sorted(versions, key=lambda file: (float(_stamp(file)), file.name))
    if len(ordered) > 1 and options.values.get("retrieval") != "latest":
        scores: dict[str, set[float]] = defaultdict(set)
        for file in ordered:
            for result in file.head["evaluation_results"]:
                scores[str(result.get("evaluation_name"))].add(result["score_details"]["score"])
        torn = sorted(key for key, values in scores.items() if len(values) > 1)
        says = f"which disagree on {torn[0]!r}" if torn else "which agree"
        remedy = "Give one of them, or `--option retrieval=latest`."
        problems.append(
            Problem("record-repeated", f"{collection}/{name}", "one record", f"{len(ordered)}, {says}", remedy)
        )
    return ordered[-1]


def _stamp(file: LogFile) -> str:
    text = str(file.head.get("retrieved_timestamp"))
    return text if text.replace(".", "", 1).isdigit() else "0"


def _lower(result: Mapping[str, Any]) -> bool:
    return bool((result.get("metric_config") or {}).get("lower_is_better"))


def _run(
    collection: str, name: str, file: LogFile, lower: bool, options: ImportOptions, problems: list[Problem]
) -> ImportedRun:
    results = [result for result in file.head["evaluation_results"] if _lower(result) == lower]
    samples: dict[str, ImportedSample] = {}
    for index, result in enumerate(results):
        where = f"{file.name} /evaluation_results/{index}"
        unit = sample_id(result.get("evaluation_name"), where, problems)
        if unit in samples:
            unit = sample_id(f"{unit} [{result.get('evaluation_result_id', index)}]", where, problems)
        value = score(result["score_details"].get("score"), f"{where}/score_details/score", problems)
        values = {} if value is None else {"score": value}
        content = fingerprint_of(result.get("source_data"))
        samples[unit] = ImportedSample(unit, "scored" if values else "missing", values, content=content)
    suffix = "-lower" if lower else ""
    model = file.head["model_info"]
    scaffold = (model.get("additional_details") or {}).get("agent_scaffold")
    return ImportedRun(
        format="every_eval_ever",
        method=method(options, name, title=f"{model.get('name') or name}{f' with {scaffold}' if scaffold else ''}"),
        benchmark=identifier(f"{collection}{suffix}"),
        title=f"{collection}{', lower is better' if lower else ''}",
        metrics=(_metric(results, "lower" if lower else "higher"),),
        samples=tuple(samples.values()),
        fingerprint=Fingerprint(None, None, None, None),
        sources=(file,),
        provenance={
            "schema version": str(file.head.get("schema_version")),
            "retrieved": _stamp(file),
            "source": str((file.head.get("source_metadata") or {}).get("source_organization_name")),
            "relationship": str((file.head.get("source_metadata") or {}).get("evaluator_relationship")),
        },
        content_from="each evaluation's source data",
        unproven=(
            "any score: each is an aggregate, and no sample stands behind it in the record",
            "an interval over test cases: the interval speaks of drawing other evaluations, not other test cases",
        ),
        aggregate_only=_REASON,
    )


def _metric(results: list[Mapping[str, Any]], direction: Direction) -> ImportedMetric:
    lows = [bound((result.get("metric_config") or {}).get("min_score")) for result in results]
    highs = [bound((result.get("metric_config") or {}).get("max_score")) for result in results]
    lower = None if None in lows else min(low for low in lows if low is not None)
    upper = None if None in highs else max(high for high in highs if high is not None)
    return ImportedMetric("score", "Score", direction, lower, upper, description="Each evaluation's own measure.")

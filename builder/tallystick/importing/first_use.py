"""A benchmark made of its first runs: all their samples, their metrics, and the hashes on which they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tallystick.errors import Problem, Refusal
from tallystick.imported import ImportedMetric, ImportedRun, ImportedSample
from tallystick.importing.target import Target, alike, derived, shown, unusable
from tallystick.model import COMPONENTS, Varying
from tallystick.strict import capped

_RESERVED = {"id", "content", "cluster"}


def make(benchmark_id: str, runs: Sequence[ImportedRun], varies: Mapping[str, str], accepts: Sequence[str]) -> Target:
    """Make a benchmark of its first runs: all their samples, their metrics, and the hashes on which they agree.

    Raises Refusal where they disagree on what a sample is, on a metric's direction, or on a hash that `varies` does not
    give a reason for.
    """
    problems: list[Problem] = []
    samples = _union(benchmark_id, runs, problems)
    pinned: dict[str, str | Varying | None] = {
        name: _agreed(name, benchmark_id, runs, varies, problems) for name in COMPONENTS
    }
    merged = _metrics(benchmark_id, runs, problems)
    if not merged:
        remedy = "Give a log in which something was scored."
        problems.append(Problem("metric-absent", benchmark_id, "at least one sample with a score", "none", remedy))
    problems += (problem for run in runs for problem in unusable(run, f"{run.method.id} for {benchmark_id}"))
    if problems:
        raise Refusal(capped(problems))
    if pinned["benchmark"] is None:
        pinned["benchmark"] = derived(samples)
    return Target(
        id=benchmark_id,
        title=runs[0].title,
        fields={metric.id: metric.id for metric in merged},
        metrics=_with_optional(merged, runs),
        primary=merged[0].id,
        samples=samples,
        pinned=pinned,
        diagnostic=next((run.aggregate_only for run in runs if run.aggregate_only), None),
        made_of=runs[0].content_from,
        accepts=tuple(accepts),
    )


def _with_optional(metrics: tuple[ImportedMetric, ...], runs: Sequence[ImportedRun]) -> tuple[ImportedMetric, ...]:
    """Declare optional what some sample lacks that has the first metric."""
    primary = metrics[0].id
    scored = [sample.values for run in runs for sample in run.samples if primary in sample.values]
    return tuple(replace(metric, optional=any(metric.id not in values for values in scored)) for metric in metrics)


def _union(benchmark_id: str, runs: Sequence[ImportedRun], problems: list[Problem]) -> dict[str, ImportedSample]:
    union: dict[str, ImportedSample] = {}
    torn: dict[str, list[str]] = {}
    for run in runs:
        for sample in run.samples:
            known = union.get(sample.id)
            if known is None:
                union[sample.id] = replace(sample, status="missing", values={})
                continue
            if (sample.content, sample.axes, sample.cluster) == (known.content, known.axes, known.cluster):
                continue
            torn.setdefault(run.method.id, []).extend(
                sample.id
                for what in ("content", "axes", "cluster")
                if not alike(getattr(sample, what), getattr(known, what))
            )
            union[sample.id] = replace(
                known,
                content=known.content or sample.content,
                axes={**sample.axes, **known.axes},
                cluster=known.cluster or sample.cluster,
            )
    for method, names in torn.items():
        if names:
            found = f"another content, axis or cluster in {shown(sorted(set(names)))}"
            remedy = "These are two benchmarks: import them one by one under two --benchmark IDs."
            problems.append(
                Problem("sample-differs", f"{method} for {benchmark_id}", "the same samples", found, remedy)
            )
    reserved = sorted({axis for sample in union.values() for axis in sample.axes} & _RESERVED)
    if reserved:
        remedy = "Name the column otherwise."
        problems.append(Problem("axis-reserved", benchmark_id, "an axis of another name", ", ".join(reserved), remedy))
    return {name: union[name] for name in sorted(union)}


def _agreed(
    name: str, benchmark_id: str, runs: Sequence[ImportedRun], varies: Mapping[str, str], problems: list[Problem]
) -> str | Varying | None:
    if name in varies:
        return Varying(varies[name])
    values: dict[str | None, list[str]] = {}
    for run in runs:
        values.setdefault(getattr(run.fingerprint, name), []).append(run.method.id)
    if len(values) > 1:
        found = "; ".join(f"{str(value)[:12]} ({shown(names)})" for value, names in values.items())
        remedy = f"Import them as two benchmarks, or say why they may be compared: --varies {name}=REASON"
        expected = f"the same {name} hash in all logs"
        problems.append(Problem(f"fingerprint-{name}", benchmark_id, expected, found, remedy))
    return next(iter(values))


def _metrics(benchmark_id: str, runs: Sequence[ImportedRun], problems: list[Problem]) -> tuple[ImportedMetric, ...]:
    merged: dict[str, ImportedMetric] = {}
    for run in runs:
        for metric in run.metrics:
            known = merged.setdefault(metric.id, metric)
            if known.direction != metric.direction:
                remedy = "Import them as two benchmarks."
                where = f"{run.method.id} for {benchmark_id}"
                problems.append(Problem("metric-direction", where, known.direction, metric.direction, remedy))
            lows, highs = (known.lower, metric.lower), (known.upper, metric.upper)
            merged[metric.id] = replace(
                known,
                binary=known.binary and metric.binary,
                lower=None if None in lows else min(value for value in lows if value is not None),
                upper=None if None in highs else max(value for value in highs if value is not None),
            )
    return tuple(merged.values())

"""The benchmark that runs are added to: one that exists, or one made of the first runs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tallystick import metrics, protocols
from tallystick.digest import canonical, sha256
from tallystick.errors import Problem, Refusal
from tallystick.imported import ImportedMetric, ImportedRun, ImportedSample
from tallystick.model import COMPONENTS, Benchmark, Fingerprint, MetricKind, Protocol, Varying
from tallystick.registry import collect
from tallystick.settings import load_benchmark
from tallystick.strict import capped, describe

_RESERVED = {"id", "content", "cluster"}
_SHOWN = 3
_TEXT_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Target:
    """What a report must match: metrics with the sample field of each, samples by id, and pinned hashes.

    `pinned` holds a value, None where there is nothing to pin, or a Varying. `made` is true for one that is new.
    """

    id: str
    title: str
    fields: Mapping[str, str]
    metrics: tuple[ImportedMetric, ...]
    primary: str
    samples: Mapping[str, ImportedSample]
    pinned: Mapping[str, str | Varying | None]
    diagnostic: str | None = None
    made_of: str = ""
    accepts: tuple[str, ...] = ()
    existing: Benchmark | None = field(default=None, repr=False)


def existing(root: Path, benchmark_id: str) -> Target | None:
    """Return the target of a benchmark that the board has, None where it has none of that id."""
    if not (root / "results" / benchmark_id / "benchmark.yaml").is_file():
        return None
    found = load_benchmark(
        root, benchmark_id, collect(protocols, "PROTOCOL", Protocol), collect(metrics, "METRIC", MetricKind)
    )
    samples = {}
    for index, name in enumerate(found.samples.ids):
        content = found.samples.rows[index].get("content")
        axes = {axis: value for axis, values in found.samples.axes.items() if (value := values[index]) is not None}
        cluster = found.samples.clusters[index] if found.samples.clusters else None
        samples[name] = ImportedSample(
            name, "missing", {}, axes, cluster, content if isinstance(content, str) else None
        )
    return Target(
        id=found.id,
        title=found.title,
        fields={metric.id: metric.fields["value"] for metric in found.metrics if set(metric.fields) == {"value"}},
        metrics=tuple(
            ImportedMetric(
                metric.id, metric.title, metric.direction, metric.lower, metric.upper, metric.binary, metric.optional
            )
            for metric in found.metrics
        ),
        primary=found.primary,
        samples=samples,
        pinned={name: getattr(found.fingerprint, name) for name in COMPONENTS},
        diagnostic=found.diagnostic,
        accepts=found.accepts,
        existing=found,
    )


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
    problems += (problem for run in runs for problem in _unusable(run, f"{run.method.id} for {benchmark_id}"))
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


def derived(samples: Mapping[str, ImportedSample]) -> str:
    """Return the digest of the sorted pairs of sample id and content: the benchmark's hash where a log states none."""
    return sha256(canonical([[name, samples[name].content] for name in sorted(samples)]))


def fitted(run: ImportedRun, target: Target, problems: list[Problem]) -> tuple[tuple[ImportedSample, ...], Fingerprint]:
    """Hold a run against its benchmark: fill in what is missing, and note what does not fit.

    A sample of the benchmark that the run does not have is `missing`; one that the benchmark does not have refuses it.
    """
    where = f"{run.method.id} for {target.id}"
    samples = {sample.id: sample for sample in run.samples}
    twice = sorted(name for name, count in Counter(sample.id for sample in run.samples).items() if count > 1)
    if twice:
        remedy = "A sample cannot count twice: mend the log, or keep repetitions apart."
        problems.append(Problem("sample-duplicated", where, "each sample once", _names(twice), remedy))
    strangers = sorted(samples.keys() - target.samples.keys())
    if strangers:
        remedy = "Give all logs of the benchmark at once, or make another benchmark: --benchmark ID."
        problems.append(Problem("sample-unknown", where, f"samples of {target.id}", _names(strangers), remedy))
    _same_samples(samples, target, where, problems)
    problems += _unusable(run, where)
    components = {name: _component(name, run, target, where, problems) for name in COMPONENTS}
    scored = [_with_primary(sample, target.primary) for sample in samples.values()]
    for metric in target.metrics:
        lacking = sorted(item.id for item in scored if item.status == "scored" and metric.id not in item.values)
        if metric.id in target.fields and not metric.optional and lacking:
            remedy = "Add a log that has this metric, or let the maintainer declare it optional in benchmark.yaml."
            expected = f"the metric {metric.id} in every scored sample"
            problems.append(Problem("metric-absent", where, expected, f"none in {_names(lacking)}", remedy))
    if target.primary not in {metric.id for metric in run.metrics}:
        found = ", ".join(metric.id for metric in run.metrics) or "none"
        remedy = "Add a log that has this metric, or make another benchmark."
        problems.append(Problem("metric-absent", where, f"the metric {target.primary}", found, remedy))
    absent = (told for name, told in target.samples.items() if name not in samples)
    return (*scored, *(replace(told, status="missing", values={}) for told in absent)), Fingerprint(**components)


def _with_primary(sample: ImportedSample, primary: str) -> ImportedSample:
    """Return the sample, unresolved where it lacks the metric that orders the board: that cannot be left out."""
    if sample.status == "scored" and primary not in sample.values:
        return replace(sample, status="unresolved", values={})
    return sample


def _with_optional(metrics: tuple[ImportedMetric, ...], runs: Sequence[ImportedRun]) -> tuple[ImportedMetric, ...]:
    """Declare optional what some sample lacks that has the first metric."""
    primary = metrics[0].id
    scored = [sample.values for run in runs for sample in run.samples if primary in sample.values]
    return tuple(replace(metric, optional=any(metric.id not in values for values in scored)) for metric in metrics)


def _unusable(run: ImportedRun, where: str) -> Iterator[Problem]:
    """Yield what a log holds that no report may: statements that are no numbers, and text that cannot be seen."""
    for statement in run.stated:
        value: object = statement.value  # as the log has it
        if not _is_number(value) or (statement.part == "count" and not _is_count(value)):
            remedy = "Export the log again, or correct what it states."
            found = describe(value)[:80]
            yield Problem(
                "stated-not-a-number", statement.where, "a finite number, whole where it counts", found, remedy
            )
    for sample in run.samples:
        texts = [sample.id, *sample.axes, *sample.axes.values(), sample.cluster or "x", sample.content or "x"]
        if not all(text.isprintable() and 0 < len(text) <= _TEXT_LENGTH for text in texts):
            expected = f"an id, axes, cluster and content of 1 to {_TEXT_LENGTH} visible characters"
            place = f"{where} {json.dumps(sample.id[:60])}"
            yield Problem("text-unusable", place, expected, "other text", "Shorten the text, or leave it out.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and float(value).is_integer() and 0 <= value < 2**53


def _same_samples(samples: Mapping[str, ImportedSample], target: Target, where: str, problems: list[Problem]) -> None:
    for what in ("content", "axes", "cluster"):
        differing = [
            name
            for name, sample in sorted(samples.items())
            if name in target.samples and not _alike(getattr(sample, what), getattr(target.samples[name], what))
        ]
        if differing:
            remedy = "This is another version of the benchmark: give it another --benchmark ID."
            expected = f"the same {what} in every sample"
            problems.append(Problem("sample-differs", where, expected, f"another in {_names(differing)}", remedy))


def _alike(mine: object, theirs: object) -> bool:
    """Say whether two descriptions of a sample agree wherever both say something."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return all(mine[key] == theirs[key] for key in mine.keys() & theirs.keys())
    return mine is None or theirs is None or mine == theirs


def _component(name: str, run: ImportedRun, target: Target, where: str, problems: list[Problem]) -> str | None:
    pinned, own = target.pinned[name], getattr(run.fingerprint, name)
    if isinstance(pinned, Varying):
        return own if own is not None else None
    if name == "benchmark" and own is None:
        return pinned  # every sample was held against the benchmark's own
    if pinned != own:
        remedy = "Compare like with like: give it another --benchmark ID, or let the maintainer declare that it varies."
        problems.append(Problem(f"fingerprint-{name}", where, str(pinned), str(own), remedy))
    return own  # type: ignore[no-any-return]  # a component is text or None


def _union(benchmark_id: str, runs: Sequence[ImportedRun], problems: list[Problem]) -> dict[str, ImportedSample]:
    union: dict[str, ImportedSample] = {}
    torn: dict[str, list[str]] = {}
    for run in runs:
        for sample in run.samples:
            known = union.get(sample.id)
            if known is None:
                union[sample.id] = replace(sample, status="missing", values={})
                continue
            torn.setdefault(run.method.id, []).extend(
                sample.id
                for what in ("content", "axes", "cluster")
                if not _alike(getattr(sample, what), getattr(known, what))
            )
            union[sample.id] = replace(
                known,
                content=known.content or sample.content,
                axes={**sample.axes, **known.axes},
                cluster=known.cluster or sample.cluster,
            )
    for method, names in torn.items():
        if names:
            found = f"another content, axis or cluster in {_names(sorted(set(names)))}"
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
        found = "; ".join(f"{str(value)[:12]} ({_names(names)})" for value, names in values.items())
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


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(json.dumps(name[:60], ensure_ascii=False) for name in names[:_SHOWN])
    return f"{len(names)}: {shown}{', …' if len(names) > _SHOWN else ''}"

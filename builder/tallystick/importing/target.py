"""The benchmark that runs are added to, and whether a run fits it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tallystick import metrics, protocols
from tallystick.digest import canonical, sha256
from tallystick.errors import Problem
from tallystick.imported import ImportedMetric, ImportedRun, ImportedSample
from tallystick.model import COMPONENTS, Benchmark, Fingerprint, MetricKind, Protocol, Varying
from tallystick.registry import collect
from tallystick.settings import load_benchmark
from tallystick.strict import describe

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
        problems.append(Problem("sample-duplicated", where, "each sample once", shown(twice), remedy))
    strangers = sorted(samples.keys() - target.samples.keys())
    if strangers:
        remedy = "Give all logs of the benchmark at once, or make another benchmark: --benchmark ID."
        problems.append(Problem("sample-unknown", where, f"samples of {target.id}", shown(strangers), remedy))
    _same_samples(samples, target, where, problems)
    problems += unusable(run, where)
    components = {name: _component(name, run, target, where, problems) for name in COMPONENTS}
    scored = [_with_primary(sample, target.primary) for sample in samples.values()]
    for metric in target.metrics:
        lacking = sorted(item.id for item in scored if item.status == "scored" and metric.id not in item.values)
        if metric.id in target.fields and not metric.optional and lacking:
            remedy = "Add a log that has this metric, or let the maintainer declare it optional in benchmark.yaml."
            expected = f"the metric {metric.id} in every scored sample"
            problems.append(Problem("metric-absent", where, expected, f"none in {shown(lacking)}", remedy))
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


def unusable(run: ImportedRun, where: str) -> Iterator[Problem]:
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
    pairs = [(sample, target.samples[name]) for name, sample in samples.items() if name in target.samples]
    unequal = [
        (mine, theirs)
        for mine, theirs in pairs
        if (mine.content, mine.axes, mine.cluster) != (theirs.content, theirs.axes, theirs.cluster)
    ]
    for what in ("content", "axes", "cluster"):
        differing = sorted(mine.id for mine, theirs in unequal if not alike(getattr(mine, what), getattr(theirs, what)))
        if differing:
            remedy = "This is another version of the benchmark: give it another --benchmark ID."
            expected = f"the same {what} in every sample"
            problems.append(Problem("sample-differs", where, expected, f"another in {shown(differing)}", remedy))


def alike(mine: object, theirs: object) -> bool:
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


def shown(names: Sequence[str]) -> str:
    """Return how many names there are, and the first of them."""
    shown = ", ".join(json.dumps(name[:60], ensure_ascii=False) for name in names[:_SHOWN])
    return f"{len(names)}: {shown}{', …' if len(names) > _SHOWN else ''}"

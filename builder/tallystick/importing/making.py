"""The files of a new benchmark: its samples, and settings that say what they were made of."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tallystick.board import File
from tallystick.digest import sha256
from tallystick.imported import ImportedMetric
from tallystick.importing.report import visible
from tallystick.importing.target import Target
from tallystick.model import COMPONENTS, Varying
from tallystick.schemas import file_name

SAMPLES = "samples.jsonl"


def benchmark_files(target: Target) -> tuple[File, ...]:
    """Return `samples.jsonl` and `benchmark.yaml` of a new benchmark."""
    samples = _samples(target)
    folder = f"results/{target.id}"
    return (
        File(f"{folder}/{SAMPLES}", samples),
        File(f"{folder}/benchmark.yaml", _settings(target, sha256(samples)).encode("utf-8")),
    )


def _samples(target: Target) -> bytes:
    lines = []
    for name in sorted(target.samples):
        sample = target.samples[name]
        row: dict[str, str] = {"id": name, **sample.axes}
        if sample.cluster is not None:
            row["cluster"] = sample.cluster
        if sample.content is not None:
            row["content"] = sample.content
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode("utf-8")


def _settings(target: Target, digest: str) -> str:
    axes = list(dict.fromkeys(axis for sample in target.samples.values() for axis in sample.axes))
    whole = [axis for axis in axes if all(axis in sample.axes for sample in target.samples.values())]
    clusters = any(sample.cluster is not None for sample in target.samples.values())
    lines = [
        f"# yaml-language-server: $schema=../../site/{file_name('benchmark')}",
        f"title: {_quoted(visible(target.title, 80))}",
        'description: "Made from evaluation logs; say here what it measures."',
        "samples:",
        f"  path: {SAMPLES}",
        f"  sha256: {digest}",
        f"# The benchmark's hash is made of {target.made_of}.",
        "fingerprint:",
        *(_component(name, target.pinned[name]) for name in COMPONENTS),
    ]
    if axes:
        lines += ["axes:", *(f"  - {_quoted(axis)}" for axis in axes)]
    if whole:
        lines += [
            "# To keep each group at its size in every resample (docs/computation.md of Tallystick):",
            f"# stratum: {_quoted(whole[0])}",
        ]
    if clusters:
        lines += ["cluster: cluster"]
    lines += ["metrics:", *(line for metric in target.metrics for line in _metric(metric))]
    lines += [f"primary: {target.metrics[0].id}"]
    if target.diagnostic:
        lines += [f"diagnostic: {_quoted(target.diagnostic)}"]
    if target.accepts:
        lines += ["accepts:", *(f"  - {_quoted(name)}" for name in target.accepts)]
    return "\n".join(lines) + "\n"


def _component(name: str, value: str | Varying | None) -> str:
    if isinstance(value, Varying):
        return f"  {name}:\n    varies: {_quoted(value.reason)}"
    return f"  {name}: {'null' if value is None else _quoted(value)}"


def _metric(metric: ImportedMetric) -> Iterator[str]:
    yield f"  - id: {metric.id}"
    yield f"    title: {_quoted(visible(metric.title, 80))}"
    yield f"    direction: {metric.direction}"
    yield f"    lower: {_bound(metric.lower)}"
    yield f"    upper: {_bound(metric.upper)}"
    if metric.binary:
        yield "    binary: true"
    if metric.optional:
        yield "    optional: true"
    if metric.description:
        yield f"    description: {_quoted(visible(metric.description, 500))}"


def _bound(value: float | None) -> str:
    return "null" if value is None else repr(float(value))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

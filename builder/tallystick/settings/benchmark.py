"""Read `results/<benchmark>/benchmark.yaml`, the protocol's defaults under it and the files it pins beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tallystick.digest import sha256
from tallystick.errors import Problem, Refusal, SettingsError
from tallystick.model import (
    STATUSES,
    Benchmark,
    Blob,
    BootstrapSettings,
    DeclaredComparison,
    Limits,
    Metric,
    MetricKind,
    PinnedFingerprint,
    Protocol,
    SampleSet,
    Showing,
    Varying,
)
from tallystick.settings.content import read_settings
from tallystick.settings.mistakes import listed, nearest, validated
from tallystick.settings.samples import sample_set
from tallystick.settings.schema import BenchmarkShape, MetricShape, VariesShape
from tallystick.strict import YamlDocument, capped, describe, yaml_document
from tallystick.strict.files import MEGABYTE, read_file
from tallystick.strict.paths import reference_problem

DEFAULT_PROTOCOL = "native"


def load_benchmark(
    root: Path, benchmark_id: str, protocols: Iterable[Protocol], kinds: Iterable[MetricKind]
) -> Benchmark:
    """Read a benchmark's settings, its sample file and supplements; raise SettingsError with every mistake.

    What the file leaves out comes from its protocol's defaults, key by key. `candidates: all` becomes `("*",)`: only
    the board knows which methods there are. A metric's `fields` come in the order of its kind's statistics.
    """
    where = f"results/{benchmark_id}/benchmark.yaml"
    document = yaml_document(read_settings(root, where), where)
    shape = validated(BenchmarkShape, _with_defaults(document, {item.id: item for item in protocols}), document)
    known = {kind.id: kind for kind in kinds}
    problems = [*_metric_problems(shape, known, document), *_reference_problems(shape, document)]
    pinned = _Pinned(root, f"results/{benchmark_id}", shape, document)
    samples = pinned.samples()
    supplements = pinned.supplements()
    problems += pinned.problems
    if problems or samples is None:
        raise SettingsError(capped(problems))
    primary = shape.primary or shape.metrics[0].id
    return Benchmark(
        id=benchmark_id,
        title=shape.title,
        description=shape.description,
        protocol=shape.protocol,
        fingerprint=PinnedFingerprint(**{name: _component(part) for name, part in shape.fingerprint}),
        samples=samples,
        axes=tuple(shape.axes),
        stratum=shape.stratum,
        cluster=shape.cluster,
        metrics=tuple(_metric(metric, known[metric.kind]) for metric in shape.metrics),
        primary=primary,
        comparisons=tuple(
            DeclaredComparison(
                item.baseline, ("*",) if item.candidates == "all" else tuple(item.candidates), item.family
            )
            for item in shape.comparisons
        ),
        bootstrap=BootstrapSettings(**shape.bootstrap.model_dump()),
        diagnostic=shape.diagnostic,
        created=datetime.fromisoformat(shape.created).replace(tzinfo=UTC) if shape.created else None,
        supplements=supplements,
        options=shape.options.model_dump(exclude_unset=True),
        accepts=tuple(shape.accepts),
        links=shape.links,
        limits=Limits(**shape.limits.model_dump()),
        showing=_showing(shape),
        ranked=tuple(name for name in dict.fromkeys(shape.ranked) if name != primary),
    )


def _with_defaults(document: YamlDocument, protocols: Mapping[str, Protocol]) -> object:
    """Return the file's settings over those of its protocol; raise SettingsError where there is no such protocol."""
    value = document.value
    if not isinstance(value, dict):
        return value
    name = value.get("protocol", DEFAULT_PROTOCOL)
    if name not in protocols:
        shown = describe(name)
        problem = Problem(
            "protocol-unknown", document.place(("protocol",)), listed(protocols), shown, nearest(str(name), protocols)
        )
        raise SettingsError([problem])
    return _over(value, protocols[name].defaults)


def _over(settings: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Lay settings over defaults: mappings key by key, metrics by id, everything else whole."""
    merged = {**defaults, **settings}
    for key, value in settings.items():
        default = defaults.get(key)
        if isinstance(value, dict) and isinstance(default, Mapping):
            merged[key] = {**default, **value}
    metrics = settings.get("metrics")
    if isinstance(metrics, list):
        known = {metric["id"]: metric for metric in defaults.get("metrics", ())}
        merged["metrics"] = [
            {**known.get(str(metric.get("id")), {}), **metric} if isinstance(metric, dict) else metric
            for metric in metrics
        ]
    return merged


def _metric_problems(
    shape: BenchmarkShape, kinds: Mapping[str, MetricKind], document: YamlDocument
) -> Iterator[Problem]:
    ids = [metric.id for metric in shape.metrics]
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("ranked", index), name) for index, name in enumerate(shape.ranked)
    ]
    if shape.primary is not None:
        named.append((("primary",), shape.primary))
    for path, name in named:
        if name not in ids:
            yield Problem("metric-unknown", document.place(path), listed(ids), f"`{name}`", nearest(name, ids))
    for index, metric in enumerate(shape.metrics):
        path = ("metrics", index)
        if ids.index(metric.id) < index:
            yield Problem("metric-doubled", document.place(path), "each id once", f"`{metric.id}` again", "Rename it.")
        if metric.lower is not None and metric.upper is not None and metric.lower >= metric.upper:
            found = f"{metric.lower:g} and {metric.upper:g}"
            yield Problem("metric-bounds", document.place(path), "lower below upper", found, "Mend the bounds.")
        if metric.kind not in kinds:
            place = document.place((*path, "kind"))
            yield Problem("metric-kind", place, listed(kinds), f"`{metric.kind}`", nearest(metric.kind, kinds))
            continue
        needed = kinds[metric.kind].statistics
        given = metric.fields or ({needed[0]: metric.id} if len(needed) == 1 else {})
        if set(given) != set(needed):
            found = ", ".join(sorted(given)) or "none"
            remedy = "Say which field of a sample holds each statistic."
            place = document.place((*path, "fields"))
            yield Problem("metric-fields", place, f"a field for each of {', '.join(needed)}", found, remedy)
        else:
            yield from _field_problems(given, kinds[metric.kind], document.place((*path, "fields")))


def _field_problems(fields: Mapping[str, str], kind: MetricKind, place: str) -> Iterator[Problem]:
    """A status that no sample can have would give a rate of 0; a sample's id and status are no outcomes."""
    for name in sorted(fields.values()):
        if kind.from_status is not None and name not in STATUSES:
            yield Problem("metric-fields", place, listed(STATUSES), f"`{name}`", nearest(name, STATUSES))
        elif kind.from_status is None and name in ("id", "status"):
            remedy = "Name the field that holds the outcome."
            yield Problem("metric-fields", place, "a field beside `id` and `status`", f"`{name}`", remedy)


def _reference_problems(shape: BenchmarkShape, document: YamlDocument) -> Iterator[Problem]:
    files: dict[tuple[str, ...], str] = {("samples", "path"): shape.samples.path}
    files |= {("supplements", name, "path"): item.path for name, item in shape.supplements.items()}
    for path, reference in files.items():
        if problem := reference_problem(reference, document.place(path)):
            yield problem
    for index, comparison in enumerate(shape.comparisons):
        if isinstance(comparison.candidates, list) and comparison.baseline in comparison.candidates:
            place = document.place(("comparisons", index))
            found = f"`{comparison.baseline}` on both sides"
            yield Problem("comparison-with-itself", place, "other methods as candidates", found, "Remove it there.")
        for method, count in Counter(comparison.candidates if comparison.candidates != "all" else ()).items():
            if count > 1:
                place = document.place(("comparisons", index))
                found = f"`{method}` {count} times: its tests would be adjusted for as many"
                yield Problem("comparison-doubled", place, "each candidate once", found, "Name it once.")


def _metric(shape: MetricShape, kind: MetricKind) -> Metric:
    values = shape.model_dump()
    values["fields"] = {name: shape.fields.get(name, shape.id) for name in kind.statistics}
    return Metric(**values)


def _showing(shape: BenchmarkShape) -> Showing:
    return Showing(**{item.name: getattr(shape.options, item.name) for item in fields(Showing)})


def _component(part: str | VariesShape | None) -> str | Varying | None:
    return Varying(part.varies) if isinstance(part, VariesShape) else part


class _Pinned:
    """Reads the files that benchmark.yaml pins, gathering the problems of all."""

    def __init__(self, root: Path, folder: str, shape: BenchmarkShape, document: YamlDocument) -> None:
        self.problems: list[Problem] = []
        self._root = root
        self._folder = folder
        self._shape = shape
        self._document = document

    def samples(self) -> SampleSet | None:
        """Return the sample set, or None where it has problems."""
        settings = self._shape.samples
        blob = self._blob(settings.path, settings.sha256, ("samples",))
        try:
            return sample_set(blob, self._shape, f"{self._folder}/{blob.path}") if blob else None
        except Refusal as refusal:
            self.problems += refusal.problems
            return None

    def supplements(self) -> dict[str, Blob]:
        """Return the supplements that could be read, by name."""
        found = {
            name: self._blob(item.path, item.sha256, ("supplements", name))
            for name, item in self._shape.supplements.items()
        }
        return {name: blob for name, blob in found.items() if blob is not None}

    def _blob(self, path: str, digest: str, key: tuple[str, ...]) -> Blob | None:
        place = self._document.place((*key, "path"))
        if reference_problem(path, place):
            return None
        try:
            limit = self._shape.limits.total_mb * MEGABYTE
            content = read_file(self._root, f"{self._folder}/{path}", limit, place)
        except Refusal as refusal:
            self.problems += refusal.problems
            return None
        found = sha256(content)
        if found != digest:
            where = self._document.place((*key, "sha256"))
            expected = f"{path} to have the SHA-256 {digest}"
            remedy = f"Restore {path}, or pin its new digest if the change is meant."
            self.problems.append(Problem("digest-differs", where, expected, found, remedy))
        return Blob(path, found, content)

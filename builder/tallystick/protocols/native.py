"""The native report: one JSON file a method, `reports/<method>.json`, sealed; its samples inside or beside it.

Axes, strata, clusters and gold belong to the benchmark's own sample file: a report cannot bring its own.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from pydantic import ValidationError

from tallystick.digest import canonical, seal, sha256
from tallystick.errors import Problem, Refusal
from tallystick.model import (
    STATUSES,
    Benchmark,
    Blob,
    Bundle,
    Column,
    Fingerprint,
    Method,
    Metric,
    Protocol,
    Report,
    Run,
    Source,
    Status,
    Unread,
)
from tallystick.protocols._native_stated import difference_problems, excused, stated_numbers, stated_problems
from tallystick.schemas.report import FORMAT, ReportShape, SampleFileShape, moment
from tallystick.settings.mistakes import listed, nearest, shape_problems
from tallystick.strict import MOST_COUNTED, Node, capped, describe, json_object, line_nodes, pointer
from tallystick.strict.paths import matches, reference_problem

FOLDER = "reports"
GLOBS = (f"{FOLDER}/*.json",)
_STATUSES: dict[str, Status] = {status: status for status in STATUSES}


def recognises(document: Mapping[str, Any]) -> bool:
    """Say whether a document declares this format."""
    return document.get("format") == FORMAT


def assemble(files: tuple[Blob, ...], benchmark: Benchmark) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    """Join each report with the sample file it names; a file in `reports/` that no report names is left over."""
    blobs = {blob.path: blob for blob in files if blob.path.startswith(f"{FOLDER}/")}
    mains = [blob for path, blob in sorted(blobs.items()) if matches(path, GLOBS)]
    bundles = []
    for blob in mains:
        parts = {"report": blob}
        if (beside := blobs.get(_sample_path(blob))) is not None:
            parts["samples"] = beside
        bundles.append(Bundle(blob.path, parts))
    used = {blob.path for bundle in bundles for blob in bundle.parts.values()}
    return tuple(bundles), tuple(_left_over(path) for path in sorted(blobs.keys() - used))


def read(bundle: Bundle, benchmark: Benchmark) -> Report:
    """Return the report; raise Refusal with every problem of its envelope, or else of its samples.

    Of a report on another benchmark, only that is told: its rows and numbers keep the rules of that one.
    """
    blob = bundle.parts["report"]
    document = json_object(blob.content, blob.path)
    shape = _envelope(document, blob.path)
    problems = [*_identity_problems(shape, document, blob.path, benchmark)]
    if shape.benchmark != benchmark.id:
        raise Refusal(problems)
    nodes = _samples(shape, document, bundle, problems)
    rows = _Rows(nodes, benchmark.metrics)
    problems += islice(stated_problems(shape, blob.path, benchmark), MOST_COUNTED + 1)
    if problems or rows.problems:
        raise Refusal(capped([*problems, *rows.problems]))
    columns = rows.columns()
    return Report(
        method=Method(shape.method.id, shape.method.title, shape.method.url, shape.method.kind),
        protocol=PROTOCOL.id,
        fingerprint=Fingerprint(**shape.fingerprint.model_dump()),
        sources=tuple(Source(part.path, part.digest, len(part.content)) for part in bundle.parts.values()),
        scores_digest=sha256(canonical([node.value for node in nodes])),
        run=Run(
            moment(shape.run.finished) if shape.run.finished else None,
            shape.run.complete,
            not shape.run.complete,
            shape.run.demo,
        ),
        ids=tuple(rows.ids),
        statuses=tuple(rows.statuses),
        columns=columns,
        stated=tuple(stated_numbers(shape, blob.path, benchmark, rows.ids, columns | rows.endings(benchmark.metrics))),
        provenance={"seal": shape.seal, **_as_stated(shape)},
        problems=tuple(difference_problems(shape, blob.path, benchmark)),
        unverified=(*shape.unverified, *excused(shape, benchmark)),
    )


def _as_stated(shape: ReportShape) -> dict[str, str]:
    """Mark what a report says of itself, so that no label of its own reads like one that was verified."""
    return {f"{label} (as stated)": value for label, value in shape.provenance.items()}


def check(report: Report, benchmark: Benchmark, peers: tuple[Report, ...]) -> tuple[Problem, ...]:
    """Refuse a report that names another report's sample file as its own: the one that finished first keeps it."""
    mine = {source.path for source in report.sources}
    sharing = [peer for peer in peers if not mine.isdisjoint([source.path for source in peer.sources])]
    for peer in sorted(sharing, key=_precedence):
        shared = mine & {source.path for source in peer.sources}
        if _precedence(peer) < _precedence(report):
            found = f"{min(shared)}, which {peer.path} reports too"
            remedy = "Give each report the outcomes of its own method."
            return (
                Problem("samples-shared", f"{report.path} /samples/path", "a sample file of its own", found, remedy),
            )
    return ()


def _precedence(report: Report) -> tuple[str, str]:
    return report.run.finished.isoformat() if report.run.finished else "", report.path


# --- the envelope -----------------------------------------------------------------------------------------------------


def _envelope(document: dict[str, Any], path: str) -> ReportShape:
    try:
        return ReportShape.model_validate(document)
    except ValidationError as error:
        place = _place(path)
        raise Refusal(capped(shape_problems(error, ReportShape, document, place))) from None


def _place(path: str) -> Callable[[tuple[str | int, ...]], str]:
    return lambda parts: f"{path} {pointer(parts)}".rstrip()


def _identity_problems(
    shape: ReportShape, document: Mapping[str, Any], path: str, benchmark: Benchmark
) -> Iterator[Problem]:
    recomputed = seal(document)
    if shape.seal != recomputed:
        remedy = "If every change is meant, seal it again: `tallystick seal FILE`."
        yield Problem("seal-mismatch", f"{path} /seal", f"the seal of its content, {recomputed}", shape.seal, remedy)
    if shape.benchmark != benchmark.id:
        remedy = "Report on this benchmark, or move the file to the one it is about."
        yield Problem("benchmark-differs", f"{path} /benchmark", f"`{benchmark.id}`", describe(shape.benchmark), remedy)
    stem = posixpath.basename(path).removesuffix(".json")
    if shape.method.id != stem:
        remedy = "Name the file after its method."
        yield Problem("name-differs", f"{path} /method/id", f"`{stem}`, as the file", f"`{shape.method.id}`", remedy)


# --- its samples ------------------------------------------------------------------------------------------------------


def _sample_path(blob: Blob) -> str:
    """Return the path, from the benchmark's folder, of the sample file that a report names; empty where none."""
    if b'"path"' not in blob.content:  # most reports hold their samples, and parsing all of them twice takes time
        return ""
    try:
        named = json_object(blob.content, blob.path).get("samples")
    except Refusal:
        return ""
    path = named.get("path") if isinstance(named, dict) else None
    if not isinstance(path, str) or reference_problem(path, ""):
        return ""
    return f"{posixpath.dirname(blob.path)}/{path}"


def _left_over(path: str) -> Unread:
    expected = "a report, or the sample file that a report names"
    remedy = "Name it in its report's `samples`, or remove it."
    return Unread(path, None, (Problem("file-unclaimed", path, expected, "neither", remedy),))


def _samples(
    shape: ReportShape, document: Mapping[str, Any], bundle: Bundle, problems: list[Problem]
) -> tuple[Node, ...]:
    """Return a node for each sample, in file order; note in `problems` why there are none."""
    path = bundle.path
    if not isinstance(shape.samples, SampleFileShape):
        rows = document["samples"]
        return tuple(Node(row, path, at=f"/samples/{index}") for index, row in enumerate(rows))
    where = f"{path} /samples/path"
    if problem := reference_problem(shape.samples.path, where):
        problems.append(problem)
        return ()
    blob = bundle.parts.get("samples")
    if blob is None:
        remedy = "Add the file, or mend the path."
        problems.append(Problem("file-absent", where, "a file beside the report", f"no {shape.samples.path}", remedy))
        return ()
    if blob.digest != shape.samples.sha256:
        expected = f"the digest of {blob.path}, {blob.digest}"
        remedy = "Restore the file, or state its new digest and seal the report again."
        problems.append(Problem("digest-differs", f"{path} /samples/sha256", expected, shape.samples.sha256, remedy))
    try:
        return line_nodes(blob.content, blob.path, [])
    except Refusal as refusal:
        problems += refusal.problems
        return ()


class _Rows:
    """Reads the samples' rows, gathering the problems of all."""

    def __init__(self, nodes: Sequence[Node], metrics: tuple[Metric, ...]) -> None:
        self.ids: list[str] = []
        self.statuses: list[Status] = []
        self.problems: list[Problem] = []
        self._metrics = tuple(metric for metric in metrics if not _from_status(metric))
        self._values: dict[str, list[tuple[float, ...] | None]] = {metric.id: [] for metric in self._metrics}
        known = {"id", "status", *(name for metric in self._metrics for name in metric.fields.values())}
        for node in nodes:
            node.problems = self.problems
            self._row(node, known)
            if len(self.problems) > MOST_COUNTED:
                break

    def columns(self) -> dict[str, Column]:
        """Return the statistics of each metric, read-only; status metrics need none."""
        return {metric.id: _column(self._values[metric.id], len(metric.fields)) for metric in self._metrics}

    def endings(self, metrics: Iterable[Metric]) -> dict[str, Column]:
        """Return the statistics of the metrics that the statuses alone decide."""
        return {
            metric.id: _column([(float(status == metric.fields["status"]),) for status in self.statuses], 1)
            for metric in metrics
            if _from_status(metric)
        }

    def _row(self, node: Node, known: set[str]) -> None:
        if not node.value.keys() <= known:
            for name in islice(sorted(node.value.keys() - known), MOST_COUNTED + 1):
                place = pointer((name,))
                node.refuse(place, "field-unknown", listed(known), f"`{name}`", nearest(name, known))
        self.ids.append(node.text("/id"))
        status = node.text("/status")
        if status and status not in _STATUSES:
            node.refuse("/status", "status-unknown", listed(STATUSES), describe(status), nearest(status, STATUSES))
        self.statuses.append(_STATUSES.get(status, "invalid"))
        for metric in self._metrics:
            self._values[metric.id].append(self._statistics(node, metric, status))

    def _statistics(self, node: Node, metric: Metric, status: str) -> tuple[float, ...] | None:
        """Return a sample's statistics; None where it has none and needs none.

        A scored sample needs a value, or the null of an optional metric; other samples need one where all do.
        """
        values = tuple([node.value.get(name, ...) for name in metric.fields.values()])
        if all([value.__class__ is float or value.__class__ is int for value in values]):
            return values
        required = status == "scored" or metric.over == "all"
        allowed = (None, ...) if not required else (None,) if metric.optional else ()
        if all(value in allowed for value in values):
            return None
        return tuple(node.number(pointer((name,))) for name in metric.fields.values())


def _from_status(metric: Metric) -> bool:
    """Say whether the statuses alone decide a metric, so that samples have no field for it."""
    return set(metric.fields) == {"status"}


def _column(values: Sequence[tuple[float, ...] | None], width: int) -> Column:
    defined = np.array([value is not None for value in values], dtype=np.bool_)
    statistics = np.array([value or (0.0,) * width for value in values], dtype=np.float64).reshape(len(values), width)
    defined.flags.writeable = statistics.flags.writeable = False
    return Column(statistics, defined)


PROTOCOL = Protocol(
    id="native",
    title="Tallystick report",
    globs=GLOBS,
    recognises=recognises,
    assemble=assemble,
    read=read,
    check=check,
    defaults={},
)

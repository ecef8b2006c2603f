"""Does a FAR report's own publication gate follow from its fields, its rows and the pinned benchmark manifest?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import Benchmark, Blob
from tallystick.strict import Node, json_object

_FORGED = "publication_ready does not follow from the benchmark manifest"
_REMEDY = "Evaluate again with the pinned benchmark manifest; the gate cannot be opened by hand."
_PUBLISH = "Shown on diagnostic boards only, until annotation and agreement let the benchmark's own gate open."
_FLAG_AND_REASONS = "a gate that agrees with its own fields"


def check_publication(report: Node, benchmark: Benchmark, splits: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
    """Add what is wrong with the publication block to the report's problems; return what could not be verified.

    A closed gate keeps the report out of boards of evidence; an open one that does not follow refuses it.
    """
    block = report.child("/publication")
    ready, top = block.flag("/ready"), report.flag("/publication_ready")
    if ready != top:
        expected = f"publication.ready, {_flag(ready)}"
        report.refuse("/publication_ready", "publication-inconsistent", expected, f"{_FORGED}: {_flag(top)}", _REMEDY)
    _own_fields(block, splits)
    _phase(report, block, splits)
    _same_manifest(report, block)
    _annotations(block, benchmark, ids)
    unverified = _manifest(report, block, benchmark.supplements.get("manifest"), benchmark.samples.digest)
    if not (ready and top):
        reasons = "; ".join(block.texts("/reasons")) or "no reason stated"
        expected = "a report whose own publication gate is open"
        report.problems.append(
            Problem("publication-gate-closed", block.place("/ready"), expected, reasons, _PUBLISH, "diagnostic")
        )
    return unverified


def _own_fields(block: Node, splits: Sequence[str]) -> None:
    ready, reasons = block.get("/ready") is True, block.texts("/reasons")
    if ready == bool(reasons):
        found = f"ready is {_flag(ready)} with {len(reasons)} reasons against it"
        block.refuse("/reasons", "publication-inconsistent", _FLAG_AND_REASONS, found, _REMEDY)
    if ready and block.has("/annotation_ready") and not block.flag("/annotation_ready"):
        found = "ready is true, annotation_ready is false"
        block.refuse("/annotation_ready", "publication-inconsistent", _FLAG_AND_REASONS, found, _REMEDY)
    if block.has("/scored_splits") and sorted(block.texts("/scored_splits")) != (scored := sorted(set(splits))):
        found = ", ".join(block.texts("/scored_splits")) or "none"
        block.refuse("/scored_splits", "publication-inconsistent", f"the rows' {', '.join(scored)}", found, _REMEDY)


def _phase(report: Node, block: Node, splits: Sequence[str]) -> None:
    """Newer gates have four more fields, all of them; what was scored in the open is neither blind nor final."""
    newer = ("/annotation_ready", "/external_blind_ready", "/phase", "/scored_splits")
    if not (report.has("/metric_profile") or any(block.has(pointer) for pointer in newer)):
        return
    block.flag("/annotation_ready")
    block.texts("/scored_splits")
    blind, phase = block.flag("/external_blind_ready"), block.text("/phase")
    if "test" in splits:
        return
    if blind:
        expected = "no claim to blind testing, as no test sample was scored"
        block.refuse("/external_blind_ready", "publication-inconsistent", expected, "true", _REMEDY)
    if phase != "development":
        expected = "the phase development, as no test sample was scored"
        block.refuse("/phase", "publication-inconsistent", expected, f'"{phase}"', _REMEDY)


def _same_manifest(report: Node, block: Node) -> None:
    pointer = "/benchmark_manifest_sha256"
    elsewhere, here = report.get(f"/provenance{pointer}"), block.get(pointer)
    if here != elsewhere:
        expected = f"provenance's {elsewhere}"
        block.refuse(pointer, "digest-mismatch", expected, str(here), _REMEDY)


def _annotations(block: Node, benchmark: Benchmark, ids: Sequence[str]) -> None:
    """Count the annotation status of the scored samples in the benchmark's own rows."""
    gold = dict(zip(benchmark.samples.ids, benchmark.samples.rows, strict=True))
    statuses = [gold[sample].get("annotation_status") for sample in ids if sample in gold]
    known = Counter(status for status in statuses if isinstance(status, str))
    counts = block.mapping("/annotation_status_counts")
    told_of = known.keys() | (counts.keys() if len(statuses) == known.total() else ())
    wrong = [status for status in sorted(told_of) if counts.get(status) != known[status]]
    if wrong and len(statuses) == len(ids):
        told = ", ".join(f"{status}: {known[status]}" for status in wrong)
        found = ", ".join(f"{status}: {counts.get(status)}" for status in wrong)
        expected = f"the benchmark's own counts ({told})"
        block.refuse("/annotation_status_counts", "publication-inconsistent", expected, found, _REMEDY)
    if block.get("/ready") is True and any(status != "adjudicated" for status in [*statuses, *counts]):
        found = f"{_FORGED}: samples that are not adjudicated"
        block.refuse("/ready", "publication-forged", "only adjudicated samples behind an open gate", found, _REMEDY)


def _manifest(report: Node, block: Node, pinned: Blob | None, samples: str) -> tuple[str, ...]:
    """Hold the manifest that the report names, and its gate, against the one that the maintainer pinned."""
    if pinned is None:
        return ("no benchmark manifest is pinned: whether the publication gate follows from it is not verified",)
    pointer, ready = "/provenance/benchmark_manifest_sha256", block.get("/ready") is True
    claim = f"{_FORGED}: " if ready else ""
    if (stated := report.get(pointer)) != pinned.digest:
        expected = f"the digest of the pinned manifest {pinned.path}, {pinned.digest}"
        report.refuse(pointer, "benchmark-manifest", expected, f"{claim}{stated}", _REMEDY)
    try:
        unready, further = _closed(json_object(pinned.content, pinned.path), samples)
    except Refusal as refusal:
        report.problems += refusal.problems
        return ()
    if ready and (closed := [*unready, *further]):
        expected = f"a closed gate, because {pinned.path} says: {', '.join(closed)}"
        block.refuse("/ready", "publication-forged", expected, f"{_FORGED}: true", _REMEDY)
    if unready and block.get("/annotation_ready") is True:
        expected = f"false, because {pinned.path} says: {', '.join(unready)}"
        block.refuse("/annotation_ready", "publication-forged", expected, "true", _REMEDY)
    return ()


def _closed(manifest: Mapping[str, Any], samples: str) -> tuple[list[str], list[str]]:
    """Say what in a benchmark manifest keeps the gate closed: in its annotation, and beside it."""
    node = Node(manifest, "manifest")
    unready, reasons = [], []
    if (status := node.get("/annotation/status")) != "adjudicated":
        unready.append(f"annotation status {status}")
    if node.get("/annotation/agreement_gate_passed") is not True:
        unready.append("agreement gate not passed")
    if node.has("/publication_ready") and node.get("/publication_ready") is not True:
        reasons.append("not publication-ready")
    if node.has("/fingerprints/benchmark_sha256") and node.get("/fingerprints/benchmark_sha256") != samples:
        reasons.append("it speaks of another benchmark file")
    return unready, reasons


def _flag(value: bool) -> str:
    return str(value).lower()

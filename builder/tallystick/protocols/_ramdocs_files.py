"""Join a RAMDocs report with its scores, its run, and the comparisons and manifests that lie beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import Benchmark, Blob, Bundle, Unread
from tallystick.protocols._far_bundle import REPORT, RUN_FILES, SCORES, assemble_far, peek
from tallystick.strict import describe, json_object

COMPARISON = "far-ramdocs-paired-comparison-v1"
MANIFESTS = {"bundle_manifest.json": "bundle manifest", "suite_manifest.json": "suite manifest"}
"""Manifests of a whole suite by file name, and the role that each plays in every bundle."""


def assemble(files: tuple[Blob, ...], benchmark: Benchmark) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    """Return one bundle for each report, with the comparisons of its scores, and what could be joined with none."""
    by_path = {blob.path: blob for blob in files}
    scores = {
        beside.digest: str(peek(blob).get("method"))
        for path, blob in by_path.items()
        if path.rpartition("/")[2] == REPORT
        for beside in [by_path.get(path.removesuffix(REPORT) + SCORES)]
        if beside
    }
    manifests = {role: blob for blob in files if (role := MANIFESTS.get(blob.path.rpartition("/")[2]))}
    further: dict[str, dict[str, Blob]] = {digest: dict(manifests) for digest in scores}
    unjoined: list[Unread] = []
    for blob in sorted(files, key=lambda blob: blob.path):
        document = _beside(blob, unjoined)
        if document.get("schema_version") != COMPARISON:
            continue
        candidate, baseline = (str(document.get(f"{side}_scores_sha256")) for side in ("candidate", "baseline"))
        if candidate in further:
            further[candidate][f"comparison with {scores.get(baseline, baseline)}"] = blob
        else:
            unjoined.append(_unjoined(blob, candidate))
    bundles, stray = assemble_far(files, further)
    return bundles, (*stray, *unjoined)


def _beside(blob: Blob, unread: list[Unread]) -> Mapping[str, Any]:
    """Return a JSON document beside the bundles; note in `unread` one that cannot be read, or is of a new kind."""
    name = blob.path.rpartition("/")[2]
    if not name.endswith(".json") or name in (REPORT, *RUN_FILES):
        return {}
    try:
        document = json_object(blob.content, blob.path)
    except Refusal as refusal:
        unread.append(Unread(blob.path, None, refusal.problems))
        return {}
    schema = str(document.get("schema_version"))
    if schema != COMPARISON and schema.startswith(COMPARISON.rstrip("1")):
        problem = Problem(
            "schema-unsupported", f"{blob.path} /schema_version", COMPARISON, describe(schema), "Compare as pinned."
        )
        unread.append(Unread(blob.path, None, (problem,)))
    return document


def _unjoined(blob: Blob, candidate: str) -> Unread:
    expected = "a report here with the candidate's scores"
    remedy = "Add the candidate's report and scores as they were compared, or remove the comparison."
    problem = Problem("comparison-unjoined", blob.path, expected, f"scores {candidate}", remedy)
    return Unread(blob.path, None, (problem,))

"""Join a FAR report with its scores (same folder) and its run (by run signature or digest, wherever it lies).

Folder names say nothing. A run is also taken by the method that it names, but only where no digest fits any run and
one unused run names the method: then reading can say which digests differ, instead of finding nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import Blob, Bundle, Unread
from tallystick.strict import json_object

REPORT, SCORES = "report.json", "scores.jsonl"
RUN_FILES: Mapping[str, str] = {
    "predictions.jsonl": "predictions",
    "run_manifest.json": "manifest",
    "run_identity.json": "identity",
}
"""The files of a run folder, and the role that each plays in a bundle."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run folder: its files by role, and what they say that a report can be joined by."""

    folder: str
    parts: Mapping[str, Blob]
    signatures: frozenset[str]
    method: str | None

    def fit(self, report: Mapping[str, Any]) -> int:
        """Rank how well this run fits a report's provenance: 2 by signature, 1 by predictions, 3 by both, 0 not."""
        provenance = _mapping(report.get("provenance"))
        predictions = self.parts.get("predictions")
        signature = provenance.get("run_signature")
        by_signature = isinstance(signature, str) and signature in self.signatures
        by_digest = predictions is not None and provenance.get("predictions_sha256") == predictions.digest
        return 2 * by_signature + by_digest


def assemble_far(
    files: Iterable[Blob], beside: Mapping[str, Mapping[str, Blob]] | None = None
) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    """Return one bundle for each report.json, and notes on runs and scores that belong to none.

    `beside` are further files, by the digest of the scores that they speak of and then by role.
    """
    folders = _folders(files)
    reports = {path: parts[REPORT] for path, parts in folders.items() if REPORT in parts}
    runs = [_run(path, parts) for path, parts in folders.items() if parts.keys() & RUN_FILES.keys()]
    joined = _join({path: peek(blob) for path, blob in reports.items()}, runs)
    bundles = []
    for path, blob in reports.items():
        parts = {"report": blob}
        if scores := folders[path].get(SCORES):
            parts["scores"] = scores
            parts |= (beside or {}).get(scores.digest, {})
        run = joined[path]
        bundles.append(Bundle(blob.path, parts | dict(run.parts if run else {})))
    used = {run.folder for run in joined.values() if run}
    return tuple(bundles), tuple([*_stray(folders), *(_unused(run) for run in runs if run.folder not in used)])


def peek(blob: Blob) -> Mapping[str, Any]:
    """Parse a file as far as needed to join it; empty where it cannot be parsed, which `read` will say."""
    try:
        return json_object(blob.content, blob.path)
    except Refusal:
        return {}


def _folders(files: Iterable[Blob]) -> dict[str, dict[str, Blob]]:
    folders: dict[str, dict[str, Blob]] = {}
    for blob in sorted(files, key=lambda blob: blob.path):
        folder, _, name = blob.path.rpartition("/")
        folders.setdefault(folder, {})[name] = blob
    return folders


def _run(folder: str, files: Mapping[str, Blob]) -> _Run:
    parts = {role: files[name] for name, role in RUN_FILES.items() if name in files}
    told = [peek(parts[role]) for role in ("manifest", "identity") if role in parts]
    signatures = frozenset(one["run_signature"] for one in told if isinstance(one.get("run_signature"), str))
    methods = [one["method"] for one in told if isinstance(one.get("method"), str)]
    return _Run(folder, parts, signatures, methods[0] if methods else None)


def _join(reports: Mapping[str, Mapping[str, Any]], runs: list[_Run]) -> dict[str, _Run | None]:
    joined: dict[str, _Run | None] = {}
    for path, report in reports.items():
        best = max(runs, key=lambda run: run.fit(report), default=None)
        joined[path] = best if best and best.fit(report) else None
    used = {run.folder for run in joined.values() if run}
    for path, report in reports.items():
        same = [run for run in runs if run.folder not in used and run.method == report.get("method")]
        if joined[path] is None and len(same) == 1:
            joined[path] = same[0]
    return joined


def _stray(folders: Mapping[str, Mapping[str, Blob]]) -> Iterable[Unread]:
    for parts in folders.values():
        if SCORES in parts and REPORT not in parts:
            remedy = "Add the report that was written with these scores, or remove them."
            problem = Problem("report-missing", parts[SCORES].path, f"{REPORT} beside it", "none", remedy)
            yield Unread(parts[SCORES].path, None, (problem,))


def _unused(run: _Run) -> Unread:
    path = min(blob.path for blob in run.parts.values())
    found = "no report with its run signature or its predictions' digest"
    remedy = "Nothing is published from this run: add its report, or remove the run."
    return Unread(path, run.method, (Problem("run-unused", path, "a report of this run", found, remedy, "note"),))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

"""A run → the text of its sealed native report, and what to tell of it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.digest import seal
from tallystick.imported import ImportedRun, ImportedSample, ImportedStatement
from tallystick.importing.plan import Understood
from tallystick.importing.target import Target
from tallystick.model import COMPONENTS, STATUSES, Fingerprint
from tallystick.strict.names import hidden_characters, unstacked

_PROSE = 500
_TITLE = 80
_SOURCES_LISTED = 20
_PARTS = {"estimate": "estimate", "standard_error": "standard_error", "count": "n"}


def report_of(
    run: ImportedRun,
    benchmark_id: str,
    fields: Mapping[str, str],
    samples: Sequence[ImportedSample],
    fingerprint: Fingerprint,
) -> dict[str, Any]:
    """Return the sealed report; `fields` says in which field of a sample each metric's value goes."""
    report: dict[str, Any] = {
        "format": "tallystick-report/1",
        "benchmark": benchmark_id,
        "method": {"id": run.method.id, "title": visible(run.method.title, _TITLE)},
        "fingerprint": {name: getattr(fingerprint, name) for name in COMPONENTS},
        "run": {
            "finished": run.finished.isoformat().replace("+00:00", "Z") if run.finished else None,
            "complete": run.complete,
            "demo": False,
        },
        "samples": [_row(sample, fields) for sample in samples],
        "stated": _stated(run.stated, fields),
        "differences": _differences(run),
        "provenance": _provenance(run),
        "unverified": [visible(f"The log cannot show {text}", _PROSE) for text in run.unproven],
    }
    if run.method.kind:
        report["method"]["kind"] = run.method.kind
    report["seal"] = seal(report)
    return report


def written(report: Mapping[str, Any]) -> bytes:
    """Return a report as text: one sample a line, so that a change shows as the lines that changed."""
    parts = []
    for key, value in report.items():
        if key == "samples":
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f' "samples": [\n  {rows}\n ]')
        else:
            text = json.dumps(value, ensure_ascii=False, indent=1).replace("\n", "\n ")
            parts.append(f" {json.dumps(key)}: {text}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8")


def understood(
    run: ImportedRun, target: Target, path: str, samples: Sequence[ImportedSample], pinned: Mapping[str, str]
) -> Understood:
    """Return what a person should see of a run before anything is written."""
    counts = Counter(sample.status for sample in samples)
    means: dict[str, tuple[float | None, int]] = {}
    for metric in run.metrics:
        values = [sample.values[metric.id] for sample in samples if metric.id in sample.values]
        means[metric.id] = (math.fsum(values) / len(values) if values else None, len(values))
    return Understood(
        benchmark=target.id,
        method=run.method.id,
        title=run.method.title,
        format=run.format,
        path=path,
        samples=len(samples),
        statuses={status: counts[status] for status in STATUSES if counts[status]},
        means=means,
        stated=tuple((_words(item), item.where, item.value) for item in run.stated),
        sources=tuple((file.name, file.digest) for file in run.sources),
        pinned=pinned,
        differences=run.differences,
        unaccepted=tuple(one.name for one in run.differences if one.name not in target.accepts),
        unproven=run.unproven,
        notes=run.notes,
    )


def visible(text: str, limit: int) -> str:
    """Return a log's text without characters that cannot be seen or that cover others, cut to `limit`."""
    seen = "".join(letter for letter in " ".join(text.split()) if not hidden_characters(letter))
    shown = unstacked(seen, "") or "unnamed"
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def _words(statement: ImportedStatement) -> str:
    of = f" of {statement.axis} {statement.axis_value}" if statement.axis else ""
    return f"{statement.metric} {statement.part.replace('_', ' ')}{of}"


def _row(sample: ImportedSample, fields: Mapping[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": sample.id, "status": sample.status}
    if sample.status == "scored":
        row |= {field: sample.values.get(metric) for metric, field in fields.items()}
    return row


def _stated(statements: Sequence[ImportedStatement], fields: Mapping[str, str]) -> dict[str, Any]:
    """Nest statements by metric, and by axis and value; a metric that the benchmark does not have is left out."""
    stated: dict[str, Any] = {}
    for item in statements:
        if item.metric not in fields:
            continue
        entry = stated.setdefault(item.metric, {})
        if item.axis is not None:
            entry = entry.setdefault("by", {}).setdefault(item.axis, {}).setdefault(item.axis_value, {})
        entry[_PARTS[item.part]] = int(item.value) if item.part == "count" else float(item.value)
        if item.under:
            entry["under"] = item.under
    return stated


def _differences(run: ImportedRun) -> dict[str, str]:
    reasons: dict[str, list[str]] = {}
    for difference in run.differences:
        reasons.setdefault(difference.name, []).append(difference.reason)
    return {name: visible("; ".join(told), _PROSE) for name, told in sorted(reasons.items())}


def _provenance(run: ImportedRun) -> dict[str, str]:
    facts = {"imported from": run.format, "benchmark hash made of": run.content_from}
    for number, file in enumerate(run.sources[:_SOURCES_LISTED], start=1):
        facts[f"log {number}"] = f"{file.name.rpartition('/')[2]}, sha256 {file.digest}"
    if len(run.sources) > _SOURCES_LISTED:
        facts["further logs"] = str(len(run.sources) - _SOURCES_LISTED)
    facts |= run.provenance
    facts |= {f"note {number}": text for number, text in enumerate(run.notes, start=1)}
    return {visible(label, _TITLE): visible(text, _PROSE) for label, text in facts.items()}

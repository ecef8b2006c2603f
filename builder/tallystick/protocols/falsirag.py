"""FalsiRAG evaluation bundles (`falsirag-evaluation-report-v1`), with or without the revision-delta metrics.

A bundle that lacks its run is read all the same and says what can therefore not be verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import (
    Benchmark,
    Blob,
    Bundle,
    Column,
    Computed,
    Method,
    Protocol,
    Report,
    Source,
    Stated,
    Status,
    Unread,
)
from tallystick.protocols._far_bundle import assemble_far
from tallystick.protocols._far_comparison import DECLARED, check_baseline, check_bootstrap, check_comparison, kind_of
from tallystick.protocols._far_layout import check_layout
from tallystick.protocols._far_metrics import BASE, REVISION, described
from tallystick.protocols._far_peers import MANIFEST, PROFILE, check_alike, outputs, settings
from tallystick.protocols._far_publication import check_publication
from tallystick.protocols._far_rescore import UNDETERMINED, rescore
from tallystick.protocols._far_rows import Rows, column, counted
from tallystick.protocols._far_run import (
    RunRecord,
    check_digest,
    check_run,
    fingerprint,
    read_run,
    run_of,
)
from tallystick.protocols._far_stated import stated
from tallystick.strict import Node, describe, json_lines, json_object

SCHEMA = "falsirag-evaluation-report-v1"
PROFILES: tuple[str | None, ...] = (None, "falsirag-evaluation-metrics-v2-revision-delta")
SCORED: tuple[Status, ...] = ("scored",)
_RESCORED = (*BASE, *REVISION, "predicted_conflict_count", "gold_conflict_present")


def _recognises(document: Mapping[str, Any]) -> bool:
    return document.get("schema_version") == SCHEMA


def _assemble(files: tuple[Blob, ...], benchmark: Benchmark) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    return assemble_far(files)


def _read(bundle: Bundle, benchmark: Benchmark) -> Report:
    main = bundle.parts["report"]
    report = Node(json_object(main.content, main.path), main.path)
    _supported(report)
    rows = Rows(_scores(bundle), bundle.parts["scores"].path, report.problems)
    ids, categories, splits = rows.texts("sample_id"), rows.texts("category"), rows.texts("split")
    rows.one_method(report.text("/method"))
    columns = _columns(rows)
    run = read_run(bundle, report.problems)
    check_run(run, bundle, report, {"ids": ids, "splits": splits}, report.problems)
    for pointer, role in (("/provenance/scores_sha256", "scores"), ("/provenance/predictions_sha256", "predictions")):
        check_digest(report, pointer, bundle, role)
    _benchmark_hash(report, run, benchmark)
    unverified = check_publication(report, benchmark, splits, ids)
    check_bootstrap(
        report, benchmark, ("/confidence_intervals", "/dependency_cluster_intervals", "/comparison/metrics")
    )
    check_comparison(report, benchmark)
    groups = tuple(group or None for group in rows.texts_or_none("dependency_group"))
    check_layout(report, columns, {"category": categories, "split": splits}, groups)
    rescored, left_out = _rescored(rows, ids, run, benchmark)
    numbers = (*stated(report, columns), *rescored)
    method = report.text("/method")
    return Report(
        method=Method(method, method, kind=kind_of(method)),
        protocol=PROTOCOL.id,
        fingerprint=fingerprint(run, report.text("/provenance/benchmark_sha256")),
        sources=tuple(Source(blob.path, blob.digest, len(blob.content)) for blob in bundle.parts.values()),
        scores_digest=bundle.parts["scores"].digest,
        run=run_of(run, report),
        ids=ids,
        statuses=SCORED * len(ids),
        columns=columns,
        axes={"category": categories, "split": splits},
        clusters=groups,
        stated=numbers,
        provenance={**_provenance(report, bundle), **settings(run.identity)},
        unverified=(*run.unverified, *unverified, *left_out),
        depth="predictions" if rescored else "records",
        outputs=outputs(run.predictions),
        problems=tuple(dict.fromkeys(report.problems)),  # last: reading the arguments above may add to them
    )


def _supported(report: Node) -> None:
    """Stop at another schema; another metric profile is a problem, beside which the rest is still read."""
    if report.text("/schema_version") != SCHEMA:
        found = describe(report.get("/schema_version"))
        report.refuse("/schema_version", "schema-unsupported", SCHEMA, found, "Give a FalsiRAG evaluation report.")
        report.settle()
    if (profile := report.maybe("/metric_profile", report.text)) not in PROFILES:
        expected = f"no profile, or {PROFILES[1]}"
        found = f'unsupported metric profile: not comparable: "{profile}"'
        remedy = "Evaluate again with the profile of this board, or ask for a board of its own."
        report.refuse("/metric_profile", "metric-profile", expected, found, remedy)


def _scores(bundle: Bundle) -> tuple[Mapping[str, Any], ...]:
    if scores := bundle.parts.get("scores"):
        return json_lines(scores.content, scores.path)
    remedy = "Add the scores that the report was computed from: without them nothing in it can be verified."
    raise Refusal([Problem("scores-missing", bundle.path, "scores.jsonl beside the report", "none", remedy)])


def _columns(rows: Rows) -> dict[str, Column]:
    """Return a column for each metric of the rows' layout.

    Rows of the older layout do not say whether a conflict is present: there it always is.
    """
    layout = rows.has("gold_conflict_present")
    metrics = (*BASE, *(REVISION if rows.has(REVISION[0]) else ()))
    values = {metric: rows.numbers(metric) for metric in metrics}
    columns = {metric: column(values[metric]) for metric in metrics}
    present = rows.flags("gold_conflict_present") if layout else (True,) * len(rows.rows)
    typed = values["typed_conflict_correct"]
    predicted = [count or 0 for count in rows.numbers("predicted_conflict_count")]
    hits = [float(value or 0) if there else 0.0 for value, there in zip(typed, present, strict=True)]
    columns["typed_conflict_f1"] = counted(hits, predicted, present, [value is not None for value in typed])
    if layout:
        seen = [count > 0 for count in predicted]
        both = [one and there for one, there in zip(seen, present, strict=True)]
        columns["conflict_presence_f1"] = counted(both, seen, present, (True,) * len(present))
    return columns


def _benchmark_hash(report: Node, run: RunRecord, benchmark: Benchmark) -> None:
    """The report and its run must have read the very benchmark file that the board pins."""
    pointer, pinned = "/provenance/benchmark_sha256", benchmark.samples.digest
    remedy = "Run and evaluate on the pinned benchmark file."
    if (stated_digest := report.text(pointer)) != pinned:
        expected = f"the digest of {benchmark.samples.path}, {pinned}"
        report.refuse(pointer, "benchmark-hash", expected, f"benchmark hash differs: {stated_digest}", remedy)
    if run.identity and (found := run.identity.text("/benchmark_input_sha256")) != stated_digest:
        expected = f"the report's benchmark_sha256, {stated_digest}"
        told = f"benchmark hash differs from report.provenance.benchmark_sha256: not comparable: {found}"
        run.identity.refuse("/benchmark_input_sha256", "benchmark-hash", expected, told, remedy)


def _rescored(
    rows: Rows, ids: Sequence[str], run: RunRecord, benchmark: Benchmark
) -> tuple[tuple[Stated, ...], tuple[str, ...]]:
    """Score every prediction again and set the results beside the rows; say what could not be."""
    if run.predictions is None:
        return (), ()
    gold = dict(zip(benchmark.samples.ids, benchmark.samples.rows, strict=True))
    answers = {str(row.get("sample_id")): row for row in run.predictions}
    numbers: list[Stated] = []
    unknown: Counter[str] = Counter()
    for row, sample in zip(rows.rows, ids, strict=True):
        if sample not in gold or sample not in answers:
            continue
        try:
            values = rescore(answers[sample], gold[sample])
        except (KeyError, TypeError, AttributeError):
            unknown["every metric, as prediction or gold lack a field"] += 1
            continue
        for metric in _RESCORED:
            if metric in row and values[metric] == UNDETERMINED:
                unknown[metric] += 1
            elif metric in row:
                rule = Computed(values[metric], "rescored from the prediction")
                numbers.append(Stated(f"{rows.where} {sample}/{metric}", row[metric], rule, "rows"))
    return tuple(numbers), tuple(
        f"{metric}: {count} of {len(ids)} rows could not be rescored, the seed's definition is not known for them"
        for metric, count in sorted(unknown.items())
    )


def _provenance(report: Node, bundle: Bundle) -> dict[str, str]:
    """Label the hashes that a page shows; paths inside a report are never among them."""
    shown = {role: blob.digest for role, blob in bundle.parts.items() if role in ("report", "scores", "predictions")}
    for label, pointer in (
        ("run signature", "/provenance/run_signature"),
        (MANIFEST, "/provenance/benchmark_manifest_sha256"),
        (PROFILE, "/metric_profile"),
    ):
        if isinstance(value := report.get(pointer), str):
            shown[label] = value
    return shown


def _check(report: Report, benchmark: Benchmark, peers: tuple[Report, ...]) -> tuple[Problem, ...]:
    """Hold the report's evaluation and its baseline against the other reports of the board."""
    return (*check_alike(report, benchmark, peers), *check_baseline(report, peers))


PROTOCOL = Protocol(
    id="falsirag",
    title="FalsiRAG evaluation report",
    globs=("**/report.json",),
    recognises=_recognises,
    assemble=_assemble,
    read=_read,
    check=_check,
    defaults={
        "metrics": described(),
        "primary": "typed_conflict_f1",
        "axes": ["category", "split"],
        "stratum": "category",
        "cluster": "source_metadata.dependency_group",
        "comparisons": DECLARED,
    },
)

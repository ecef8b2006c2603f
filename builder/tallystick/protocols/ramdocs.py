"""RAMDocs evaluation bundles of FAR (`far-ramdocs-evaluation-v1`): no intervals inside, comparisons beside them.

Comparisons are joined by the digests of the scores that they compare; manifests of the whole suite are held against the
files that are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import (
    Benchmark,
    Blob,
    Bundle,
    Column,
    Computed,
    CountOf,
    MeanOf,
    Method,
    Protocol,
    Report,
    Source,
    Stated,
    Status,
)
from tallystick.protocols._far_bundle import peek
from tallystick.protocols._far_comparison import DECLARED, check_baseline, check_bootstrap, kind_of
from tallystick.protocols._far_layout import PAIRED, TEST, check_keys, check_method
from tallystick.protocols._far_peers import GOLD, check_alike, outputs, settings
from tallystick.protocols._far_rows import Rows, column
from tallystick.protocols._far_run import RunRecord, check_digest, check_run, fingerprint, read_run, run_of
from tallystick.protocols._far_stated import mcnemar, paired
from tallystick.protocols._far_text import contains_words
from tallystick.protocols._ramdocs_files import MANIFESTS, assemble
from tallystick.strict import Node, describe, json_lines, json_object

SCHEMA = "far-ramdocs-evaluation-v1"
SCORING = "all_normalized_gold_answers_and_no_normalized_wrong_answers"
SCORED: tuple[Status, ...] = ("scored",)
_MISINFORMATION = "ambiguity_misinformation"
_REMEDY = "Submit the files of one evaluation as they were written, or evaluate again."

_METRICS: Mapping[str, tuple[str, str, str]] = {
    "ramdocs_exact_match": ("Exact match", "higher", "Every gold answer is there, and no wrong one."),
    "gold_answer_coverage": ("Gold answer coverage", "higher", "Share of the gold answers that the answer holds."),
    "wrong_answer_exclusion": ("Wrong answers excluded", "higher", "The answer holds none of the wrong answers."),
    "misinformation_conflict_detected": (
        "Misinformation detected",
        "higher",
        "A conflict is predicted, where documents hold misinformation.",
    ),
    "unsupported_sentence_rate": (
        "Unsupported sentences",
        "lower",
        "Share of the answer's sentences without support in the documents.",
    ),
}
_FRACTIONS = ("gold_answer_coverage", "unsupported_sentence_rate")


def _recognises(document: Mapping[str, Any]) -> bool:
    return document.get("schema_version") == SCHEMA


def _read(bundle: Bundle, benchmark: Benchmark) -> Report:
    main = bundle.parts["report"]
    report = Node(json_object(main.content, main.path), main.path)
    _supported(report)
    rows = Rows(_scores(bundle), bundle.parts["scores"].path, report.problems)
    ids, splits = rows.texts("sample_id"), rows.texts("split")
    rows.one_method(report.text("/method"))
    columns = {metric: column(rows.numbers(metric)) for metric in _METRICS}
    run = read_run(bundle, report.problems)
    check_run(run, bundle, report, {"ids": ids, "splits": splits}, report.problems)
    for pointer, role in (("/provenance/scores_sha256", "scores"), ("/provenance/predictions_sha256", "predictions")):
        check_digest(report, pointer, bundle, role)
    _benchmark_hashes(report, run, benchmark)
    _publication(report)
    if (split := report.text("/split")) not in splits or len(set(splits)) > 1:
        found = f"the rows' {', '.join(sorted(set(splits)))}"
        report.refuse("/split", "split-disagrees", found, describe(split), _REMEDY)
    _manifests(report, bundle)
    rescored = _rescored(rows, ids, run, benchmark)
    numbers = (*_stated(report, columns), *_compared(report, bundle, benchmark), *rescored)
    method = report.text("/method")
    return Report(
        method=Method(method, method, kind=kind_of(method)),
        protocol=PROTOCOL.id,
        fingerprint=fingerprint(run, None, report.text("/provenance/corpus_sha256")),
        sources=tuple(Source(blob.path, blob.digest, len(blob.content)) for blob in bundle.parts.values()),
        scores_digest=bundle.parts["scores"].digest,
        run=run_of(run, report),
        ids=ids,
        statuses=SCORED * len(ids),
        columns=columns,
        axes={"category": rows.texts("category"), "split": splits},
        stated=numbers,
        provenance={
            **{role: blob.digest for role, blob in bundle.parts.items() if role in ("report", "scores", "predictions")},
            "tasks": report.text("/provenance/tasks_sha256"),
            GOLD: str(report.get("/publication_gold")).lower(),
            **settings(run.identity),
        },
        unverified=(
            *run.unverified,
            "unsupported_sentence_rate: its definition needs the documents' texts",
            "gate_a_passed of comparisons: its definition is not known",
        ),
        depth="predictions" if rescored else "records",
        outputs=outputs(run.predictions),
        problems=tuple(dict.fromkeys(report.problems)),  # last: reading the arguments above may add to them
    )


def _supported(report: Node) -> None:
    for pointer, known in (("/schema_version", SCHEMA), ("/scoring_protocol", SCORING)):
        if report.text(pointer) != known:
            found = f"{describe(report.get(pointer))}: not comparable"
            report.refuse(pointer, "schema-unsupported", known, found, "Evaluate with the pinned evaluator.")
    report.settle()


def _scores(bundle: Bundle) -> tuple[Mapping[str, Any], ...]:
    if scores := bundle.parts.get("scores"):
        return json_lines(scores.content, scores.path)
    remedy = "Add the scores that the report was computed from: without them nothing in it can be verified."
    raise Refusal([Problem("scores-missing", bundle.path, "scores.jsonl beside the report", "none", remedy)])


def _benchmark_hashes(report: Node, run: RunRecord, benchmark: Benchmark) -> None:
    pointer, pinned = "/provenance/tasks_sha256", benchmark.samples.digest
    if (tasks := report.text(pointer)) != pinned:
        expected = f"the digest of {benchmark.samples.path}, {pinned}"
        report.refuse(pointer, "benchmark-hash", expected, f"tasks hash differs: {tasks}", _REMEDY)
    corpus = report.text("/provenance/corpus_sha256")
    if run.identity and (found := run.identity.text("/corpus_sha256")) != corpus:
        told = f"corpus hash differs from the report's: not comparable: {found}"
        run.identity.refuse("/corpus_sha256", "corpus-hash", f"the report's, {corpus}", told, _REMEDY)


def _publication(report: Node) -> None:
    """The gate of this format: labels that were made for publication."""
    if not report.flag("/publication_gold"):
        remedy = "Shown on diagnostic boards only: the labels are the upstream data set's own."
        where, expected = report.place("/publication_gold"), "labels made for publication"
        report.problems.append(
            Problem("publication-gate-closed", where, expected, "publication_gold is false", remedy, "diagnostic")
        )


def _manifests(report: Node, bundle: Bundle) -> None:
    """Hold the digests that manifests of the suite give for this bundle's files against the files."""
    for role in MANIFESTS.values():
        blob = bundle.parts.get(role)
        if blob is None:
            continue
        manifest = peek(blob)
        for own, digest in _listed(manifest, blob.path.rpartition("/")[0], report.text("/method"), bundle):
            if own.digest != digest:
                where, expected = f"{blob.path} {own.path}", f"the file's digest, {own.digest}"
                report.problems.append(Problem("digest-mismatch", where, expected, str(digest), _REMEDY))


def _listed(manifest: Mapping[str, Any], folder: str, method: str, bundle: Bundle) -> Iterator[tuple[Blob, object]]:
    """Yield this bundle's files with the digest that a manifest of either kind gives them."""
    files = manifest.get("files")
    for own in bundle.parts.values():
        path = own.path.removeprefix(f"{folder}/") if folder else own.path
        if isinstance(files, dict) and path in files:
            yield own, files[path]
    for role, block in (("report", "reports"), ("manifest", "run_manifests")):
        listed = manifest.get(block)
        if role in bundle.parts and isinstance(listed, dict) and method in listed:
            yield bundle.parts[role], listed[method]


def _stated(report: Node, columns: Mapping[str, Column]) -> Iterator[Stated]:
    yield Stated(report.place("/samples"), report.whole("/samples"), CountOf())
    misled = CountOf(metric="misinformation_conflict_detected")
    yield Stated(report.place("/misinformation_items"), report.whole("/misinformation_items"), misled)
    check_keys(report, "/metrics", columns)
    for metric in columns:
        pointer = f"/metrics/{metric}"
        if report.has(pointer):
            yield Stated(report.place(pointer), report.maybe(pointer, report.number), MeanOf(metric, empty=0.0))


def _compared(report: Node, bundle: Bundle, benchmark: Benchmark) -> Iterator[Stated]:
    for role, blob in sorted(bundle.parts.items()):
        if not role.startswith("comparison with "):
            continue
        node = Node(peek(blob), blob.path, report.problems)
        baseline, digest = role.removeprefix("comparison with "), node.text("/baseline_scores_sha256")
        node.maybe("/gate_a_passed", node.flag)
        metric = node.text("/comparison/metric")
        if metric not in _METRICS:
            found = f'"{metric}"'
            node.refuse("/comparison/metric", "metric-unknown", "a metric of the rows", found, _REMEDY)
            continue
        check_bootstrap(Node({"one": {"of": node.get("/comparison")}}, blob.path, report.problems), benchmark, ["/one"])
        check_method(node, "/comparison", f"{PAIRED}-v1")
        yield from paired(node, "/comparison", metric, baseline, digest)
        if metric not in _FRACTIONS:
            check_method(node, "/mcnemar", TEST)
            yield from mcnemar(node, "/mcnemar", metric, baseline, digest)
        elif node.has("/mcnemar"):
            expected = "McNemar's test on outcomes of 0 and 1"
            node.refuse("/mcnemar", "test-not-binary", expected, f"a test of {metric}", _REMEDY)


def _rescored(rows: Rows, ids: Sequence[str], run: RunRecord, benchmark: Benchmark) -> tuple[Stated, ...]:
    if run.predictions is None:
        return ()
    tasks = dict(zip(benchmark.samples.ids, benchmark.samples.rows, strict=True))
    answers = {str(row.get("sample_id")): row for row in run.predictions}
    return tuple(
        Stated(
            f"{rows.where} {sample}/{metric}", row.get(metric), Computed(value, "rescored from the prediction"), "rows"
        )
        for row, sample in zip(rows.rows, ids, strict=True)
        if sample in tasks and sample in answers
        for metric, value in _values(answers[sample], tasks[sample]).items()
    )


def _values(prediction: Mapping[str, Any], task: Mapping[str, Any]) -> dict[str, float | None]:
    """Score one answer by the words of its gold and wrong answers; nothing where a field is not what it should be."""
    answer, gold, wrong = prediction.get("answer"), task.get("gold_answers"), task.get("wrong_answers")
    if not (isinstance(answer, str) and isinstance(gold, list) and isinstance(wrong, list) and gold):
        return {}
    found = [contains_words(answer, str(phrase)) for phrase in gold]
    misled = any(contains_words(answer, str(phrase)) for phrase in wrong)
    detected = float(bool(prediction.get("predicted_conflict_types")))
    return {
        "gold_answer_coverage": sum(found) / len(found),
        "wrong_answer_exclusion": float(not misled),
        "ramdocs_exact_match": float(all(found) and not misled),
        "misinformation_conflict_detected": detected if task.get("category") == _MISINFORMATION else None,
    }


def _check(report: Report, benchmark: Benchmark, peers: tuple[Report, ...]) -> tuple[Problem, ...]:
    return (*check_alike(report, benchmark, peers), *check_baseline(report, peers))


PROTOCOL = Protocol(
    id="ramdocs",
    title="FAR evaluation report on RAMDocs",
    globs=("**/report.json",),
    recognises=_recognises,
    assemble=assemble,
    read=_read,
    check=_check,
    defaults={
        "metrics": [
            {
                "id": metric,
                "title": title,
                "description": description,
                "kind": "mean",
                "fields": {"value": metric},
                "direction": direction,
                "binary": metric not in _FRACTIONS,
            }
            for metric, (title, direction, description) in _METRICS.items()
        ],
        "primary": "ramdocs_exact_match",
        "axes": ["category", "split"],
        "stratum": "category",
        "comparisons": DECLARED,
    },
)

"""Check the run behind a FAR report: complete, signed, of one method, with the predictions that were scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tallystick.digest import compact_ascii, sha256
from tallystick.errors import Problem, Refusal, some
from tallystick.model import Bundle, Fingerprint, Run
from tallystick.strict import Node, describe, json_lines, json_object
from tallystick.strict.moments import instant

MARKERS = ("<think>", "</think>", "thinking process:")
"""What a model's private reasoning begins or ends with; an answer that holds one leaked it."""

_UNSIGNED: Mapping[str, frozenset[str]] = {
    "far-run-signature-v1": frozenset({"run_signature", "created_at"}),
    "far-run-signature-v2": frozenset({"run_signature", "created_at", "environment"}),
    "far-ramdocs-run-signature-v1": frozenset({"run_signature", "created_at"}),
}
"""The fields of an identity that its signature leaves out, by schema."""

_UNSTATED = frozenset({"far-ramdocs-run-signature-v1"})
"""Schemas of identities whose signature the report need not repeat."""

_MANIFEST = "far-run-manifest-v1"
_RERUN = "Submit the files of one run as they were written, or run and evaluate again."


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The files of a run as parsed; None where a part is absent or could not be parsed."""

    manifest: Node | None
    identity: Node | None
    predictions: tuple[Mapping[str, Any], ...] | None
    unverified: tuple[str, ...]


def read_run(bundle: Bundle, problems: list[Problem]) -> RunRecord:
    """Parse what there is of a run, adding the problems of each part."""
    nodes: dict[str, Node | None] = {}
    for role in ("manifest", "identity"):
        nodes[role] = None
        if blob := bundle.parts.get(role):
            try:
                nodes[role] = Node(json_object(blob.content, blob.path), blob.path, problems)
            except Refusal as refusal:
                problems += refusal.problems
    predictions: tuple[Mapping[str, Any], ...] | None = None
    if blob := bundle.parts.get("predictions"):
        try:
            predictions = json_lines(blob.content, blob.path)
        except Refusal as refusal:
            problems += refusal.problems
    return RunRecord(nodes["manifest"], nodes["identity"], predictions, _absent(bundle))


def check_run(run: RunRecord, bundle: Bundle, report: Node, rows: Mapping[str, Any], problems: list[Problem]) -> None:
    """Add what is wrong with the run of a report whose rows say `rows["ids"]`, `rows["splits"]`."""
    problems += _parts_absent(bundle)
    if run.manifest:
        _complete(run.manifest, report, len(rows["ids"]))
        _predicted(run.manifest, bundle, report)
    if run.identity:
        _signed(run.identity, run.manifest, report)
    for node in (run.manifest, run.identity):
        if node:
            _same(node, "/method", report.get("/method"), "the report's method", "method-disagrees")
            if node.get("/split") is not None and set(rows["splits"]) != {node.text("/split")}:
                splits = ", ".join(sorted(set(rows["splits"])))
                _same(node, "/split", splits, "the split of the scored rows", "split-disagrees")
    if run.manifest and run.identity:
        _agree(run.manifest, run.identity)
    if run.predictions is not None:
        problems += check_predictions(run.predictions, bundle.parts["predictions"].path, report.get("/method"), rows)


def check_digest(report: Node, pointer: str, bundle: Bundle, role: str) -> None:
    """Hold a digest that the report states against that of the file that it speaks of."""
    blob = bundle.parts.get(role)
    if blob and (stated := report.text(pointer)) != blob.digest:
        name = pointer.rpartition("/")[2]
        expected = f"the digest of {blob.path}, {blob.digest}"
        remedy = f"A {name} mismatch: the file is another than the one that was stated. {_RERUN}"
        report.refuse(pointer, "digest-mismatch", expected, stated, remedy)


def fingerprint(run: RunRecord, benchmark_digest: str | None, corpus: str | None = None) -> Fingerprint:
    """Return the four hashes of the run's identity; without it, what the report itself states."""
    if not run.identity:
        return Fingerprint(benchmark_digest, corpus, None, None)
    fields = ("/benchmark_input_sha256", "/corpus_sha256", "/config_sha256", "/implementation_sha256")
    return Fingerprint(*(run.identity.text(field) or None for field in fields))


def run_of(run: RunRecord, report: Node) -> Run:
    """Return what report and manifest say of the run; partial where either says so."""
    partial = report.flag("/partial")
    complete = not partial
    if run.manifest:
        partial = run.manifest.flag("/partial") or partial
        complete = complete and run.manifest.get("/status") == "complete"
    demo = any(node.get("/demo") is True for node in (report, run.manifest, run.identity) if node)
    return Run(_finished(run.identity), complete, partial, demo)


def check_predictions(
    predictions: Sequence[Mapping[str, Any]], where: str, method: object, rows: Mapping[str, Any]
) -> list[Problem]:
    """Return what is wrong with predictions: their ids, their methods, reasoning left in their answers."""
    problems = []
    ids = [str(row.get("sample_id")) for row in predictions]
    if doubled := sorted(sample for sample, count in Counter(ids).items() if count > 1):
        problems.append(Problem("samples-doubled", where, "each sample once", some(doubled), _RERUN))
    if different := sorted(set(ids) ^ set(rows["ids"])):
        expected = f"predictions of the {len(rows['ids'])} samples that were scored"
        found = f"{len(ids)} predictions, and samples in only one of both: {some(different)}"
        problems.append(Problem("predictions-differ", where, expected, found, _RERUN))
    if others := sorted({str(row.get("method")) for row in predictions} - {str(method)}):
        found = f"method name that differs between report and predictions: {some(others)}"
        problems.append(Problem("method-disagrees", where, f"the method {method} in every row", found, _RERUN))
    leaks = [sample for sample, row in zip(ids, predictions, strict=True) if _leaks(row.get("answer"))]
    if leaks:
        remedy = "Strip the model's reasoning before an answer is stored, then run and evaluate again."
        expected = f"answers without reasoning markers ({', '.join(MARKERS)})"
        problems.append(Problem("reasoning-leaked", where, expected, f"{len(leaks)} with one: {some(leaks)}", remedy))
    return [*problems, *_malformed(predictions, where)]


def _malformed(predictions: Sequence[Mapping[str, Any]], where: str) -> Iterator[Problem]:
    """Require what rescoring reads: a prediction that cannot be scored again would excuse its row from it."""
    for field, (expected, fits) in _FIELDS.items():
        wrong = [row for row in predictions if field not in row or not fits(row[field])]
        if wrong:
            told = describe(wrong[0][field]) if field in wrong[0] else "nothing"
            found = f"{told} in {wrong[0].get('sample_id')}, one of {len(wrong)} such rows"
            yield Problem("wrong-type", f"{where} {field}", f"{expected} in every row", found, _RERUN)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_FIELDS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "sample_id": ("text", lambda value: isinstance(value, str)),
    "answer": ("text", lambda value: isinstance(value, str)),
    "evidence_ids": ("an array of texts", _texts),
    "predicted_conflict_types": ("an array of texts", _texts),
    "revision_action": ("text or null", lambda value: value is None or isinstance(value, str)),
}


def _absent(bundle: Bundle) -> tuple[str, ...]:
    told = {
        "predictions": "no predictions: rows cannot be rescored, nor answers searched for leaked reasoning",
        "manifest": "no run manifest: whether the run was complete and without errors is not verified",
        "identity": "no run identity: signature and the hashes of corpus, configuration and implementation are not "
        "verified",
    }
    return tuple(text for role, text in told.items() if role not in bundle.parts)


def _parts_absent(bundle: Bundle) -> Iterator[Problem]:
    """Without its run nothing ties a report to what a method answered: shown, but no evidence."""
    for role, name in {"predictions": "predictions.jsonl", "manifest": "run_manifest.json"}.items():
        if role not in bundle.parts:
            expected, remedy = f"{name} of the run", f"Add {name}: without it the report is no publication evidence."
            yield Problem("run-part-absent", bundle.path, expected, "none", remedy, "diagnostic")


def _complete(manifest: Node, report: Node, rows: int) -> None:
    remedy = "Finish the run on every sample, then evaluate again."
    if (schema := manifest.text("/schema_version")) != _MANIFEST:
        manifest.refuse("/schema_version", "schema-unsupported", _MANIFEST, f'"{schema}"', _RERUN)
    if (status := manifest.text("/status")) != "complete":
        found = f'run status is not complete: "{status}"'
        manifest.refuse("/status", "run-incomplete", 'a run with the status "complete"', found, remedy)
    if errors := manifest.whole("/errors"):
        manifest.refuse("/errors", "run-errors", "a run without errors", f"run records errors: {errors}", remedy)
    expected, completed = manifest.whole("/expected"), manifest.whole("/completed")
    if expected != completed:
        found = f"expected != completed: {expected} and {completed}"
        manifest.refuse("/expected", "run-incomplete", "as many samples completed as expected", found, remedy)
    elif completed != rows:
        found = f"{completed} completed"
        manifest.refuse("/completed", "run-count", f"the {rows} samples that were scored", found, _RERUN)
    if missing := manifest.sequence("/missing_ids"):
        found = f"missing ids: {some([str(sample) for sample in missing])}"
        manifest.refuse("/missing_ids", "run-incomplete", "no missing sample", found, remedy)
    if manifest.maybe("/gold_loaded_by_runner", manifest.flag):
        expected_text, remedy_text = "a run that had no gold answers before it", "Run without the gold, and evaluate."
        manifest.refuse("/gold_loaded_by_runner", "run-saw-gold", expected_text, "true", remedy_text)
    partial = manifest.flag("/partial")
    if partial != report.get("/partial"):
        expected_text = f"{str(report.get('/partial')).lower()}, as the report says"
        found = f"partial disagrees between run manifest and report: {str(partial).lower()}; partial run"
        manifest.refuse(
            "/partial", "partial-disagrees", expected_text, found, "A partial run is no evidence. " + remedy
        )


def _agree(manifest: Node, identity: Node) -> None:
    """A run of one split, or of the first few samples only, must say so in both of its files."""
    if manifest.get("/split") != (split := identity.get("/split")):
        expected, found = f"the split of {identity.where}, {describe(split)}", describe(manifest.get("/split"))
        manifest.refuse("/split", "split-disagrees", expected, found, _RERUN)
    if (limit := identity.get("/limit")) is not None and manifest.get("/partial") is not True:
        found = f"a limit, {describe(limit)}, in a run that does not say it is partial"
        identity.refuse("/limit", "partial-disagrees", "no limit, as the run says it is whole", found, _RERUN)


def _predicted(manifest: Node, bundle: Bundle, report: Node) -> None:
    """Hold the manifest's digest of the predictions against the file, or without it against the report's."""
    check_digest(manifest, "/predictions_sha256", bundle, "predictions")
    stated = report.get("/provenance/predictions_sha256")
    if "predictions" not in bundle.parts and (found := manifest.text("/predictions_sha256")) != stated:
        remedy = f"A predictions_sha256 mismatch: run and report speak of different predictions. {_RERUN}"
        manifest.refuse("/predictions_sha256", "digest-mismatch", f"the report's, {stated}", found, remedy)


def _signed(identity: Node, manifest: Node | None, report: Node) -> None:
    """Recompute the signature, and hold those of manifest and report (where its format has one) against it."""
    schema = identity.text("/schema_version")
    if schema not in _UNSIGNED:
        known = ", ".join(sorted(_UNSIGNED))
        identity.refuse("/schema_version", "schema-unsupported", f"one of {known}", f'"{schema}"', _RERUN)
        return
    signed = {key: value for key, value in identity.value.items() if key not in _UNSIGNED[schema]}
    signature = sha256(compact_ascii(signed))
    for node, pointer in (
        (identity, "/run_signature"),
        (manifest, "/run_signature"),
        (report, "/provenance/run_signature"),
    ):
        needed = node is not report or node.has(pointer) or schema not in _UNSTATED
        if node and needed and node.get(pointer) != signature:
            expected = f"the signature recomputed from {identity.where}, {signature}"
            found = f"run_signature differs: {node.get(pointer)}"
            node.refuse(pointer, "run-signature", expected, found, _RERUN)


def _same(node: Node, pointer: str, expected: object, whose: str, code: str) -> None:
    if (found := node.text(pointer)) != expected:
        node.refuse(pointer, code, f'{whose}, "{expected}"', f'"{found}"', _RERUN)


def _finished(identity: Node | None) -> datetime | None:
    if identity is None or identity.get("/created_at") is None:
        return None
    stated = identity.text("/created_at")
    try:
        finished = instant(stated)
    except ValueError:
        finished = None
    if finished is None or finished.tzinfo is None:
        identity.refuse("/created_at", "run-date", "a date and time with its zone", f'"{stated}"', "Use ISO 8601.")
        return None
    return finished


def _leaks(answer: object) -> bool:
    return isinstance(answer, str) and any(marker in answer.lower() for marker in MARKERS)

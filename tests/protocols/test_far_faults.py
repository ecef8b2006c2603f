"""Faults that leave a FAR report consistent with itself: blocks left out, predictions that cannot be read, replays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from far_boards import (
    NOW,
    Files,
    Verdicts,
    benchmark_of,
    edited,
    files_of,
    rows_edited,
    sha256,
    stated_digest,
    verdicts,
)
from tallystick.digest import compact_ascii
from tallystick.model import Benchmark, Blob, Report, Varying
from tallystick.pipeline import judge
from tallystick.protocols import falsirag
from tallystick.read import read_bundle

ORACLE = "oracle_far"
METHOD, EVALUATION, RUN = "reflective_rag", "evaluations/reflective_rag", "runs/baselines/reflective_rag"
KEPT = ("vanilla_rag", "crag_style_reproduction", METHOD)
REPORT, SCORES = f"{EVALUATION}/report.json", f"{EVALUATION}/scores.jsonl"
PREDICTIONS, MANIFEST, IDENTITY = (
    f"{RUN}/{name}" for name in ("predictions.jsonl", "run_manifest.json", "run_identity.json")
)
Edit = Callable[[Files], Files]


@pytest.fixture(scope="module")
def board(shared: Path) -> tuple[Files, Benchmark]:
    files = files_of(shared / ORACLE)
    few = {path: content for path, content in files.items() if any(f"/{method}/" in path for method in KEPT)}
    return few, benchmark_of(shared / ORACLE, "falsirag")


def at(path: str, pointer: str, value: object) -> Edit:
    """Put a value where the pointer says; `...` removes what stands there."""

    def change(document: Any) -> None:  # noqa: ANN401 - any JSON value
        *parents, last = pointer.split("/")
        for parent in parents:
            document = document[parent]
        if value is ...:
            del document[last]
        else:
            document[last] = value(document[last]) if callable(value) else value

    return lambda files: edited(files, path, change)


def signed(files: Files) -> Files:
    """Make the run's signature true again, wherever it is stated."""
    unsigned = ("run_signature", "created_at", "environment")
    identity = json.loads(files[IDENTITY])
    signature = sha256(compact_ascii({key: value for key, value in identity.items() if key not in unsigned}))
    for path, pointer in ((IDENTITY, ""), (MANIFEST, ""), (REPORT, "provenance/")):
        files = at(path, f"{pointer}run_signature", signature)(files)
    return files


def hashed(files: Files) -> Files:
    """Make the digests of predictions and scores true again."""
    digest = sha256(files[PREDICTIONS])
    files = at(MANIFEST, "predictions_sha256", digest)(files)
    return stated_digest(at(REPORT, "provenance/predictions_sha256", digest)(files), EVALUATION)


def identity(pointer: str, value: object) -> Edit:
    return lambda files: signed(at(IDENTITY, pointer, value)(files))


def predictions(change: Callable[[list[Any]], object]) -> Edit:
    def edit(files: Files) -> Files:
        def changed(rows: list[Any]) -> None:
            change(rows)

        return hashed(rows_edited(files, PREDICTIONS, changed))

    return edit


INTERVAL, PAIRED = "confidence_intervals/evidence_recall", "comparison/metrics/evidence_recall"
CLUSTER, TEST = "dependency_cluster_intervals/evidence_recall", "comparison/mcnemar/answer_exact_match"
GATE = "publication"
ABSENT, UNKNOWN = "field-absent", "stated-unknown"

EDITS: Mapping[str, tuple[Edit, str, str]] = {
    # what the rows give and the report leaves out
    "a mean left out": (at(REPORT, "aggregate/metrics/evidence_recall", ...), ABSENT, "evidence_recall"),
    "the means left out": (at(REPORT, "aggregate/metrics", ...), ABSENT, "/aggregate/metrics"),
    "a category left out": (at(REPORT, "aggregate/by_category/temporal_shift", ...), ABSENT, "temporal_shift"),
    "a mean of a category left out": (
        at(REPORT, "aggregate/by_category/temporal_shift/evidence_recall", ...),
        ABSENT,
        "/aggregate/by_category/temporal_shift",
    ),
    "counts left out": (at(REPORT, "aggregate/typed_conflict_counts", ...), ABSENT, "typed_conflict_counts"),
    "splits left out": (at(REPORT, "split_counts", ...), ABSENT, "/split_counts"),
    "an interval left out": (at(REPORT, INTERVAL, ...), ABSENT, "/confidence_intervals"),
    "the intervals left out": (at(REPORT, "confidence_intervals", ...), ABSENT, "/confidence_intervals"),
    "strata left out": (at(REPORT, f"{INTERVAL}/strata", ...), ABSENT, "/evidence_recall/strata"),
    "a stratum left out": (at(REPORT, f"{INTERVAL}/strata/temporal_shift", ...), ABSENT, "temporal_shift"),
    "cluster intervals left out": (at(REPORT, "dependency_cluster_intervals", ...), ABSENT, "/dependency_cluster"),
    "the comparison left out": (at(REPORT, "comparison", ...), ABSENT, "/comparison"),
    "a compared metric left out": (at(REPORT, PAIRED, ...), ABSENT, "/comparison/metrics"),
    "a test left out": (at(REPORT, TEST, ...), ABSENT, "/comparison/mcnemar"),
    "a run before the calendar": (at(IDENTITY, "created_at", "0001-01-01T00:00:00+14:00"), "run-date", "created_at"),
    "the signature left out": (at(REPORT, "provenance/run_signature", ...), "run-signature", "recomputed"),
    # what the report states and no row gives
    "an invented metric": (at(REPORT, "aggregate/metrics/brilliance", 1.0), UNKNOWN, "brilliance"),
    "an invented metric of a category": (
        at(REPORT, "aggregate/by_category/temporal_shift/brilliance", 1.0),
        UNKNOWN,
        "brilliance",
    ),
    "an invented category": (at(REPORT, "aggregate/by_category/easy", {}), UNKNOWN, "easy"),
    "an invented count": (at(REPORT, "aggregate/typed_conflict_counts/false_positives", 0), UNKNOWN, "false_positives"),
    "an invented stratum": (at(REPORT, f"{INTERVAL}/strata/easy", 0), UNKNOWN, "easy"),
    "another procedure": (at(REPORT, f"{INTERVAL}/method", "bca-v1"), "procedure-differs", "bca-v1"),
    "another paired procedure": (at(REPORT, f"{PAIRED}/method", "unpaired-v1"), "procedure-differs", "unpaired-v1"),
    "another cluster procedure": (at(REPORT, f"{CLUSTER}/method", "none-v1"), "procedure-differs", "none-v1"),
    "another test": (at(REPORT, f"{TEST}/method", "chi-square"), "procedure-differs", "chi-square"),
    # the publication gate
    "a claim to blind testing": (at(REPORT, f"{GATE}/external_blind_ready", True), "publication-inconsistent", "blind"),
    "another phase": (at(REPORT, f"{GATE}/phase", "final"), "publication-inconsistent", "/publication/phase"),
    "no phase": (at(REPORT, f"{GATE}/phase", ...), ABSENT, "/publication/phase"),
    "no word on annotation": (at(REPORT, f"{GATE}/annotation_ready", ...), ABSENT, "/publication/annotation_ready"),
    "no scored splits": (at(REPORT, f"{GATE}/scored_splits", ...), ABSENT, "/publication/scored_splits"),
    "no manifest in the gate": (
        at(REPORT, f"{GATE}/benchmark_manifest_sha256", ...),
        "digest-mismatch",
        "/publication/benchmark_manifest_sha256",
    ),
    "annotation statuses beside": (
        at(REPORT, f"{GATE}/annotation_status_counts/machine_seeded", 2),
        "publication-inconsistent",
        "machine_seeded: 2",
    ),
    # the run
    "a limit": (identity("limit", 10), "partial-disagrees", "the number 10"),
    "another language model": (identity("llm", {"enabled": True, "model": "other:70b"}), "run-settings", "other:70b"),
    "another retrieval": (identity("retrieval/backend", "dense"), "run-settings", "model, retrieval and input"),
    "another split in the manifest": (at(MANIFEST, "split", ...), "split-disagrees", "/split"),
    "missing ids left out": (at(MANIFEST, "missing_ids", ...), ABSENT, "/missing_ids"),
    "another manifest": (at(MANIFEST, "schema_version", "far-run-manifest-v0"), "schema-unsupported", "manifest-v0"),
    # predictions that rescoring cannot read
    "no evidence ids": (predictions(lambda rows: rows[0].pop("evidence_ids")), "wrong-type", "evidence_ids"),
    "evidence ids as text": (predictions(lambda rows: rows[0].update(evidence_ids="D1")), "wrong-type", "evidence_ids"),
    "evidence ids in arrays": (
        predictions(lambda rows: rows[0].update(evidence_ids=[["D1"]])),
        "wrong-type",
        "evidence_ids",
    ),
    "types as null": (
        predictions(lambda rows: rows[0].update(predicted_conflict_types=None)),
        "wrong-type",
        "predicted_conflict_types",
    ),
    "an action as number": (
        predictions(lambda rows: rows[0].update(revision_action=1)),
        "wrong-type",
        "revision_action",
    ),
    "no answer": (predictions(lambda rows: rows[0].update(answer=None)), "wrong-type", "answer"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_fault_is_refused_by_its_name_and_the_others_stand(name: str, board: tuple[Files, Benchmark]) -> None:
    files, benchmark = board
    edit, code, message = EDITS[name]
    found = verdicts(edit(files), benchmark)
    assert found.outcome(METHOD) == "refused"
    told = "\n".join(str(problem) for problem in found.problems(METHOD, code))
    assert message in told
    assert found.others(METHOD) == {"admitted"}


def test_unedited_the_three_are_admitted(board: tuple[Files, Benchmark]) -> None:
    assert {one.outcome for one in verdicts(*board).judgements.values()} == {"admitted"}


def test_rows_are_not_excused_from_rescoring_by_predictions_that_lack_a_field(board: tuple[Files, Benchmark]) -> None:
    """Otherwise whoever breaks every prediction may state what he likes."""
    files, benchmark = board
    broken = predictions(lambda rows: [row.pop("revision_action") for row in rows])(files)
    forged = rows_edited(broken, SCORES, lambda rows: [row.update(answer_correctness=1.0) for row in rows] and None)
    found = verdicts(hashed(forged), benchmark)
    assert "one of 300 such rows" in "\n".join(str(problem) for problem in found.problems(METHOD, "wrong-type"))


@pytest.mark.parametrize("part", [PREDICTIONS, MANIFEST])
def test_a_report_without_its_run_is_no_evidence(part: str, board: tuple[Files, Benchmark]) -> None:
    files, benchmark = board
    found = verdicts({path: content for path, content in files.items() if path != part}, benchmark)
    assert found.outcome(METHOD) == "diagnostic"
    assert [problem.effect for problem in found.problems(METHOD)] == ["diagnostic"]


def renamed(files: Files, path: str) -> bytes:
    return files[path].replace(b'"method": "reflective_rag"', b'"method": "successor"')


def test_the_run_of_another_method_under_a_new_name_is_a_replay(board: tuple[Files, Benchmark]) -> None:
    """Every digest and signature is made true for the new name; only the predictions give it away."""
    files, benchmark = board
    mine = {path: renamed(files, path) for path in files if METHOD in path}
    mine[REPORT] = mine[REPORT].replace(b'"candidate_method": "reflective_rag"', b'"candidate_method": "successor"')
    mine = hashed(signed(mine))
    copied = {path.replace(METHOD, "successor"): content for path, content in mine.items()}
    found: Verdicts = verdicts({**files, **copied}, benchmark)
    assert found.outcome("successor") == "refused"
    [problem] = found.problems("successor", "content-replayed")
    assert "of reflective_rag" in problem.found
    assert found.others("successor") == {"admitted"}


@pytest.mark.parametrize("method", ["vanilla_rag", METHOD])
def test_a_forged_copy_that_comes_first_takes_nothing_from_the_original(
    method: str, board: tuple[Files, Benchmark]
) -> None:
    """Same method, same date, a path that sorts before; one value of a row was raised and all digests made true."""
    files, benchmark = board
    copied = {path.replace(f"/{method}/", f"/0-{method}/"): files[path] for path in files if f"/{method}/" in path}
    forged = rows_edited(
        copied, f"evaluations/0-{method}/scores.jsonl", lambda rows: rows[0].update(answer_correctness=0.999)
    )
    forged = stated_digest(forged, f"evaluations/0-{method}")
    protocol = falsirag.PROTOCOL
    blobs = tuple(Blob(path, sha256(content), content) for path, content in {**files, **forged}.items())
    reports = [read_bundle(bundle, benchmark, protocol) for bundle in protocol.assemble(blobs, benchmark)[0]]
    judged = judge([one for one in reports if isinstance(one, Report)], benchmark, protocol, NOW)
    outcomes = {item.report.path: item.outcome for item in judged}
    assert outcomes.pop(f"evaluations/0-{method}/report.json") == "refused"
    assert set(outcomes.values()) == {"admitted"}
    assert len(outcomes) == len(KEPT)


def test_where_configurations_vary_by_method_so_may_their_models(board: tuple[Files, Benchmark]) -> None:
    files, benchmark = board
    varying = replace(benchmark.fingerprint, configuration=Varying("each method has a model of its own"))
    found = verdicts(
        identity("llm", {"enabled": True, "model": "other:70b"})(files), replace(benchmark, fingerprint=varying)
    )
    assert found.outcome(METHOD) == "admitted"


def test_a_negative_zero_is_another_number_than_zero(board: tuple[Files, Benchmark]) -> None:
    files, benchmark = board
    where = f"{REPORT} /aggregate/by_category/boundary_condition/overclaim_reduction"
    found = verdicts(
        at(REPORT, "aggregate/by_category/boundary_condition/overclaim_reduction", -0.0)(files), benchmark
    ).judgements[METHOD]
    [one] = [one for one in found.reconciliations if one.where == where]
    assert one.verdict == "agrees"

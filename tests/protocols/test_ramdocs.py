"""RAMDocs bundles: the real ones, their comparison files, and edits by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from far_boards import (
    Files,
    Verdicts,
    benchmark_of,
    edited,
    files_of,
    on_evidence,
    rows_edited,
    stated_digest,
    verdicts,
)
from tallystick.model import Benchmark

Board = tuple[Files, Benchmark]
MANIFESTS = ("bundle_manifest.json", "suite_manifest.json")


@pytest.fixture(scope="module")
def board(shared: Path) -> Board:
    folder = shared / "far_ramdocs_v1"
    return dict(files_of(folder)), benchmark_of(folder, "ramdocs", diagnostic="labels of the upstream data set")


@pytest.fixture(scope="module")
def real(board: Board) -> Verdicts:
    return verdicts(*board)


def test_the_real_reports_are_admitted_and_nothing_differs(real: Verdicts) -> None:
    assert Counter(one.outcome for one in real.judgements.values()) == {"admitted": 8}
    everything = [one for judgement in real.judgements.values() for one in judgement.reconciliations]
    assert {one.verdict for one in everything} == {"exact"}
    assert sum(one.group == "rows" for one in everything) == 8 * 350 * 4


def test_comparison_files_are_joined_by_the_digests_of_scores(real: Verdicts) -> None:
    found = real.judgements["far"]
    paired = [one for one in found.reconciliations if one.where.startswith("comparisons/")]
    assert len({one.where.split()[0] for one in paired}) == 7
    assert all(one.verdict == "exact" for one in paired)


def test_what_could_not_be_rescored_is_said(real: Verdicts) -> None:
    for judgement in real.judgements.values():
        assert any("unsupported_sentence_rate" in text for text in judgement.report.unverified)


def test_the_real_board_is_no_evidence(board: Board) -> None:
    files, benchmark = board
    found = verdicts(files, on_evidence(benchmark))
    assert {one.outcome for one in found.judgements.values()} == {"diagnostic"}
    assert found.problems("far", "publication-gate-closed")


def report(change: Callable[[Any], object]) -> Callable[[Files], Files]:
    return lambda files: edited(files, "evaluations/far/report.json", lambda document: void(change(document)))


def comparison(change: Callable[[Any], object]) -> Callable[[Files], Files]:
    return lambda files: edited(files, VANILLA, lambda document: void(change(document)))


def void(_: object) -> None:
    return None


def without_manifests(files: Files) -> Files:
    return {path: content for path, content in files.items() if path not in MANIFESTS}


VANILLA = "comparisons/far_vs_vanilla_rag.json"
EDITS: dict[str, tuple[Callable[[Files], Files], str, str]] = {
    "a mean": (
        report(lambda it: it["metrics"].update(wrong_answer_exclusion=0.7)),
        "stated-differs",
        "/metrics/wrong_answer_exclusion",
    ),
    "a count": (report(lambda it: it.update(misinformation_items=165)), "stated-differs", "/misinformation_items"),
    "the corpus": (
        report(lambda it: it["provenance"].update(corpus_sha256="0" * 64)),
        "corpus-hash",
        "corpus hash differs",
    ),
    "the tasks": (report(lambda it: it["provenance"].update(tasks_sha256="0" * 64)), "benchmark-hash", "tasks hash"),
    "a comparison": (
        lambda files: edited(
            files, "comparisons/far_vs_vanilla_rag.json", lambda document: document["comparison"].update(lower=0.001)
        ),
        "stated-differs",
        "comparisons/far_vs_vanilla_rag.json /comparison/lower",
    ),
    "a mean left out": (report(lambda it: it["metrics"].pop("ramdocs_exact_match")), "field-absent", "/metrics"),
    "an invented metric": (report(lambda it: it["metrics"].update(brilliance=1.0)), "stated-unknown", "brilliance"),
    "another split": (report(lambda it: it.update(split="test")), "split-disagrees", "/split"),
    "labels that are called gold": (
        report(lambda it: it.update(publication_gold=True)),
        "publication-forged",
        "labels are the benchmark's",
    ),
    "another procedure": (
        comparison(lambda it: it["comparison"].update(method="unpaired-v1")),
        "procedure-differs",
        "comparisons/far_vs_vanilla_rag.json /comparison/method",
    ),
    "another test": (
        comparison(lambda it: it["mcnemar"].update(method="chi-square")),
        "procedure-differs",
        "comparisons/far_vs_vanilla_rag.json /mcnemar/method",
    ),
    "the gold in the run": (
        lambda files: edited(files, "runs/far/run_manifest.json", lambda it: it.update(gold_loaded_by_runner=True)),
        "run-saw-gold",
        "runs/far/run_manifest.json /gold_loaded_by_runner",
    ),
    "a gate as text": (comparison(lambda it: it.update(gate_a_passed="yes")), "wrong-type", "/gate_a_passed"),
    "a row": (
        lambda files: stated_digest(
            rows_edited(files, "evaluations/far/scores.jsonl", lambda rows: rows[0].update(ramdocs_exact_match=0.0)),
            "evaluations/far",
        ),
        "stated-differs",
        "RAM0001/ramdocs_exact_match",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_refused_and_the_others_still_build(name: str, board: Board) -> None:
    files, benchmark = board
    edit, code, message = EDITS[name]
    found = verdicts(without_manifests(edit(files)), benchmark)
    assert found.outcome("far") == "refused"
    assert any(message in str(problem) for problem in found.problems("far", code)), found.told("far")
    assert found.others("far") == {"admitted"}


def test_manifests_of_the_suite_are_held_against_the_files(board: Board) -> None:
    files, benchmark = board
    path = "evaluations/far/report.json"
    found = verdicts({**files, path: files[path] + b"\n"}, benchmark)
    problems = found.problems("far", "digest-mismatch")
    assert {problem.where.split()[0] for problem in problems} == set(MANIFESTS)


def test_a_comparison_of_other_scores_is_listed(board: Board) -> None:
    files, benchmark = board
    path = "comparisons/far_vs_vanilla_rag.json"
    changed = edited(files, path, lambda document: document.update(candidate_scores_sha256="0" * 64))
    found = verdicts(changed, benchmark)
    assert [(one.path, one.problems[0].code) for one in found.unread if one.path == path] == [
        (path, "comparison-unjoined")
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda content: content[:-40], "json-truncated"),
        (lambda content: content.replace(b"350", b"NaN"), "not-finite"),
        (lambda content: content.replace(b"comparison-v1", b"comparison-v2"), "schema-unsupported"),
    ],
)
def test_a_comparison_that_cannot_be_read_is_not_lost(
    change: Callable[[bytes], bytes], code: str, board: Board
) -> None:
    files, benchmark = board
    found = verdicts({**files, VANILLA: change(files[VANILLA])}, benchmark)
    assert [one.problems[0].code for one in found.unread if one.path == VANILLA] == [code]

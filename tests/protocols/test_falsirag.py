"""FalsiRAG bundles: the real ones, the seed's own on a synthetic benchmark, each published fault, and edits by hand."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
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
    sha256,
    stated_digest,
    verdicts,
)
from tallystick.model import Benchmark, IntervalOf, McNemarOf, PairedOf

SOLO, ORACLE, FAULTS = "far_solo_v1", "oracle_far", "oracle_far_faults"
ODD = "counterrefine_style_reproduction"
EDITED, EVALUATION, RUN = "far_minus_typed_conflict", "evaluations/minus_typed_conflict", "runs/minus_typed_conflict"


@pytest.fixture(scope="module")
def solo(shared: Path) -> tuple[Files, Benchmark]:
    folder = shared / SOLO
    return dict(files_of(folder)), benchmark_of(folder, "falsirag", diagnostic="machine-seeded annotations")


@pytest.fixture(scope="module")
def oracle(shared: Path) -> tuple[Files, Benchmark]:
    return dict(files_of(shared / ORACLE)), benchmark_of(shared / ORACLE, "falsirag")


@pytest.fixture(scope="module")
def real(solo: tuple[Files, Benchmark]) -> Verdicts:
    return verdicts(*solo)


@pytest.fixture(scope="module")
def synthetic(oracle: tuple[Files, Benchmark]) -> Verdicts:
    return verdicts(*oracle)


# --- as they are ------------------------------------------------------------------------------------------------------


def test_ten_real_reports_are_admitted_and_the_odd_one_is_refused_by_its_implementation(real: Verdicts) -> None:
    assert Counter(one.outcome for one in real.judgements.values()) == {"admitted": 10, "refused": 1}
    [problem] = real.problems(ODD, "fingerprint-implementation")
    assert "a98aca43" in problem.expected
    assert "2fc60107" in problem.found
    assert real.unread == ()


def test_of_all_that_the_real_reports_state_nothing_differs(real: Verdicts) -> None:
    everything = [one for judgement in real.judgements.values() for one in judgement.reconciliations]
    assert Counter(one.verdict for one in everything if one.group == "report") == {"exact": 3690}
    assert Counter(one.verdict for one in everything if one.group == "rows") == {"exact": 11 * 60 * 12}


def test_the_real_reports_were_summed_from_left_to_right(real: Verdicts) -> None:
    intervals, values, tests = set(), 0, set()
    for judgement in real.judgements.values():
        for stated, one in zip(judgement.report.stated, judgement.reconciliations, strict=True):
            place = one.where.rpartition("/")[0]
            if isinstance(stated.quantity, IntervalOf | PairedOf):
                assert one.rule in ("plain", "count"), one
                intervals.add(place)
                values += stated.quantity.part in ("estimate", "difference", "lower", "upper", "probability")
            elif isinstance(stated.quantity, McNemarOf):
                tests.add(place)
    assert len(intervals) == 384
    assert values == 264 * 3 + 120 * 4  # own intervals have three values, paired ones a probability beside
    assert len(tests) == 50


def test_the_real_board_is_no_evidence(solo: tuple[Files, Benchmark]) -> None:
    files, benchmark = solo
    found = verdicts(files, on_evidence(benchmark))
    assert Counter(one.outcome for one in found.judgements.values()) == {"diagnostic": 10, "refused": 1}
    [problem] = found.problems("far", "publication-gate-closed")
    assert "not publication-ready" in problem.found


def test_the_synthetic_reports_are_evidence_and_correctly_rounded(synthetic: Verdicts) -> None:
    assert {one.outcome for one in synthetic.judgements.values()} == {"admitted"}
    everything = [one for judgement in synthetic.judgements.values() for one in judgement.reconciliations]
    assert {one.verdict for one in everything} == {"exact"}
    assert not {"plain", "compensated"} & {one.rule for one in everything}
    assert sum(one.group == "rows" for one in everything) == 5 * 300 * 17


def test_sorting_the_rows_of_an_unsorted_report_changes_its_intervals_and_is_named(
    oracle: tuple[Files, Benchmark],
) -> None:
    files, benchmark = oracle
    folder = "evaluations/vanilla_rag"
    changed = rows_edited(files, f"{folder}/scores.jsonl", lambda rows: rows.sort(key=lambda row: row["sample_id"]))
    found = verdicts(stated_digest(changed, folder), benchmark)
    assert found.outcome("vanilla_rag") == "refused"
    assert "in another order" in found.told("vanilla_rag")


def test_a_bundle_without_its_run_says_what_is_not_verified(oracle: tuple[Files, Benchmark]) -> None:
    files, benchmark = oracle
    left = {path: content for path, content in files.items() if not path.startswith("runs/baselines/reflective_rag/")}
    found = verdicts(left, benchmark).judgements["reflective_rag"]
    assert len(found.report.unverified) == 3
    assert {one.group for one in found.reconciliations} == {"report"}
    assert {problem.code for problem in found.problems} == {
        "fingerprint-corpus",
        "fingerprint-configuration",
        "fingerprint-implementation",
        "run-part-absent",
    }


def test_parts_are_found_wherever_they_lie(oracle: tuple[Files, Benchmark]) -> None:
    files, benchmark = oracle
    moved = {path.replace("runs/", "elsewhere/x-").replace("reflective", "renamed"): files[path] for path in files}
    found = verdicts(moved, benchmark)
    assert {one.outcome for one in found.judgements.values()} == {"admitted"}
    assert all(len(one.report.sources) == 5 for one in found.judgements.values())


def test_an_unused_run_is_a_note(oracle: tuple[Files, Benchmark]) -> None:
    files, benchmark = oracle
    left = {path: content for path, content in files.items() if not path.startswith("evaluations/far/")}
    found = verdicts(left, benchmark)
    [unused] = found.unread
    assert unused.method == "far"
    assert [(problem.code, problem.effect) for problem in unused.problems] == [("run-unused", "note")]
    paired = [one for one in found.judgements[EDITED].reconciliations if "/comparison/" in one.where]
    assert {one.verdict for one in paired} == {"unverified", "exact"}
    assert found.outcome(EDITED) == "admitted"


# --- published faults -------------------------------------------------------------------------------------------------

EXPECTED = {
    "benchmark_hash_different": ("refused", "benchmark hash differs"),
    "comparison_other_baseline": ("refused", "baselines have to be compared with vanilla_rag"),
    "config_hash_different": ("refused", "configuration hash"),
    "control_valid": ("admitted", ""),
    "corpus_hash_different": ("refused", "corpus hash"),
    "implementation_hash_different": ("refused", "implementation hash"),
    "mcnemar_p_changed": ("refused", "/comparison/mcnemar/answer_exact_match/p_value"),
    "metric_profile_different": ("refused", "unsupported metric profile: not comparable"),
    "partial_hidden": ("refused", "partial disagrees between run manifest and report"),
    "partial_true": ("diagnostic", "partial run"),
    "publication_ready_forged": ("refused", "publication_ready does not follow from the benchmark manifest"),
    "publication_ready_toplevel_only": ("refused", "publication_ready does not follow from the benchmark manifest"),
    "report_category_mean_edited": ("refused", "/aggregate/by_category/definition_drift/evidence_recall"),
    "report_counts_edited": ("refused", "/aggregate/typed_conflict_counts/true_positives"),
    "report_interval_edited": ("refused", "/confidence_intervals/answer_correctness/lower"),
    "report_paired_interval_edited": ("refused", "/comparison/metrics/revision_delta_f1/upper"),
    "resamples_500": (
        "refused",
        "resamples differ from the required 2000: 500 in 51 intervals (numbers correct for 500",
    ),
    "run_errors_nonzero": ("refused", "run records errors"),
    "run_expected_mismatch": ("refused", "expected != completed"),
    "run_status_incomplete": ("refused", "run status is not complete"),
    "scores_newline_added": ("refused", "scores_sha256 mismatch"),
    "seed_1730_declared_1729": ("refused", "not reproducible with the declared seed, it was drawn with seed 1730"),
}


def only(files: Files, *folders: str) -> Files:
    """Return the files of some evaluations and their runs, and those that belong to no method."""
    kept = {f"/{folder}/" for folder in folders}
    methods = ("evaluations/", "runs/")
    return {
        path: content
        for path, content in files.items()
        if not path.startswith(methods) or any(folder in path for folder in kept)
    }


def with_fault(files: Files, folder: Path) -> Files:
    moved = {"evaluation": "evaluations/reflective_rag", "run": "runs/baselines/reflective_rag"}
    return files | {f"{moved[path.parent.name]}/{path.name}": path.read_bytes() for path in folder.glob("*/*.json*")}


def test_every_published_fault_is_known(shared: Path) -> None:
    assert EXPECTED.keys() == json.loads((shared / FAULTS / "INDEX.json").read_bytes())["faults"].keys()


@pytest.mark.parametrize("fault", sorted(EXPECTED))
def test_a_published_fault_is_told(fault: str, oracle: tuple[Files, Benchmark], shared: Path) -> None:
    files, benchmark = oracle
    few = only(files, "far", "vanilla_rag", "reflective_rag")
    found = verdicts(with_fault(few, shared / FAULTS / fault), benchmark)
    outcome, message = EXPECTED[fault]
    assert found.outcome("reflective_rag") == outcome
    assert message in found.told("reflective_rag")
    assert found.others("reflective_rag") == {"admitted"}
    if fault == "resamples_500":
        assert found.problems("reflective_rag", "stated-differs") == []


@pytest.mark.parametrize("fault", ["publication_ready_forged", "publication_ready_toplevel_only"])
def test_a_forged_gate_shows_without_a_pinned_manifest_too(
    fault: str, oracle: tuple[Files, Benchmark], shared: Path
) -> None:
    benchmark = benchmark_of(shared / ORACLE, "falsirag", manifest=False)
    few = only(oracle[0], "far", "vanilla_rag", "reflective_rag")
    found = verdicts(with_fault(few, shared / FAULTS / fault), benchmark)
    assert found.outcome("reflective_rag") == "refused"
    assert "publication_ready does not follow from the benchmark manifest" in found.told("reflective_rag")


# --- edits by hand ----------------------------------------------------------------------------------------------------

Edit = Callable[[Files], Files]


def report(change: Callable[[Any], object]) -> Edit:
    return lambda files: edited(files, f"{EVALUATION}/report.json", lambda document: void(change(document)))


def identity(change: Callable[[Any], object]) -> Edit:
    return lambda files: edited(files, f"{RUN}/run_identity.json", lambda document: void(change(document)))


def scores(change: Callable[[list[Any]], object]) -> Edit:
    """Change the rows and make the stated digest true again."""
    return lambda files: stated_digest(
        rows_edited(files, f"{EVALUATION}/scores.jsonl", lambda rows: void(change(rows))), EVALUATION
    )


def void(_: object) -> None:
    return None


def think(files: Files) -> Files:
    changed = rows_edited(
        files, f"{RUN}/predictions.jsonl", lambda rows: rows[3].update(answer="<THINK>well</think> 7")
    )
    digest = sha256(changed[f"{RUN}/predictions.jsonl"])
    for path in (f"{RUN}/run_manifest.json", f"{EVALUATION}/report.json"):
        changed = edited(
            changed, path, lambda document: (document.get("provenance") or document).update(predictions_sha256=digest)
        )
    return changed


def raw(old: bytes, new: bytes) -> Edit:
    def change(files: Files) -> Files:
        path = f"{EVALUATION}/scores.jsonl"
        assert old in files[path]
        return stated_digest({**files, path: files[path].replace(old, new, 1)}, EVALUATION)

    return change


def one_byte(files: Files) -> Files:
    path = f"{EVALUATION}/scores.jsonl"
    return {**files, path: files[path].replace(b"0.", b"1.", 1)}


def all_intervals(name: str, value: float) -> Edit:
    def change(document: dict[str, Any]) -> None:
        blocks = (
            document["confidence_intervals"],
            document["dependency_cluster_intervals"],
            document["comparison"]["metrics"],
        )
        for block in blocks:
            for interval in block.values():
                interval[name] = value

    return report(change)


EDITS: Mapping[str, tuple[Edit, str, str]] = {
    "a byte of scores": (one_byte, "digest-mismatch", "scores_sha256 mismatch"),
    "the digest of the scores": (
        report(lambda it: it["provenance"].update(scores_sha256="1" * 64)),
        "digest-mismatch",
        f", found {'1' * 64}. A scores_sha256 mismatch",
    ),
    "the seed of one interval": (
        report(lambda it: it["confidence_intervals"]["evidence_recall"].update(seed=1730)),
        "bootstrap-seed",
        "1730 in 1 interval (",
    ),
    "an interval": (
        report(lambda it: it["confidence_intervals"]["evidence_recall"].update(upper=0.9900001)),
        "stated-differs",
        "/confidence_intervals/evidence_recall/upper",
    ),
    "a p-value": (
        report(lambda it: it["comparison"]["mcnemar"]["conflict_detected"].update(p_value=0.01)),
        "stated-differs",
        "/comparison/mcnemar/conflict_detected/p_value",
    ),
    "a mean": (
        report(lambda it: it["aggregate"]["metrics"].update(answer_correctness=0.9)),
        "stated-differs",
        "/aggregate/metrics/answer_correctness",
    ),
    "the signature of the report": (
        report(lambda it: it["provenance"].update(run_signature="0" * 64)),
        "run-signature",
        "recomputed",
    ),
    "the signature of the identity": (
        identity(lambda it: it.update(run_signature="0" * 64)),
        "run-signature",
        "recomputed",
    ),
    "what was signed": (identity(lambda it: it.update(limit=7)), "run-signature", "recomputed"),
    "the hash of the benchmark": (
        identity(lambda it: it.update(benchmark_input_sha256="0" * 64)),
        "fingerprint-benchmark",
        "0" * 64,
    ),
    "the hash of the corpus": (identity(lambda it: it.update(corpus_sha256="0" * 64)), "fingerprint-corpus", "0" * 64),
    "the hash of the configuration": (
        identity(lambda it: it.update(config_sha256="0" * 64)),
        "fingerprint-configuration",
        "0" * 64,
    ),
    "the hash of the implementation": (
        identity(lambda it: it.update(implementation_sha256="0" * 64)),
        "fingerprint-implementation",
        "0" * 64,
    ),
    "a dropped sample": (scores(lambda rows: rows.pop()), "samples-missing", "1 missing"),
    "a doubled sample": (scores(lambda rows: rows.append(rows[0])), "samples-doubled", "more than once"),
    "a renamed sample": (scores(lambda rows: rows[0].update(sample_id="F9999")), "samples-unknown", "F9999"),
    "a category": (scores(lambda rows: rows[0].update(category="causal_overclaim")), "sample-axis", "category"),
    "a split": (scores(lambda rows: rows[0].update(split="test")), "sample-axis", "split"),
    "a group": (scores(lambda rows: rows[0].update(dependency_group="D999")), "sample-axis", "dependency_group"),
    "a method in one row": (scores(lambda rows: rows[5].update(method="far")), "method-disagrees", "report and rows"),
    "a row's value": (scores(lambda rows: rows[0].update(evidence_recall=0.123)), "stated-differs", "evidence_recall"),
    "a row's value as text": (scores(lambda rows: rows[0].update(evidence_recall="1.0")), "wrong-type", '"1.0"'),
    "leaked reasoning": (think, "reasoning-leaked", "reasoning markers"),
    "the baseline's scores": (
        report(lambda it: it["comparison"].update(baseline_scores_sha256="1" * 64)),
        "baseline-scores",
        "on this board",
    ),
    "partial as text": (report(lambda it: it.update(partial="false")), "wrong-type", "true or false"),
    "partial in the report alone": (report(lambda it: it.update(partial=True)), "partial-disagrees", "partial run"),
    "seed 1730": (all_intervals("seed", 1730), "bootstrap-seed", "seed differs from the required 1729: 1730"),
    "500 resamples": (
        all_intervals("resamples", 500),
        "bootstrap-resamples",
        "resamples differ from the required 2000",
    ),
    "a test of fractions": (
        report(
            lambda it: it["comparison"]["mcnemar"].update(
                answer_correctness=it["comparison"]["mcnemar"]["answer_exact_match"]
            )
        ),
        "test-not-binary",
        "outcomes of 0 and 1",
    ),
    "the number of samples": (report(lambda it: it.update(samples=61)), "stated-differs", "/samples"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_refused_and_the_others_still_build(name: str, solo: tuple[Files, Benchmark]) -> None:
    files, benchmark = solo
    edit, code, message = EDITS[name]
    found = verdicts(only(edit(files), "far", "vanilla_rag", "minus_typed_conflict"), benchmark)
    assert found.outcome(EDITED) == "refused"
    assert any(message in str(problem) for problem in found.problems(EDITED, code)), found.told(EDITED)
    assert found.others(EDITED) == {"admitted"}
    assert len(found.judgements) == 3


def test_beside_an_edited_baseline_all_others_still_build(solo: tuple[Files, Benchmark]) -> None:
    """What they state against it is then unverified, and not held against them."""
    files, benchmark = solo
    path = "evaluations/vanilla_rag/scores.jsonl"
    found = verdicts({**files, path: files[path].replace(b"0.", b"1.", 1)}, benchmark)
    assert found.outcome("vanilla_rag") == "refused"
    assert Counter(one.outcome for one in found.judgements.values()) == {"admitted": 9, "refused": 2}
    verdict = Counter(one.verdict for one in found.judgements["far"].reconciliations if one.group == "report")
    assert verdict.keys() == {"exact", "unverified"}


@pytest.mark.parametrize("name", ["1730 for 1729", "500 for 2000"])
def test_the_likely_cause_of_other_intervals_is_named(name: str, solo: tuple[Files, Benchmark], real: Verdicts) -> None:
    """State with the contract's settings what was drawn with others: the numbers differ, and the note says why."""
    from tallystick.recompute import Recomputation

    files, benchmark = solo
    other = {"1730 for 1729": {"seed": 1730}, "500 for 2000": {"resamples": 500}}[name]
    own = real.judgements[EDITED].report
    drawn = [
        IntervalOf(
            "answer_correctness", part, "stratified", **{"resamples": 2000, "seed": 1729, "confidence": 0.95, **other}
        )
        for part in ("lower", "upper")
    ]
    lower, upper = Recomputation(own, benchmark, []).values(drawn, "plain")
    edit = report(lambda it: it["confidence_intervals"]["answer_correctness"].update(lower=lower, upper=upper))
    found = verdicts(only(edit(files), "far", "minus_typed_conflict"), benchmark)
    notes = [problem.remedy for problem in found.problems(EDITED, "stated-differs")]
    assert notes
    assert all(str(next(iter(other.values()))) in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new"), [(b"0.0", b"NaN"), (b"0.0", b"1e999"), (b'"split"', b'"split": "dev", "split"')]
)
def test_what_is_no_strict_json_is_refused_unread(old: bytes, new: bytes, solo: tuple[Files, Benchmark]) -> None:
    files, benchmark = solo
    found = verdicts(raw(old, new)(files), benchmark)
    [unread] = [one for one in found.unread if one.path == f"{EVALUATION}/report.json"]
    assert unread.problems[0].code in ("not-finite", "number-out-of-range", "duplicate-key")
    assert len(found.judgements) == 10


def test_no_local_path_reaches_what_is_shown(real: Verdicts) -> None:
    for judgement in real.judgements.values():
        shown = [*judgement.report.provenance.values(), *(str(problem) for problem in judgement.problems)]
        assert not any(
            "/mnt/" in text or "bench/manifest.json" in text for text in judgement.report.provenance.values()
        )
        assert shown


def test_mutated_bytes_never_raise(oracle: tuple[Files, Benchmark], solo: tuple[Files, Benchmark]) -> None:
    """Flip, cut and splice bytes of small files: every outcome is a value, and nothing is called our own fault."""
    stream = random.Random(7)
    files, benchmark = solo
    small = [path for path in files if path.startswith((EVALUATION, RUN)) and "predictions" not in path]
    keep = {path: content for path, content in files.items() if "minus_typed_conflict" in path}
    for _ in range(60):
        path = stream.choice(small)
        content = bytearray(files[path])
        for _ in range(stream.randint(1, 3)):
            at = stream.randrange(len(content))
            content[at : at + stream.choice((0, 1, 4))] = stream.choice(
                (b"[", b"}", b"null", b"-1", b"9" * 12, b'"x"', b"1e308")
            )
        found = verdicts({**keep, path: bytes(content)}, benchmark)
        codes = {problem.code for one in found.unread for problem in one.problems}
        assert "internal-error" not in codes

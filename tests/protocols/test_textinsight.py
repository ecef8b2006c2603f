"""The TextInsight protocol on real reports, on faults, and on made-up ones."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import astuple, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import textinsight_made as made
from tallystick.errors import Problem, Refusal
from tallystick.model import STATUSES, Benchmark, Blob, PinnedFingerprint, Report
from tallystick.protocols import textinsight
from tallystick.reconcile import problems as differences
from tallystick.reconcile import reconcile
from tallystick.verify import verify

NOW = datetime(2027, 1, 1, tzinfo=UTC)


def reports(blobs: Iterable[Blob], benchmark: Benchmark) -> list[Report]:
    bundles, unread = textinsight.assemble(tuple(blobs), benchmark)
    assert unread == ()
    return [textinsight.read(bundle, benchmark) for bundle in bundles]


def pinned(benchmark: Benchmark, report: Report) -> Benchmark:
    """Return the board that a report belongs to."""
    return replace(benchmark, fingerprint=PinnedFingerprint(*astuple(report.fingerprint)))


def judged(blobs: Iterable[Blob], benchmark: Benchmark) -> list[Problem]:
    """Return every problem of the only report among some files, as the line of stages finds them."""
    try:
        (report,) = reports(blobs, benchmark)
    except Refusal as refusal:
        return list(refusal.problems)
    (verified,) = verify([report], benchmark, NOW)
    own = textinsight.check(report, benchmark, (report,))
    return [*verified, *own, *differences(reconcile(report, benchmark, ()))]


def refusals(blobs: Iterable[Blob], benchmark: Benchmark) -> str:
    return "\n".join(str(problem) for problem in judged(blobs, benchmark) if problem.effect == "refuse")


def counts(report: Report) -> tuple[int, ...]:
    found = Counter(report.statuses)
    return tuple(found[status] for status in STATUSES)


def stated(report: Report, benchmark: Benchmark, pointer: str) -> object:
    """Return what was stated and recomputed at a pointer."""
    (found,) = [item for item in reconcile(report, benchmark, ()) if item.where.endswith(f" {pointer}")]
    assert found.verdict == "exact"
    return found.recomputed


# --- the made-up report -----------------------------------------------------------------------------------------------


def test_a_valid_report_is_read_whole_and_nothing_differs() -> None:
    board = made.benchmark()
    (report,) = reports([made.blob(made.report())], board)
    assert not [p for p in judged([made.blob(made.report())], pinned(board, report)) if p.effect != "note"]
    assert report.method.id == "made"
    assert counts(report) == (4, 1, 1, 1, 0, 1)
    assert report.ids == tuple(task["task_id"] for task in made.tasks())
    assert report.axes["source"] == tuple(task["source"] for task in made.tasks())
    assert {item.verdict for item in reconcile(report, board, ())} == {"exact"}
    qualities = dict(zip(report.ids, report.columns["quality"].statistics[:, 0], strict=True))
    assert qualities["alto"] == 41.75
    assert qualities["terra"] == 100 / 3
    assert math.isclose(qualities["umbra"], (83.5 + 0.5 * (15 + 12.5 + 10 + 7.5 + 10)) / 2)


def test_the_record_says_which_gate_capped_and_by_which_counts() -> None:
    (report,) = reports([made.blob(made.report())], made.benchmark())
    (finding,) = report.records["alto"]["findings"]
    assert finding["support"] == "supported"
    assert finding["effective_support"] == "partial"
    assert finding["gate"]["capped"]
    assert finding["gate"]["rule"] == "broken: 10 of 90 assignments disagree, more than a tenth"
    assert finding["gate"]["conditions"][0]["disagreements"] == 10
    assert finding["dimensions"]["calibration"] == 0.8
    assert report.records["delta"]["error"] == "no findings\nand no reason"


def test_what_must_stand_beside_a_score() -> None:
    judge = {
        "model": "judge-1",
        "base_url": "https://judge.example",
        "max_input_chars": 800_000,
        "audit_documents": 160,
        "tasks_sha256": made.report()["tasks_sha256"],
        "reference_sha256": made.report()["reference_sha256"],
        "difficulty": "discovery",
    }
    files = [made.blob(made.report()), made.blob(judge, "reports/made/judge_config.json")]
    (report,) = reports(files, made.benchmark())
    told = report.provenance
    assert told["Judge model"] == "judge-1"
    assert told["Input budget (characters)"] == "800000"
    assert told["Audit size (documents)"] == "160"
    (without,) = reports(files[:1], made.benchmark())
    assert without.provenance["Audit size (documents)"] == "not stated"
    assert any("audit size" in missing for missing in without.unverified)
    for field, value in (("reference_sha256", made.digest("x")), ("model", "judge-2"), ("tasks_sha256", "0" * 64)):
        foreign = made.blob({**judge, field: value}, "reports/made/judge_config.json")
        assert "judge-foreign" in refusals([files[0], foreign], made.benchmark())


def referenced(document: dict[str, Any]) -> dict[str, Any]:
    """Return a report as if its tasks had references, without any coverage yet."""
    for part in (document, *document["task_scores"]):
        if "reference_sha256" in part:
            part["reference_sha256"] = made.digest("references.json")
    return document


def test_references_give_coverage_to_scored_and_abstained_tasks() -> None:
    document = referenced(made.report())
    document["task_scores"][0]["findings"][0]["reference_match"] = "reference-1"
    for record in document["task_scores"]:
        if record["status"] in ("scored", "abstained"):
            record["reference_coverage"] = float(record["task_id"] == "umbra")
    document["by_source"]["letters"]["reference_coverage_mean"] = 0.25
    document["by_kind"]["group_difference"]["reference_coverage_mean"] = 0.5
    board = made.benchmark()
    (report,) = reports([made.blob(document)], board)
    assert refusals([made.blob(document)], pinned(board, report)) == ""
    assert report.columns["reference_coverage"].defined.sum() == 4
    document["task_scores"][0]["reference_coverage"] = 0.0
    assert "/task_scores/0/reference_coverage" in refusals([made.blob(document)], pinned(board, report))


def test_coverage_stands_where_there_are_references_and_nowhere_else() -> None:
    document = made.report()
    for block in (document, *document["by_kind"].values(), *document["by_source"].values()):
        block["reference_coverage_mean"] = 0.0 if block is document["by_kind"]["temporal_change"] else None
    for record in document["task_scores"]:
        if record["status"] in ("scored", "abstained"):
            record["reference_coverage"] = 0.0
    told = refusals([made.blob(document)], made.benchmark())
    assert "/task_scores/0/reference_coverage: expected reference_coverage null" in told
    document = made.report()
    document["task_scores"][0]["findings"][1]["reference_match"] = ""
    told = refusals([made.blob(document)], made.benchmark())
    assert "/task_scores/0/findings/1/reference_match: expected reference_match null" in told
    told = refusals([made.blob(referenced(made.report()))], made.benchmark())
    assert "reference-absent" in told
    assert f"found {made.digest('references.json')}" in told


Change = Callable[[dict[str, Any]], None]


def counts_of(document: dict[str, Any], **changed: int) -> None:
    gate = document["task_scores"][0]["findings"][0]["evidence_gate"]
    for key, value in changed.items():
        (gate if key in gate else gate["conditions"][0])[key] = value


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: counts_of(d, claimed_positive_checked=96, checker_unknown=5), "claimed_positive_checked 96 of 90"),
        (lambda d: counts_of(d, claimed_positive_checked=3), "found claimed_positive_checked 3"),
        (lambda d: counts_of(d, claimed_positive_checked=6), "found blind_supported_documents 4"),
        (
            lambda d: counts_of(d, blind_supported_documents=0, blind_contradicted_documents=4),
            "found blind_contradicted_documents 4",
        ),
    ],
)
def test_counts_of_a_gate_that_cannot_be_together(change: Change, field: str) -> None:
    document = made.report()
    change(document)
    told = refusals([made.blob(document)], made.benchmark())
    assert field in told
    assert "gate-counts" in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["task_scores"][7].update(error="x" * 501), "/error: expected delta: an error of at most 500"),
        (lambda d: d["task_scores"][4].update(error="late"), "/error: expected solis is abstained, so it has no error"),
        (lambda d: d["task_scores"][0].update(error="late"), "/error: expected umbra is scored, so it has no error"),
        (lambda d: d["task_scores"][0]["findings"][0].update(rationale=" \n"), "umbra/f1: a rationale"),
        (lambda d: d["task_scores"][1]["findings"][0].update(finding_id=" "), "alto: a finding_id"),
        (
            lambda d: d["task_scores"][0].update(submission_sha256=d["task_scores"][1]["submission_sha256"]),
            "umbra: submission_sha256 of its own",
        ),
        (lambda d: d["run"].pop("difficulty"), "run.difficulty discovery"),
    ],
)
def test_what_the_seed_never_writes(change: Change, words: str) -> None:
    document = made.report()
    change(document)
    assert words in refusals([made.blob(document)], made.benchmark())


def test_an_error_of_five_hundred_characters_with_line_breaks_is_one() -> None:
    document = made.report()
    board = made.benchmark()
    document["task_scores"][7]["error"] = "é\n" * 250
    (report,) = reports([made.blob(document)], board)
    assert refusals([made.blob(document)], pinned(board, report)) == ""


def test_a_duplicate_of_a_later_or_unknown_finding_is_an_error() -> None:
    for other in ("f3", "f2", "f9"):
        document = made.report()
        document["task_scores"][2]["findings"][1]["duplicate_of"] = other
        assert "terra/f2: an earlier finding of this task (f1)" in refusals([made.blob(document)], made.benchmark())


def test_every_problem_is_told_at_once() -> None:
    document = made.report()
    document["task_scores"][0]["findings"][0]["calibration"] = 2
    document["task_scores"][1]["status"] = "lost"
    del document["by_kind"]["group_difference"]["tasks"]
    told = refusals([made.blob(document)], made.benchmark())
    assert all(part in told for part in ("calibration 2", '"lost"', "/by_kind/group_difference/tasks"))


def drop_task(document: dict[str, Any]) -> None:
    del document["task_scores"][3]


def double_task(document: dict[str, Any]) -> None:
    document["task_scores"].append(document["task_scores"][3])


def foreign_task(document: dict[str, Any]) -> None:
    document["task_scores"][4]["task_id"] = "elsewhere"


@pytest.mark.parametrize(
    ("change", "words"),
    [(drop_task, "1 missing: bravo"), (double_task, "1 more than once: bravo"), (foreign_task, "1 unknown: elsewhere")],
)
def test_a_list_of_tasks_that_is_not_the_boards(change: Callable[[dict[str, Any]], None], words: str) -> None:
    document = made.report()
    change(document)
    assert words in refusals([made.blob(document)], made.benchmark())


def test_another_profile_or_reviewer_never_shares_the_board() -> None:
    (report,) = reports([made.blob(made.report())], made.benchmark())
    board = pinned(made.benchmark(), report)
    other = made.report()
    other["reviewer_methods"] = ["https://judge.example / judge-2"]
    for record in other["task_scores"]:
        if "reviewer_method" in record:
            record["reviewer_method"] = "https://judge.example / judge-2"
    assert "fingerprint-implementation" in refusals([made.blob(other)], board)
    for field, value in (("benchmark_version", "made-up 2"), ("reference_sha256", made.digest("more"))):
        text = json.dumps(made.report()).replace(json.dumps(made.report()[field]), json.dumps(value))
        told = refusals([made.blob(json.loads(text))], board)
        assert "fingerprint-configuration" in told
        assert f"found {field} {value}" in told


def test_a_partial_run_is_told_as_one() -> None:
    document = made.report()
    document["run"]["limit"] = 8
    (report,) = reports([made.blob(document)], made.benchmark())
    assert report.run.partial
    assert not report.run.complete


# --- the made-up summary of runs --------------------------------------------------------------------------------------


def test_a_summary_gives_one_report_for_each_agent() -> None:
    board = made.benchmark()
    first, second = reports([made.blob(made.agent_runs(), "reports/agent-runs.json")], board)
    assert (first.method.id, second.method.id) == ("first", "second")
    assert counts(first) == (5, 0, 1, 0, 0, 2)
    assert counts(second) == (5, 0, 2, 0, 0, 1)
    assert first.scores_digest != second.scores_digest
    assert first.method.url == "https://code.example/first"
    assert first.run.finished is not None
    assert first.run.finished.day == 8
    assert stated(first, board, "/summary/first/zero_scores") == 1
    assert stated(first, board, "/total/maximum") == 83.5
    diagnostic = [problem for problem in first.problems if problem.effect == "diagnostic"]
    assert [problem.code for problem in diagnostic] == ["configurations-mixed"]
    assert not [problem for problem in first.problems if problem.effect == "refuse"]


def valid_runs(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [run for run in document["runs"] if run["submission_valid"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda d: valid_runs(d)[0].update(
                submission_valid=False, evaluation_status="no_valid_submission", quality=None
            ),
            "first, umbra: no submission_sha256, as there is no valid submission",
        ),
        (
            lambda d: valid_runs(d)[1].update(submission_sha256=valid_runs(d)[0]["submission_sha256"]),
            "first, alto: submission_sha256 of its own",
        ),
        (
            lambda d: valid_runs(d)[1].update(score_sha256=valid_runs(d)[0]["score_sha256"]),
            "first, alto: score_sha256 of its own",
        ),
        (
            lambda d: [run.update(scoring_protocol="finding-quality") for run in valid_runs(d)],
            "scoring_protocol that scores tasks as they are in tasks.json",
        ),
        (lambda d: d["runs"][0].update(termination_reason=["late"]), "/runs/0/termination_reason"),
        (lambda d: d["runs"][0].update(completed_at="0001-01-01T00:00:00+14:00"), "/runs/0/completed_at"),
        (lambda d: d["agents"]["first"].update(upstream_url=5), "/agents/first/upstream_url"),
    ],
)
def test_what_a_summary_never_says(change: Change, words: str) -> None:
    document = made.agent_runs()
    change(document)
    bundles, _ = textinsight.assemble((made.blob(document, "reports/agent-runs.json"),), made.benchmark())
    with pytest.raises(Refusal) if "scoring_protocol" not in words else nullcontext() as raised:
        report = textinsight.read(bundles[0], made.benchmark())
    told = report.problems if raised is None else raised.value.problems
    assert any(words in str(problem) for problem in told)


def test_runs_that_need_no_review_have_no_score() -> None:
    document = made.agent_runs()
    for run, status in zip(valid_runs(document), ("abstained", "pending_review"), strict=False):
        run |= {"evaluation_status": status, "quality": None}
        del run["score_sha256"], run["scoring_protocol"]
    (first, _) = reports([made.blob(document, "reports/agent-runs.json")], made.benchmark())
    assert not [problem for problem in first.problems if problem.effect == "refuse"]
    assert counts(first) == (3, 1, 1, 1, 0, 2)


@pytest.mark.parametrize("agents", [[], {}, ["first", "second"]])
def test_a_summary_without_agents_is_told_and_not_passed_over(agents: object) -> None:
    document = {**made.agent_runs(), "agents": agents}
    bundles, unread = textinsight.assemble((made.blob(document, "reports/agent-runs.json"),), made.benchmark())
    assert bundles == ()
    assert "reports/agent-runs.json /agents: expected an object" in str(unread[0].problems[0])


def test_tasks_of_one_profile_are_not_scored_by_another() -> None:
    document = made.report()
    document |= {"scoring_version": "finding-quality", "difficulty": "standard"}
    told = refusals([made.blob(document)], made.benchmark())
    assert "/difficulty: expected difficulty of the tasks of tasks.json" in told


# --- real reports -----------------------------------------------------------------------------------------------------


def real(path: Path, name: str = "") -> Blob:
    return made.blob(path.read_bytes(), f"reports/{name or path.parent.name}/{path.name}")


def oracle(shared: Path, tasks: str = "bench") -> Benchmark:
    return made.benchmark(content=(shared / "oracle_textinsight" / tasks / "tasks.json").read_bytes())


def board_of_atlas(shared: Path) -> Benchmark:
    board = oracle(shared)
    (atlas,) = reports([real(shared / "oracle_textinsight/methods/atlas/report.json")], board)
    return pinned(board, atlas)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("atlas", (50, 0, 0, 0, 0, 0)), ("borealis", (30, 7, 4, 2, 4, 3)), ("dorado", (36, 9, 5, 0, 0, 0))],
)
def test_oracle_reports_are_admitted_with_every_number_exact(
    shared: Path, name: str, expected: tuple[int, ...]
) -> None:
    board = board_of_atlas(shared)
    folder = shared / "oracle_textinsight/methods" / name
    files = [real(folder / "report.json"), real(folder / "judge_config.json")]
    assert judged(files, board) == []
    (report,) = reports(files, board)
    assert counts(report) == expected
    assert {item.verdict for item in reconcile(report, board, ())} == {"exact"}
    document = json.loads(files[0].content)
    assert stated(report, board, "/conditional_quality_mean") == document["conditional_quality_mean"]
    assert report.provenance["Audit size (documents)"] == "160"
    assert list(report.beside) == ["Judge model", "Input budget (characters)", "Audit size (documents)"]
    assert report.beside["Audit size (documents)"] == "160"
    assert [note.partition(":")[0] for note in report.notes][1:] == ["Reference coverage is null"]


def test_atlas_has_its_mean_and_gates_of_every_kind(shared: Path) -> None:
    board = board_of_atlas(shared)
    (atlas,) = reports([real(shared / "oracle_textinsight/methods/atlas/report.json")], board)
    assert stated(atlas, board, "/quality_mean") == 34.117333333333335
    gates = {finding["gate"]["cap"] for record in atlas.records.values() for finding in record["findings"]}
    assert gates == {"supported", "partial", "uncertain", "unsupported"}


def test_another_reviewer_and_the_standard_profile_never_share_the_board_of_atlas(shared: Path) -> None:
    board = board_of_atlas(shared)
    methods = shared / "oracle_textinsight/methods"
    assert "fingerprint-implementation" in refusals([real(methods / "atlas_other_reviewer/report.json")], board)
    standard = real(methods / "standard_indus/report.json")
    told = refusals([standard], board)
    assert all(code in told for code in ("fingerprint-benchmark", "fingerprint-configuration", "tasks-digest"))
    own = oracle(shared, "bench_standard")
    (report,) = reports([standard], own)
    assert judged([standard], pinned(own, report)) == []
    assert counts(report) == (7, 1, 1, 1, 1, 1)


SAID = {
    "finding_score_edited": (
        "finding score of amazon_beauty_group_difference_failure_concentration/f1",
        "quality of amazon_beauty_group_difference_failure_concentration, the mean of its findings",
    ),
    "finding_score_inflated_consistently": (
        "finding score of amazon_beauty_group_difference_failure_concentration/f1",
    ),
    "quality_mean_edited": ("/quality_mean", "34.12733333333333", "34.117333333333335"),
    "pending_tasks_edited": (
        "/pending_tasks",
        "stated value differs from the recomputed one: 5",
        "6 (pending and unresolved)",
    ),
    "task_missing": ("1 missing: amazon_beauty_temporal_change_expectation_evolution",),
    "abstained_counted_as_scored": (
        "amazon_beauty_group_difference_use_context is abstained and must have quality null",
    ),
    "abstained_relabelled_scored": (
        "amazon_beauty_group_difference_use_context is scored",
        "neither findings nor review bindings",
    ),
    "invalid_with_quality": (
        "amazon_beauty_temporal_change_expectation_evolution is invalid and must have quality null",
    ),
    "gate_missing": (
        "amazon_beauty_group_difference_durability_tradeoffs/f2",
        "every finding of a discovery task",
        "without evidence_gate",
    ),
    "dimension_1_2": ("amazon_beauty_group_difference_failure_concentration/f1", "analytical_depth 1.2", "0..1"),
    "tasks_sha256_different": ("tasks_sha256 d9298a10", "fingerprint-benchmark", "not comparable"),
    "reference_sha256_different": ("as the report states", "found reference_sha256 d9298a10", "and 47 more"),
    "scoring_version_different": ("as the report states", "found scoring_version finding-quality-discovery"),
    "benchmark_version_different": ("expected benchmark_version textinsightbench-reduced-synthetic",),
    "record_reference_sha256_different": (
        "reference_sha256",
        "amazon_beauty_group_difference_failure_concentration (d9298a10",
        "as the report states",
    ),
    "record_corpus_sha256_different": (
        "corpus_sha256",
        "amazon_beauty_group_difference_failure_concentration (d9298a10",
        "tasks.json",
    ),
    "reviewer_methods_mixed": ("mixed reviewer methods", "which no record names"),
    "run_tasks_sha256_different": ("run.tasks_sha256",),
}
"""What the message about each fault must hold. Faults that only submissions show, and none at all, are not here."""


@pytest.mark.parametrize("fault", sorted(SAID))
def test_every_fault_is_refused_with_what_it_is(shared: Path, fault: str) -> None:
    told = refusals([real(shared / "oracle_textinsight_faults" / fault / "report.json")], board_of_atlas(shared))
    for words in SAID[fault]:
        assert words in told


@pytest.mark.parametrize("name", ["control_atlas", "control_borealis", "task_order_reversed", "finding_removed"])
def test_what_is_no_fault_of_the_report_passes(shared: Path, name: str) -> None:
    report = real(shared / "oracle_textinsight_faults" / name / "report.json")
    assert refusals([report], board_of_atlas(shared)) == ""


def test_the_index_of_faults_holds_no_other(shared: Path) -> None:
    index = json.loads((shared / "oracle_textinsight_faults/INDEX.json").read_bytes())
    passed = {"control_atlas", "control_borealis", "task_order_reversed", "finding_removed"}
    assert set(index["faults"]) == set(SAID) | passed


def test_another_order_of_tasks_is_only_mentioned(shared: Path) -> None:
    reversed_order = real(shared / "oracle_textinsight_faults/task_order_reversed/report.json")
    assert [problem.code for problem in judged([reversed_order], board_of_atlas(shared))] == ["task-order"]


def test_the_real_summary_of_runs(shared: Path) -> None:
    board = made.benchmark(content=(shared / "textinsight/tasks.json").read_bytes())
    found = {item.method.id: item for item in reports([real(shared / "textinsight/agent-runs.json")], board)}
    expected = {
        "datawise-agent": ((25, 0, 6, 0, 0, 19), 19.566666666666666),
        "metagpt-di": ((22, 0, 7, 0, 0, 21), 11.946022727272727),
        "taskweaver-agent": ((23, 0, 3, 0, 0, 24), 13.878623188405797),
    }
    assert found.keys() == expected.keys()
    for name, (statuses, mean) in expected.items():
        report = found[name]
        assert counts(report) == statuses
        assert stated(report, board, f"/summary/{name}/conditional_quality_mean") == mean
        assert {item.verdict for item in reconcile(report, board, ())} == {"exact"}
        assert [problem.effect for problem in report.problems] == ["diagnostic"]
        assert Counter(report.axes["source"]).most_common() == [
            ("amazon_beauty", 13),
            ("app_reviews", 13),
            ("cfpb", 12),
            ("nhtsa", 12),
        ]
        assert sorted(Counter(report.axes["kind"]).values()) == [15, 15, 20]
    scored = {
        name: {task for task, status in zip(report.ids, report.statuses, strict=True) if status == "scored"}
        for name, report in found.items()
    }
    one, two, three = scored.values()
    assert (len(one & two), len(one & three), len(two & three)) == (16, 11, 10)

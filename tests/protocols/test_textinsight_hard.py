"""The hard profile, with references: no gates, audits and quotes as in discovery, tasks changed before a run."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import astuple, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pytest

import textinsight_ground_made as beneath
import textinsight_made as made
from tallystick.errors import Refusal
from tallystick.model import Benchmark, Blob, PinnedFingerprint, Report
from tallystick.protocols import textinsight
from tallystick.reconcile import problems as differences
from tallystick.reconcile import reconcile
from tallystick.verify import verify
from textinsight_ground_made import Ground, Json

VERSION = "finding-quality-robustness"
REFERENCES = made.digest("references.json")
DISCOVERY = ("difficulty", "discovery_mode", "allowed_metadata_fields", "min_population_n", "min_group_n")
COMPARISONS = {"group_difference": {"field": "rating", "groups": [1, 5]}, "temporal_change": {"cutoff": "2020-01-01"}}
Change: TypeAlias = Callable[[Any], object]


@pytest.fixture(scope="module")
def sound() -> Ground:
    """Return made-up tasks of the older form, whose comparison is given, with submissions for the hard profile."""
    ground = beneath.ground()
    for task in ground.tasks:
        for field in DISCOVERY:
            del task[field]
        task["max_findings"] = 5
        if comparison := COMPARISONS.get(task["kind"]):
            task["comparison"] = comparison
        submission = ground.submissions.get(task["task_id"], {"findings": []})
        for item in submission["findings"]:
            make_hard(item, ground.corpora[task["task_id"]])
    ground.submissions["rails"]["findings"][0]["statistics"]["group0_total_n"] += 1
    return ground


def make_hard(item: Json, rows: list[Json]) -> None:
    """Turn a discovery finding into one over the whole corpus."""
    item["population"] = {"filters": []}
    if item["kind"] == "group_difference":
        item["comparison"]["groups"] = [[1], [5]]
    everything = {row["doc_id"] for row in rows}
    for assigned in item["assignments"]:
        placed = set().union(*(assigned[f"{word}_doc_ids"] for word in beneath.WORDS))
        assigned["negative_doc_ids"] += sorted(everything - placed)
    numbers = beneath.statistics(item, rows)
    item["statistics"] = {
        key: value for key, value in numbers.items() if not key.startswith(("corpus_", "population_"))
    }
    item["evidence"] = beneath.evidence(item, rows)
    del item["population"], item["comparison"]


def record(row: Mapping[str, Any], ground: Ground) -> Json:
    """Return a task's record; a reviewed one is bound to the task as the profile changes it."""
    name = row["task_id"]
    status = ground.statuses[name]
    coverage = 0.0 if status == "abstained" else None
    plain: Json = {"task_id": name, "quality": None, "reference_coverage": coverage, "status": status}
    if status != "scored":
        return plain
    found = [made.finding(item["finding_id"]) for item in ground.submissions[name]["findings"]]
    for item in found:
        del item["evidence_gate"]
        item["reference_match"] = "reference-1"
    return plain | {
        "submission_sha256": made.compact(ground.submissions[name]),
        "corpus_sha256": row["corpus_sha256"],
        "reference_sha256": REFERENCES,
        "scoring_version": VERSION,
        "task_sha256": made.compact({**row, "difficulty": "hard", "max_findings": 3}),
        "findings": found,
        "quality": sum(item["score"] for item in found) / len(found),
        "reference_coverage": 1.0,
        "reviewer_method": made.REVIEWER,
    }


def read(ground: Ground, change: Change = lambda document: None) -> tuple[Report, Benchmark]:
    """Read the report of some ground, after a change of it."""
    packed = {
        name: made.blob(beneath.packed_corpus(rows), f"corpora/{name}.gz") for name, rows in ground.corpora.items()
    }
    rows = [{**row, "corpus_sha256": packed[row["task_id"]].digest} for row in ground.tasks]
    board = made.benchmark(content=made.blob(rows).content)
    document = made.report_of(rows, [record(row, ground) for row in rows], made.blob(rows).content)
    document |= {"difficulty": "hard", "scoring_version": VERSION, "reference_sha256": REFERENCES}
    document["run"] |= {"difficulty": "hard", "effective_tasks_sha256": made.digest("the tasks as changed")}
    change(document)
    reviews = [review(item) for item in document["task_scores"] if item["status"] == "scored"]
    submissions = [
        made.blob(item, f"reports/made/submissions/{name}.json") for name, item in ground.submissions.items()
    ]
    files: list[Blob] = [made.blob(document), *packed.values(), *submissions, *reviews]
    bundles, _ = textinsight.assemble(tuple(files), board)
    report = textinsight.read(bundles[0], board)
    return report, replace(board, fingerprint=PinnedFingerprint(*astuple(report.fingerprint)))


def review(item: Mapping[str, Any]) -> Blob:
    """Return the review that a record follows from."""
    judged = [
        {key: value for key, value in finding.items() if key not in ("score", "effective_support", "evidence_gate")}
        for finding in item["findings"]
    ]
    return made.blob({**item, "findings": judged}, f"reports/made/reviews/{item['task_id']}.json")


def told(ground: Ground, change: Change = lambda document: None) -> str:
    """Return every refusal."""
    try:
        report, board = read(ground, change)
    except Refusal as refusal:
        return "\n".join(map(str, refusal.problems))
    (found,) = verify([report], board, datetime(2027, 1, 1, tzinfo=UTC))
    refused = [*found, *differences(reconcile(report, board, ()))]
    return "\n".join(str(problem) for problem in refused if problem.effect == "refuse")


def test_a_hard_report_is_verified_down_to_the_texts(sound: Ground) -> None:
    assert told(sound) == ""
    report, board = read(sound)
    assert report.depth == "texts"
    assert {one.verdict for one in reconcile(report, board, ())} == {"exact"}
    assert Counter(report.statuses)["scored"] == 3
    assert report.columns["reference_coverage"].defined.sum() == 3
    assert any(missing.startswith("task_sha256 of each record") for missing in report.unverified)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda item: item["statistics"].update(robustness_rating_strata_n=99), "robustness_rating_strata_n 5"),
        (lambda item: item["statistics"].update(corpus_total_n=150), "no statistic but those of its kind"),
        (lambda item: item["evidence"].__delitem__(slice(0, 2)), "supporting quotes from at least 3 distinct"),
        (lambda item: item["evidence"].pop(), "hinges/f1: a counterexample, as"),
        (lambda item: item.update(population={"filters": []}), "also population"),
    ],
)
def test_a_hard_submission_keeps_the_rules_of_its_profile(sound: Ground, change: Change, words: str) -> None:
    ground = copy.deepcopy(sound)
    change(ground.submissions["hinges"]["findings"][0])
    assert words in told(ground)


def test_a_hard_task_has_at_most_three_findings(sound: Ground) -> None:
    ground = copy.deepcopy(sound)
    findings = ground.submissions["hinges"]["findings"]
    findings += [{**findings[0], "finding_id": name} for name in ("f3", "f4")]
    assert "/task_scores/0/findings: expected hinges: at most 3 findings, found 4" in told(ground)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["task_scores"][0]["findings"][0].update(evidence_gate=made.gate("partial")), "gate-unexpected"),
        (lambda d: d["task_scores"][0].pop("task_sha256"), "/task_scores/0/task_sha256"),
        (lambda d: d["run"].update(difficulty="standard"), "run.difficulty hard"),
        (lambda d: d["task_scores"][0].update(reference_coverage=None), "reference coverage of hinges: 1.0"),
    ],
)
def test_a_hard_report_keeps_the_rules_of_its_profile(sound: Ground, change: Change, words: str) -> None:
    assert words in told(sound, change)

"""SWE-bench: failures are the complement of a list, and an error is no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from logs_made import codes, mean, only, read, stated, statuses, write, write_lines
from tallystick.errors import Refusal
from tallystick.importers.swebench import IMPORTER

IDS = [f"org__repo-{number}" for number in range(1, 8)]


def report(**lists: list[str]) -> dict[str, object]:
    """Return a harness's run report."""
    return {"total_instances": 7, "schema_version": 2, "resolved_ids": [], "submitted_ids": IDS, **lists}


def test_each_list_of_a_run_report_is_a_status(tmp_path: Path) -> None:
    document = report(
        resolved_ids=IDS[:1], unresolved_ids=[*IDS[1:2], IDS[3]], empty_patch_ids=IDS[2:3], error_ids=IDS[3:4],
        infra_failure_ids=IDS[4:5], ambiguous_failure_ids=IDS[5:6], incomplete_ids=IDS[6:],
    )  # fmt: skip
    run = only(read(IMPORTER, write(tmp_path / "lab__model-a.run1.json", document)))
    assert run.method.title == "lab/model-a"
    assert {sample.id: (sample.status, sample.values.get("resolved")) for sample in run.samples} == {
        IDS[0]: ("scored", 1),
        IDS[1]: ("scored", 0),
        IDS[2]: ("abstained", None),
        IDS[3]: ("invalid", None),
        IDS[4]: ("unresolved", None),
        IDS[5]: ("unresolved", None),
        IDS[6]: ("missing", None),
    }
    assert [difference.name for difference in run.differences] == ["swebench-failures-counted"]
    assert {sample.axes["repo"] for sample in run.samples} == {"org/repo"}


def test_instances_that_stand_in_no_list_are_not_invented(tmp_path: Path) -> None:
    run = only(read(IMPORTER, write(tmp_path / "m.r.json", report(resolved_ids=IDS[:2]))))
    assert statuses(run) == {"scored": 2}
    assert [difference.name for difference in run.differences] == ["swebench-instances-unlisted"]


def test_a_report_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, write(tmp_path / "m.r.json", report(resolved_ids=IDS[:1], unresolved_ids=IDS[:1])))
    assert codes(refusal.value) == ["sample-contradicted"]


def test_the_resolved_share_is_stated_and_counts_are_those_of_the_lists(tmp_path: Path) -> None:
    counts = {"total_instances": 4, "resolved_instances": 3, "unresolved_instances": 1}
    document = report(resolved_ids=IDS[:3], unresolved_ids=IDS[3:4], submitted_ids=IDS[:4]) | counts
    run = only(read(IMPORTER, write(tmp_path / "m.r.json", document)))
    assert (stated(run), stated(run, "count")) == ({("resolved", None): 0.75}, {("resolved", None): 4})
    assert mean(run, "resolved") == 0.75
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, write(tmp_path / "m.r.json", document | {"resolved_instances": 4, "submitted_instances": 5}))
    assert codes(refusal.value) == ["count-contradicted"] * 2


def test_the_experiments_layout_lists_successes_only(tmp_path: Path) -> None:
    document = {"no_generation": IDS[2:3], "no_logs": IDS[3:4], "resolved": IDS[:2]}
    write(tmp_path / "20250101_agent/results/results.json", document)
    write(tmp_path / "instances.json", IDS)
    run = only(read(IMPORTER, tmp_path))
    assert run.method.id == "20250101_agent"
    assert statuses(run) == {"scored": 5, "missing": 1, "invalid": 1}
    assert mean(run, "resolved") == 2 / 5


def test_without_a_list_of_instances_failures_are_unknown(tmp_path: Path) -> None:
    write(tmp_path / "20250101_agent/results/results.json", {"no_generation": [], "resolved": IDS[:2]})
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["instances-unknown"]


def test_a_success_outside_the_list_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "20250101_agent/results/results.json", {"no_generation": [], "resolved": ["org__repo-99"]})
    write_lines(
        tmp_path / "split.jsonl", [{"instance_id": name, "repo": "org/repo", "base_commit": "0"} for name in IDS]
    )
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["sample-unknown"]


def test_instance_reports_are_gathered_and_no_patch_is_an_abstention(tmp_path: Path) -> None:
    for name, facts in {
        IDS[0]: {"resolved": True, "patch_exists": True},
        IDS[1]: {"resolved": False, "patch_exists": False, "patch_is_None": True},
        IDS[2]: {"resolved": False, "infra_failure": True},
    }.items():
        write(tmp_path / "model-a" / name / "report.json", {name: facts})
    run = only(read(IMPORTER, tmp_path))
    assert run.method.id == "model-a"
    assert statuses(run) == {"scored": 1, "abstained": 1, "unresolved": 1}


def test_the_real_details_give_the_share_that_their_metadata_states(shared: Path) -> None:
    run = only(read(IMPORTER, shared / "swebench" / "native_example"))
    assert statuses(run) == {"scored": 500}
    assert mean(run, "resolved") == stated(run)["resolved", None] == 0.66
    assert [metric.id for metric in run.metrics] == ["resolved", "cost", "api_calls"]
    assert [metric.description[0].isupper() and metric.description[-1] for metric in run.metrics] == ["."] * 3


def test_the_real_table_holds_ten_systems_with_every_instance(shared: Path) -> None:
    runs = read(IMPORTER, shared / "swebench" / "per_instance.csv")
    assert len(runs) == 10
    assert all(statuses(run) == {"scored": 500} for run in runs)
    assert sum(sample.values["resolved"] for run in runs for sample in run.samples) == 2976
    assert len({sample.axes["repo"] for run in runs for sample in run.samples}) == 12

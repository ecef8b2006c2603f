"""terminal-bench: a trial without an outcome is unresolved, and trials cluster by task."""

from __future__ import annotations

from pathlib import Path

import pytest

from logs_made import codes, mean, only, read, stated, statuses, write
from tallystick.errors import Refusal
from tallystick.importers.terminal_bench import IMPORTER


def trial(task: str, outcome: bool | None, name: str = "t") -> dict[str, object]:
    """Return a trial."""
    return {"trial_name": f"{task}.{name}", "task_id": task, "is_resolved": outcome, "failure_mode": "unset"}


def run_folder(folder: Path, trials: list[dict[str, object]], accuracy: float) -> Path:
    """Write a run with its metadata, and each trial again in a folder of its own."""
    write(folder / "results.json", {"results": trials, "accuracy": accuracy, "n_resolved": 1})
    facts = {"run_id": "r", "dataset_name": "core", "dataset_version": "0.1", "agent_name": "agent", "model_name": "m"}
    write(folder / "run_metadata.json", facts)
    for item in trials:
        write(folder / str(item["task_id"]) / "results.json", item)
    return folder


def test_a_run_counts_each_trial_once(tmp_path: Path) -> None:
    run = only(read(IMPORTER, run_folder(tmp_path, [trial("a", True), trial("b", False)], 0.5)))
    assert (run.method.title, run.benchmark) == ("agent m", "core-0.1")
    assert statuses(run) == {"scored": 2}
    assert mean(run, "resolved") == stated(run)["resolved", None] == 0.5
    assert not run.differences


def test_a_trial_without_outcome_is_no_failure(tmp_path: Path) -> None:
    run = only(read(IMPORTER, run_folder(tmp_path, [trial("a", True), trial("b", None)], 0.5)))
    assert statuses(run) == {"scored": 1, "unresolved": 1}
    assert [difference.name for difference in run.differences] == ["terminal-bench-null-is-failure"]
    assert run.stated[0].under == "terminal-bench-null-is-failure"


def test_several_runs_are_trials_of_one_task(tmp_path: Path) -> None:
    for number in (1, 2):
        run_folder(tmp_path / f"run{number}", [trial("a", number == 1)], 0.5)
    run = only(read(IMPORTER, tmp_path))
    assert [(s.id, s.cluster, s.values["resolved"]) for s in run.samples] == [("a#1", "a", 1), ("a#2", "a", 0)]
    assert stated(run) == {}


@pytest.mark.parametrize("given", ["", "jobs", "jobs/run1"])
def test_trials_alone_belong_to_the_run_above_them(tmp_path: Path, given: str) -> None:
    run = run_folder(tmp_path / "jobs/run1", [], 0)
    (run / "results.json").unlink()
    write(run / "a/a.1-of-1/results.json", trial("a", True))
    found = only(read(IMPORTER, tmp_path / given))
    assert (found.method.title, found.benchmark, statuses(found)) == ("agent m", "core-0.1", {"scored": 1})


def test_a_run_without_metadata_needs_a_name(tmp_path: Path) -> None:
    path = write(tmp_path / "results.json", {"results": [trial("a", True)], "accuracy": 1})
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, path)
    assert codes(refusal.value) == ["method-unknown"]
    assert only(read(IMPORTER, path, method="mine")).method.id == "mine"


def test_the_real_table_keeps_trials_without_outcome(shared: Path) -> None:
    runs = {run.method.id: run for run in read(IMPORTER, shared / "terminal_bench")}
    unresolved = {name: statuses(run).get("unresolved", 0) for name, run in runs.items()}
    assert unresolved == {
        "20250829_goose_claude-4-opus": 5,
        "20250829_goose_claude-4-sonnet": 14,
        "20250923_droid_claude-4-1-opus": 9,
        "20250923_droid_claude-4-sonnet": 11,
        "20250924_droid_gpt-5": 16,
    }
    for run in runs.values():
        assert len(run.samples) == 400
        assert len({sample.cluster for sample in run.samples}) == 80
    assert sum(sample.values["resolved"] for sample in runs["20250924_droid_gpt-5"].samples if sample.values) == 210

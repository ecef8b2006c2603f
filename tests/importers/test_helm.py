"""HELM run folders: splits and perturbations are benchmarks of their own, trials cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from logs_made import codes, mean, only, read, stated, statuses, write
from tallystick.errors import Refusal
from tallystick.importers.helm import IMPORTER


def stat(name: str, mean: float | None, split: str = "test", **more: object) -> dict[str, object]:
    """Return a statistic of one value, or of none."""
    held = {"count": 0, "sum": 0} if mean is None else {"count": 1, "sum": mean, "mean": mean}
    return {"name": {"name": name, "split": split, **more}, **held}


def entry(name: str, value: float | None, trial: int = 0, split: str = "test", **more: object) -> dict[str, object]:
    """Return one instance's statistics, bookkeeping among them."""
    stats = [stat("exact_match", value, split), stat("num_prompt_tokens", 512, split)]
    return {"instance_id": name, "train_trial_index": trial, "stats": stats, **more}


def run_folder(folder: Path, entries: list[dict[str, object]], stats: list[dict[str, object]] | None = None) -> Path:
    """Write a run folder."""
    spec = {
        "name": "quiz:subject=sums,model=lab_model-a",
        "scenario_spec": {"class_name": "Quiz", "args": {"subject": "sums"}},
        "adapter_spec": {"method": "generation", "model": "lab/model-a", "model_deployment": "lab/a", "max_tokens": 5},
        "metric_specs": [{"class_name": "Basic", "args": {"names": ["exact_match"]}}],
    }
    write(folder / "run_spec.json", spec)
    write(folder / "per_instance_stats.json", entries)
    if stats is not None:
        write(folder / "stats.json", stats)
    return folder


def test_a_run_folder_becomes_a_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, [entry("id1", 1), entry("id2", 0)], [stat("exact_match", 0.5)])
    run = only(read(IMPORTER, folder))
    assert (run.benchmark, run.method.id) == ("quiz-subject-sums", "lab__model-a")
    assert [metric.id for metric in run.metrics] == ["exact_match"]  # no bookkeeping
    assert mean(run, "exact_match") == stated(run)["exact_match", None] == 0.5
    assert run.finished is None


def test_a_statistic_without_a_value_is_no_zero(tmp_path: Path) -> None:
    run = only(read(IMPORTER, run_folder(tmp_path, [entry("id1", 1), entry("id2", None)])))
    assert statuses(run) == {"scored": 1, "unresolved": 1}


def test_training_trials_are_samples_of_one_cluster(tmp_path: Path) -> None:
    run = only(read(IMPORTER, run_folder(tmp_path, [entry("id1", 1, trial) for trial in (0, 1)])))
    assert [(sample.id, sample.cluster) for sample in run.samples] == [("id1/0", "id1"), ("id1/1", "id1")]


def test_perturbed_instances_are_another_benchmark(tmp_path: Path) -> None:
    perturbed = {"name": "typos", "robustness": True}
    entries = [entry("id1", 1), entry("id1", 0, perturbation=perturbed)]
    worst = stat("exact_match", 0, perturbation={"name": "robustness", "computed_on": "worst"})
    typos = stat("exact_match", 0, perturbation={"name": "typos", "computed_on": "perturbed"})
    original = stat("exact_match", 1, perturbation={"name": "typos", "computed_on": "original"})
    runs = read(IMPORTER, run_folder(tmp_path, entries, [stat("exact_match", 1), worst, typos, original]))
    assert {run.benchmark: stated(run) for run in runs} == {
        "quiz-subject-sums": {("exact_match", None): 1},
        "quiz-subject-sums-typos": {("exact_match", None): 0},
    }


def test_splits_are_benchmarks_of_their_own(tmp_path: Path) -> None:
    runs = read(IMPORTER, run_folder(tmp_path, [entry("id1", 1, split="valid"), entry("id2", 0, split="test")]))
    assert {run.benchmark: statuses(run) for run in runs} == {
        "quiz-subject-sums-test": {"scored": 1},
        "quiz-subject-sums-valid": {"scored": 1},
    }


def test_the_deployment_is_no_part_of_the_configuration(tmp_path: Path) -> None:
    first = only(read(IMPORTER, run_folder(tmp_path / "a", [entry("id1", 1)])))
    folder = run_folder(tmp_path / "b", [entry("id1", 1)])
    path = folder / "run_spec.json"
    path.write_text(path.read_text(encoding="utf-8").replace("lab/", "other/"), encoding="utf-8")
    other = only(read(IMPORTER, folder))
    assert first.fingerprint == other.fingerprint
    assert first.method.id != other.method.id


def test_a_folder_without_instances_is_refused(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, [entry("id1", 1)])
    (folder / "per_instance_stats.json").unlink()
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, folder)
    assert codes(refusal.value) == ["run-incomplete"]


def test_the_real_run_gives_the_means_that_it_states(shared: Path) -> None:
    run = only(read(IMPORTER, shared / "helm"))
    assert statuses(run) == {"scored": 10}
    assert run.metrics[0].id == "exact_match"
    assert len(stated(run)) == 8
    for (metric, _), value in stated(run).items():
        assert mean(run, metric) == value == 0.3
    assert all(sample.content for sample in run.samples)

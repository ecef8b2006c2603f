"""every_eval_ever: samples by checksum; aggregates alone are no evidence."""

from __future__ import annotations

import json
from hashlib import md5, sha256
from pathlib import Path

import pytest

from logs_made import codes, mean, only, read, stated, statuses, write, write_lines
from tallystick.errors import Refusal
from tallystick.importers.every_eval_ever import IMPORTER


def result(name: str, score: float, lower: bool = False, **config: object) -> dict[str, object]:
    """Return one evaluation's aggregate."""
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name, "source_type": "other"},
        "metric_config": {"lower_is_better": lower, "min_score": 0.0, "max_score": 1.0, **config},
        "score_details": {"score": score},
    }


def record(*results: dict[str, object], stamp: str = "100", **more: object) -> dict[str, object]:
    """Return an aggregate record."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"board/lab_model-a/{stamp}",
        "retrieved_timestamp": stamp,
        "eval_library": {"name": "harness", "version": "1"},
        "model_info": {"name": "Model A", "id": "lab/model-a", "additional_details": {}},
        "evaluation_results": list(results),
        **more,
    }


def instance(name: str, score: float, **more: object) -> dict[str, object]:
    """Return one row of a samples file."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "board/lab_model-a/100",
        "model_id": "lab/model-a",
        "evaluation_name": "quiz",
        "sample_id": name,
        "input": {"raw": f"Q{name}", "reference": ["yes"]},
        "evaluation": {"score": score, "is_correct": score == 1},
        **more,
    }


def with_samples(folder: Path, rows: list[dict[str, object]], algorithm: str = "sha256", score: float = 0.5) -> Path:
    """Write a record and the samples file that it points to."""
    samples = write_lines(folder / "x_samples.jsonl", rows)
    hashed = (sha256 if algorithm == "sha256" else md5)(samples.read_bytes()).hexdigest()
    pointed = {"format": "jsonl", "file_path": "data/elsewhere.jsonl", "hash_algorithm": algorithm, "checksum": hashed}
    write(folder / "x.json", record(result("quiz", score), detailed_evaluation_results=pointed))
    return folder


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_samples_are_joined_by_checksum(tmp_path: Path, algorithm: str) -> None:
    run = only(read(IMPORTER, with_samples(tmp_path, [instance("1", 1.0), instance("2", 0.0)], algorithm)))
    assert (run.method.id, run.benchmark) == ("lab__model-a", "quiz")
    assert mean(run, "score") == stated(run)["score", None] == 0.5
    assert run.aggregate_only is None


def test_results_of_one_evaluation_are_metrics_of_one_board(tmp_path: Path) -> None:
    results = [
        {**result("quiz", 0.5, metric_id="exact"), "evaluation_result_id": "e"},
        {**result("quiz", 0.75, metric_id="f1"), "evaluation_result_id": "f"},
    ]
    rows = [instance(name, score, evaluation_result_id="e") for name, score in (("1", 1.0), ("2", 0.0))]
    rows += [instance(name, score, evaluation_result_id="f") for name, score in (("1", 1.0), ("2", 0.5))]
    folder = with_samples(tmp_path, rows)
    pointed = json.loads((folder / "x.json").read_text("utf-8"))["detailed_evaluation_results"]
    write(folder / "x.json", record(*results, detailed_evaluation_results=pointed))
    run = only(read(IMPORTER, folder))
    assert {sample.id: sample.values for sample in run.samples} == {
        "1": {"exact": 1, "f1": 1},
        "2": {"exact": 0, "f1": 0.5},
    }
    assert stated(run) == {("exact", None): 0.5, ("f1", None): 0.75}
    broken = [*rows[:3], {**rows[3], "error": "judge timed out"}]
    pointed = {"format": "jsonl", "file_path": "data/x_samples.jsonl"}
    write_lines(folder / "x_samples.jsonl", broken)
    write(folder / "x.json", record(*results, detailed_evaluation_results=pointed))
    assert statuses(only(read(IMPORTER, folder))) == {"scored": 1, "invalid": 1}


def test_rows_without_the_id_of_a_result_are_joined_by_its_name(tmp_path: Path) -> None:
    folder = with_samples(tmp_path, [instance("1", 1.0), instance("2", 0.0)])
    document = json.loads((folder / "x.json").read_text("utf-8"))
    document["evaluation_results"][0]["evaluation_result_id"] = "e"
    write(folder / "x.json", document)
    assert mean(only(read(IMPORTER, folder)), "score") == 0.5


def test_without_a_checksum_the_name_that_the_record_states_decides(tmp_path: Path) -> None:
    write_lines(tmp_path / "x_samples.jsonl", [instance("1", 1.0)])
    pointed = {"format": "jsonl", "file_path": "data/a/b/c/x_samples.jsonl"}
    write(tmp_path / "x.json", record(result("quiz", 1.0), detailed_evaluation_results=pointed))
    run = only(read(IMPORTER, tmp_path))
    assert (statuses(run), run.notes) == ({"scored": 1}, ("the record states no checksum of its samples file",))
    (tmp_path / "x_samples.jsonl").rename(tmp_path / "y_samples.jsonl")
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["samples-absent", "samples-unclaimed"]


def test_an_error_is_invalid_whatever_score_stands_beside_it(tmp_path: Path) -> None:
    run = only(read(IMPORTER, with_samples(tmp_path, [instance("1", 1.0), instance("2", 0.0, error="timeout")])))
    assert statuses(run) == {"scored": 1, "invalid": 1}


def test_a_samples_file_with_another_checksum_is_refused(tmp_path: Path) -> None:
    folder = with_samples(tmp_path, [instance("1", 1.0)])
    write_lines(folder / "x_samples.jsonl", [instance("1", 0.0)])
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, folder)
    assert codes(refusal.value) == ["digest-differs", "samples-unclaimed"]


def test_rows_of_another_evaluation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, with_samples(tmp_path, [instance("1", 1.0, evaluation_name="other")]))
    assert codes(refusal.value) == ["row-unclaimed"]


def test_aggregates_alone_make_evaluations_the_unit_and_directions_two_boards(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", record(result("quiz", 0.25), result("maths", 0.75), result("errors", 0.1, True)))
    runs = {run.benchmark: run for run in read(IMPORTER, path)}
    assert {name: [sample.id for sample in run.samples] for name, run in runs.items()} == {
        "board": ["quiz", "maths"],
        "board-lower": ["errors"],
    }
    assert all(run.aggregate_only for run in runs.values())
    assert runs["board-lower"].metrics[0].direction == "lower"


def test_unbounded_scores_have_no_bounds(tmp_path: Path) -> None:
    unbounded = result("elo", 1200, min_score="-Infinity", max_score="Infinity")
    metric = only(read(IMPORTER, write(tmp_path / "a.json", record(unbounded)))).metrics[0]
    assert (metric.lower, metric.upper) == (None, None)


def test_records_of_one_model_are_never_chosen_silently(tmp_path: Path) -> None:
    write(tmp_path / "a.json", record(result("quiz", 0.2), stamp="99.5"))
    write(tmp_path / "b.json", record(result("quiz", 0.3), stamp="100"))
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["record-repeated"]
    assert "disagree on 'quiz'" in refusal.value.problems[0].found
    assert mean(only(read(IMPORTER, tmp_path, retrieval="latest")), "score") == 0.3


def test_real_aggregates_are_units_of_a_diagnostic_board(shared: Path) -> None:
    mini = read(IMPORTER, shared / "every_eval_ever" / "hal-swebench-verified-mini")
    assert len({run.method.id for run in mini}) == 33
    assert all(len(run.samples) == 1 and run.aggregate_only for run in mini)
    helm = read(IMPORTER, shared / "every_eval_ever" / "helm_capabilities", retrieval="latest")
    assert {run.method.id: len(run.samples) for run in helm} == dict.fromkeys(
        (
            "allenai_olmo-2-0325-32b-instruct",
            "allenai_olmo-2-1124-13b-instruct",
            "allenai_olmo-2-1124-7b-instruct",
            "allenai_olmoe-1b-7b-0125-instruct",
        ),
        6,
    )


def test_a_real_record_that_contradicts_its_samples_states_another_mean(shared: Path) -> None:
    run = only(read(IMPORTER, shared / "every_eval_ever" / "head_testdata" / "skill_reference_conversion"))
    assert (mean(run, "accuracy"), stated(run)["accuracy", None]) == (1, 0.75)

"""lm-evaluation-harness: layouts, filters, groups, the join by hash, and what must be refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from logs_made import TIME, codes, harness_row, harness_run, mean, only, read, stated, statuses, write, write_lines
from tallystick.errors import Refusal
from tallystick.importers.lm_eval import IMPORTER

ROWS = [harness_row(index, acc=float(index < 3)) for index in range(4)]
RESULTS = {"sums": {"alias": "sums", "acc,none": 0.75, "acc_stderr,none": 0.25}}


def test_a_run_becomes_a_method_with_its_samples_and_what_it_states(tmp_path: Path) -> None:
    run = only(read(IMPORTER, harness_run(tmp_path, {"sums": ROWS}, RESULTS)))
    assert (run.method.id, run.benchmark) == ("lab__model-a", "sums")
    assert statuses(run) == {"scored": 4}
    assert mean(run, "acc") == stated(run)["acc", None] == 0.75
    assert stated(run, "standard_error") == {("acc", None): 0.25}
    assert stated(run, "count") == {("acc", None): 4}
    assert run.metrics[0].binary
    assert run.finished == datetime(2026, 1, 2, 3, 5, 5, tzinfo=UTC)  # the start, and the minute that it took
    assert not run.differences
    assert "sums: 4 of 4 rows hold the document and target they hash" in run.notes


def test_content_is_of_document_and_target_so_that_another_prompt_changes_nothing(tmp_path: Path) -> None:
    prompted = [{**row, "prompt_hash": "0" * 64} for row in ROWS]
    first = only(read(IMPORTER, harness_run(tmp_path / "a", {"sums": ROWS}, RESULTS)))
    second = only(read(IMPORTER, harness_run(tmp_path / "b", {"sums": prompted}, RESULTS)))
    assert [sample.content for sample in first.samples] == [sample.content for sample in second.samples]


def test_what_belongs_to_the_model_is_no_part_of_the_configuration(tmp_path: Path) -> None:
    first = only(read(IMPORTER, harness_run(tmp_path / "a", {"sums": ROWS}, RESULTS, "lab/a")))
    second = only(read(IMPORTER, harness_run(tmp_path / "b", {"sums": ROWS}, RESULTS, "lab/b")))
    shots = harness_run(tmp_path / "c", {"sums": ROWS}, RESULTS, **{"n-shot": {"sums": 5}})
    assert first.fingerprint == second.fingerprint
    assert only(read(IMPORTER, shots)).fingerprint.configuration != first.fingerprint.configuration


def test_an_address_of_memory_in_a_setting_does_not_count(tmp_path: Path) -> None:
    def fingerprint(address: str) -> object:
        configs = {"sums": {"sampler": f"<function doc_to_text at {address}>"}}
        folder = harness_run(tmp_path / address, {"sums": ROWS}, RESULTS, configs=configs)
        return only(read(IMPORTER, folder)).fingerprint

    assert fingerprint("0x7f00aa") == fingerprint("0x7f11bb")


def test_the_old_layout_has_no_filters_and_an_array_of_samples(tmp_path: Path) -> None:
    rows = [harness_row(index, filter=None, acc=index % 2) for index in range(4)]
    document = {
        "results": {"sums": {"acc": 0.5, "acc_stderr": 0.28867513459481287}},
        "versions": {"sums": 0},
        "config": {"model": "hf", "model_args": "pretrained=lab/old,dtype=float16"},
    }
    write(tmp_path / "results.json", document)
    write(tmp_path / "sums.json", rows)
    run = only(read(IMPORTER, tmp_path))
    assert run.method.title == "lab/old"
    assert mean(run, "acc") == stated(run)["acc", None] == 0.5
    assert stated(run, "standard_error")["acc", None] == 0.28867513459481287


def test_a_filter_is_another_metric_not_another_sample(tmp_path: Path) -> None:
    rows = [harness_row(index, "strict", exact_match=0) for index in range(3)]
    rows += [harness_row(index, "flexible", exact_match=1) for index in range(3)]
    rows[0]["filtered_resps"] = ["[invalid]"]
    results = {"sums": {"exact_match,strict": 0.0, "exact_match,flexible": 1.0}}
    run = only(read(IMPORTER, harness_run(tmp_path, {"sums": rows}, results)))
    assert statuses(run) == {"scored": 3}
    assert stated(run) == {("exact_match.flexible", None): 1.0, ("exact_match.strict", None): 0.0}
    assert (mean(run, "exact_match.strict"), mean(run, "exact_match.flexible")) == (0, 1)
    assert "sums: the harness scored 1 row without an extractable answer" in run.notes


def test_a_group_is_one_benchmark_with_its_tasks_as_axis(tmp_path: Path) -> None:
    tasks = {"sums_a": ROWS, "sums_b": ROWS[:2]}
    results = {"sums_a": {"acc,none": 0.75}, "sums_b": {"acc,none": 1.0}, "sums": {"acc,none": 5 / 6}}
    more = {"groups": {"sums": {}}, "group_subtasks": {"sums": ["sums_a", "sums_b"]}}
    run = only(read(IMPORTER, harness_run(tmp_path, tasks, results, **more)))
    assert run.benchmark == "sums"
    assert {sample.axes["task"] for sample in run.samples} == {"sums_a", "sums_b"}
    assert stated(run) == {("acc", "sums_a"): 0.75, ("acc", "sums_b"): 1.0, ("acc", None): 5 / 6}
    assert mean(run, "acc") == 5 / 6


def test_a_group_of_groups_is_one_benchmark_with_both_levels_as_axes(tmp_path: Path) -> None:
    tasks = {"sums": ROWS, "roots": ROWS[:2], "poems": ROWS[3:]}
    results = {
        "sums": {"acc,none": 0.75}, "roots": {"acc,none": 1.0}, "poems": {"acc,none": 0.0},
        "maths": {"acc,none": 5 / 6}, "all": {"acc,none": 5 / 7, "acc_stderr,none": 0.1}, "arts": {" ": " "},
    }  # fmt: skip
    groups = {"all": ["maths", "arts"], "maths": ["sums", "roots"], "arts": ["poems"], "poems": []}
    more = {"groups": {"all": {}, "maths": {}}, "group_subtasks": groups}
    run = only(read(IMPORTER, harness_run(tmp_path, tasks, results, **more)))
    assert run.benchmark == "all"
    assert {sample.axes["task"]: sample.axes["group"] for sample in run.samples} == {
        "sums": "maths", "roots": "maths", "poems": "arts",
    }  # fmt: skip
    assert {(item.axis, item.axis_value): item.value for item in run.stated if item.axis != "task"} == {
        ("group", "maths"): 5 / 6, (None, None): 5 / 7,
    }  # fmt: skip
    assert not run.differences
    assert not [note for note in run.notes if "not imported" in note]


def test_groups_that_hold_each_other_are_read_to_an_end(tmp_path: Path) -> None:
    more = {"group_subtasks": {"a": ["b", "sums"], "b": ["a"]}}
    assert statuses(only(read(IMPORTER, harness_run(tmp_path, {"sums": ROWS}, RESULTS, **more)))) == {"scored": 4}


def test_a_group_in_which_each_task_counts_alike_is_a_known_difference(tmp_path: Path) -> None:
    tasks = {"sums_a": ROWS, "sums_b": ROWS[:2]}
    results = {"sums_a": {"acc,none": 0.75}, "sums_b": {"acc,none": 1.0}, "sums": {"acc,none": 0.875}}
    more = {"groups": {"sums": {}}, "group_subtasks": {"sums": ["sums_a", "sums_b"]}}
    run = only(read(IMPORTER, harness_run(tmp_path / "a", tasks, results, **more)))
    assert [difference.name for difference in run.differences] == ["lm-eval-group-unweighted"]
    assert [item.value for item in run.stated if item.under] == [0.875]
    wrong = {**results, "sums": {"acc,none": 0.9}}  # neither the one nor the other
    run = only(read(IMPORTER, harness_run(tmp_path / "b", tasks, wrong, **more)))
    assert (run.differences, stated(run)["acc", None]) == ((), 0.9)


def test_tasks_of_a_group_with_other_metrics_are_benchmarks_of_their_own(tmp_path: Path) -> None:
    tasks = {"sums_a": ROWS, "sums_b": ROWS[:2], "essay": [harness_row(0, f1=0.5)]}
    results = {task: {} for task in tasks}
    more = {"group_subtasks": {"all": list(tasks)}}
    runs = read(IMPORTER, harness_run(tmp_path, tasks, results, **more))
    assert {run.benchmark: len(run.samples) for run in runs} == {"all-acc": 6, "essay": 1}


def test_samples_are_joined_by_the_stated_hash_whatever_they_are_called(tmp_path: Path) -> None:
    folder = harness_run(tmp_path, {"sums": ROWS}, RESULTS)
    (folder / f"samples_sums_{TIME}.jsonl").rename(folder / "renamed.jsonl")
    run = only(read(IMPORTER, folder))
    assert statuses(run) == {"scored": 4}
    assert not run.differences


def test_models_that_saw_the_same_prompts_are_told_apart_by_folder(tmp_path: Path) -> None:
    worse = [harness_row(index, acc=0.0) for index in range(4)]
    harness_run(tmp_path / "a", {"sums": ROWS}, RESULTS, "lab/a")
    harness_run(tmp_path / "b", {"sums": worse}, {"sums": {"acc,none": 0.0}}, "lab/b")
    assert {run.method.id: mean(run, "acc") for run in read(IMPORTER, tmp_path)} == {"lab__a": 0.75, "lab__b": 0}


def test_an_excerpt_of_the_samples_leaves_the_others_missing_and_says_so(tmp_path: Path) -> None:
    counts = {"sums": {"original": 9, "effective": 9}}
    folder = harness_run(tmp_path, {"sums": ROWS}, RESULTS, **{"n-samples": counts, "task_hashes": {"sums": "0" * 64}})
    run = only(read(IMPORTER, folder))
    assert statuses(run) == {"scored": 4, "missing": 5}
    assert [difference.name for difference in run.differences] == ["lm-eval-samples-excerpt", "lm-eval-task-hash"]
    assert {item.under for item in run.stated} == {"lm-eval-samples-excerpt"}


def test_a_task_without_samples_is_named_and_not_invented(tmp_path: Path) -> None:
    results = {**RESULTS, "ghost": {"acc,none": 1.0}}
    run = only(read(IMPORTER, harness_run(tmp_path, {"sums": ROWS}, results)))
    assert "ghost: stated without samples, and not imported" in run.notes


def test_a_metric_whose_samples_are_lists_is_noted_not_averaged(tmp_path: Path) -> None:
    rows = [harness_row(index, acc=1, micro_f1=[["a"], ["b"]]) for index in range(2)]
    run = only(read(IMPORTER, harness_run(tmp_path, {"sums": rows}, {"sums": {"acc,none": 1.0, "micro_f1,none": 0.1}})))
    assert [metric.id for metric in run.metrics] == ["acc"]
    assert any(note.startswith("sums: micro_f1 has lists") for note in run.notes)


def test_a_task_of_which_all_metrics_are_lists_is_noted_and_alone_refused(tmp_path: Path) -> None:
    lists = [harness_row(index, word_perplexity=[-3.5, 2]) for index in range(2)]
    results = {**RESULTS, "text": {"word_perplexity,none": 5.75}}
    both = only(read(IMPORTER, harness_run(tmp_path / "both", {"sums": ROWS, "text": lists}, results)))
    assert both.benchmark == "sums"
    assert "text: word_perplexity with lists, not numbers, per sample, and not imported" in both.notes
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, harness_run(tmp_path / "alone", {"text": lists}, results))
    assert codes(refusal.value) == ["metric-absent"]


def test_an_absent_score_is_not_zero(tmp_path: Path) -> None:
    rows = [harness_row(0, acc=1), harness_row(1, acc=None)]
    run = only(read(IMPORTER, harness_run(tmp_path, {"sums": rows}, {"sums": {"acc,none": 0.5}})))
    assert statuses(run) == {"scored": 1, "unresolved": 1}


@pytest.mark.parametrize("score", ["0.5", float("nan"), float("inf")])
def test_text_and_infinite_scores_are_refused(tmp_path: Path, score: object) -> None:
    folder = harness_run(tmp_path, {"sums": [harness_row(0, acc=score)]}, RESULTS)
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, folder)
    assert codes(refusal.value) == ["score-not-a-number"]
    assert refusal.value.problems[0].where == f"samples_sums_{TIME}.jsonl acc"


def test_lists_in_some_rows_and_numbers_in_others_are_refused(tmp_path: Path) -> None:
    rows = [harness_row(0, acc=1), harness_row(1, acc=[1, 2])]
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, harness_run(tmp_path, {"sums": rows}, RESULTS))
    assert codes(refusal.value) == ["score-not-a-number"]


def test_a_document_twice_under_one_filter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, harness_run(tmp_path, {"sums": [*ROWS, ROWS[0]]}, RESULTS))
    assert codes(refusal.value) == ["sample-duplicated"]


def test_duplicate_keys_in_a_row_are_refused(tmp_path: Path) -> None:
    folder = harness_run(tmp_path, {"sums": ROWS}, RESULTS)
    text = json.dumps(ROWS[0])
    path = folder / f"samples_sums_{TIME}.jsonl"
    path.write_text(f'{text}\n{text[:-1]}, "acc": 1}}\n', encoding="utf-8")
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, folder)
    assert refusal.value.problems[0].code == "duplicate-key"
    assert refusal.value.problems[0].where == f"{path.name} line 2"


def test_samples_without_their_results_are_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "samples_sums.jsonl", ROWS)
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["samples-unclaimed"]


def test_results_without_samples_are_refused_with_the_remedy(tmp_path: Path) -> None:
    harness_run(tmp_path, {}, {"sums": {"acc,none": 0.5}}, versions={"sums": 1})
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, tmp_path)
    assert codes(refusal.value) == ["samples-absent"]
    assert "--log_samples" in refusal.value.problems[0].remedy


def test_real_runs_give_the_means_that_they_state(shared: Path) -> None:
    runs = {run.benchmark: run for run in read(IMPORTER, shared / "lm_eval")}
    assert sorted(runs) == ["asdiv", "math_perturbed_full", "negotiationtom-acc", "negotiationtom_intention"]
    for run in runs.values():
        for (metric, task), value in stated(run).items():
            told = [sample for sample in run.samples if task in (None, sample.axes.get("task"))]
            assert mean(replace(run, samples=tuple(told)), metric) == value
    assert statuses(runs["asdiv"]) == {"scored": 50}
    assert statuses(runs["math_perturbed_full"]) == {"scored": 10, "missing": 4990}
    held = [note for run in runs.values() for note in run.notes if "rows hold the document" in note]
    assert [note.split(": ")[1].split(" rows")[0] for note in held] == ["50 of 50", "10 of 10", *["20 of 20"] * 3]

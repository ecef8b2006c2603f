"""EvalPlus, AlpacaEval, MTEB and eval-arena: one page of format each."""

from __future__ import annotations

from pathlib import Path

import pytest

from logs_made import codes, mean, only, read, stated, statuses, write, write_lines
from tallystick.errors import Refusal
from tallystick.importers import alpaca_eval, eval_arena, evalplus, mteb

# --- EvalPlus ---------------------------------------------------------------------------------------------------------


def solution(base: str | None, plus: str | None) -> dict[str, object]:
    """Return one solution's outcomes."""
    return {"task_id": "T", "solution": "…", "base_status": base, "plus_status": plus}


def test_plus_needs_base(tmp_path: Path) -> None:
    tasks = {
        "HumanEval/0": [solution("pass", "pass")],
        "HumanEval/1": [solution("pass", "fail")],
        "HumanEval/2": [solution("timeout", "pass")],
        "HumanEval/3": [solution("pass", None)],
    }
    document = {"date": "2026-01-02 03:04", "hash": "abc", "eval": tasks, "pass_at_k": {"base": {"pass@1": 0.75}}}
    run = only(read(evalplus.IMPORTER, write(tmp_path / "model-a_eval_results.json", document)))
    assert (run.method.id, run.benchmark, run.fingerprint.corpus) == ("model-a", "humaneval", "abc")
    assert [sample.values.get("plus") for sample in run.samples] == [1, 0, 0, None]
    assert statuses(run) == {"scored": 3, "unresolved": 1}
    assert stated(run) == {("base", None): 0.75}


def test_several_solutions_of_a_task_are_a_cluster(tmp_path: Path) -> None:
    document = {"hash": "abc", "eval": {"HumanEval/0": [solution("pass", None), solution("fail", None)]}}
    run = only(read(evalplus.IMPORTER, write(tmp_path / "model-a_eval_results.json", document)))
    assert [(sample.id, sample.cluster) for sample in run.samples] == [
        ("HumanEval/0#0", "HumanEval/0"),
        ("HumanEval/0#1", "HumanEval/0"),
    ]


def test_an_unknown_outcome_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"hash": "abc", "eval": {"HumanEval/0": [solution("maybe", None)]}})
    with pytest.raises(Refusal) as refusal:
        read(evalplus.IMPORTER, path)
    assert codes(refusal.value) == ["outcome-unknown"]


# --- AlpacaEval -------------------------------------------------------------------------------------------------------


def annotation(question: str, preference: float | None, **more: object) -> dict[str, object]:
    """Return one annotation."""
    return {
        "instruction": question, "dataset": "d", "generator_1": "ref", "generator_2": "mine",
        "annotator": "judge", "preference": preference, **more,
    }  # fmt: skip


@pytest.mark.parametrize("first", ["model", ""])
def test_the_win_rate_is_the_mean_of_preferences_less_one_in_percent(tmp_path: Path, first: str) -> None:
    rows = [annotation("a", 2.0), annotation("b", 0), annotation("c", 1.5), annotation("d", 1), annotation("e", None)]
    path = write(tmp_path / "annotations.json", rows)
    board = tmp_path / "leaderboard.csv"
    board.write_text(f"{first},win_rate,standard_error,n_total\nmine,50.0,20.4124145231932,4\n", encoding="utf-8")
    run = only(read(alpaca_eval.IMPORTER, path, board))
    assert [sample.values.get("win") for sample in run.samples] == [100, 50, 50, 0, None]
    assert statuses(run) == {"scored": 4, "unresolved": 1}
    assert stated(run)["win", None] == mean(run, "win") == 50
    assert stated(run, "standard_error") == {("win", None): 20.4124145231932}
    assert stated(run, "count") == {("win", None): 4}


@pytest.mark.parametrize(("value", "code"), [(0.5, "preference-range"), ("2", "score-not-a-number")])
def test_preferences_of_another_scale_are_refused(tmp_path: Path, value: float, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(alpaca_eval.IMPORTER, write(tmp_path / "a.json", [annotation("a", value)]))
    assert codes(refusal.value) == [code]


@pytest.mark.parametrize(
    ("absent", "found"),
    [("generator_2", "method-unknown"), ("generator_1", "name-absent"), ("instruction", "sample-id")],
)
def test_what_is_null_is_nobody_called_none(tmp_path: Path, absent: str, found: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(alpaca_eval.IMPORTER, write(tmp_path / "a.json", [annotation("a", 2.0, **{absent: None})]))
    assert codes(refusal.value) == [found]


def test_two_judges_are_two_benchmarks(tmp_path: Path) -> None:
    rows = [annotation("a", 2.0), annotation("b", 2.0, annotator="other judge")]
    with pytest.raises(Refusal) as refusal:
        read(alpaca_eval.IMPORTER, write(tmp_path / "a.json", rows))
    assert codes(refusal.value) == ["several-judges"]


def test_real_win_rates_are_those_that_the_leaderboard_states(shared: Path) -> None:
    runs = {run.method.id: run for run in read(alpaca_eval.IMPORTER, shared / "alpaca_eval")}
    assert all(statuses(run) == {"scored": 805} for run in runs.values())
    rates = {name: round(mean(run, "win"), 6) for name, run in runs.items()}
    assert rates == {"alpaca-7b": 2.591451, "claude": 16.985344, "claude-2.1": 15.733507, "gemma-7b-it": 6.937294}


# --- MTEB -------------------------------------------------------------------------------------------------------------


def mteb_task(name: str, score: float) -> dict[str, object]:
    """Return a task's result of one split."""
    entry = {"main_score": score, "hf_subset": "default", "languages": ["eng-Latn"]}
    return {"task_name": name, "dataset_revision": "d1", "mteb_version": "1.0", "scores": {"test": [entry]}}


def test_the_unit_is_a_split_and_subset_and_no_evidence(tmp_path: Path) -> None:
    write(tmp_path / "model_meta.json", {"name": "lab/a", "revision": "r1", "release_date": None})
    write(tmp_path / "Sums.json", mteb_task("Sums", 0.5))
    run = only(read(mteb.IMPORTER, tmp_path))
    assert [(sample.id, sample.content) for sample in run.samples] == [("Sums/test/default", "d1")]
    assert run.aggregate_only
    assert run.method.id == "lab__a"


def test_old_percentages_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "model_meta.json", {"name": "lab/a", "revision": "r1", "release_date": None})
    write(tmp_path / "Sums.json", mteb_task("Sums", 50.0))
    with pytest.raises(Refusal) as refusal:
        read(mteb.IMPORTER, tmp_path)
    assert codes(refusal.value) == ["score-range"]


def test_a_task_file_alone_does_not_say_whose_it_is(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(mteb.IMPORTER, write(tmp_path / "Sums.json", mteb_task("Sums", 0.5)))
    assert codes(refusal.value) == ["model-unknown"]


def test_real_models_of_two_revisions_are_two_methods(shared: Path) -> None:
    runs = read(mteb.IMPORTER, shared / "mteb")
    assert {run.method.id: len(run.samples) for run in runs} == {
        "baai__bge-m3": 271,
        "intfloat__multilingual-e5-base": 289,
        "intfloat__multilingual-e5-large-4dc6d853": 150,
        "intfloat__multilingual-e5-large-ab10c1a7": 122,
        "intfloat__multilingual-e5-small": 267,
        "jinaai__jina-embeddings-v3-215a6e12": 273,
        "jinaai__jina-embeddings-v3-external": 6,
        "sentence-transformers__labse": 289,
        "sentence-transformers__all-minilm-l6-v2": 289,
        "sentence-transformers__all-mpnet-base-v2-84f2bcc0": 159,
        "sentence-transformers__all-mpnet-base-v2-9a322596": 116,
    }


# --- eval-arena -------------------------------------------------------------------------------------------------------


def test_rows_are_split_by_benchmark_and_model(tmp_path: Path) -> None:
    rows = [
        {"benchmark_id": bench, "model": model, "example_id": f"T/{number}", "pass1": number % 2}
        for bench in ("x", "y")
        for model in ("a", "b")
        for number in range(3)
    ]
    runs = read(eval_arena.IMPORTER, write_lines(tmp_path / "rows.jsonl", rows))
    assert [(run.benchmark, run.method.id, mean(run, "pass1")) for run in runs] == [
        (bench, model, 1 / 3) for bench in "xy" for model in "ab"
    ]


def test_a_row_without_outcome_is_unresolved(tmp_path: Path) -> None:
    row = {"benchmark_id": "x", "model": "a", "example_id": "1", "pass1": None}
    assert statuses(only(read(eval_arena.IMPORTER, write_lines(tmp_path / "rows.jsonl", [row])))) == {"unresolved": 1}


def test_a_row_of_no_model_is_refused(tmp_path: Path) -> None:
    row = {"benchmark_id": "x", "model": None, "example_id": "1", "pass1": 1}
    with pytest.raises(Refusal) as refusal:
        read(eval_arena.IMPORTER, write_lines(tmp_path / "rows.jsonl", [row]))
    assert codes(refusal.value) == ["method-unknown"]


def test_the_real_rows_hold_every_example_of_every_model(shared: Path) -> None:
    runs = read(eval_arena.IMPORTER, shared / "eval_arena")
    assert len(runs) == 49
    assert all(statuses(run) == {"scored": 164} for run in runs)
    assert sum(sample.values["pass1"] for run in runs for sample in run.samples) == 4556

"""From logs to a board: recognised once, planned, written never twice, refused where things do not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from logs_made import harness_row, harness_run, inspect_log, inspect_sample, write, write_lines
from tallystick import pipeline
from tallystick.board import Judgement
from tallystick.cli import main
from tallystick.errors import Refusal, TallystickError, UsageError
from tallystick.importing import Plan, add, apply, importers, new, told

NOW = datetime(2030, 1, 1, tzinfo=UTC)
ROWS = [harness_row(index, acc=float(index < 3)) for index in range(4)]
RESULTS = {"sums": {"acc,none": 0.75, "acc_stderr,none": 0.25}}


def judged(root: Path) -> dict[str, Judgement]:
    """Verify a board and return the judgements by method."""
    dockets = pipeline.check(root, NOW, lambda text: None).dockets
    assert not [unread for docket in dockets for unread in docket.unread]
    return {item.report.method.id: item for docket in dockets for item in docket.judgements}


def first(error: TallystickError) -> str:
    """Return the code of the first problem."""
    return error.problems[0].code


# --- what a file is ---------------------------------------------------------------------------------------------------


def test_a_file_of_no_format_is_refused_saying_what_was_seen(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"model": "a", "accuracy": 0.5})
    with pytest.raises(Refusal) as refusal:
        add([tmp_path], tmp_path)
    problem = refusal.value.problems[0]
    assert (problem.code, problem.found) == ("format-unknown", "JSON with the keys model, accuracy")
    assert all(importer.id in problem.expected for importer in importers())


def test_a_file_of_two_formats_is_refused_unless_one_is_named(tmp_path: Path) -> None:
    both = {"trial_name": "t", "task_id": "a", "is_resolved": True}
    write(tmp_path / "a.json", {**both, "folder": "f", "name": "n", "resolved": 50.0})
    with pytest.raises(Refusal) as refusal:
        add([tmp_path], tmp_path)
    assert first(refusal.value) == "format-ambiguous"
    assert refusal.value.problems[0].found == "swebench (metadata) and terminal_bench (trial)"


def test_an_unknown_format_is_a_usage_error(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {})
    with pytest.raises(UsageError):
        add([tmp_path], tmp_path, format_id="excel")


def test_files_that_describe_runs_but_hold_none_make_no_empty_plan(tmp_path: Path) -> None:
    facts = {"run_id": "r", "dataset_name": "core", "agent_name": "agent"}
    write(tmp_path / "logs/run_metadata.json", facts)
    with pytest.raises(Refusal) as refusal:
        new([tmp_path / "logs"], tmp_path / "board")
    assert str(refusal.value).startswith(
        "run_metadata.json: expected a run with samples, of terminal-bench trials, found metadata alone."
    )
    assert first(refusal.value) == "run-absent"
    write_lines(tmp_path / "logs/scores.jsonl", [{"method": "a", "sample_id": "1", "score": 1}])
    assert new([tmp_path / "logs"], tmp_path / "board").ignored == ("run_metadata.json",)


def test_no_real_log_is_recognised_twice(shared: Path) -> None:
    from tallystick.logs import gather

    folders = ["lm_eval", "inspect", "helm", "every_eval_ever", "swebench", "alpaca_eval", "terminal_bench"]
    for file in gather([shared / name for name in (*folders, "eval_arena", "mteb")]):
        claims = [importer.id for importer in importers() if importer.recognises(file)]
        assert len(claims) <= 1, (file.name, claims)


# --- the plan ---------------------------------------------------------------------------------------------------------


def test_the_first_log_makes_a_benchmark_that_admits_it(tmp_path: Path) -> None:
    logs, root = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS), tmp_path / "board"
    plan = new([logs], root, title="Sums & more")
    assert apply(plan) == (
        "content/site.yaml",
        "results/sums/samples.jsonl",
        "results/sums/benchmark.yaml",
        "results/sums/reports/lab__model-a.json",
    )
    judgement = judged(root)["lab__model-a"]
    assert judgement.outcome == "admitted"
    assert {item.verdict for item in judgement.reconciliations} <= {"exact", "agrees"}
    assert len(judgement.reconciliations) == 3


def test_editors_are_told_where_a_built_site_holds_the_schemas(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(new([harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)], root))
    assert main(["build", "--root", str(root), "--no-cache"]) == 0
    for settings in (root / "content/site.yaml", root / "results/sums/benchmark.yaml"):
        line, _, rest = settings.read_text("utf-8").partition("\n")
        schema = settings.parent / line.removeprefix("# yaml-language-server: $schema=")
        Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(yaml.safe_load(rest))


def test_a_plan_writes_nothing_by_itself(tmp_path: Path) -> None:
    new([harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)], tmp_path / "board")
    assert not (tmp_path / "board").exists()


def test_adding_the_same_log_again_changes_nothing(tmp_path: Path) -> None:
    logs, root = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS), tmp_path / "board"
    apply(add([logs], root))
    again = add([logs], root)
    assert again.files == ()
    assert again.unchanged == ("results/sums/reports/lab__model-a.json",)


def test_another_log_of_the_same_method_never_overwrites(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(add([harness_run(tmp_path / "a", {"sums": ROWS}, RESULTS)], root))
    better = [harness_row(index, acc=1.0) for index in range(4)]
    logs = harness_run(tmp_path / "b", {"sums": better}, {"sums": {"acc,none": 1.0}})
    with pytest.raises(Refusal) as refusal:
        add([logs], root)
    assert first(refusal.value) == "file-exists"
    assert apply(add([logs], root, method="model-a-again")) == ("results/sums/reports/model-a-again.json",)
    assert {item.outcome for item in judged(root).values()} == {"admitted"}


def test_applying_stops_before_a_file_that_appeared_meanwhile_and_leaves_nothing(tmp_path: Path) -> None:
    root = tmp_path / "board"
    plan = add([harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)], root)
    write(root / plan.files[-1].path, {})
    with pytest.raises(UsageError) as error:
        apply(plan)
    assert first(error.value) == "file-exists"
    assert [path.name for path in root.rglob("*") if path.is_file()] == ["lab__model-a.json"]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "board"
    plan = add([harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)], root)
    (tmp_path / "elsewhere").mkdir()
    root.mkdir()
    (root / "results").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refusal):
        apply(plan)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_new_refuses_a_benchmark_that_exists(tmp_path: Path) -> None:
    logs, root = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS), tmp_path / "board"
    apply(new([logs], root))
    with pytest.raises(UsageError) as error:
        new([logs], root)
    assert first(error.value) == "benchmark-exists"


def test_the_same_logs_give_the_same_bytes_whatever_their_order(tmp_path: Path) -> None:
    for name in ("a", "b"):
        harness_run(tmp_path / name, {"sums": ROWS}, RESULTS, f"lab/{name}")
    paths = [tmp_path / "a", tmp_path / "b"]
    ahead, behind = add(paths, tmp_path), add(paths[::-1], tmp_path)
    assert [(file.path, file.content) for file in ahead.files if "reports" not in file.path] == [
        (file.path, file.content) for file in behind.files if "reports" not in file.path
    ]


# --- against the benchmark --------------------------------------------------------------------------------------------


def test_a_log_that_lacks_samples_has_them_missing(tmp_path: Path) -> None:
    write(tmp_path / "logs/a.json", inspect_log([inspect_sample(name, "C") for name in "abc"], 1.0))
    few = inspect_log([inspect_sample(name, "I") for name in "ab"], 0.0)
    few["eval"] |= {"model": "lab/model-b", "run_id": "run-2"}
    write(tmp_path / "logs/b.json", few)
    root = tmp_path / "board"
    apply(add([tmp_path / "logs"], root))
    assert {name: item.report.statuses for name, item in judged(root).items()} == {
        "lab__model-a": ("scored",) * 3,
        "lab__model-b": ("scored", "scored", "missing"),
    }


def test_a_log_with_samples_that_the_benchmark_lacks_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log([inspect_sample("a", "C")]))], root))
    more = inspect_log([inspect_sample("a", "C"), inspect_sample("b", "C")])
    with pytest.raises(Refusal) as refusal:
        add([write(tmp_path / "b.json", more)], root, method="b")
    assert first(refusal.value) == "sample-unknown"


def test_the_same_ids_with_another_content_are_another_benchmark(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log([inspect_sample("a", "C")]))], root))
    reworded = inspect_log([inspect_sample("a", "C", input="Another question")])
    with pytest.raises(Refusal) as refusal:
        add([write(tmp_path / "b.json", reworded)], root, method="b")
    assert first(refusal.value) == "sample-differs"


def test_another_configuration_is_refused_unless_the_maintainer_says_why_it_may_vary(tmp_path: Path) -> None:
    write(tmp_path / "logs/a.json", inspect_log([inspect_sample("a", "C")]))
    other = inspect_log([inspect_sample("a", "C")], plan={"steps": [{"solver": "think"}]})
    other["eval"] |= {"model": "lab/model-b", "run_id": "run-2"}
    write(tmp_path / "logs/b.json", other)
    with pytest.raises(Refusal) as refusal:
        add([tmp_path / "logs"], tmp_path / "board")
    assert first(refusal.value) == "fingerprint-configuration"
    apply(add([tmp_path / "logs"], tmp_path / "board", varies={"configuration": "the solver is what is compared"}))
    assert {item.outcome for item in judged(tmp_path / "board").values()} == {"admitted"}


def test_a_stated_mean_that_does_not_follow_refuses_the_report(tmp_path: Path) -> None:
    wrong = {"sums": {"acc,none": 0.8, "acc_stderr,none": 0.25}}
    apply(add([harness_run(tmp_path / "logs", {"sums": ROWS}, wrong)], tmp_path / "board"))
    judgement = judged(tmp_path / "board")["lab__model-a"]
    assert judgement.outcome == "refused"
    assert [(item.stated, item.recomputed) for item in judgement.reconciliations if item.verdict == "differs"] == [
        (0.8, 0.75)
    ]


def test_a_known_difference_is_accepted_by_name_only(tmp_path: Path) -> None:
    samples = [inspect_sample("a", "C"), inspect_sample("b", "N")]
    path = write(tmp_path / "a.json", inspect_log(samples, 0.5))  # the log counts the refusal as 0
    apply(add([path], tmp_path / "strict"))
    strict = judged(tmp_path / "strict")["lab__model-a"]
    assert strict.outcome == "refused"
    assert {problem.code for problem in strict.problems} == {"difference-not-accepted"}
    apply(add([path], tmp_path / "board", accepts=["inspect-refusal-is-zero"]))
    accepted = judged(tmp_path / "board")["lab__model-a"]
    assert accepted.outcome == "admitted"
    assert any("stated as 0.5" in text for text in accepted.report.unverified)


def test_standard_errors_and_groups_are_reconciled_too(tmp_path: Path) -> None:
    tasks = {"sums_a": ROWS, "sums_b": ROWS[:2]}
    results = {
        "sums_a": {"acc,none": 0.75, "acc_stderr,none": 0.3},
        "sums_b": {"acc,none": 1.0},
        "sums": {"acc,none": 1},
    }
    more = {"groups": {"sums": {}}, "group_subtasks": {"sums": ["sums_a", "sums_b"]}}
    apply(add([harness_run(tmp_path / "logs", tasks, results, **more)], tmp_path / "board"))
    judgement = judged(tmp_path / "board")["lab__model-a"]
    differing = {item.where.split(" ")[1] for item in judgement.reconciliations if item.verdict == "differs"}
    assert differing == {"/stated/acc/by/task/sums_a/standard_error", "/stated/acc/estimate"}
    assert sum(item.verdict == "exact" for item in judgement.reconciliations) == 4


def test_two_logs_of_one_method_are_told_apart_by_the_person(tmp_path: Path) -> None:
    for name in ("a", "b"):
        harness_run(tmp_path / name, {"sums": ROWS}, RESULTS, config={"model": "hf", "limit": name})
    with pytest.raises(Refusal) as refusal:
        add([tmp_path], tmp_path / "board")
    assert first(refusal.value) == "method-repeated"


def test_a_sample_twice_is_refused_never_averaged(tmp_path: Path) -> None:
    rows = [{"benchmark_id": "x", "model": "a", "example_id": "1", "pass1": value} for value in (1, 0)]
    with pytest.raises(Refusal) as refusal:
        add([write_lines(tmp_path / "a.jsonl", rows)], tmp_path / "board")
    assert first(refusal.value) == "sample-duplicated"


def test_logs_of_several_benchmarks_do_not_fit_under_one_id(tmp_path: Path) -> None:
    for name in ("x", "y"):
        rows = [{"benchmark_id": name, "model": "a", "example_id": "1", "pass1": 1}]
        write_lines(tmp_path / f"{name}.jsonl", rows)
    with pytest.raises(Refusal) as refusal:
        add([tmp_path], tmp_path / "board", benchmark_id="mine")
    assert first(refusal.value) == "benchmark-several"


def test_text_from_logs_cannot_hide_characters(tmp_path: Path) -> None:
    rows = [{"benchmark_id": "x", "model": "evil\u202egpt\x1b[31m", "example_id": "1", "pass1": 1}]
    plan = add([write_lines(tmp_path / "a.jsonl", rows)], tmp_path / "board")
    report = json.loads(plan.files[-1].content)
    assert report["method"]["title"] == "evilgpt[31m"


def test_text_from_logs_cannot_cover_other_lines(tmp_path: Path) -> None:
    rows = [{"benchmark_id": "x", "model": "gpt" + "\u0301" * 60, "example_id": "1", "pass1": 1}]
    plan = add([write_lines(tmp_path / "a.jsonl", rows)], tmp_path / "board")
    report = json.loads(plan.files[-1].content)
    assert report["method"]["title"] == "gpt" + "\u0301" * 4


def test_a_metric_that_the_board_does_not_have_is_left_out_and_named(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log([inspect_sample("a", {"x": 1})]))], root))
    log = inspect_log([inspect_sample("a", {"x": 0, "y": 1})])
    plan = add([write(tmp_path / "b.json", log)], root, method="b")
    assert "note: not metrics of this board, and left out: match.y" in told(plan)
    apply(plan)
    assert judged(root)["b"].outcome == "admitted"


def test_a_sample_without_the_metric_that_orders_the_board_is_unresolved(tmp_path: Path) -> None:
    samples = [inspect_sample("a", {"x": 1, "y": 1}), inspect_sample("b", {"x": 1}), inspect_sample("c", {"y": 1})]
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log(samples))], root))
    judgement = judged(root)["lab__model-a"]
    assert judgement.outcome == "admitted"
    assert judgement.report.statuses == ("scored", "scored", "unresolved")
    assert judgement.report.columns["match.y"].defined.tolist() == [True, False, False]


def test_a_log_that_lacks_a_metric_of_the_board_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log([inspect_sample("a", {"x": 1, "y": 1})]))], root))
    for scores in ({"x": 1}, {"y": 1}):
        with pytest.raises(Refusal) as refusal:
            add([write(tmp_path / "b.json", inspect_log([inspect_sample("a", scores)]))], root, method="b")
        assert first(refusal.value) == "metric-absent"


def test_names_of_metrics_become_ids_and_never_one_for_two(tmp_path: Path) -> None:
    scores = {"F1 Score": 0.5, "f1 score": 0.25, "Stil/Größe": 1}
    root = tmp_path / "board"
    apply(add([write(tmp_path / "a.json", inspect_log([inspect_sample("a", scores)]))], root))
    judgement = judged(root)["lab__model-a"]
    assert judgement.outcome == "admitted"
    found = {metric: column.statistics[0, 0] for metric, column in judgement.report.columns.items()}
    assert found.pop("match.stil__groe") == 1
    assert {metric[:-9] for metric in found} == {"match.f1-score"}
    assert sorted(found.values()) == [0.25, 0.5]


def test_the_benchmark_serves_as_the_list_of_instances(tmp_path: Path) -> None:
    ids = [f"org__repo-{number}" for number in range(4)]
    details = {name: {"resolved": name == ids[0]} for name in ids}
    root = tmp_path / "board"
    apply(add([write(tmp_path / "agent-a/per_instance_details.json", details)], root))
    results = write(tmp_path / "agent-b/results/results.json", {"no_generation": ids[3:], "resolved": ids[:2]})
    with pytest.raises(Refusal) as refusal:
        add([results], root, method="agent-b")
    assert first(refusal.value) == "instances-unknown"
    apply(add([results], root, benchmark_id="swe-bench", method="agent-b"))
    assert judged(root)["agent-b"].report.statuses.count("scored") == 3


# --- in words, and from the terminal ----------------------------------------------------------------------------------


def test_a_plan_tells_what_was_understood(tmp_path: Path) -> None:
    plan = add([harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)], tmp_path / "board")
    text = told(plan)
    for part in (
        "sums: a new benchmark, 4 samples, 1 method",
        "lab__model-a (lm_eval): 4 scored",
        "acc: mean 0.75 over 4",
        "(derived from the log's own hashes of each document and target)",
        "corpus: none: the log has nothing to hash",
        "cannot show: that the model was the one named",
        "To commit (3 files):",
    ):
        assert part in text
    assert "Not understood, and left alone: notes.md" in told(replace(plan, ignored=("notes.md",)))


def test_the_command_writes_nothing_on_a_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)
    arguments = ["add", str(logs), "--root", str(tmp_path / "board")]
    assert main([*arguments, "--dry-run"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert not (tmp_path / "board").exists()
    assert main(arguments) == 0
    assert (tmp_path / "board/results/sums/reports/lab__model-a.json").is_file()


@pytest.mark.parametrize("wrong", [["--option", "epochs"], ["--varies", "luck=x"], ["--method", "Not An Id"]])
def test_wrong_arguments_are_usage_errors(tmp_path: Path, wrong: list[str]) -> None:
    logs = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)
    assert main(["add", str(logs), "--root", str(tmp_path / "board"), *wrong]) == 2


def test_an_option_that_the_format_does_not_have_is_a_usage_error(tmp_path: Path) -> None:
    logs = harness_run(tmp_path / "logs", {"sums": ROWS}, RESULTS)
    with pytest.raises(UsageError) as error:
        add([logs], tmp_path, options={"epochs": "keep"})
    assert first(error.value) == "option-unknown"


# --- real logs --------------------------------------------------------------------------------------------------------


def board_of(root: Path, *paths: Path, **settled: object) -> Plan:
    """Make a board of real logs."""
    plan = new(paths, root, **settled)
    apply(plan)
    return plan


def test_two_commands_lead_from_real_runs_to_a_built_board(shared: Path, tmp_path: Path) -> None:
    assert main(["new", str(shared / "lm_eval"), "--root", str(tmp_path)]) == 0
    assert main(["build", "--root", str(tmp_path)]) == 0
    assert (tmp_path / "site" / "index.html").is_file()
    outcomes = {
        docket.benchmark.id: docket.judgements[0].outcome for docket in pipeline.check(tmp_path, NOW, str).dockets
    }
    assert outcomes == {
        "asdiv": "admitted",
        "math_perturbed_full": "refused",  # ten of five thousand samples, and the log states five thousand
        "negotiationtom-acc": "admitted",
        "negotiationtom_intention": "admitted",
    }


@pytest.mark.parametrize(
    ("names", "methods", "statements"),
    [
        (["inspect/data_arc_qwen.json", "inspect/data_arc_sonnet.json"], 2, 6),
        (["helm"], 1, 8),
        (["swebench"], 11, 1),
        (["alpaca_eval"], 4, 0),
        (["terminal_bench"], 5, 0),
        (["mteb"], 11, 0),
        (["every_eval_ever/hal-swebench-verified-mini"], 33, 0),
    ],
)
def test_every_set_of_real_logs_makes_an_admitted_board(
    shared: Path, tmp_path: Path, names: list[str], methods: int, statements: int
) -> None:
    board_of(tmp_path, *(shared / name for name in names))
    found = judged(tmp_path)
    assert len(found) == methods
    assert {item.outcome for item in found.values()} == {"admitted"}
    verdicts = [item.verdict for judgement in found.values() for item in judgement.reconciliations]
    assert len(verdicts) == statements
    assert set(verdicts) <= {"exact", "agrees"}

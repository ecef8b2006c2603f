"""A board as every_eval_ever records: what comes out validates, says no more than it knows, and comes back the same."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from logs_made import inspect_log, inspect_sample, mean, only, read, stated, write, write_lines
from tallystick import pipeline
from tallystick.board import Board, File
from tallystick.cli import main
from tallystick.exchange import Origin, exchange
from tallystick.importers.every_eval_ever import IMPORTER
from tallystick.importing import add, apply

NOW = datetime(2030, 1, 1, tzinfo=UTC)
ORIGIN = Origin("Lab", "third_party", NOW, "0.1")


def board_of(root: Path, *paths: Path) -> Board:
    """Make and compute a board of logs."""
    apply(add(paths, root))
    (docket,) = pipeline.check(root, NOW, lambda text: None).dockets
    return pipeline.compute(docket)


def made(tmp_path: Path) -> Board:
    """Make a board of one method with a sample that has no score."""
    samples = [inspect_sample("a", "C"), inspect_sample("b", "I"), inspect_sample("c", ...)]
    return board_of(tmp_path / "board", write(tmp_path / "log.json", inspect_log(samples)))


def written(files: tuple[File, ...], folder: Path) -> Path:
    """Write the files of an exchange."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    return folder


def test_what_goes_out_comes_back_the_same(tmp_path: Path) -> None:
    run = only(read(IMPORTER, written(exchange(made(tmp_path), ORIGIN), tmp_path / "out")))
    assert (run.method.id, run.method.title) == ("lab__model-a", "lab/model-a")
    assert {sample.id: sample.values["match"] for sample in run.samples} == {"a": 1, "b": 0}
    assert mean(run, "match") == stated(run)["match", None] == 0.5


def test_a_mean_over_scored_samples_says_so(tmp_path: Path) -> None:
    record = json.loads(exchange(made(tmp_path), ORIGIN)[0].content)
    details = record["evaluation_results"][0]["score_details"]["details"]
    assert details["speaks_of"] == "scored samples only"
    assert (details["samples_scored"], details["samples_unresolved"]) == ("2", "1")
    assert (float(details["worst_case"]), float(details["best_case"])) == (1 / 3, 2 / 3)


def test_the_same_board_gives_the_same_files(tmp_path: Path) -> None:
    board = made(tmp_path)
    assert exchange(board, ORIGIN) == exchange(board, ORIGIN)


def test_a_method_without_developer_has_none_invented(tmp_path: Path) -> None:
    rows = [{"benchmark_id": "x", "model": "solo", "example_id": str(index), "pass1": index % 2} for index in range(4)]
    files = exchange(board_of(tmp_path / "board", write_lines(tmp_path / "rows.jsonl", rows)), ORIGIN)
    assert json.loads(files[0].content)["model_info"]["id"] == "unknown/solo"


def test_the_command_writes_the_records_and_never_overwrites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    made(tmp_path)
    command = ["export", str(tmp_path / "out"), "--root", str(tmp_path / "board"), "--organization", "Lab"]
    assert main(command) == 0
    paths = capsys.readouterr().out.split()
    assert [path.split("/")[:4] for path in paths] == [["data", "quiz", "lab", "model-a"]] * 2
    assert all((tmp_path / "out" / path).is_file() for path in paths)
    assert main(command) == 2


def test_the_command_says_why_it_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path)
    command = ["export", str(tmp_path / "out"), "--organization", "Lab", "--root"]
    assert main([*command, str(tmp_path / "board"), "--benchmark", "quizz"]) == 2
    assert "quizz: expected quiz, found another name" in capsys.readouterr().err
    assert main([*command, str(tmp_path)]) == 2
    assert "results: expected a folder with boards, found none" in capsys.readouterr().err
    (report,) = (tmp_path / "board").glob("results/quiz/reports/*.json")
    report.write_text("{}")
    assert main([*command, str(tmp_path / "board")]) == 0
    assert capsys.readouterr().err == "No report is admitted: nothing was written.\n"


def test_records_and_rows_keep_to_the_published_schemas(shared: Path, tmp_path: Path) -> None:
    schemas = shared / "every_eval_ever" / "schemas"
    aggregate, instance = (
        jsonschema.Draft7Validator(json.loads((schemas / name).read_text(encoding="utf-8")))
        for name in ("HEAD_eval.schema.json", "HEAD_instance_level_eval.schema.json")
    )
    files = exchange(board_of(tmp_path / "board", shared / "swebench"), ORIGIN)
    assert len(files) == 22
    for file in files:
        if file.path.endswith(".jsonl"):
            rows = [json.loads(line) for line in file.content.splitlines()]
            assert len(rows) == 1500  # three metrics of 500 instances
            assert not [error.message for row in rows[::50] for error in instance.iter_errors(row)]
        else:
            assert not [error.message for error in aggregate.iter_errors(json.loads(file.content))]


def test_real_win_rates_survive_the_way_there_and_back(shared: Path, tmp_path: Path) -> None:
    board = board_of(tmp_path / "board", shared / "alpaca_eval")
    runs = read(IMPORTER, written(exchange(board, ORIGIN), tmp_path / "out"))
    there = {entry.method: entry.estimates["win"].value for entry in board.entries}
    back = {run.method.id.removeprefix("unknown__"): mean(run, "win") for run in runs}
    assert there == back
    assert math.isclose(back["claude"], 16.985343612360253)

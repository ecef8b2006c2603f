"""Plain tables: long and wide, CSV, JSON Lines and Parquet, with columns mapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from logs_made import codes, only, statuses, write_lines
from tallystick.errors import Refusal
from tallystick.imported import ImportedRun, ImportOptions, Recognised
from tallystick.importers.plain_table import IMPORTER
from tallystick.logs import gather


def read(path: Path, **options: str) -> tuple[ImportedRun, ...]:
    """Read a table as if its format had been named."""
    (file,) = gather([path])
    assert IMPORTER.forced is not None
    return IMPORTER.read((Recognised(file, IMPORTER.forced(file) or ""),), ImportOptions(values=options))


def csv(tmp_path: Path, text: str) -> Path:
    """Write a CSV file."""
    path = tmp_path / "quiz.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_long_table_has_a_row_for_each_method_and_sample(tmp_path: Path) -> None:
    runs = read(
        csv(tmp_path, "method,task,sample_id,score,cluster\nNA,t,1,1,x\nNA,t,2,0,x\nNone,t,1,0.5,\nNone,t,2,,\n")
    )
    assert [(run.method.title, run.benchmark, statuses(run)) for run in runs] == [
        ("NA", "t", {"scored": 2}),
        ("None", "t", {"scored": 1, "missing": 1}),
    ]
    assert [sample.cluster for sample in runs[0].samples] == ["x", "x"]
    assert not runs[0].metrics[0].binary  # another method has 0.5


def test_a_wide_table_has_a_column_for_each_method(tmp_path: Path) -> None:
    runs = read(csv(tmp_path, "sample_id,topic,a,b\n1,x,1,0\n2,y,,1\n"), axes="topic", layout="wide")
    assert {run.method.id: statuses(run) for run in runs} == {"a": {"scored": 1, "missing": 1}, "b": {"scored": 2}}
    assert runs[0].samples[0].axes == {"topic": "x"}
    assert runs[0].benchmark == "quiz"


def test_a_column_of_text_in_a_wide_table_is_told_how_to_become_an_axis(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(csv(tmp_path, "sample_id,topic,a\n1,x,1\n"))
    assert codes(refusal.value) == ["score-not-a-number"]
    assert "if the column is no method's: --option axes=topic" in str(refusal.value)


@pytest.mark.parametrize("row", [{"sample_id": "2", "score": 1}, {"method": None, "sample_id": "2", "score": 1}])
def test_a_row_of_no_method_is_refused_not_given_to_one_called_none(tmp_path: Path, row: dict[str, object]) -> None:
    with pytest.raises(Refusal) as refusal:
        read(write_lines(tmp_path / "rows.jsonl", [{"method": "a", "sample_id": "1", "score": 1}, row]))
    assert codes(refusal.value) == ["method-unknown"]


def test_statuses_are_read_and_held_against_scores(tmp_path: Path) -> None:
    head = "method,sample_id,score,status\n"
    run = only(read(csv(tmp_path, f"{head}a,1,1,scored\na,2,,abstained\na,3,,invalid\na,4,,\n")))
    assert statuses(run) == {"scored": 1, "abstained": 1, "invalid": 1, "missing": 1}
    for row in ("a,1,1,abstained", "a,1,,scored", "a,1,1,passed"):
        with pytest.raises(Refusal) as refusal:
            read(csv(tmp_path, f"{head}{row}\n"))
        assert codes(refusal.value) == ["status-unknown"]


def test_columns_are_mapped_and_several_scores_are_several_metrics(tmp_path: Path) -> None:
    path = csv(tmp_path, "system,item,acc,seconds\na,1,1,2.5\na,2,0,3.5\n")
    run = only(read(path, method="system", sample_id="item", score="acc,seconds", lower="0", direction="lower"))
    assert [(metric.id, metric.lower, metric.upper) for metric in run.metrics] == [
        ("acc", 0, 1),
        ("seconds", 0, None),
    ]
    assert {metric.direction for metric in run.metrics} == {"lower"}


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        read(csv(tmp_path, "system,item,acc\na,1,1\n"), score="accuracy", layout="long")
    assert codes(refusal.value) == ["columns-absent"]
    assert refusal.value.problems[0].expected == "the columns sample_id, method, accuracy"


@pytest.mark.parametrize("cell", ["nan", "inf", "-Infinity", "1e999", "yes", "1,5"])
def test_cells_that_are_no_finite_number_are_refused(tmp_path: Path, cell: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(csv(tmp_path, f'method,sample_id,score\na,1,"{cell}"\n'))
    assert codes(refusal.value) == ["score-not-a-number"]
    assert refusal.value.problems[0].where == "quiz.csv row 2 score"


def test_weights_are_refused_unless_they_weigh_nothing(tmp_path: Path) -> None:
    head = "method,sample_id,score,weight\n"
    assert statuses(only(read(csv(tmp_path, f"{head}a,1,1,1\n")))) == {"scored": 1}
    with pytest.raises(Refusal) as refusal:
        read(csv(tmp_path, f"{head}a,1,1,2\n"))
    assert codes(refusal.value) == ["weight-unsupported"]


def test_json_lines_keep_their_types(tmp_path: Path) -> None:
    rows = [{"method": "a", "sample_id": 1, "score": True}, {"method": "a", "sample_id": 2, "score": None}]
    assert statuses(only(read(write_lines(tmp_path / "t.jsonl", rows)))) == {"scored": 1, "missing": 1}


def test_parquet_is_read_where_its_reader_is_installed(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"method": ["a", "NA"], "sample_id": ["1", "1"], "score": [0.5, None]}), path)
    assert {run.method.title: statuses(run) for run in read(path)} == {"a": {"scored": 1}, "NA": {"missing": 1}}


def test_a_parquet_bomb_is_refused_by_its_own_account(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    numbers = pa.array(range(9_000_000))
    parquet.write_table(pa.table({"sample_id": numbers, "a": numbers}), path, use_dictionary=False)
    with pytest.raises(Refusal) as refusal:
        read(path)
    assert codes(refusal.value) == ["file-too-large"]


def test_broken_parquet_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 50 + b"PAR1")
    with pytest.raises(Refusal) as refusal:
        read(path)
    assert codes(refusal.value) == ["parquet-broken"]

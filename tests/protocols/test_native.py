"""The native report: what it becomes, and that no change of it passes its seal (tests/faults holds the refusals)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import metrics
from tallystick.digest import canonical, seal, sha256
from tallystick.errors import Refusal
from tallystick.model import Benchmark, Blob, Bundle, CountOf, IntervalOf, MeanOf, MetricKind, Report
from tallystick.protocols.native import PROTOCOL
from tallystick.registry import collect
from tallystick.settings import load_benchmark
from tallystick.strict import json_object

BOARD = Path(__file__).parents[1] / "faults/board"
HONEST = (BOARD / "results/tiny/reports/honest.json").read_bytes()


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_benchmark(BOARD, "tiny", [PROTOCOL], collect(metrics, "METRIC", MetricKind))


def blob(path: str, content: bytes) -> Blob:
    return Blob(path, sha256(content), content)


def sealed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(HONEST)
    change(document)
    document["seal"] = seal(document)
    return json.dumps(document).encode()


def read(benchmark: Benchmark, content: bytes, *beside: Blob) -> Report:
    bundles, unread = PROTOCOL.assemble((blob("reports/honest.json", content), *beside), benchmark)
    assert unread == ()
    return PROTOCOL.read(bundles[0], benchmark)


def test_rows_become_statuses_and_columns(benchmark: Benchmark) -> None:
    report = read(benchmark, HONEST)
    assert report.ids == tuple(f"sample-{number}" for number in range(1, 7))
    assert report.statuses == ("scored",) * 5 + ("abstained",)
    assert set(report.columns) == {"accuracy", "quality", "conflict_f1"}, "the abstention rate needs no column"
    quality = report.columns["quality"]
    assert quality.statistics.tolist() == [[0.125], [1.0], [0.25], [0.75], [0.0], [0.0]]
    assert quality.defined.tolist() == [True] * 5 + [False]
    assert report.columns["conflict_f1"].statistics.tolist()[1] == [1.0, 2.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        quality.statistics[0, 0] = 1.0


def test_who_when_and_what_with(benchmark: Benchmark) -> None:
    report = read(benchmark, HONEST)
    assert (report.method.id, report.method.title) == ("honest", "Honest")
    assert report.run.finished == datetime(2026, 11, 1, 12, tzinfo=UTC)
    elsewhere = read(benchmark, sealed(lambda document: document["run"].update(finished="2026-11-01T23:00:00+11:00")))
    assert str(elsewhere.run.finished) == str(report.run.finished), "the order of finishing is that of the text"
    assert (report.run.complete, report.run.partial, report.run.demo) == (True, False, False)
    assert report.fingerprint.implementation == "honest-1"
    assert report.provenance["seal"] == json.loads(HONEST)["seal"]


def test_a_moment_before_the_calendar_refuses_one_report_and_stops_nothing(benchmark: Benchmark) -> None:
    with pytest.raises(Refusal, match=r"/run/finished: expected a date and time that exist"):
        read(benchmark, sealed(lambda document: document["run"].update(finished="0001-01-01T00:00:00+14:00")))


def test_stated_numbers_say_what_they_follow_from(benchmark: Benchmark) -> None:
    stated = {"accuracy": {"estimate": 0.4, "lower": 0.0, "upper": 0.8, "seed": 0, "n": 5}}
    report = read(benchmark, sealed(lambda document: document.update(stated=stated, counts={"abstained": 1})))
    assert {item.where.partition(" ")[2]: (item.value, item.quantity) for item in report.stated} == {
        "/stated/accuracy/estimate": (0.4, MeanOf("accuracy")),
        "/stated/accuracy/lower": (0.0, IntervalOf("accuracy", "lower", "stratified", 2000, 0, 0.95)),
        "/stated/accuracy/upper": (0.8, IntervalOf("accuracy", "upper", "stratified", 2000, 0, 0.95)),
        "/stated/accuracy/n": (5, CountOf(metric="accuracy")),
        "/counts/abstained": (1, CountOf(status="abstained")),
    }


def test_samples_beside_a_report_are_the_same_as_inside(benchmark: Benchmark) -> None:
    rows = json.loads(HONEST)["samples"]
    lines = "".join(json.dumps(row) + "\r\n" for row in rows).encode()
    named = {"path": "honest.jsonl", "sha256": sha256(lines)}
    outside = read(
        benchmark, sealed(lambda document: document.update(samples=named)), blob("reports/honest.jsonl", lines)
    )
    inside = read(benchmark, HONEST)
    assert outside.ids == inside.ids
    assert outside.scores_digest == inside.scores_digest
    assert outside.columns["quality"].statistics.tolist() == inside.columns["quality"].statistics.tolist()
    assert [source.path for source in outside.sources] == ["reports/honest.json", "reports/honest.jsonl"]


def test_null_is_a_value_only_of_an_optional_metric(benchmark: Benchmark) -> None:
    report = sealed(lambda document: document["samples"][0].update(quality=None))
    with pytest.raises(Refusal, match=r"/samples/0/quality: expected a number, found null"):
        read(benchmark, report)
    metrics = tuple(replace(metric, optional=metric.id == "quality") for metric in benchmark.metrics)
    found = read(replace(benchmark, metrics=metrics), report).columns["quality"]
    assert found.defined.tolist() == [False, True, True, True, True, False]


def test_white_space_and_order_of_keys_do_not_break_the_seal(benchmark: Benchmark) -> None:
    document = dict(reversed(json.loads(HONEST).items()))
    assert (
        read(benchmark, json.dumps(document, indent=7).encode()).scores_digest == read(benchmark, HONEST).scores_digest
    )


def test_an_address_of_the_schema_is_allowed(benchmark: Benchmark) -> None:
    assert read(benchmark, sealed(lambda document: document.update({"$schema": "../report.schema.json"}))).ids


def test_only_files_of_the_folder_of_reports_are_taken(benchmark: Benchmark) -> None:
    files = (blob("reports/honest.json", HONEST), blob("LICENSE", b"x"), blob("reports/x/y.txt", b"x"))
    bundles, unread = PROTOCOL.assemble(files, benchmark)
    assert [bundle.path for bundle in bundles] == ["reports/honest.json"]
    assert [item.path for item in unread] == ["reports/x/y.txt"]


@settings(deadline=None)
@given(position=st.integers(0, len(HONEST) - 1), byte=st.integers(0, 255), removed=st.integers(0, 3))
def test_no_change_passes_the_seal(benchmark: Benchmark, position: int, byte: int, removed: int) -> None:
    """Whatever a byte is changed to: refused, or the same content written differently."""
    changed = HONEST[:position] + bytes([byte]) + HONEST[position + removed :]
    try:
        PROTOCOL.read(Bundle("reports/honest.json", {"report": blob("reports/honest.json", changed)}), benchmark)
    except Refusal as refusal:
        assert refusal.problems
    else:
        assert canonical(json_object(changed, "")) == canonical(json_object(HONEST, ""))


def test_what_a_report_says_of_itself_never_reads_like_what_was_verified(benchmark: Benchmark) -> None:
    claimed = {"seal": "f" * 64, "Verified down to": "the ground"}
    report = read(benchmark, sealed(lambda it: it.update(provenance=claimed)))
    assert report.provenance["seal"] != "f" * 64
    assert "Verified down to" not in report.provenance
    assert report.provenance["Verified down to (as stated)"] == "the ground"

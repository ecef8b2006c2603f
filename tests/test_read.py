"""Reading: bytes once, hashed, recognised, and one bad file never hides another."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tallystick import metrics, protocols
from tallystick.digest import sha256
from tallystick.discover import discover
from tallystick.model import Benchmark, BenchmarkFolder, Bundle, MetricKind, Protocol, Report
from tallystick.protocols.native import PROTOCOL
from tallystick.read import load, read
from tallystick.registry import collect
from tallystick.settings import load_benchmark

KINDS = collect(metrics, "METRIC", MetricKind)
PROTOCOLS = collect(protocols, "PROTOCOL", Protocol)


@pytest.fixture
def tiny(root: Path, tmp_path: Path) -> Path:
    shutil.copytree(root / "tests/faults/board", tmp_path / "root")
    return tmp_path / "root/results/tiny"


def settled(tiny: Path) -> tuple[BenchmarkFolder, Benchmark]:
    root = tiny.parents[1]
    return discover(root).folders[0], load_benchmark(root, "tiny", PROTOCOLS, KINDS)


def test_bytes_are_hashed_as_they_are_and_own_files_left_out(tiny: Path) -> None:
    (tiny / "raw.bin").write_bytes(b"\x00\xff\r\n")
    blobs, unread = load(*settled(tiny))
    assert {blob.path: blob.digest for blob in blobs} == {
        "raw.bin": sha256(b"\x00\xff\r\n"),
        "reports/honest.json": sha256((tiny / "reports/honest.json").read_bytes()),
    }
    assert unread == ()


def test_a_report_knows_its_sources(tiny: Path) -> None:
    (report,), unread = read(*settled(tiny), PROTOCOLS)
    content = (tiny / "reports/honest.json").read_bytes()
    assert [(source.path, source.digest, source.size) for source in report.sources] == [
        ("reports/honest.json", sha256(content), len(content))
    ]
    assert unread == ()


def test_a_report_of_another_kind_says_which(tiny: Path) -> None:
    (tiny / "reports/subject.json").write_text('{"format": "tallystick-report/1"}')
    other = replace(PROTOCOL, id="other", title="Another kind", recognises=lambda document: "schema" in document)
    (tiny / "reports/other.json").write_text('{"schema": "x-v1"}')
    _, unread = read(*settled(tiny), [PROTOCOL, other])
    found = {item.path: [problem.found for problem in item.problems] for item in unread}
    assert found["reports/other.json"] == ['a report of another kind: Another kind (`schema` is the text "x-v1")']


def test_a_report_that_two_kinds_claim_is_refused(tiny: Path) -> None:
    greedy = replace(PROTOCOL, id="greedy", title="Greedy kind", recognises=lambda document: True)
    reports, unread = read(*settled(tiny), [PROTOCOL, greedy])
    assert reports == ()
    assert [problem.code for item in unread for problem in item.problems] == ["format-unknown"]


def failing(bundle: Bundle, benchmark: Benchmark) -> Report:
    if bundle.path.endswith("subject.json"):
        raise ZeroDivisionError("division by zero")
    return PROTOCOL.read(bundle, benchmark)


def recognising_badly(document: Mapping[str, Any]) -> bool:
    return bool(document["method"]["id"] != "subject" or document["absent"])


@pytest.mark.parametrize("protocol", [replace(PROTOCOL, read=failing), replace(PROTOCOL, recognises=recognising_badly)])
def test_a_fault_of_ours_costs_one_report_and_is_told_as_ours(tiny: Path, protocol: Protocol) -> None:
    honest = (tiny / "reports/honest.json").read_text()
    (tiny / "reports/subject.json").write_text(honest.replace('"honest"', '"subject"'))
    reports, unread = read(*settled(tiny), [protocol])
    assert [report.method.id for report in reports] == ["honest"]
    (problem,) = (problem for item in unread for problem in item.problems)
    assert problem.code == "internal-error"
    assert problem.where == "reports/subject.json"


def test_memory_that_is_exhausted_is_no_fault_of_a_report(tiny: Path) -> None:
    def exhausting(*_: object) -> Any:  # noqa: ANN401
        raise MemoryError

    for protocol in (
        replace(PROTOCOL, read=exhausting),
        replace(PROTOCOL, recognises=exhausting),
        replace(PROTOCOL, assemble=exhausting),
    ):
        with pytest.raises(MemoryError):
            read(*settled(tiny), [protocol])


def test_a_fault_in_joining_names_every_report(tiny: Path) -> None:
    def assemble(*_: object) -> Any:  # noqa: ANN401
        raise KeyError("role")

    reports, unread = read(*settled(tiny), [replace(PROTOCOL, assemble=assemble)])
    assert reports == ()
    assert [(item.path, item.problems[0].code) for item in unread] == [("reports/honest.json", "internal-error")]

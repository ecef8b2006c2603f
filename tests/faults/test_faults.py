"""One fixture for each fault, named by it; the whole message stands beside it in a text file.

`board/` is a benchmark of six samples with one honest report. A fixture of `reports/` joins it as `reports/subject.json`
(a folder of that name brings the sample file too), one of `settings/` takes the place of its benchmark.yaml. Whatever
the fault, the honest report must still be read. An empty text file means: nothing is wrong with this one.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tallystick import metrics, protocols
from tallystick.discover import discover
from tallystick.errors import SettingsError
from tallystick.model import Benchmark, MetricKind, Protocol
from tallystick.read import read
from tallystick.registry import collect
from tallystick.settings import load_benchmark
from tallystick.verify import verify

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 30, tzinfo=UTC)
KINDS = collect(metrics, "METRIC", MetricKind)
PROTOCOLS = collect(protocols, "PROTOCOL", Protocol)

REPORTS = sorted(path.stem for path in (HERE / "reports").glob("*.txt"))
SETTINGS = sorted(path.stem for path in (HERE / "settings").glob("*.txt"))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "board", tmp_path / "root")
    return tmp_path / "root/results/tiny"


def settled(tiny: Path) -> Benchmark:
    return load_benchmark(tiny.parents[1], "tiny", PROTOCOLS, KINDS)


def messages(tiny: Path) -> str:
    """Return every problem of the board, one a line, after checking that the honest report has none."""
    folder = discover(tiny.parents[1]).folders[0]
    benchmark = settled(tiny)
    protocol = next(item for item in PROTOCOLS if item.id == benchmark.protocol)
    reports, unread = read(folder, benchmark, PROTOCOLS)
    lines = [str(problem) for item in unread for problem in item.problems]
    for report, found in zip(reports, verify(reports, benchmark, NOW), strict=True):
        problems = (*found, *protocol.check(report, benchmark, reports))
        if report.method.id == "honest":
            assert problems == ()
        lines += [str(problem) for problem in problems]
    assert "honest" in {report.method.id for report in reports}
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("fault", REPORTS)
def test_a_faulty_report_is_refused_with_its_whole_message(fault: str, tiny: Path) -> None:
    fixture = HERE / "reports" / fault
    if fixture.is_dir():
        shutil.copytree(fixture, tiny / "reports", dirs_exist_ok=True)
    else:
        shutil.copyfile(fixture.with_suffix(".json"), tiny / "reports/subject.json")
    assert messages(tiny) == fixture.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", SETTINGS)
def test_a_mistake_in_settings_names_file_line_and_key(fault: str, tiny: Path) -> None:
    fixture = HERE / "settings" / f"{fault}.yaml"
    shutil.copyfile(fixture, tiny / "benchmark.yaml")
    with pytest.raises(SettingsError) as raised:
        settled(tiny)
    assert f"{raised.value}\n" == fixture.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_fixture_has_its_message() -> None:
    for kind, fixtures in (("reports", REPORTS), ("settings", SETTINGS)):
        names = {path.stem for path in (HERE / kind).iterdir()}
        assert names == set(fixtures), f"fixtures without a message, or messages without a fixture, in {kind}"

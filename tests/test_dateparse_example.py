"""The example benchmark is what it says: samples, gold, reports and pins follow from the files beside them."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tallystick.digest import seal

FOLDER = Path(__file__).resolve().parents[1] / "results" / "dateparse"
SAMPLES = [json.loads(line) for line in (FOLDER / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
REPORTS = {path.stem: json.loads(path.read_bytes()) for path in sorted((FOLDER / "reports").glob("*.json"))}
PINNED = yaml.safe_load((FOLDER / "benchmark.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Import a script of the folder as Python would when running it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module
    for name in ("make_samples", "formats", "measure", "methods"):
        sys.modules.pop(name, None)


def test_samples_are_made_again_byte_for_byte(script: Callable[[str], ModuleType]) -> None:
    assert script("make_samples").content() == (FOLDER / "samples.jsonl").read_bytes()


def test_ids_and_texts_are_unique_and_ids_sorted() -> None:
    ids = [row["id"] for row in SAMPLES]
    assert ids == sorted(set(ids))
    assert len({row["text"] for row in SAMPLES}) == len(SAMPLES) >= 400


def test_families_are_many_and_unequal_and_no_instant_stands_alone() -> None:
    families = Counter(row["family"] for row in SAMPLES)
    assert len(families) >= 8
    assert len(set(families.values())) >= 8
    assert min(Counter(row["instant"] for row in SAMPLES).values()) >= 2


def test_gold_is_absent_exactly_where_a_reason_is_given() -> None:
    reasons = json.loads((FOLDER / "task.json").read_text(encoding="utf-8"))["no_single_reading"]
    for row in SAMPLES:
        assert row["ambiguous"] == (row["gold"] is None) == (row["reason"] is not None)
        assert row["reason"] is None or row["reason"] in reasons
    assert {row["reason"] for row in SAMPLES} == {None, *reasons}


def test_all_gold_of_an_instant_lies_within_the_minute_that_formats_cut() -> None:
    instants = defaultdict(list)
    for row in SAMPLES:
        if row["gold"]:
            instants[row["instant"]].append(datetime.fromisoformat(row["gold"]))
    for golds in instants.values():
        assert max(golds) - min(golds) < timedelta(minutes=1)


PATTERNS = {
    "iso-z": "%Y-%m-%dT%H:%M:%S%z",
    "iso-offset": "%Y-%m-%dT%H:%M:%S%z",
    "iso-offset-plain": "%Y-%m-%dT%H:%M:%S%z",
    "iso-comma": "%Y-%m-%dT%H:%M:%S,%f%z",
    "iso-minute": "%Y-%m-%dT%H:%M%z",
    "iso-lower": "%Y-%m-%dt%H:%M:%Sz",
    "iso-space": "%Y-%m-%d %H:%M:%S%z",
    "iso-micro": "%Y-%m-%dT%H:%M:%S.%f%z",
    "iso-ordinal": "%Y-%jT%H:%M:%S%z",
    "iso-week": "%G-W%V-%uT%H:%M:%S%z",
    "iso-basic-offset": "%Y%m%dT%H%M%S%z",
    "git-strict": "%Y-%m-%dT%H:%M:%S%z",
    "git-iso": "%Y-%m-%d %H:%M:%S %z",
    "git-default": "%a %b %d %H:%M:%S %Y %z",
    "git-rfc": "%a, %d %b %Y %H:%M:%S %z",
    "js-iso": "%Y-%m-%dT%H:%M:%S.%f%z",
    "js-string": "%a %b %d %Y %H:%M:%S GMT%z",
    "js-utc": "%a, %d %b %Y %H:%M:%S GMT",
    "syslog-5424": "%Y-%m-%dT%H:%M:%S.%f%z",
    "file-basic": "%Y%m%dT%H%M%S%z",
    "file-dashes": "%Y-%m-%dT%H-%M-%S%z",
    "file-utc": "%Y-%m-%d_%H-%M-%S_UTC",
    "mail": "%a, %d %b %Y %H:%M:%S %z",
    "mail-comment": "%a, %d %b %Y %H:%M:%S %z",
    "mail-bare": "%d %b %Y %H:%M:%S %z",
    "mail-minute": "%a, %d %b %Y %H:%M %z",
    "mail-minus-zero": "%a, %d %b %Y %H:%M:%S %z",
    "http": "%a, %d %b %Y %H:%M:%S GMT",
    "http-850": "%A, %d-%b-%y %H:%M:%S GMT",
    "cookie": "%a, %d-%b-%Y %H:%M:%S GMT",
    "clf": "%d/%b/%Y:%H:%M:%S %z",
    "clf-brackets": "[%d/%b/%Y:%H:%M:%S %z]",
    "openssl": "%b %d %H:%M:%S %Y GMT",
    "journal": "%a %Y-%m-%d %H:%M:%S UTC",
    "oracle": "%d-%b-%y %I.%M.%S.%f %p %z",
    "asn1-generalized": "%Y%m%d%H%M%S%z",
    "asn1-utctime": "%y%m%d%H%M%S%z",
    "exif": "%Y:%m:%d %H:%M:%S%z",
    "sheet-slashes": "%m/%d/%Y %H:%M:%S UTC",
    "sheet-day-first": "%d/%m/%Y %H:%M:%S UTC",
    "sheet-dots": "%d.%m.%Y %H:%M:%S UTC",
    "sheet-year-first": "%Y/%m/%d %H:%M:%S %z",
    "prose-american": "%B %d, %Y at %I:%M %p UTC",
    "prose-british": "%d %B %Y, %H:%M UTC",
}


TICKS = {"epoch": 1, "epoch-at": 1, "git-raw": 1, "nginx-msec": 1000, "js-now": 1000}


def test_unambiguous_strings_read_back_as_their_gold() -> None:
    checked: Counter[str] = Counter()
    for row in SAMPLES:
        style = row["id"].split("-", 1)[1]
        if row["gold"] and style in {*PATTERNS, *TICKS}:
            assert _read_back(row["text"], style) == datetime.fromisoformat(row["gold"]), row["id"]
            checked[style] += 1
    assert set(checked) == {*PATTERNS, *TICKS}
    assert sum(checked.values()) > 0.8 * sum(1 for row in SAMPLES if row["gold"])


def _read_back(text: str, style: str) -> datetime:
    """Read a text by its own format: a pattern of strptime, or a count of ticks since 1970."""
    if style in TICKS:
        ticks = int(text.split()[0].lstrip("@").replace(".", ""))
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ticks * 1000 // TICKS[style])
    found = datetime.strptime(re.sub(r" \(.*\)$", "", text), PATTERNS[style])
    return found.replace(tzinfo=found.tzinfo or UTC)


@pytest.mark.parametrize("method", REPORTS)
def test_reports_are_sealed_and_speak_of_every_sample(method: str) -> None:
    report = REPORTS[method]
    assert report["method"]["id"] == method
    assert report["seal"] == seal(report)
    assert [sample["id"] for sample in report["samples"]] == [row["id"] for row in SAMPLES]


@pytest.mark.parametrize("method", REPORTS)
def test_fields_follow_from_the_status_and_the_gold(method: str) -> None:
    for sample, row in zip(REPORTS[method]["samples"], SAMPLES, strict=True):
        answered = sample["status"] == "scored"
        assert ("correct" in sample) == answered
        assert sample["silently_wrong"] == (1 - sample["correct"] if answered else 0)
        if answered:
            assert sample["solved"] == sample["correct"] <= (row["gold"] is not None)
        else:
            assert sample["solved"] == (sample["status"] == "abstained" and row["gold"] is None)


def test_the_pinned_fingerprint_is_that_of_the_files() -> None:
    parts = {"benchmark": "samples.jsonl", "configuration": "task.json", "implementation": "scoring.py"}
    digests = {part: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for part, name in parts.items()}
    assert PINNED["fingerprint"] == digests | {"corpus": None}
    assert PINNED["samples"]["sha256"] == digests["benchmark"]


def test_exactly_one_report_is_of_the_older_harness_and_one_is_partial() -> None:
    older = hashlib.sha256((FOLDER / "older" / "scoring.py").read_bytes()).hexdigest()
    stale = {name: report for name, report in REPORTS.items() if report["fingerprint"] != PINNED["fingerprint"]}
    assert [report["fingerprint"] for report in stale.values()] == [PINNED["fingerprint"] | {"implementation": older}]
    partial = [report for report in REPORTS.values() if not report["run"]["complete"]]
    assert len(partial) == 1
    statuses = [sample["status"] for sample in partial[0]["samples"]]
    assert "missing" not in statuses[:200]
    assert set(statuses[200:]) == {"missing"}


def test_every_method_has_a_report_and_every_pin_stands_in_the_extra(script: Callable[[str], ModuleType]) -> None:
    methods = script("methods").METHODS
    assert {method.id for method in methods} == set(REPORTS)
    project = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {pin for method in methods for pin in method.requires} == set(project["optional-dependencies"]["dateparse"])


def test_declared_comparisons_name_methods_that_are_there() -> None:
    for comparison in PINNED["comparisons"]:
        assert {comparison["baseline"], *comparison["candidates"]} <= set(REPORTS)


def test_the_readme_shows_the_table_of_the_reports(script: Callable[[str], ModuleType]) -> None:
    assert script("measure").table() in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_string_that_the_prose_quotes_is_a_sample() -> None:
    prose = (FOLDER.parents[1] / "content" / "dateparse.md").read_text(encoding="utf-8")
    quoted = [code for code in re.findall(r"`([^`]+)`", prose) if re.match(r"\d", code)]
    assert len(quoted) >= 6
    assert set(quoted) <= {row["text"] for row in SAMPLES}


def test_a_harness_calls_by_its_name_whatever_a_parser_can_do(script: Callable[[str], ModuleType]) -> None:
    outcome = script("measure").harness("scoring.py").outcome
    gold, right = "2021-03-04T05:06:07.000000Z", datetime(2021, 3, 4, 5, 6, 7, tzinfo=UTC)

    def failing(text: str) -> object:
        raise KeyError(text)

    def status(answer: object, instant: str | None) -> tuple[str, int, int]:
        found = outcome(lambda text: answer, "", instant)
        return found["status"], found["solved"], found["silently_wrong"]

    assert status(right, gold) == ("scored", 1, 0)
    assert status(right + timedelta(microseconds=1), gold) == ("scored", 0, 1)
    assert status(right, None) == ("scored", 0, 1)
    assert status(None, gold) == ("abstained", 0, 0)
    assert status(None, None) == ("abstained", 1, 0)
    assert status(right.replace(tzinfo=None), None) == ("invalid", 0, 0)
    assert status("2021-03-04", gold) == ("invalid", 0, 0)
    assert outcome(failing, "", gold)["status"] == "invalid"


def _remeasured(method: str) -> None:
    """Measure in a process of its own, in another zone and hash seed, writing nothing."""
    strange = os.environ | {"TZ": "Asia/Kolkata", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-B", str(FOLDER / "measure.py"), "--check", method]
    run = subprocess.run(command, capture_output=True, text=True, env=strange, check=False)
    if "skipped" in run.stdout:
        pytest.skip(run.stdout.strip())
    assert (run.returncode, run.stdout) == (0, f"{method}: unchanged\n"), run.stderr


def test_measuring_the_standard_library_again_gives_the_same_report() -> None:
    _remeasured("stdlib")


@pytest.mark.parametrize("method", ["dateutil", "aniso8601", "dateparser-search"])
def test_measuring_a_parser_again_gives_the_same_report(method: str) -> None:
    _remeasured(method)

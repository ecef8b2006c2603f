"""What the models accept the schemas accept; what a schema can refuse of what they refuse, it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from pull_requests_made import report
from tallystick.board import Data
from tallystick.cli import main
from tallystick.digest import seal
from tallystick.pages.schemas import PAGE
from tallystick.schemas import SHAPES, file_name, schema
from tallystick.schemas.report import ReportShape
from tallystick.settings.schema import BenchmarkShape, SiteShape

HERE = Path(__file__).parent
DIGEST = "0" * 64
REPORT = report("mine", range(10), stated={"accuracy": {"estimate": 0.25, "by": {"family": {"a": {"n": 3}}}}})
BENCHMARK = {
    "title": "Small",
    "samples": {"path": "samples.jsonl", "sha256": DIGEST},
    "metrics": [{"id": "accuracy", "title": "Accuracy", "lower": None}],
    "fingerprint": {"corpus": {"varies": "each has its own"}, "benchmark": "x"},
    "comparisons": [{"baseline": "plain", "candidates": "all", "family": "against plain"}],
    "links": {"Paper": "https://example.org/paper"},
    "created": "2026-01-02",
}
SITE = {
    "title": "Ours",
    "base_url": "https://example.org/board",
    "links": [{"text": "Here", "href": "about.html"}, {"text": "There", "href": "https://example.org/"}],
}
GOOD: dict[str, Any] = {"report": REPORT, "benchmark": BENCHMARK, "site": SITE}


def accepts(kind: str, document: object) -> bool:
    return bool(jsonschema.Draft202012Validator(schema(kind)).is_valid(document))


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with another value at a path of keys and indices; `...` takes it away."""
    copy = deepcopy(document)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place: Any = copy
    for part in parents:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return copy


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_each_is_a_schema_with_a_description_for_every_key(kind: str) -> None:
    found = schema(kind)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["title"] == f"Tallystick {kind}, version 1"
    for name, part in {"": found, **found.get("$defs", {})}.items():
        assert part["additionalProperties"] is (name == "OptionsShape"), "protocols have options of their own"
        for key_name, key in part["properties"].items():
            meant = found["$defs"][key["$ref"].rpartition("/")[2]] if "$ref" in key else key
            assert key.get("description") or meant.get("description"), key_name


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_what_a_model_accepts_its_schema_accepts(kind: str) -> None:
    assert SHAPES[kind].model_validate(GOOD[kind])
    assert accepts(kind, GOOD[kind])


def test_files_of_real_boards_are_accepted(root: Path) -> None:
    for settings in [root / "results/dateparse/benchmark.yaml", HERE / "faults/board/results/tiny/benchmark.yaml"]:
        text = re.sub(r"^(created): (\d.*)$", r"\1: '\2'", settings.read_text("utf-8"), flags=re.MULTILINE)
        assert accepts("benchmark", yaml.safe_load(text)), settings
    assert accepts("site", yaml.safe_load((root / "content/site.yaml").read_text("utf-8")))
    reports = sorted((root / "results/dateparse/reports").glob("*.json"))
    assert reports
    for place in reports:
        document = json.loads(place.read_text("utf-8"))
        model_accepts = _model_accepts("report", document)
        assert accepts("report", document) or not model_accepts, place


def _model_accepts(kind: str, document: object) -> bool:
    try:
        SHAPES[kind].model_validate(document)
    except ValidationError:
        return False
    return True


WRONG = [
    *(
        ("report", path, ...)
        for path in ("format", "benchmark", "method", "method/id", "fingerprint", "samples", "seal")
    ),
    *(("report", path, ...) for path in ("run", "run/finished", "run/complete")),
    ("report", "format", "tallystick-report/2"),
    ("report", "method/id", "Not An Id"),
    ("report", "method/title", "x" * 81),
    ("report", "method/title", "  "),
    ("report", "method/url", "javascript:alert(1)"),
    ("report", "method/url", "http://example.org"),
    ("report", "run/finished", "yesterday"),
    ("report", "run/finished", "2026-11-02T12:00:00"),
    ("report", "run/complete", "true"),
    ("report", "verified", True),
    ("report", "run/partial", False),
    ("report", "fingerprint/benchmark", ""),
    ("report", "fingerprint/model", "x"),
    ("report", "samples", "scores.jsonl"),
    ("report", "samples", {"path": "scores.jsonl"}),
    ("report", "samples", {"path": "scores.jsonl", "sha256": "abc"}),
    ("report", "stated/accuracy/estimate", "0.25"),
    ("report", "stated/accuracy/n", -1),
    ("report", "stated/accuracy/resamples", 99),
    ("report", "stated/accuracy/confidence", 1),
    ("report", "stated/accuracy/median", 0.5),
    ("report", "counts", {"wrong": 3}),
    ("report", "provenance", {"note": "two\nlines"}),
    ("report", "seal", "0" * 63),
    *(("benchmark", path, ...) for path in ("title", "samples", "samples/path", "samples/sha256", "metrics")),
    *(("benchmark", f"metrics/0/{key}", ...) for key in ("id", "title")),
    ("benchmark", "titel", "Small"),
    ("benchmark", "title", ""),
    ("benchmark", "metrics", []),
    ("benchmark", "metrics/0/direction", "up"),
    ("benchmark", "metrics/0/binary", "yes"),
    ("benchmark", "samples/sha256", "ABC"),
    ("benchmark", "bootstrap", {"resamples": 10}),
    ("benchmark", "bootstrap", {"confidence": 95}),
    ("benchmark", "links/Paper", "http://example.org"),
    ("benchmark", "created", "30 November 2026"),
    ("benchmark", "fingerprint/corpus", {"differs": "x"}),
    ("benchmark", "comparisons/0/candidates", "some"),
    ("benchmark", "limits", {"file_mb": 0}),
    ("site", "title", ...),
    ("site", "base_url", "http://example.org"),
    ("site", "links/0/href", "javascript:alert(1)"),
    ("site", "links/0/href", "//example.org"),
    ("site", "theme", "dark"),
    ("site", "figures", ["gif"]),
    ("site", "figures", ["pdf", "pdf"]),
]


@pytest.mark.parametrize(("kind", "path", "value"), WRONG)
def test_what_a_model_refuses_its_schema_refuses(kind: str, path: str, value: object) -> None:
    document = changed(GOOD[kind], path, value)
    assert not _model_accepts(kind, document)
    assert not accepts(kind, document)


@pytest.mark.parametrize(
    "row", [{"id": "s00"}, {"id": "s00", "status": "fine"}, {"id": "s00", "status": "scored", "accuracy": "1"}]
)
def test_rows_are_described_though_only_their_benchmark_knows_them_whole(row: dict[str, object]) -> None:
    assert not accepts("report", changed(REPORT, "samples/0", row))


def test_other_protocols_bring_their_own_metrics_and_samples() -> None:
    assert accepts("benchmark", {"title": "FAR", "protocol": "falsirag", "samples": BENCHMARK["samples"]})
    assert accepts("benchmark", {"title": "T", "protocol": "textinsight", "samples": {"sha256": DIGEST}})
    assert not accepts("benchmark", {"title": "N", "protocol": "native", "samples": BENCHMARK["samples"]})


def test_a_report_may_name_its_schema_and_the_seal_covers_that() -> None:
    named = {"$schema": "https://example.org/schema/report-1.json", **REPORT}
    assert ReportShape.model_validate({**named, "seal": seal(named)}).schema_ == named["$schema"]
    assert accepts("report", named)
    assert seal(named) != REPORT["seal"]
    assert not accepts("report", {**named, "$schema": 1})


def test_every_site_has_them(synthetic_site: Callable[[str | None], Any]) -> None:
    files = {file.path: file for file in PAGE.documents(synthetic_site(None))}
    assert set(files) == {file_name(kind) for kind in SHAPES}
    for kind in SHAPES:
        file = files[file_name(kind)]
        assert isinstance(file, Data)
        assert json.loads(file.write()) == schema(kind)
    (first, *_) = PAGE.documents(synthetic_site("https://example.org/board"))
    assert isinstance(first, Data)
    assert json.loads(first.write())["$id"] == f"https://example.org/board/{first.path}"


@pytest.fixture
def synthetic_site() -> Callable[[str | None], Any]:
    from tallystick.board import Site, SiteSettings

    return lambda base: Site(SiteSettings("Ours", "", base, "", ()), (), ())


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in SHAPES:
        assert main(["schema", kind]) == 0
        assert json.loads(capsys.readouterr().out) == schema(kind)


def test_the_models_are_those_that_validate() -> None:
    assert (SHAPES["report"], SHAPES["benchmark"], SHAPES["site"]) == (ReportShape, BenchmarkShape, SiteShape)

"""What a native report states beyond a mean: standard errors, numbers by axis, and known differences of its origin."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tallystick import metrics
from tallystick.digest import seal, sha256
from tallystick.errors import Refusal
from tallystick.model import Benchmark, Blob, Computed, CountOf, MeanOf, MetricKind, Report
from tallystick.protocols.native import PROTOCOL
from tallystick.registry import collect
from tallystick.settings import load_benchmark

BOARD = Path(__file__).parents[1] / "faults/board"
HONEST = (BOARD / "results/tiny/reports/honest.json").read_bytes()
QUALITY = (0.125, 1.0, 0.25, 0.75, 0.0)


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_benchmark(BOARD, "tiny", [PROTOCOL], collect(metrics, "METRIC", MetricKind))


def read(benchmark: Benchmark, **more: object) -> Report:
    """Read the honest report with further keys, sealed again."""
    document: dict[str, Any] = {**json.loads(HONEST), **more}
    document["seal"] = seal(document)
    content = json.dumps(document).encode()
    (bundle,), _ = PROTOCOL.assemble((Blob("reports/honest.json", sha256(content), content),), benchmark)
    return PROTOCOL.read(bundle, benchmark)


def quantities(report: Report) -> Mapping[str, object]:
    """Return what each stated number must follow from, by its pointer."""
    return {item.where.split(" ")[1]: item.quantity for item in report.stated}


def test_a_standard_error_follows_from_the_spread_of_the_values(benchmark: Benchmark) -> None:
    found = quantities(read(benchmark, stated={"quality": {"standard_error": 0.2}}))["/stated/quality/standard_error"]
    assert isinstance(found, Computed)
    assert found.value == pytest.approx(statistics.stdev(QUALITY) / len(QUALITY) ** 0.5, rel=1e-15)


def test_a_number_of_an_axis_value_follows_from_its_samples(benchmark: Benchmark) -> None:
    part = {"estimate": 0.375, "n": 2, "standard_error": 0.375}
    found = quantities(read(benchmark, stated={"quality": {"by": {"category": {"date": part}}}}))
    place = "/stated/quality/by/category/date"
    assert found[f"{place}/estimate"] == MeanOf("quality", "category", "date")
    assert found[f"{place}/n"] == CountOf(axis="category", axis_value="date", metric="quality")
    error = found[f"{place}/standard_error"]
    assert isinstance(error, Computed)
    assert error.value == pytest.approx(0.375)


def test_of_one_sample_there_is_no_standard_error(benchmark: Benchmark) -> None:
    stated = {"quality": {"by": {"category": {"place": {"standard_error": 0.0}}}}}
    (found,) = quantities(read(benchmark, stated=stated)).values()
    assert found == Computed(None, "sample standard deviation over the square root of n")


@pytest.mark.parametrize(
    ("by", "found"), [({"colour": {"red": {"n": 1}}}, "`colour`"), ({"category": {"colour": {"n": 1}}}, "`colour`")]
)
def test_axes_and_values_that_the_benchmark_does_not_have_are_refused(
    benchmark: Benchmark, by: object, found: str
) -> None:
    with pytest.raises(Refusal) as refusal:
        read(benchmark, stated={"quality": {"by": by}})
    (problem,) = refusal.value.problems
    assert (problem.code, problem.found) == ("axis-unknown", found)


def test_a_difference_refuses_until_it_is_accepted_by_name(benchmark: Benchmark) -> None:
    more = {
        "stated": {"quality": {"estimate": 0.9, "under": "odd-counting"}},
        "differences": {"odd-counting": "the origin counts otherwise"},
    }
    strict = read(benchmark, **more)
    assert [(problem.code, problem.effect) for problem in strict.problems] == [("difference-not-accepted", "refuse")]
    assert "accepts: [odd-counting]" in strict.problems[0].remedy
    assert quantities(strict) == {}  # or a number would be said to differ, for whose difference the report is refused
    accepted = read(replace(benchmark, accepts=("odd-counting",)), **more)
    assert accepted.problems == ()
    assert quantities(accepted) == {}
    assert "quality is stated as 0.9, under the accepted difference `odd-counting`" in accepted.unverified


def test_a_name_without_its_difference_excuses_nothing(benchmark: Benchmark) -> None:
    stated = {"quality": {"estimate": 0.9, "under": "odd-counting"}}
    assert "/stated/quality/estimate" in quantities(read(replace(benchmark, accepts=("odd-counting",)), stated=stated))


def test_a_report_from_a_log_without_a_date_has_none(benchmark: Benchmark) -> None:
    assert read(benchmark, run={"finished": None, "complete": True}).run.finished is None

"""Each rule of `verify`, broken alone on a small board."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from tallystick.errors import Problem
from tallystick.model import (
    Benchmark,
    BootstrapSettings,
    Column,
    Fingerprint,
    Method,
    Metric,
    PinnedFingerprint,
    Report,
    Run,
    SampleSet,
    Source,
    Varying,
)
from tallystick.verify import cap, outcome, precedence, verify

NOW = datetime(2030, 1, 1, tzinfo=UTC)
IDS = ("a", "b", "c")


def make_benchmark(**changes: object) -> Benchmark:
    samples = SampleSet(IDS, {"kind": ("x", "x", "y")}, ("x", "x", "y"), ("g", "g", None), ({}, {}, {}), "d" * 64, "s")
    benchmark = Benchmark(
        id="board",
        title="Board",
        description="",
        protocol="native",
        fingerprint=PinnedFingerprint("1", "2", "3", "4"),
        samples=samples,
        axes=("kind",),
        stratum="kind",
        cluster="group",
        metrics=(
            Metric("correct", "Correct", "mean", {"value": "correct"}, binary=True),
            Metric("solved", "Solved", "mean", {"value": "solved"}, over="all"),
            Metric("f1", "F1", "micro_f1", {}),
        ),
        primary="correct",
        comparisons=(),
        bootstrap=BootstrapSettings(),
        diagnostic=None,
        created=datetime(2020, 1, 1, tzinfo=UTC),
        supplements={},
        options={},
    )
    return replace(benchmark, **changes)  # type: ignore[arg-type]


def column(*rows: tuple[float, ...] | None) -> Column:
    width = max(len(row) for row in rows if row is not None)
    statistics = np.array([row if row is not None else (0.0,) * width for row in rows], dtype=np.float64)
    return Column(statistics, np.array([row is not None for row in rows]))


def make_report(method: str = "alpha", **changes: object) -> Report:
    report = Report(
        method=Method(method, method.title()),
        protocol="native",
        fingerprint=Fingerprint("1", "2", "3", "4"),
        sources=(Source(f"reports/{method}.json", method * 3, 10),),
        scores_digest=method,
        run=Run(datetime(2025, 1, 1, tzinfo=UTC), complete=True, partial=False, demo=False),
        ids=IDS,
        statuses=("scored", "scored", "abstained"),
        columns={
            "correct": column((1.0,), (0.0,), None),
            "solved": column((1.0,), (0.0,), (0.0,)),
            "f1": column((1.0, 2.0, 1.0), (0.0, 0.0, 1.0), None),
        },
        axes={"kind": ("x", "x", "y")},
        clusters=("g", "g", None),
    )
    return replace(report, **changes)  # type: ignore[arg-type]


def problems(report: Report, benchmark: Benchmark | None = None) -> list[tuple[str, str, str]]:
    (found,) = verify((report,), benchmark or make_benchmark(), NOW)
    return [(problem.code, problem.effect, str(problem)) for problem in found]


def test_a_sound_report_has_no_problem() -> None:
    assert problems(make_report()) == []


@pytest.mark.parametrize("component", ["benchmark", "corpus", "configuration", "implementation"])
def test_another_fingerprint_is_refused_naming_component_values_and_holders(component: str) -> None:
    odd = make_report("odd", fingerprint=replace(make_report().fingerprint, **{component: "9"}))
    sound = make_report("alpha")
    _, (problem,) = verify((sound, odd), make_benchmark(), NOW)
    pinned = {"benchmark": "1", "corpus": "2", "configuration": "3", "implementation": "4"}[component]
    assert problem.code == f"fingerprint-{component}"
    assert f"the board pins, {pinned} (alpha), found 9 (no other report here)" in str(problem)


def test_a_component_declared_to_vary_is_not_compared() -> None:
    pinned = PinnedFingerprint("1", "2", Varying("each agent brings its own prompt"), "4")
    report = make_report(fingerprint=Fingerprint("1", "2", "9", "4"))
    assert problems(report, make_benchmark(fingerprint=pinned)) == []


def test_a_missing_an_unknown_and_a_doubled_sample_are_each_named() -> None:
    found = problems(make_report(ids=("a", "a", "z")))
    assert [code for code, *_ in found] == ["samples-missing", "samples-unknown", "samples-doubled", "sample-axis"][:3]
    assert "2 missing: b, c" in found[0][2]
    assert "1 unknown: z" in found[1][2]
    assert "1 more than once: a" in found[2][2]


def test_a_report_cannot_bring_its_own_axis_or_cluster() -> None:
    ((code, _, message),) = problems(make_report(axes={"kind": ("x", "y", "y")}))
    assert code == "sample-axis"
    assert "b ('y', not 'x')" in message
    ((code, _, message),) = problems(make_report(clusters=("g", "h", None)))
    assert "each sample's group as in" in message


def test_values_stand_where_the_status_allows_them() -> None:
    columns = dict(make_report().columns)
    ((code, _, message),) = problems(make_report(columns=columns | {"correct": column((1.0,), (0.0,), (1.0,))}))
    assert code == "value-and-status"
    assert "1 samples with one: c" in message
    ((code, _, message),) = problems(make_report(columns=columns | {"solved": column((1.0,), (0.0,), None)}))
    assert "1 samples without one: c" in message


@pytest.mark.parametrize(
    ("metric", "bad", "code", "told"),
    [
        ("solved", column((1.03,), (0.0,), (0.0,)), "value-out-of-bounds", "a (1.03)"),
        ("solved", column((-0.5,), (0.0,), (0.0,)), "value-out-of-bounds", "a (-0.5)"),
        ("correct", column((0.5,), (0.0,), None), "value-not-binary", "other values: a"),
        ("f1", column((2.0, 1.0, 2.0), (0.0, 0.0, 1.0), None), "value-out-of-bounds", "a ("),
        ("f1", column((-1.0, 1.0, 2.0), (0.0, 0.0, 1.0), None), "value-out-of-bounds", "a ("),
    ],
)
def test_impossible_values_are_refused(metric: str, bad: Column, code: str, told: str) -> None:
    ((found, effect, message),) = problems(make_report(columns=dict(make_report().columns) | {metric: bad}))
    assert (found, effect) == (code, "refuse")
    assert told in message


@pytest.mark.parametrize(("year", "told"), [(2099, "that has passed"), (2001, "after the benchmark was made")])
def test_a_finish_date_must_be_possible(year: int, told: str) -> None:
    run = replace(make_report().run, finished=datetime(year, 1, 1, tzinfo=UTC))
    ((code, effect, message),) = problems(make_report(run=run))
    assert (code, effect) == ("run-date", "refuse")
    assert told in message


@pytest.mark.parametrize("flag", [{"partial": True}, {"demo": True}, {"complete": False}])
def test_partial_and_demo_runs_are_set_aside_on_a_board_of_evidence_only(flag: dict[str, bool]) -> None:
    report = make_report(run=replace(make_report().run, **flag))
    evidence, diagnostic = make_benchmark(), make_benchmark(diagnostic="machine-made gold")
    (found,) = verify((report,), evidence, NOW)
    assert outcome(found, evidence) == "diagnostic"
    assert outcome(found, diagnostic) == "admitted"


def test_of_two_reports_of_one_run_the_first_stands() -> None:
    first = make_report("alpha")
    replay = make_report("beta", sources=(replace(first.sources[0], path="reports/beta.json"),))
    none, found = verify((first, replay), make_benchmark(), NOW)
    assert none == ()
    assert [problem.code for problem in found] == ["content-replayed"]


def test_reports_may_come_from_one_file() -> None:
    first = make_report("alpha")
    assert verify((first, make_report("beta", sources=first.sources)), make_benchmark(), NOW) == ((), ())


def test_a_method_reports_once_and_spelling_alike_is_noted() -> None:
    again = make_report("alpha", sources=(Source("reports/alpha-2.json", "e" * 64, 10),))
    alike = make_report("al-pha")
    _, doubled, spelled = verify((make_report("alpha"), again, alike), make_benchmark(), NOW)
    assert [(problem.code, problem.effect) for problem in doubled] == [("method-doubled", "refuse")]
    assert [(problem.code, problem.effect) for problem in spelled] == [("method-spelled-alike", "note")]


def test_precedence_is_by_finish_date_then_path() -> None:
    early = make_report("zeta", run=replace(make_report().run, finished=datetime(2024, 1, 1, tzinfo=UTC)))
    undated = make_report("alpha", run=replace(make_report().run, finished=None))
    assert sorted((undated, make_report("beta"), early), key=precedence)[0] is early
    assert sorted((undated, make_report("beta"), early), key=precedence)[-1] is undated


def test_at_most_fifty_problems_refusals_first_and_the_rest_counted() -> None:
    notes = [Problem("n", "f", "e", str(number), "r", "note") for number in range(60)]
    shown = cap([*notes, Problem("r", "f", "e", "x", "r", "refuse")])
    assert len(shown) == 50
    assert shown[0].code == "r"
    assert "12 further" in str(shown[-1])

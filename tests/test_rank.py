"""The stage: who is ranked, what is said of them, and what real boards can order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from ranking_made import Table, alpaca_eval, benchmark, entries, entry, eval_arena, swebench
from tallystick.board import Ranking, Standing
from tallystick.rank import rank, ranking

IDS = tuple(f"s{place:03d}" for place in range(120))


def outcomes(
    *scores: float, seed: int = 0, samples: int = len(IDS)
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return 0/1 outcomes (methods, samples) that share how easy a sample is."""
    rng = np.random.default_rng(seed)
    ease = rng.random(samples)
    own = rng.random((len(scores), samples))
    return (0.7 * ease + 0.3 * own < np.array(scores)[:, None]).astype(float)


def made(values: Mapping[str, np.ndarray], **settings: object) -> Ranking:
    bench = benchmark(IDS, **settings)  # type: ignore[arg-type]
    found = ranking([entry(bench, method, own) for method, own in values.items()], bench)
    assert found is not None
    return found


# --- who takes part ---------------------------------------------------------------------------------------------------


def test_only_full_values_of_admitted_reports_are_ranked() -> None:
    bench = benchmark(IDS)
    a, b, c, d, e = outcomes(0.7, 0.6, 0.9, 0.9, 0.9)
    gap = np.arange(len(IDS)) > 3
    nothing = entry(bench, "e", e)
    found = ranking(
        [
            entry(bench, "a", a),
            entry(bench, "b", b),
            entry(bench, "c", c, defined=gap, conditional=True),
            entry(bench, "d", d, outcome="diagnostic"),
            replace(nothing, estimates={}),
            entry(bench, "f", e, defined=gap),
        ],
        bench,
    )
    assert found is not None
    assert sorted(found.standings) == ["a", "b"]
    assert found.unranked == {
        "c": "only 116/120 samples have a value, so there is no full one",
        "d": "the report is not admitted as evidence",
        "e": "the metric has no value",
        "f": "the metric is not defined on the same samples as for the others",
    }


def test_a_metric_defined_on_some_samples_ranks_where_all_agree_on_them() -> None:
    bench = benchmark(IDS)
    some = np.arange(len(IDS)) % 3 > 0
    a, b = outcomes(0.9, 0.3)
    agreed = ranking([entry(bench, "a", a, defined=some), entry(bench, "b", b, defined=some)], bench)
    assert agreed is not None and agreed.samples == 80 and agreed.standings["a"].upper == 1
    assert ranking([entry(bench, "a", a, defined=some), entry(bench, "b", b, defined=~some)], bench) is None


def test_no_rank_on_a_diagnostic_board_or_of_one_method() -> None:
    a, b = outcomes(0.7, 0.6)
    bench = benchmark(IDS, diagnostic="runs of different configurations")
    assert rank([entry(bench, "a", a), entry(bench, "b", b)], bench) == {}
    bench = benchmark(IDS)
    assert rank([entry(bench, "a", a)], bench) == {}
    assert rank([], bench) == {}


def test_no_rank_where_no_resample_can_differ() -> None:
    a, b = outcomes(0.9, 0.3)
    for ids, strata in ((IDS[:1], None), (IDS, IDS)):
        bench = benchmark(ids, strata)
        assert rank([entry(bench, "a", a[: len(ids)]), entry(bench, "b", b[: len(ids)])], bench) == {}


def test_a_nonlinear_metric_ranks_and_an_undefined_resample_does_not() -> None:
    bench = benchmark(IDS)
    gold = np.ones(len(IDS))
    good, bad = (np.stack([hits, gold, gold], axis=1) for hits in outcomes(0.9, 0.4))
    rare = np.zeros((len(IDS), 3))
    rare[0] = 1
    found = ranking(
        [entry(bench, name, own, metric="f1") for name, own in (("good", good), ("bad", bad), ("rare", rare))],
        bench,
        "f1",
    )
    assert found is not None
    assert (found.standings["good"].upper, found.standings["bad"].lower) == (1, 2)
    assert found.unranked == {"rare": "the metric is undefined in some resamples"}
    assert found.test == "two-sided paired bootstrap test"


# --- what is said of them ---------------------------------------------------------------------------------------------


def test_equal_methods_share_everything() -> None:
    a, b = outcomes(0.8, 0.4)
    found = made({"a": a, "twin": a, "third": a, "b": b})
    shares = [found.standings[name] for name in ("a", "twin", "third")]
    assert {(one.lower, one.upper, one.letters, one.best) for one in shares} == {(1, 3, "a", True)}
    assert sum(one.probability_best or 0.0 for one in shares) == pytest.approx(1)
    assert found.leader is not None and found.leader.methods == ("a", "third", "twin")
    assert (found.standings["b"].lower, found.standings["b"].best) == (4, False)


def test_methods_within_two_points_are_one_group() -> None:
    rng = np.random.default_rng(1)
    ids = [f"s{place:03d}" for place in range(500)]
    bench = benchmark(ids)
    values = (rng.random((8, 500)) < np.linspace(0.50, 0.52, 8)[:, None]).astype(float)
    found = rank([entry(bench, f"m{place}", own) for place, own in enumerate(values)], bench)
    assert {(one.lower, one.upper, one.letters) for one in found.values()} == {(1, 8, "a")}


def test_where_less_is_better_the_least_is_first() -> None:
    a, b, c = outcomes(0.9, 0.5, 0.1)
    up, down = made({"a": a, "b": b, "c": c}), made({"a": a, "b": b, "c": c}, direction="lower")
    assert [up.standings[name].lower for name in "abc"] == [1, 2, 3]
    assert [down.standings[name].lower for name in "abc"] == [3, 2, 1]
    assert down.leader is not None and down.leader.value == pytest.approx(c.mean())
    assert down.leader.adjusted >= down.leader.value


def test_the_sentence_states_rule_confidence_and_correction() -> None:
    a, b = outcomes(0.9, 0.5)
    sentence = made({"a": a, "b": b}).sentence
    for part in ("all 2 methods", "95% confidence", "500 shared resamples of 120 samples", "step-down", "letter"):
        assert part in sentence


def test_resolution_needs_a_range_for_one_point() -> None:
    a, b = outcomes(0.6, 0.5)
    bounded, unbounded = made({"a": a, "b": b}).resolution, made({"a": a, "b": b}, upper=None).resolution
    assert bounded is not None and bounded.gap == 0.01 and bounded.needed is not None and bounded.needed > 120
    assert unbounded is not None and unbounded.gap is None and unbounded.needed is None


def test_records_use_the_exact_test_on_binary_outcomes_and_resamples_elsewhere() -> None:
    first, better, same = outcomes(0.4, 0.8, 0.81)
    days = {"first": 1, "better": 2, "same": 3}
    for binary, test in ((True, "exact two-sided McNemar test"), (False, "two-sided paired bootstrap test")):
        bench = benchmark(IDS, binary=binary)
        found = ranking(
            [
                entry(bench, name, own, finished=datetime(2026, 1, days[name], tzinfo=UTC))
                for name, own in (("first", first), ("better", better), ("same", same))
            ]
            + [entry(bench, "undated", first, finished=None)],
            bench,
        )
        assert found is not None
        assert found.test == test
        assert found.undated == ("undated",)
        assert found.records[1].methods == ("better",) and found.records[1].real is True
        assert [step.real for step in found.records[2:]] in ([], [False])
        assert found.records[1].gain == pytest.approx(better.mean() - first.mean())


def test_records_of_a_metric_where_less_is_better_fall() -> None:
    a, b = outcomes(0.8, 0.2)
    bench = benchmark(IDS, direction="lower", binary=True)
    found = ranking(
        [
            entry(bench, "a", a, finished=datetime(2026, 1, 1, tzinfo=UTC)),
            entry(bench, "b", b, finished=datetime(2026, 1, 2, tzinfo=UTC)),
        ],
        bench,
    )
    assert found is not None
    assert [step.value for step in found.records] == pytest.approx([a.mean(), b.mean()])
    assert found.records[1].gain == pytest.approx(a.mean() - b.mean())


# --- real boards ------------------------------------------------------------------------------------------------------

Board = Callable[[Path], tuple[Table, Mapping[str, str]]]


def standing(board: Board, folder: Path, binary: bool) -> tuple[Table, Mapping[str, Standing]]:
    table, strata = board(folder)
    ids = sorted(strata)
    bench = benchmark(ids, [strata[sample] for sample in ids], binary=binary, resamples=2000)
    return table, rank(entries(bench, table), bench)


@pytest.mark.parametrize("board", [swebench, alpaca_eval, eval_arena])
def test_names_and_order_of_methods_and_samples_decide_nothing(board: Board, shared: Path) -> None:
    """Methods get other names in another order: each keeps its standing, and what is said of all stays the same.

    So does a set of rows in another order.
    """
    table, strata = board(shared)
    ids = sorted(strata)
    bench = benchmark(ids, [strata[sample] for sample in ids], resamples=300)
    expected = ranking(entries(bench, table), bench)
    assert expected is not None
    shuffled = list(table)
    np.random.default_rng(5).shuffle(shuffled)
    renamed = {f"method-{place:02d}": method for place, method in enumerate(shuffled)}
    found = ranking(entries(bench, {new: table[old] for new, old in renamed.items()}), bench)
    assert found is not None
    assert {new: replace(one, method=renamed[new]) for new, one in found.standings.items()} == {
        new: expected.standings[old] for new, old in renamed.items()
    }
    assert (found.resolution, found.sentence) == (expected.resolution, expected.sentence)
    assert found.leader is not None and expected.leader is not None
    assert {renamed[method] for method in found.leader.methods} == set(expected.leader.methods)
    assert replace(found.leader, methods=()) == replace(expected.leader, methods=())
    turned = np.random.default_rng(6).permutation(len(ids))
    rows = [
        replace(
            one,
            report=replace(
                one.report,
                ids=tuple(ids[place] for place in turned),
                columns={
                    metric: replace(column, statistics=column.statistics[turned], defined=column.defined[turned])
                    for metric, column in one.report.columns.items()
                },
            ),
        )
        for one in entries(bench, table)
    ]
    assert ranking(rows, bench) == expected


@pytest.mark.parametrize(
    ("board", "binary", "methods"), [(swebench, True, 10), (alpaca_eval, False, 4), (eval_arena, True, 49)]
)
def test_real_boards_hang_together(board: Board, binary: bool, methods: int, shared: Path) -> None:
    """Ranks bracket the point order, letters agree with ranks, and nobody else's procedure is needed to see it."""
    table, found = standing(board, shared, binary)
    means = {method: float(np.mean(list(row.values()))) for method, row in table.items()}
    assert len(found) == methods
    for method, one in found.items():
        above = sum(mean > means[method] for mean in means.values())
        level = sum(mean == means[method] for mean in means.values())
        assert one.lower <= 1 + above <= one.upper
        assert one.upper >= above + level
        assert one.best == (one.lower == 1)
        assert one.marginal is not None
        for other, two in found.items():
            apart = not set(one.letters) & set(two.letters)
            if means[method] > means[other] and not apart:
                assert two.lower <= one.upper
    assert sum(one.probability_best or 0.0 for one in found.values()) == pytest.approx(1)
    assert any(one.upper > one.lower for one in found.values())
    assert any(one.upper < methods for one in found.values())


def test_the_documentation_tells_what_real_boards_say(root: Path, shared: Path) -> None:
    text = (root / "docs" / "ranking.md").read_text("utf-8").partition("## Three real boards")[2]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    found = []
    for board, binary in ((swebench, True), (alpaca_eval, False), (eval_arena, True)):
        table, strata = board(shared)
        ids = sorted(strata)
        bench = benchmark(ids, [strata[sample] for sample in ids], binary=binary, resamples=2000)
        ranked = ranking(entries(bench, table), bench)
        assert ranked is not None and ranked.resolution is not None and ranked.resolution.needed is not None
        methods = len(ranked.standings)
        apart = sum(one.lower - 1 for one in ranked.standings.values())
        found.append(
            [
                str(methods),
                str(len(ids)),
                f"{apart} of {methods * (methods - 1) // 2:,}",
                str(sum(one.best for one in ranked.standings.values())),
                f"{100 * ranked.resolution.difference:.1f}",
                f"{ranked.resolution.needed:,}",
            ]
        )
    assert [row[1:] for row in rows[2:5]] == found

"""The pages of metrics, figures, records and long tables: what each shows, in which order, and where it is left out."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.board import Board, Document, PageType, Site
from tallystick.pages import figures, long, metric, records
from tallystick.pages._frame import LARGE
from tallystick.pages.board import PAGE as BOARD
from tallystick.table import Figure, Table


def documents(kind: PageType, board: Board) -> dict[str, Document]:
    made = kind.documents(Site(synthetic.site().settings, (board,), ()))
    return {one.path: one for one in made if isinstance(one, Document)}


def large() -> Board:
    board = synthetic.board()
    first = board.entries[0]
    entries = [
        replace(first, report=replace(first.report, method=replace(first.report.method, id=f"m{place}")))
        for place in range(LARGE + 1)
    ]
    return replace(board, entries=tuple(entries), standings={}, ranking=None)


def test_each_metric_has_a_page_in_its_own_order_and_direction() -> None:
    board = synthetic.board()
    made = documents(metric.PAGE, board)
    assert set(made) == {f"far/metrics/{one.id}.html" for one in board.benchmark.metrics}
    for one in board.benchmark.metrics:
        table = made[f"far/metrics/{one.id}.html"].context["results"]
        assert isinstance(table, Table)
        (index,) = [place for place, column in enumerate(table.columns) if column.id == one.id]
        values = [row.cells[index].value for row in table.rows]
        assert values == sorted(values, key=lambda value: -one.sign * float(value or 0))
        assert table.columns[index].order == ("descending" if one.direction == "higher" else "ascending")


def test_only_the_ranked_metric_shows_ranks() -> None:
    made = documents(metric.PAGE, synthetic.board())
    for path, page in made.items():
        table = page.context["results"]
        assert ("rank" in [column.id for column in table.columns]) == path.endswith("accuracy.html")
        assert ("Ranks" in page.context["recipe"]) == path.endswith("accuracy.html")


def test_a_metric_is_drawn_by_the_values_of_each_axis() -> None:
    page = documents(metric.PAGE, synthetic.board())["far/metrics/accuracy.html"]
    drawn = page.context["multiples"]
    assert [one.title for one in drawn] == ["Accuracy by category", "Accuracy by language"]
    assert sum(mark.text == "causal" for mark in drawn[0].marks) == 1


def test_the_figures_of_a_board_are_those_of_its_tables() -> None:
    context = documents(figures.PAGE, synthetic.board())["far/figures.html"].context
    assert all(isinstance(context[name], Figure) for name in ("forest", "over_time", "pairs", "bars"))
    board = replace(synthetic.board(), benchmark=replace(synthetic.board().benchmark, diagnostic="a pilot"))
    context = documents(figures.PAGE, board)["far/figures.html"].context
    assert context["pairs"] is None
    assert context["over_time"] is None
    assert context["diagnostic"] == "a pilot"


def test_pairs_are_told_apart_in_the_direction_of_the_metric() -> None:
    board = synthetic.board()
    drawn = documents(figures.PAGE, board)["far/figures.html"].context["pairs"]
    found = [mark.role for mark in drawn.marks if mark.role in ("better", "worse", "undecided")]
    letters = [board.standings[entry.method].letters for entry in board.entries if entry.method in board.standings]
    apart = sum(not set(one) & set(other) for one in letters for other in letters)
    assert found.count("better") == found.count("worse") == apart / 2


def test_a_further_metric_shows_ranks_where_the_board_asks_for_them() -> None:
    board = synthetic.board()
    assert board.ranking is not None
    other = next(one.id for one in board.benchmark.metrics if one.id != board.benchmark.primary)
    found = {}
    for asked in (board, replace(board, rankings={other: replace(board.ranking, metric=other)})):
        table = documents(metric.PAGE, asked)[f"far/metrics/{other}.html"].context["results"]
        assert isinstance(table, Table)
        found[asked is board] = table
    assert not {"rank", "group"} & {column.id for column in found[True].columns}
    assert {"rank", "group"} <= {column.id for column in found[False].columns}
    ranked = [row.cells[0].ends for row in found[False].rows]
    assert sorted(ends for ends in ranked if ends) == sorted((one.lower, one.upper) for one in board.standings.values())
    assert board.ranking.sentence in " ".join(found[False].notes)
    assert board.ranking.sentence not in " ".join(found[True].notes)


def test_records_have_a_page_only_where_a_top_was_replaced() -> None:
    board = synthetic.board()
    assert set(documents(records.PAGE, board)) == {"far/records.html"}
    assert board.ranking is not None
    first = replace(board, ranking=replace(board.ranking, records=board.ranking.records[:1]))
    assert documents(records.PAGE, first) == {}


def test_a_large_board_has_its_long_tables_on_pages_of_their_own() -> None:
    assert documents(long.PAGE, synthetic.board()) == {}
    made, board = documents(long.PAGE, large()), documents(BOARD, large())["far/index.html"].context
    assert set(made) == {"far/accounting.html", "far/declared.html"}
    assert (board["ledger"], board["families"], board["metrics"]) == (None, (), None)
    assert len(made["far/accounting.html"].context["tables"][0].rows) == LARGE + 1
    assert len(board["metric_pages"]) == len(synthetic.board().benchmark.metrics)

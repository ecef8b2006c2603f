"""A pair's page: all metrics, the exact test with its counts, and a warning where the overlap is small."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.board import Board, Document
from tallystick.model import Showing
from tallystick.pages.comparison import PAGE
from tallystick.pages.method import PAGE as METHOD


def pages(board: Board) -> dict[str, Document]:
    return {d.path: d for d in PAGE.documents(replace(synthetic.site(), boards=(board,)))}


def test_there_is_a_page_for_each_declared_pair() -> None:
    assert sorted(pages(synthetic.board())) == [
        "far/compare/far/far_minus_conflict.html",
        "far/compare/far/far_minus_revision.html",
        "far/compare/vanilla/debate.html",
        "far/compare/vanilla/far.html",
        "far/compare/vanilla/rerank.html",
    ]


def test_every_metric_is_on_the_page_and_differences_have_signs() -> None:
    table = pages(synthetic.board())["far/compare/vanilla/far.html"].context["differences"]
    assert [row.id for row in table.rows] == [
        "metric-accuracy",
        "metric-soft_f1",
        "metric-unsupported",
        "metric-overclaim",
    ]
    assert [row.cells[1].text[0] for row in table.rows] == ["+", "+", "−", "+"]


def test_the_counts_of_the_exact_test_add_up() -> None:
    context = pages(synthetic.board())["far/compare/vanilla/far.html"].context
    (row,) = context["outcomes"].rows
    assert sum(int(cell.text) for cell in row.cells[1:5]) == 60
    assert row.cells[-1].detail == "3 tests adjusted together"


def test_an_open_mark_stands_for_an_interval_with_zero() -> None:
    board = synthetic.board()
    for path, document in pages(board).items():
        _, _, baseline, candidate = path.removesuffix(".html").split("/")
        found = [c for c in board.comparisons if (c.baseline, c.candidate) == (baseline, candidate)]
        crossed = [c.interval is not None and c.interval.lower <= 0 <= c.interval.upper for c in found]
        marks = [mark.role for mark in document.context["forest"].marks if mark.shape == "circle"]
        assert [role == "point open" for role in marks] == crossed


def test_a_small_overlap_is_warned_of() -> None:
    board = synthetic.board()
    few = tuple(replace(found, pairs=11, left_out=31, overlap=11 / 60) for found in board.comparisons)
    context = pages(replace(board, comparisons=few))["far/compare/vanilla/far.html"].context
    assert context["warning"] == "small overlap: both have a value on 18.3% of the samples only"
    assert pages(board)["far/compare/vanilla/far.html"].context["warning"] == ""


def test_a_difference_without_pairs_is_undefined_with_a_reason() -> None:
    board = synthetic.board()
    none = tuple(
        replace(c, difference=None, interval=None, probability=None, pairs=0, test=None, note="nothing in common")
        for c in board.comparisons
    )
    context = pages(replace(board, comparisons=none))["far/compare/vanilla/far.html"].context
    assert context["forest"] is None
    assert {row.cells[1].text for row in context["differences"].rows} == {"—"}
    assert "nothing in common" in context["differences"].footnotes


def with_pairs(pair_pages: int) -> Board:
    board = synthetic.board()
    declared = board.comparisons[0]
    others = (("debate", "far"), ("debate", "rerank"))
    pairs = tuple(replace(declared, baseline=first, candidate=second, overlap=0.6) for first, second in others)
    benchmark = replace(board.benchmark, showing=Showing(pair_pages=pair_pages, small_overlap=0.7))
    return replace(board, pairs=pairs, benchmark=benchmark)


def test_every_two_methods_of_a_small_board_have_a_page() -> None:
    assert sorted(set(pages(with_pairs(20))) - set(pages(synthetic.board()))) == [
        "far/compare/debate/far.html",
        "far/compare/debate/rerank.html",
    ]
    assert set(pages(with_pairs(6))) == set(pages(synthetic.board()))


def test_the_page_of_a_method_has_a_row_for_each_pair_and_links_where_there_is_a_page() -> None:
    for pair_pages, linked in ((20, True), (6, False)):
        site = replace(synthetic.site(), boards=(with_pairs(pair_pages),))
        (page,) = [d for d in METHOD.documents(site) if d.path == "far/methods/debate.html"]
        first, second = page.context["comparisons"]
        assert [row.cells[0].value for row in first.rows] == ["vanilla"]
        assert [row.cells[0].value for row in second.rows] == ["far", "rerank"]
        assert first.rows[0].cells[0].href == "far/compare/vanilla/debate.html"
        own = "far/compare/debate/far.html" if linked else "far/methods/far.html"
        assert second.rows[0].cells[0].href == own


def test_a_sign_means_one_thing_in_each_table_of_a_methods_comparisons() -> None:
    site = replace(synthetic.site(), boards=(with_pairs(20),))
    (page,) = [d for d in METHOD.documents(site) if d.path == "far/methods/debate.html"]
    first, second = page.context["comparisons"]
    assert first.caption == "Accuracy, Debate of two readers against each baseline"
    assert second.caption == "Accuracy, each candidate against Debate of two readers"
    assert [column.title for table in (first, second) for column in table.columns[:1]] == ["Baseline", "Candidate"]
    (page,) = [d for d in METHOD.documents(site) if d.path == "far/methods/vanilla.html"]
    assert [table.id for table in page.context["comparisons"]] == ["as-baseline"]


def test_from_where_on_an_overlap_is_small_is_the_boards_to_say() -> None:
    assert pages(with_pairs(20))["far/compare/debate/far.html"].context["warning"].startswith("small overlap")
    board = with_pairs(20)
    looser = replace(board, benchmark=replace(board.benchmark, showing=Showing(small_overlap=0.6)))
    assert pages(looser)["far/compare/debate/far.html"].context["warning"] == ""

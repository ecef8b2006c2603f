"""A method's page: every metric twice, every hash whole, every stated number."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.board import Document
from tallystick.pages.method import PAGE
from tallystick.table import Table


def page(method: str) -> Document:
    return next(d for d in PAGE.documents(synthetic.site()) if d.path == f"far/methods/{method}.html")


def texts(table: Table) -> list[str]:
    return [cell.text for row in table.rows for cell in row.cells]


def test_stratified_and_cluster_intervals_stand_side_by_side() -> None:
    table = page("far").context["metrics"]
    names = [column.id for column in table.columns]
    assert names.index("interval") < names.index("cluster-interval")
    assert len(table.rows) == 4


def test_a_conditional_mean_stands_with_its_count_and_bounds() -> None:
    for method, bounded in (("far", False), ("abstainer", True)):
        table = page(method).context["metrics"]
        index = [column.id for column in table.columns].index("n")
        cell = table.rows[0].cells[index]
        assert cell.detail.startswith("worst to best 0.") is bounded
        assert bool(table.notes) is bounded
        assert cell.text == ("40/60" if bounded else "60/60")


def test_every_axis_has_its_table() -> None:
    axes = page("far").context["axes"]
    assert [table.caption for table in axes] == ["By category", "By language"]
    assert [row.cells[0].text for row in axes[1].rows] == ["en", "zh"]


def test_an_axis_with_one_value_would_say_the_same_again() -> None:
    board = synthetic.board()
    parts = tuple(part for part in board.entries[0].breakdowns if part.value != "en")
    site = replace(synthetic.site(), boards=(replace(board, entries=(replace(board.entries[0], breakdowns=parts),)),))
    context = next(d for d in PAGE.documents(site) if "/methods/" in d.path).context
    assert [table.caption for table in context["axes"]] == ["By category"]


def test_a_diagnostic_board_calls_no_report_admitted() -> None:
    board = synthetic.board()
    pilot = replace(board, benchmark=replace(board.benchmark, diagnostic="a pilot"))
    site = replace(synthetic.site(), boards=(pilot,))
    shown = next(d for d in PAGE.documents(site) if d.path == "far/methods/far.html")
    assert shown.context["outcome"] == "shown, diagnostic only"
    assert page("far").context["outcome"] == "admitted"


def test_metrics_with_the_same_ends_are_drawn_on_one_scale() -> None:
    column = next(column for column in page("far").context["metrics"].columns if column.id == "bar")
    assert (column.axis, column.hint) == (None, "between the metric's ends")  # one of them goes down to -1
    board = synthetic.board()
    alike = tuple(metric for metric in board.benchmark.metrics if metric.lower == 0)
    site = replace(synthetic.site(), boards=(replace(board, benchmark=replace(board.benchmark, metrics=alike)),))
    context = next(d for d in PAGE.documents(site) if d.path == "far/methods/far.html").context
    column = next(column for column in context["metrics"].columns if column.id == "bar")
    assert column.axis is not None
    assert column.hint == ""


def test_hashes_are_whole() -> None:
    shown = texts(page("far").context["fingerprint"]) + texts(page("far").context["files"])
    assert synthetic.digest("b") in shown
    assert synthetic.digest("far") in shown
    assert synthetic.digest("fars") in shown


def test_a_declared_variation_shows_its_reason() -> None:
    details = [cell.detail for row in page("far").context["fingerprint"].rows for cell in row.cells]
    assert "each method has its prompts" in details


def test_stated_numbers_are_listed_to_the_last_digit_and_the_rest_is_counted() -> None:
    context = page("far").context
    assert repr(0.1 + 2**-55) in texts(context["stated"])
    assert context["stated_unlisted"] == "90 further numbers came out exact and are only counted."
    counts = [int(row.cells[-1].text) for row in context["stated_tally"].rows]
    assert sum(counts) == 116


def test_what_is_not_exact_is_listed_first() -> None:
    assert page("far").context["stated"].rows[0].cells[3].text == "agrees"


def test_a_report_that_is_set_aside_has_its_page_with_the_reason_and_the_way_to_the_audit() -> None:
    context = page("halfway").context
    assert context["diagnostic"] == "Expected a complete run, found partial."
    assert context["audit"].startswith("far/audit.html#report-")
    assert context["standing"] == ()
    assert page("far").context["audit"] == ""


def test_a_refused_report_has_no_page() -> None:
    assert not any("inflated" in document.path for document in PAGE.documents(synthetic.site()))

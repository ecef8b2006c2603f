"""Findings on the page of a method: how they were judged, what capped them, and the words and texts behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import synthetic
from findings_made import board
from reading import read_page
from tallystick.board import Board, Document, File, Site
from tallystick.pages.board import PAGE as BOARD
from tallystick.pages.method import PAGE
from tallystick.pages.sample import PAGE as SAMPLE
from tallystick.render import render

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e' + "w" * 300


def documents(page: Any, made: Board) -> dict[str, Document]:  # noqa: ANN401 - any page type
    return {document.path: document for document in page.documents(Site(synthetic.site().settings, (made,), ()))}


def context(made: Board) -> dict[str, Any]:
    return dict(documents(PAGE, made)["far/methods/far.html"].context)


def test_every_finding_has_a_row_with_support_gate_dimensions_and_score() -> None:
    (row,) = context(board())["findings"].rows
    assert [cell.text for cell in row.cells] == [
        "sample-000",
        "f1",
        "supported",
        "partial",
        "partial",
        "crack: 27 of 153 assignments disagree, more than a tenth",
        "0.80",
        "0.75",
        "41.75",
    ]
    assert row.cells[0].href == "far/methods/far.html#record-sample-000"


def test_an_unresolved_finding_is_no_zero_and_a_lifted_cap_is_not_told_as_one() -> None:
    free = {"cap": "supported", "rule": "no gate applies", "capped": False, "conditions": ()}
    gate = free | {"supporting_documents": 0, "confirmed_documents": 0, "contradicted_documents": 0}
    (row,) = context(board(score=None, effective_support="uncertain", gate=gate))["findings"].rows
    assert (row.cells[-1].text, row.cells[-1].value) == ("—", None)
    assert row.cells[-1].note == "unresolved: support is uncertain"
    assert row.cells[5].text == ""


def test_the_whole_record_says_what_follows_from_what() -> None:
    one, invalid = context(board())["records"]
    assert (one.summary, one.page) == ("scored · 41.75 · 1 finding", "far/samples/sample-000.html")
    (shown,) = one.findings
    assert dict(shown.facts)["The gate allows"].startswith("partial (crack: 27 of 153")
    told = dict(shown.told)
    assert told["Population"] == "1,520 of 1,800 documents, where rating in 1, 2"
    assert told["Comparison"] == "field: rating; groups: 1, 2 against 4, 5"
    grids = {grid.caption: grid for grid in shown.grids}
    assert grids["The gate's counts"].rows == (("checked", "160"), ("disagreements", "27"))
    assert "4, of them 3 confirmed and 1 contradicted" in grids["The gate's counts"].note
    assert grids["Statistics"].rows == (("group0 total n", "62"), ("delta known pp", "−26.500"), ("lift", "—"))
    assert grids["Identification bounds"].rows == (("delta identification lower pp", "−30.400"),)
    assert "not confidence intervals" in grids["Identification bounds"].note
    assert grids["Robustness"].rows == (("strata n", "5"), ("standardized delta pp", "—"))
    (quote,) = shown.quotes
    assert (quote.before, quote.quote, quote.after) == ("…It was new. ", "The hinge cracked.", " I sent it back.")
    assert (invalid.summary, invalid.error, invalid.faults) == ("invalid", "no quote", ("f1: no quote",))


@pytest.mark.parametrize(("depth", "word"), [("records", "its word"), ("submissions", "reviews"), ("texts", "corpus")])
def test_it_is_said_how_deep_the_numbers_were_verified(depth: str, word: str) -> None:
    assert word in context(board(depth=depth))["depth"]
    assert context(synthetic.board())["depth"] == ""


def test_a_record_without_its_submission_shows_what_there_is() -> None:
    (one, _) = context(board(submitted=None, gate=None))["records"]
    assert one.findings[0].grids == ()
    assert one.findings[0].quotes == ()
    assert "The gate allows" not in dict(one.findings[0].facts)


def test_the_page_of_a_sample_leads_to_the_records_of_each_method() -> None:
    made = board()
    table = documents(SAMPLE, made)["far/samples/sample-000.html"].context["findings"]
    assert [row.cells[0].href for row in table.rows] == ["far/methods/far.html#record-sample-000"]
    assert documents(SAMPLE, made)["far/samples/sample-002.html"].context["findings"] is None


def test_hostile_words_of_a_finding_stay_words_and_its_links_lead_somewhere() -> None:
    made = board(lambda text: text + HOSTILE)
    page: File = next(
        file for file in render([documents(PAGE, made)["far/methods/far.html"]]) if file.path == "far/methods/far.html"
    )
    html = page.content.decode()
    assert "<script>" not in html
    assert "<img" not in html
    assert "\u202e" not in html
    read = read_page(page)
    plain = read_page(render([documents(PAGE, board())["far/methods/far.html"]])[-1])
    assert len(read.ids) == len(set(read.ids))
    assert "record-sample-000" in read.ids
    assert [tag for tag in read.tags if tag not in ("wbr", "text")] == [
        tag for tag in plain.tags if tag not in ("wbr", "text")
    ]


def test_what_a_protocol_wants_said_stands_beside_the_scores_once() -> None:
    made = synthetic.board()
    reports = [
        replace(entry.report, notes=("Scores have error.",), beside={"Judge": "j", "Budget": str(index % 2)})
        for index, entry in enumerate(made.entries)
    ]
    entries = tuple(replace(entry, report=report) for entry, report in zip(made.entries, reports, strict=True))
    shown = documents(BOARD, replace(made, entries=entries))["far/index.html"].context
    notes = shown["results"].notes
    assert notes.count("Judge: j.") == 1
    assert notes.count("Scores have error.") == 1
    assert "Scores have error." not in shown["incomplete"].notes
    assert [column.title for column in shown["results"].columns][-1] == "Budget"
    assert {row.cells[-1].text for row in shown["results"].rows} == {"0", "1"}
    alone = replace(made, entries=tuple(entry for entry in entries if not entry.complete))
    assert "Scores have error." in documents(BOARD, alone)["far/index.html"].context["incomplete"].notes

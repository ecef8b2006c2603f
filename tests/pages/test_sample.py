"""The pages of samples: one for each where there are few, with what every method made of it."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.board import Board, Document
from tallystick.model import Showing
from tallystick.pages.sample import PAGE
from tallystick.table import Table


def pages(board: Board) -> dict[str, Document]:
    return {document.path: document for document in PAGE.documents(replace(synthetic.site(), boards=(board,)))}


def shown(board: Board, showing: Showing) -> Board:
    return replace(board, benchmark=replace(board.benchmark, showing=showing))


def column(table: Table, name: str) -> list[str]:
    index = [column.id for column in table.columns].index(name)
    return [row.cells[index].text for row in table.rows]


def test_samples_have_pages_only_where_they_are_few() -> None:
    board = synthetic.board()
    assert len(pages(board)) == 61
    assert len(pages(shown(board, Showing(sample_pages=60)))) == 61
    assert pages(shown(board, Showing(sample_pages=59))) == {}


def test_a_sample_page_shows_how_each_method_ended_and_its_value() -> None:
    board = synthetic.board()
    entry = board.entry("abstainer")
    lost = next(row for row, status in enumerate(entry.report.statuses) if status != "scored")
    table = pages(board)[f"far/samples/sample-{lost:03d}.html"].context["table"]
    assert column(table, "status")[-1] == entry.report.statuses[lost]
    assert column(table, "accuracy")[-1] == "—"
    assert table.rows[-1].cells[2].value is None
    assert f"no value: {entry.report.statuses[lost]}" in table.footnotes
    for row in table.rows[:-1]:
        report = board.entry(str(row.cells[0].value)).report
        assert row.cells[2].value == report.columns["accuracy"].statistics[lost, 0]


def test_an_abstention_is_no_verified_absence_wherever_one_is_counted() -> None:
    board = synthetic.board()
    found = pages(board)
    for status, said in (("abstained", True), ("invalid", False)):
        row = board.entry("abstainer").report.statuses.index(status)  # type: ignore[arg-type]
        notes = found[f"far/samples/sample-{row:03d}.html"].context["notes"]
        assert any("not a verified absence" in note for note in notes) is said


def test_a_sample_is_known_by_its_axes_and_by_the_field_that_the_maintainer_names() -> None:
    board = synthetic.board()
    samples = board.benchmark.samples
    rows = tuple({"title": "A title", "question": " Why? ", "gold": "secret"} for _ in samples.rows)
    board = replace(board, benchmark=replace(board.benchmark, samples=replace(samples, rows=rows)))
    for field, text in (("title", "A title"), ("question", "Why?"), ("none", "")):
        context = pages(shown(board, Showing(sample_title=field)))["far/samples/sample-007.html"].context
        assert context["text"] == text
        assert "secret" not in repr(dict(context) | {"site": None})
    facts = dict(context["facts"])
    assert facts["Category"].text == samples.axes["category"][7]
    assert facts["Category"].href == f"far/by/category/{samples.axes['category'][7]}.html"
    assert facts["Cluster"].text == samples.clusters[7]  # type: ignore[index]


def test_samples_are_chained_and_listed() -> None:
    found = pages(synthetic.board())
    listed = [row.cells[0].href for row in found["far/samples/index.html"].context["table"].rows]
    assert listed == sorted(set(found) - {"far/samples/index.html"})
    after = [found[str(path)].context["neighbours"][1] for path in listed]
    assert [link.href for link in after if link] == listed[1:]


def test_hostile_ids_of_samples_become_plain_paths() -> None:
    board = synthetic.board()
    ids = tuple(sorted(["../../x", "X", "x", "con", "a b", "ä", *board.benchmark.samples.ids[6:]]))
    entries = tuple(replace(e, report=replace(e.report, ids=ids)) for e in board.entries)
    samples = replace(board.benchmark.samples, ids=ids)
    found = pages(replace(board, entries=entries, benchmark=replace(board.benchmark, samples=samples)))
    assert len({path.casefold() for path in found}) == 61
    assert all(path.startswith("far/samples/") and path.count("/") == 2 for path in found)

"""The pages of axis values: every metric on some samples, named safely, and nothing ranked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthetic
from tallystick.board import Board, Document, Estimate
from tallystick.pages import _breakdown
from tallystick.pages._slugs import slugs
from tallystick.pages.axis import PAGE
from tallystick.strict.paths import fold, name_fault
from tallystick.table import Table


def pages(board: Board) -> dict[str, Document]:
    return {document.path: document for document in PAGE.documents(replace(synthetic.site(), boards=(board,)))}


def column(table: Table, name: str) -> list[str]:
    index = [column.id for column in table.columns].index(name)
    return [row.cells[index].text for row in table.rows]


# --- names ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=80), max_size=12))
def test_names_are_plain_never_alike_and_the_same_whatever_else_is_named(values: list[str]) -> None:
    named = slugs(values)
    assert len({fold(name) for name in named.values()}) == len(named)
    for value, name in named.items():
        assert name_fault(name) is None
        assert name not in ("", "index")
        assert name.isascii()
        assert "/" not in name
        assert name == name.lower()
        assert slugs([value])[value] == name
        assert slugs([name])[name] == name  # a name of a name is that name


def test_a_value_that_takes_the_name_of_another_takes_it_alone() -> None:
    forged = slugs(["Foo"])["Foo"]
    named = slugs(["Foo", forged])
    assert named[forged] == forged
    assert named["Foo"].startswith(forged)
    assert named["Foo"] != forged


@pytest.mark.parametrize("value", ["../../etc/passwd", "con", "index", "a.", "Ä", "", "\udcff", "x" * 300, "a/b"])
def test_a_value_that_no_file_may_be_called_has_a_name_all_the_same(value: str) -> None:
    (name,) = slugs([value]).values()
    assert name != value
    assert name_fault(name) is None


# --- pages ------------------------------------------------------------------------------------------------------------


def test_each_axis_has_an_overview_and_each_value_a_page() -> None:
    assert sorted(pages(synthetic.board())) == [
        "far/by/category/causal.html",
        "far/by/category/entity.html",
        "far/by/category/index.html",
        "far/by/category/numeric.html",
        "far/by/language/en.html",
        "far/by/language/index.html",
        "far/by/language/zh.html",
    ]


def test_an_axis_that_tells_no_samples_apart_has_no_page() -> None:
    board = synthetic.board()
    samples = replace(board.benchmark.samples, axes={**board.benchmark.samples.axes, "language": ("en",) * 60})
    found = pages(replace(board, benchmark=replace(board.benchmark, samples=samples)))
    assert not any("/language/" in path for path in found)


def test_neighbours_lead_from_the_first_value_to_the_last() -> None:
    found = pages(synthetic.board())
    path, seen = "far/by/category/causal.html", []
    while path:
        seen.append(path)
        before, after = found[path].context["neighbours"]
        assert (before.href if before else None) == (seen[-2] if len(seen) > 1 else None)
        path = after.href if after else ""
    assert [path.rpartition("/")[2] for path in seen] == ["causal.html", "entity.html", "numeric.html"]


def test_a_value_page_speaks_of_its_samples_only_and_ranks_nothing() -> None:
    board = synthetic.board()
    context = pages(board)["far/by/category/causal.html"].context
    own = [value for value in board.benchmark.samples.axes["category"] if value == "causal"]
    assert context["size"] == str(len(own))
    assert set(column(context["results"], "scored")) == {f"{len(own)}/{len(own)}"}
    assert not {"rank", "group"} & {column.id for column in context["results"].columns}
    assert "Rank" not in " ".join(context["results"].notes)
    part = _breakdown.breakdown(board.entry("far"), "category", "causal")
    assert part is not None
    values = dict(zip(column(context["results"], "method"), context["results"].rows, strict=True))
    assert values["FAR, full"].cells[1].value == part.estimates["accuracy"].value


def test_who_is_complete_is_decided_by_the_samples_of_the_value() -> None:
    board = synthetic.board()
    entry = board.entry("abstainer")
    whole = tuple(
        replace(
            part,
            estimates={name: replace(one, conditional=False, bounds=None) for name, one in part.estimates.items()},
        )
        if part.value == "causal"
        else part
        for part in entry.breakdowns
    )
    changed = tuple(replace(e, breakdowns=whole) if e is entry else e for e in board.entries)
    found = pages(replace(board, entries=changed))
    assert "Careful abstainer" in column(found["far/by/category/causal.html"].context["results"], "method")
    assert found["far/by/category/causal.html"].context["incomplete"] is None
    assert column(found["far/by/category/entity.html"].context["incomplete"], "method") == ["Careful abstainer"]
    assert "Careful abstainer" not in column(found["far/by/category/entity.html"].context["results"], "method")


def test_a_value_with_few_samples_has_values_without_intervals_and_says_so() -> None:
    board = synthetic.board()
    small = Estimate("accuracy", 0.5, None, 4, 4, False, note="n too small for an interval (fewer than 5)")
    entries = tuple(
        replace(
            entry,
            breakdowns=tuple(
                replace(part, estimates={**part.estimates, "accuracy": small}) if part.value == "en" else part
                for part in entry.breakdowns
            ),
        )
        for entry in board.entries
    )
    found = pages(replace(board, entries=entries))
    table = found["far/by/language/en.html"].context["results"]
    assert set(column(table, "accuracy-interval")) == {"n too small"}
    assert small.note in table.footnotes
    overview = found["far/by/language/index.html"].context["table"]
    assert all(row.cells[1].detail.startswith("n too small") for row in overview.rows)
    assert all("n too small" not in row.cells[2].detail for row in overview.rows)


def test_the_ledger_of_a_value_counts_its_samples_with_bars_and_wilson_rates() -> None:
    board = synthetic.board()
    ledger = pages(board)["far/by/category/entity.html"].context["ledger"]
    index = [column.id for column in ledger.columns].index
    for row in ledger.rows:
        part = _breakdown.breakdown(board.entry(str(row.cells[0].value)), "category", "entity")
        assert part is not None
        assert row.cells[index("bar")].figure is not None
        assert row.cells[index("scored-rate")].value == part.ledger.scored.value
        assert row.cells[index("scored")].text == f"{part.ledger.counts['scored']}/{part.ledger.total}"


def test_a_board_of_a_thousand_methods_and_fifty_values_is_paged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_breakdown, "CELLS_AT_MOST", 8)
    board = synthetic.board()
    found = [path for path in sorted(pages(board)) if "/category/index" in path]
    assert found == [
        f"far/by/category/index{part}" for part in ("-2/index.html", "-3/index.html", "-4/index.html", ".html")
    ]
    shown = [
        name for path in [found[-1], *found[:-1]] for name in column(pages(board)[path].context["table"], "method")
    ]
    assert shown == [entry.report.method.title for entry in board.entries]
    assert [link.href for link in pages(board)[found[0]].context["numbers"]] == [found[-1], *found[:-1]]


def test_the_board_leads_to_every_value_and_shows_small_tables_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    board = synthetic.board()
    category, language = _breakdown.overviews(board)
    assert [link.text for link in category.values] == ["causal", "entity", "numeric"]
    assert category.table is not None
    assert (category.link.text, language.link.href) == ("By category", "far/by/language/index.html")
    monkeypatch.setattr(_breakdown, "SHOWN_ON_BOARD", 1)
    monkeypatch.setattr(_breakdown, "LINKS_AT_MOST", 2)
    category, _ = _breakdown.overviews(board)
    assert category.table is None
    assert (len(category.values), category.more) == (2, "1 more")

"""What changed: every method then and now, and the rules; a sentence that only counts anew is no rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import synthetic
from tallystick import frozen
from tallystick.board import Board, Document, FrozenTable, Site
from tallystick.pages.changes import PAGE
from tallystick.table import Table


def shelved(then: Board, now: Board) -> Document | None:
    table = FrozenTable(
        "0" * 64, now.benchmark.id, b"", {"frozen": "2026-01-01", "table": frozen.table(then)}, current=False
    )
    made = PAGE.documents(Site(synthetic.site().settings, (replace(now, frozen=(table,)),), ()))
    (document,) = (one for one in made if isinstance(one, Document))
    return document


def rows(document: Document | None) -> dict[str, list[str]]:
    assert document is not None
    table: Any = document.context["methods"]
    assert isinstance(table, Table)
    return {row.id.removeprefix("method-"): [cell.text for cell in row.cells] for row in table.rows}


def test_methods_are_unchanged_changed_added_removed_or_set_aside() -> None:
    now = synthetic.board()
    gone, moved, *rest = now.entries
    before = replace(moved, estimates={**moved.estimates, "accuracy": replace(moved.estimates["accuracy"], value=0.5)})
    refused = replace(rest[1], outcome="refused")
    then = replace(now, entries=(gone, before, *rest[1:]))
    live = replace(now, entries=(moved, rest[0], *rest[2:]), refused=(*now.refused, refused))
    found = {method: cells[1] for method, cells in rows(shelved(then, live)).items()}
    assert found[gone.method] == "no longer there"
    assert found[moved.method] == "changed"
    assert found[rest[0].method] == "added"
    assert found[rest[1].method] == "refused"
    assert found[rest[2].method] == "unchanged"


def test_values_stand_then_and_now() -> None:
    now = synthetic.board()
    first = now.entries[0]
    before = replace(first, estimates={**first.estimates, "accuracy": replace(first.estimates["accuracy"], value=0.25)})
    cells = rows(shelved(replace(now, entries=(before, *now.entries[1:])), now))[first.method]
    assert cells[2].startswith("0.25")
    assert cells[4] != cells[2]


def test_a_changed_rule_is_told() -> None:
    now = synthetic.board()
    then = replace(now, benchmark=replace(now.benchmark, bootstrap=replace(now.benchmark.bootstrap, seed=1)))
    document = shelved(then, now)
    assert document is not None
    rules: Any = document.context["rules"]
    assert [row.cells[0].text for row in rules.rows] == ["/recipe/seed"]


def test_no_rule_changed_where_only_reports_did() -> None:
    now = synthetic.board()
    document = shelved(replace(now, entries=now.entries[1:]), now)
    assert document is not None
    assert document.context["rules"] is None

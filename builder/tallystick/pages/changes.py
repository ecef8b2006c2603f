"""What changed since a table was frozen: method by method, and rule by rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from tallystick import frozen, numerals
from tallystick.board import Board, Document, FrozenTable, Link, PageType, Site
from tallystick.frozen import Change
from tallystick.pages._frame import audit_path, board_path, frozen_path, gone, later, page, report_anchor
from tallystick.pages._frozen import changes_path, number_cells, rank_text
from tallystick.table import Cell, Column, Row, Table

RULES = ("benchmark", "recipe", "metrics")
WORDS = {"same": "unchanged", "changed": "changed", "added": "added", "removed": "no longer there"}


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each frozen table that the live board has left behind."""
    return tuple(
        later(changes_path(table), "changes.html", partial(_document, site, board, table))
        for board in site.boards
        for table in board.frozen
        if not table.current
    )


def _document(site: Site, board: Board, table: FrozenTable) -> Document:
    then, now = table.document["table"], frozen.table(board)
    found = frozen.changes(then, now)
    counts = Counter(_what(board, change)[0] for change in found)
    title = f"What changed in {then['benchmark']['title']} since {table.document['frozen']}"
    rules = [
        difference
        for part in RULES
        for difference in frozen.differences(then[part], now[part], f"/{part}")
        if not (difference[0].endswith("/decimals") or _only_counts(*difference[1:]))
    ]
    return page(
        site,
        changes_path(table),
        "changes.html",
        title=title,
        description=f"{title}: every method then and now.",
        crumbs=(
            Link("Frozen tables", "t/index.html"),
            Link(table.digest[:12], frozen_path(table.digest)),
            Link("What changed", changes_path(table)),
        ),
        diagnostic=then["benchmark"]["diagnostic"] or board.benchmark.diagnostic,
        then=Link(f"frozen on {table.document['frozen']}", frozen_path(table.digest)),
        now=Link("the live board", board_path(board)),
        facts=tuple((numerals.count(count), what) for what, count in counts.items()),
        methods=_methods(board, table, found, now),
        rules=_rules(rules) if rules else None,
    )


def _only_counts(then: object, now: object) -> bool:
    """Say whether two sentences differ in their numbers only, as of how many methods were ranked."""
    return (
        isinstance(then, str)
        and isinstance(now, str)
        and " " in then
        and re.sub(r"\d+", "", then) == re.sub(r"\d+", "", now)
    )


def _what(board: Board, change: Change) -> tuple[str, str]:
    """Say what became of a method, and where on the audit page it stands if it was set aside."""
    if change.kind != "removed":
        return WORDS[change.kind], ""
    for entry in (*board.refused, *board.diagnostic):
        if entry.method == change.method:
            return str(entry.outcome), f"{audit_path(board)}#{report_anchor(entry.report.path, entry.method)}"
    for one in gone(board):
        if one.method == change.method:
            return "withdrawn", f"{audit_path(board)}#{report_anchor(one.path, one.method)}"
    return WORDS[change.kind], ""


def _methods(board: Board, table: FrozenTable, found: tuple[Change, ...], now: Mapping[str, Any]) -> Table:
    then = table.document["table"]
    primary = {metric["id"]: metric for metric in then["metrics"]}[then["recipe"]["primary"]]
    places = next(
        (metric["decimals"] for metric in now["metrics"] if metric["id"] == primary["id"]), primary["decimals"]
    )
    columns = (
        Column("method", "Method", "header"),
        Column("what", "Since then", "text"),
        *(
            Column(f"{time}-{part}", name, kind, group=f"{primary['title']}, {time}")  # type: ignore[arg-type]
            for time in ("then", "now")
            for part, name, kind in (("value", "Value", "number"), ("interval", "Interval", "range"))
        ),
        Column("then-rank", "Then", "range", group="Rank"),
        Column("now-rank", "Now", "range", group="Rank"),
    )
    rows = []
    for change in found:
        what, href = _what(board, change)
        row = change.now or change.then or {}
        rows.append(
            Row(
                f"method-{change.method}",
                (
                    Cell(row["title"], change.method),
                    Cell(what, what, href=href or None, tone=what if what == "refused" else ""),
                    *_numbers(change.then, primary["id"], primary["decimals"]),
                    *_numbers(change.now, primary["id"], places),
                    Cell(rank_text(change.then)),
                    Cell(rank_text(change.now)),
                ),
            )
        )
    note = "Unchanged: every number of every metric, every count and every digest is the same."
    ranks = [row["rank"] for held in (then, now) for row in held["rows"]]
    made = Table("changes", "Every method, then and now", columns, tuple(rows), (note,))
    return made if any(ranks) else made.without({"then-rank", "now-rank"})


def _numbers(row: Mapping[str, Any] | None, metric: str, decimals: int) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(numerals.UNDEFINED, note="not in the table"), Cell(numerals.UNDEFINED, note="not in the table")
    return number_cells(row["values"].get(metric), decimals)


def _rules(rules: list[tuple[str, object, object]]) -> Table:
    columns = (Column("rule", "Rule", "header"), Column("then", "Then", "code"), Column("now", "Now", "code"))
    rows = tuple(Row("", (Cell(place, place), _value(then), _value(now))) for place, then, now in rules)
    return Table("rules", "Rules that are no longer the same", columns, rows)


def _value(value: object) -> Cell:
    if value is None:
        return Cell(numerals.UNDEFINED)
    return Cell(numerals.exact(value) if isinstance(value, int | float | str) else str(value))


PAGE = PageType("changes", "What changed since a table was frozen, method by method.", documents)

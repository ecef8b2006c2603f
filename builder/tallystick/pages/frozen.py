"""Permanent pages of frozen tables, with data files made from the frozen file alone."""

from __future__ import annotations

from tallystick import frozen, numerals
from tallystick.board import Board, Document, File, FrozenTable, Link, PageType, Site
from tallystick.pages._frame import board_path, frozen_path, page
from tallystick.pages._frozen import (
    audit_link,
    changes_path,
    number_cells,
    rank_text,
    shelf_table,
    withdrawn_since,
)
from tallystick.table import Cell, Column, Row, Table

INDEX = "t/index.html"
TABLE = "frozen"


def documents(site: Site) -> tuple[Document | File, ...]:
    """Make the page of every frozen table and its data files, and one page that lists them all."""
    shelves = [board for board in site.boards if board.frozen]
    made: list[Document | File] = [_list(site, shelves)] if shelves else []
    for board in shelves:
        for table in board.frozen:
            made += [_document(site, board, table), *_files(table)]
    return tuple(made)


def _list(site: Site, shelves: list[Board]) -> Document:
    return page(
        site,
        INDEX,
        "frozen_tables.html",
        title="Frozen tables",
        description="Tables that can be cited: each is named by the SHA-256 of its content and never changes.",
        crumbs=(Link("Frozen tables", INDEX),),
        shelves=tuple(shelf_table(board) for board in shelves),
    )


def _files(table: FrozenTable) -> tuple[File, ...]:
    folder = f"t/{table.digest}"
    return (
        File(f"{folder}/table.json", table.content),
        File(f"{folder}/table.csv", frozen.as_csv(table.document)),
        File(f"{folder}/table.tex", frozen.as_latex(table.document, table.digest)),
        File(f"{folder}/table.bib", frozen.as_bibtex(table.document, table.digest)),
    )


def _document(site: Site, board: Board, table: FrozenTable) -> Document:
    held, folder = table.document, f"t/{table.digest}"
    benchmark = held["table"]["benchmark"]
    files = tuple(
        Link(name, f"{folder}/table.{suffix}")
        for name, suffix in (("CSV", "csv"), ("JSON", "json"), ("LaTeX", "tex"), ("BibTeX", "bib"))
    )
    return page(
        site,
        frozen_path(table.digest),
        "frozen.html",
        title=f"{benchmark['title']}, frozen on {held['frozen']}",
        description=f"A table of {benchmark['title']} as it was on {held['frozen']}; SHA-256 {table.digest}.",
        crumbs=(Link("Frozen tables", INDEX), Link(table.digest[:12], frozen_path(table.digest))),
        diagnostic=benchmark["diagnostic"],
        digest=table.digest,
        note=held["note"],
        current=table.current,
        live=Link(board.benchmark.title, board_path(board)),
        changes="" if table.current else changes_path(table),
        withdrawn=withdrawn_since(board, table),
        audit=audit_link(board),
        exports={TABLE: files},
        bibtex=frozen.as_bibtex(held, table.digest).decode("utf-8"),
        table=_table(table),
        origin=_origin(table),
        reports=_reports(table),
        ranking=held["table"]["recipe"]["ranking"],
    )


def _table(table: FrozenTable) -> Table:
    held = table.document["table"]
    ranked = any(row["rank"] for row in held["rows"])
    columns = [Column("method", "Method", "header")]
    if ranked:
        columns = [Column("rank", "Rank", "range"), *columns, Column("group", "Group", "range")]
    for metric in held["metrics"]:
        hint = f"{metric['direction']} is better"
        columns.append(Column(metric["id"], "Value", hint=hint, group=metric["title"]))
        columns.append(Column(f"{metric['id']}-interval", "Interval", "range", group=metric["title"]))
    columns.append(Column("scored", "Scored"))
    rows = []
    for row in held["rows"]:
        apart = "" if row["complete"] else "incomplete: over scored samples only"
        cells = [Cell(row["title"], row["method"], apart)]
        if ranked:
            rank = row["rank"] or {"group": numerals.UNDEFINED}
            cells = [Cell(rank_text(row)), *cells, Cell(rank["group"], tone="letters")]
        for metric in held["metrics"]:
            cells += number_cells(row["values"].get(metric["id"]), metric["decimals"])
        samples = row["samples"]
        cells.append(Cell(numerals.of(samples["scored"], samples["total"]), samples["scored"]))
        rows.append(Row(f"method-{row['method']}", tuple(cells)))
    recipe = held["recipe"]
    drawn = f"stratified by {recipe['stratum']}" if recipe["stratum"] else "unstratified"
    note = (
        f"Intervals: percentile bootstrap, {drawn}, {numerals.count(recipe['resamples'])} resamples, seed"
        f" {numerals.exact(recipe['seed'])}, {numerals.level(recipe['confidence'])} confidence."
    )
    caption = f"{held['benchmark']['title']} on {table.document['frozen']}"
    return Table(TABLE, caption, tuple(columns), tuple(rows), tuple(filter(None, (note, recipe["ranking"]))))


def _origin(table: FrozenTable) -> Table:
    held, samples = table.document, table.document["table"]["benchmark"]["samples"]
    pinned = held["table"]["benchmark"]["fingerprint"]
    rows = [
        ("Digest of this table", table.digest),
        ("Frozen on", held["frozen"]),
        ("Frozen by", held["tool"]),
        ("Site", held["site"]["title"]),
        (f"Samples, {numerals.count(samples['count'])}", samples["sha256"]),
        *((f"Fingerprint, {name}", _pinned(value)) for name, value in pinned.items()),
        ("Table frozen before", held["previous"] or numerals.UNDEFINED),
    ]
    return Table(
        "origin",
        "Where it comes from",
        (Column("what", "What", "header"), Column("value", "Value", "code")),
        tuple(Row("", (Cell(what, what), Cell(value, value))) for what, value in rows),
    )


def _pinned(value: object) -> str:
    if value is None:
        return "none: the format has no such hash"
    return f"varies by method: {value['varies']}" if isinstance(value, dict) else str(value)


def _reports(table: FrozenTable) -> Table:
    rows = [
        Row(
            "",
            (Cell(row["title"], row["method"]), Cell(file["path"], file["path"]), Cell(file["sha256"], file["sha256"])),
        )
        for row in table.document["table"]["rows"]
        for file in row["report"]["files"]
    ]
    columns = (
        Column("method", "Method", "header"),
        Column("path", "File", "text"),
        Column("sha256", "SHA-256", "code"),
    )
    return Table("reports", "The reports behind it", columns, tuple(rows))


PAGE = PageType("frozen", "Frozen tables: permanent pages that never change, and a list of them.", documents)

"""The long tables of a large board, each on a page of its own, so that the board itself stays quick to read."""

from __future__ import annotations

from functools import partial

from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.pages._comparisons import family_tables
from tallystick.pages._estimates import ledger_table
from tallystick.pages._frame import is_large, later, long_path, method_path, page
from tallystick.pages._words import recipe
from tallystick.table import Table


def documents(site: Site) -> tuple[Document, ...]:
    """Make the pages of accounting and of declared comparisons of each large board."""
    made = []
    for board in site.boards:
        if is_large(board):
            made.append(later(long_path(board, "accounting"), "long.html", partial(_accounting, site, board)))
        if is_large(board) and board.comparisons:
            made.append(later(long_path(board, "declared"), "long.html", partial(_declared, site, board)))
    return tuple(made)


def _accounting(site: Site, board: Board) -> Document:
    table = ledger_table([(entry, method_path(board, entry.method)) for entry in board.entries])
    return _document(site, board, "accounting", "Accounting", (table,))


def _declared(site: Site, board: Board) -> Document:
    return _document(site, board, "declared", "Declared comparisons", family_tables(board))


def _document(site: Site, board: Board, name: str, title: str, tables: tuple[Table, ...]) -> Document:
    path = long_path(board, name)
    return page(
        site,
        path,
        "long.html",
        title=title,
        description=f"{title} of {board.benchmark.title}, every row.",
        board=board,
        crumbs=(Link(title, path),),
        tables=tables,
        name=name,
        recipe=recipe(board),
    )


PAGE = PageType("long", "The accounting and the declared comparisons of a large board.", documents)

"""Records over time: which new tops were real, drawn and tabulated."""

from __future__ import annotations

from functools import partial

from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.pages._frame import later, page, records_path
from tallystick.pages._ranking import over_time, records_table
from tallystick.pages._words import recipe


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board whose top was ever replaced."""
    return tuple(
        later(records_path(board), "records.html", partial(_document, site, board))
        for board in site.boards
        if records_table(board) is not None
    )


def _document(site: Site, board: Board) -> Document:
    path = records_path(board)
    return page(
        site,
        path,
        "records.html",
        title="Records over time",
        description=f"Each new top of {board.benchmark.title}, tested against the one that it replaced.",
        board=board,
        crumbs=(Link("Records over time", path),),
        plot=over_time(board),
        records=records_table(board),
        recipe=recipe(board),
    )


PAGE = PageType("records", "Records over time: each new top, tested against the one that it replaced.", documents)

"""The page of a method whose report was taken back: it stays where it was linked, with the reason."""

from __future__ import annotations

from functools import partial

from tallystick.board import Board, Document, Link, PageType, Site, Withdrawal
from tallystick.pages._frame import audit_path, entries_with_pages, later, method_path, page, report_anchor


def documents(site: Site) -> tuple[Document, ...]:
    """Make a page for each withdrawal, but where the method has another report that is shown."""
    made = []
    for board in site.boards:
        shown = entries_with_pages(board)
        for one in board.withdrawn:
            if one.method not in shown:
                make = partial(_document, site, board, one)
                made.append(later(method_path(board, one.method), "withdrawn.html", make))
    return tuple(made)


def _document(site: Site, board: Board, one: Withdrawal) -> Document:
    path = method_path(board, one.method)
    kept = next((entry.report for entry in board.refused if entry.method == one.method), None)
    title = kept.method.title if kept else one.title
    anchor = report_anchor(kept.path if kept else one.path, one.method)
    return page(
        site,
        path,
        "withdrawn.html",
        title=title,
        description=f"The report of {title} on {board.benchmark.title} was withdrawn.",
        board=board,
        crumbs=(Link(title, path),),
        day=one.day.isoformat(),
        reason=one.reason,
        audit=f"{audit_path(board)}#{anchor}",
    )


PAGE = PageType("withdrawn", "A method whose report was withdrawn: when, and why.", documents)

"""The page for addresses that lead nowhere."""

from __future__ import annotations

from tallystick.board import Document, Link, PageType, Site
from tallystick.pages._frame import board_path, page


def documents(site: Site) -> tuple[Document, ...]:
    """Make the one page, under the name that web servers look for."""
    return (
        page(
            site,
            "404.html",
            "missing.html",
            title="Page not found",
            description="There is no page at this address.",
            crumbs=(Link("Page not found", "404.html"),),
            boards=tuple(Link(board.benchmark.title, board_path(board)) for board in site.boards),
        ),
    )


PAGE = PageType("missing", "The page for addresses that lead nowhere.", documents)

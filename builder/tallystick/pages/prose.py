"""Pages of `content/`: Markdown that the maintainer wrote."""

from __future__ import annotations

from tallystick.board import Document, Link, PageType, Site
from tallystick.pages._frame import page


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each text, except the welcome that the start page carries."""
    return tuple(
        page(
            site,
            f"{prose.slug}.html",
            "prose.html",
            title=prose.title,
            description=prose.description or prose.title,
            crumbs=(Link(prose.title, f"{prose.slug}.html"),),
            markdown=prose.markdown,
        )
        for prose in site.prose
        if prose.slug != "index"
    )


PAGE = PageType("prose", "A text of the maintainer's, from content/.", documents)

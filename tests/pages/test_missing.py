"""The page for lost readers shows the way to every board."""

from __future__ import annotations

import synthetic
from tallystick.pages.missing import PAGE


def test_it_links_every_board() -> None:
    (document,) = PAGE.documents(synthetic.site())
    assert document.path == "404.html"
    assert [crumb.text for crumb in document.context["crumbs"]][-1] == document.context["title"]
    assert [link.href for link in document.context["boards"]] == ["far/index.html", "pilot/index.html"]

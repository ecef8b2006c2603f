"""Texts of content/ become pages, except the one that the start page carries."""

from __future__ import annotations

import synthetic
from tallystick.pages.prose import PAGE


def test_each_text_is_a_page_and_the_welcome_is_none() -> None:
    (document,) = PAGE.documents(synthetic.site())
    assert document.path == "about.html"
    assert document.context["title"] == "About"

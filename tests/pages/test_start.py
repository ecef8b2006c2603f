"""The start page: every board, and no order where none may be shown."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.pages.start import PAGE


def test_every_board_is_summarised_and_a_diagnostic_one_has_no_figure() -> None:
    (document,) = PAGE.documents(synthetic.site())
    far, pilot = document.context["boards"]
    assert far.facts == (("7", "methods"), ("60", "samples"), ("3", "set aside"), ("812", "stated numbers checked"))
    assert far.figure is not None
    assert "with the ranks that the data allow" in far.caption
    assert pilot.figure is None
    assert pilot.diagnostic


def test_a_board_without_ranks_says_that_its_order_is_none() -> None:
    site = synthetic.site()
    (document,) = PAGE.documents(replace(site, boards=(replace(site.boards[0], standings={}),)))
    assert "which is no ranking" in document.context["boards"][0].caption


def test_the_welcome_is_the_text_called_index() -> None:
    (document,) = PAGE.documents(synthetic.site())
    assert document.context["welcome"].startswith("Every number here")
    assert PAGE.documents(replace(synthetic.site(), prose=()))[0].context["welcome"] == ""

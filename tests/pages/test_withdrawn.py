"""A method whose report was withdrawn keeps its address, with the reason, whether or not the file is still there."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import synthetic
from tallystick.board import Site, Withdrawal
from tallystick.pages.withdrawn import PAGE
from tallystick.render import render


def pages(*withdrawn: Withdrawal) -> dict[str, str]:
    site = synthetic.site()
    board = replace(synthetic.board(), withdrawn=withdrawn)
    files = render(PAGE.documents(Site(site.settings, (board,), ())))
    return {file.path: file.content.decode() for file in files if file.path.endswith(".html")}


def test_a_method_that_is_gone_keeps_its_address() -> None:
    (found,) = pages(Withdrawal("gone", "It saw <the> answers.", date(2026, 11, 30), "Gone 1.0")).items()
    assert found[0] == "far/methods/gone.html"
    assert "<h1>Gone 1.0</h1>" in found[1]
    assert "withdrawn on <time>2026-11-30</time>" in found[1]
    assert "It saw &lt;the&gt; answers." in found[1]
    assert 'href="../audit.html#report-' in found[1]


def test_a_method_with_another_report_keeps_its_own_page() -> None:
    shown = synthetic.board().entries[0].method
    assert pages(Withdrawal(shown, "An older run.", date(2026, 11, 30), shown)) == {}

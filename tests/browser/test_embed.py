"""A board's table in a frame of another page: its links leave the frame, except to places in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_links_of_an_embedded_table_open_a_page_and_leave_the_frame(
    browser: Browser, served: str, tmp_path: Path
) -> None:
    article = tmp_path / "article.html"
    article.write_text(f'<!doctype html><p>An article.</p><iframe src="{served}far/embed.html" height="600"></iframe>')
    context = browser.new_context()
    page = context.new_page()
    page.goto(article.as_uri())
    table = page.frame_locator("iframe")
    for link, leads in (("h1 a", "far/index.html"), ("tbody th a >> nth=0", "far/methods/far.html")):
        with context.expect_page() as opened:
            table.locator(link).click()
        opened.value.wait_for_load_state()
        assert opened.value.url == f"{served}{leads}"
        assert opened.value.evaluate("window.opener") is None
        opened.value.close()
    table.locator('a[href="#results"]').click()
    page.frames[1].wait_for_url(f"{served}far/embed.html#results")
    assert len(context.pages) == 1
    assert page.url == article.as_uri()
    context.close()

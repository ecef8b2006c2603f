"""Every kind of page in a real browser, from a folder: whole, silent, and within its width."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import synthetic
from tallystick.model import Method
from tallystick.present import present
from tallystick.publish import publish
from tallystick.render import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAGES = (
    "index.html",
    "404.html",
    "about.html",
    "far/index.html",
    "far/audit.html",
    "far/computation.html",
    "far/add.html",
    "far/by/category/index.html",
    "far/samples/index.html",
    "far/samples/sample-007.html",
    "far/methods/abstainer.html",
    "far/methods/halfway.html",
    "far/compare/vanilla/far.html",
    "pilot/index.html",
)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>' + "w" * 300


@pytest.fixture(scope="module", params=["plain", "hostile"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp(request.param) / "site"
    made = synthetic.site() if request.param == "plain" else synthetic.site(text=lambda text: text + HOSTILE)
    publish(render(present(made)), out)
    return out


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_pages_are_styled_silent_and_never_wider_than_the_window(
    browser: Browser, site: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: None if request.url.startswith("file:") else said.append(request.url))
    values = sorted(path.relative_to(site).as_posix() for path in (site / "far/by/language").glob("[!i]*.html"))
    assert len(values) == 2
    for path in (*PAGES, *values):
        page.goto((site / path).as_uri())
        assert said == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} at {width}"
        assert page.evaluate("getComputedStyle(document.body).fontVariantNumeric").startswith("lining-nums"), path
    context.close()


def test_a_row_of_bars_is_drawn_where_its_numbers_say(browser: Browser, site: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "far/index.html").as_uri())
    points = page.eval_on_selector_all("#results .point", "found => found.map(dot => dot.getBoundingClientRect().x)")
    values = page.eval_on_selector_all(
        "#results td.number[data-value]", "found => found.map(cell => cell.dataset.value)"
    )
    entries = [entry for entry in synthetic.board().entries if entry.complete]
    assert len(points) == len(entries)
    assert points == sorted(points, reverse=True)
    assert [float(value) for value in values[:1]] == [entries[0].estimates["accuracy"].value]
    page.close()


def test_a_phone_sees_the_marks_of_every_figure_and_the_whole_of_every_caption(browser: Browser, site: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    for path in ("index.html", "far/figures.html", "far/metrics/accuracy.html", "far/compare/vanilla/far.html"):
        page.goto((site / path).as_uri())
        shown = page.evaluate("""[...document.querySelectorAll(".plot")].filter(one => one.offsetWidth).map(one => {
            const marks = [...one.querySelectorAll("circle, rect, path")];
            return marks.filter(mark => mark.getBoundingClientRect().left < innerWidth).length / marks.length;
        })""")
        assert shown, path
        assert all(share > 0.4 for share in shown), f"{path}: {shown}"
        hidden = page.evaluate("""[...document.querySelectorAll("caption")].filter(one => one.offsetWidth)
            .filter(one => one.getBoundingClientRect().right > 390).map(one => one.textContent)""")
        assert hidden == [], path
    page.close()


def test_a_table_that_scrolls_down_says_so(browser: Browser, tmp_path: Path) -> None:
    out = tmp_path / "site"
    board = synthetic.board()
    entries = tuple(
        replace(board.entries[0], report=replace(board.entries[0].report, method=Method(f"m{place}", f"M {place}")))
        for place in range(61)
    )
    site = replace(synthetic.site(), boards=(replace(board, entries=entries, comparisons=(), ranking=None),))
    publish(render(present(site)), out)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((out / "far/index.html").as_uri())
    assert page.locator("#results caption").inner_text() == "Complete reports by Accuracy 61 rows"
    shadows = "getComputedStyle(document.querySelector('#results').closest('.scroll')).backgroundImage.split('linear')"
    assert len(page.evaluate(shadows)) == 1 + 6
    page.goto((site_of(tmp_path) / "far/index.html").as_uri())
    assert page.locator("#results caption").inner_text() == "Complete reports by Accuracy"
    assert len(page.evaluate(shadows)) == 1 + 4
    page.close()


def site_of(folder: Path) -> Path:
    """Publish the made-up site, whose tables are short."""
    publish(render(present(synthetic.site())), folder / "short")
    return folder / "short"


def test_header_and_first_column_stay_in_view_while_a_wide_table_scrolls(browser: Browser, site: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((site / "far/index.html").as_uri())
    page.evaluate("document.querySelector('#results').parentElement.scrollLeft = 300")
    left = page.evaluate("document.querySelector('#results tbody th').getBoundingClientRect().x")
    edge = page.evaluate("document.querySelector('#results').parentElement.getBoundingClientRect().x")
    assert abs(left - edge) < 1
    page.close()

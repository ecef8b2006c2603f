"""The preview in a real browser: pages reload by themselves, keep their place, and show what is wrong as text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from preview_chaos import ABOUT, METHODS, SAMPLES, Writer, preview
from sized_board import write_report
from test_serve import FILES, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
PROBLEMS = "#tallystick-problems"
LONG = "line\n\n" * 200


class Open:
    """A board that is written, and a page of its preview that stays open; `said` is all that the page complained of."""

    def __init__(self, writer: Writer, page: Page, address: str) -> None:
        self.writer, self.page, self.address, self.said = writer, page, address, list[str]()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: self.said.append(f"dialog {dialog.message}"))
        page.set_default_timeout(20_000)

    def write(self, path: str, text: str) -> None:
        place = self.writer.place(*path.split("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def visit(self, path: str, text: str) -> None:
        """Open a page and leave a mark on it that no reload would leave, once its script has put it in its place."""
        self.page.goto(self.address + path)
        self.page.get_by_text(text).first.wait_for()
        self.page.wait_for_function("() => document.readyState === 'complete'")
        self.page.evaluate("window.mark = true")

    @property
    def was_reloaded(self) -> bool:
        return not self.page.evaluate("window.mark === true")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    writer = Writer(tmp_path / "board", 0)
    with preview(tmp_path / "board", tmp_path / "log") as (_, port):
        context = browser.new_context(viewport={"width": 900, "height": 500})
        yield Open(writer, context.new_page(), f"http://127.0.0.1:{port}/")
        context.close()


def test_a_page_reloads_by_itself_where_it_was(opened: Open) -> None:
    opened.write("content/about.md", ABOUT.format("one") + LONG)
    opened.visit("about.html", "Edition one.")
    opened.page.evaluate("scrollTo(0, 700)")
    opened.write("content/about.md", ABOUT.format("two") + LONG)
    opened.page.get_by_text("Edition two.").wait_for()
    opened.page.wait_for_function("() => scrollY === 700")
    assert opened.said == []


@pytest.mark.parametrize("order", ["", "?results.sort=method.descending"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_long_table_reloads_where_it_was(opened: Open, order: str, whole: bool) -> None:
    for number in range(METHODS, 200):
        write_report(opened.writer.root, number, SAMPLES)
    opened.visit(f"made/{order}", "200 rows")
    page, region, rows = opened.page, opened.page.locator(".tall"), opened.page.locator("#results tbody tr:visible")
    if whole:
        page.get_by_role("button", name="Show all").click()
    for place in (1000, 2000, 3000, 4000):
        region.evaluate(
            "(region, place) => new Promise(done => { region.scrollTop = place; setTimeout(done, 50); })", place
        )
    assert region.evaluate("region => region.scrollTop") == 4000
    opened.write("content/site.yaml", "title: Another title\n")
    page.locator(".brand", has_text="Another title").wait_for()
    page.wait_for_function("() => document.querySelector('.tall').scrollTop === 4000")
    assert opened.was_reloaded
    assert (rows.count() == 200) == whole
    assert opened.said == []


def test_a_page_that_was_asked_for_too_early_loads_again_once_there_is_a_site(browser: Browser) -> None:
    with served() as site:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{site.port}/about.html")
        page.get_by_text("The site is being built").first.wait_for()
        site.change(FILES)
        page.get_by_text("about", exact=True).wait_for()
        page.close()


def test_a_style_and_a_template_are_seen_at_once(opened: Open) -> None:
    opened.visit("made/", "Made")
    opened.write("templates/static/style.css", "body { color: rgb(1, 2, 3) }")
    opened.page.wait_for_function("() => getComputedStyle(document.body).color === 'rgb(1, 2, 3)'")
    assert not opened.was_reloaded, "a style takes the place of the one before"
    opened.page.wait_for_function("() => document.querySelectorAll('link[href*=\"style.\"]').length === 1")
    opened.write("templates/static/style.css", "body { color: rgb(4, 5, 6) }")
    opened.page.wait_for_function("() => getComputedStyle(document.body).color === 'rgb(4, 5, 6)'")
    opened.write("templates/board.html", '{% extends "base.html" %}{% block content %}Ours.{% endblock %}')
    opened.page.get_by_text("Ours.").wait_for()
    assert opened.said == []


def test_a_page_that_did_not_change_is_left_alone(opened: Open) -> None:
    opened.visit("made/methods/m0001.html", "Method 1")
    other = opened.page.context.new_page()
    other.goto(opened.address + "about.html")
    opened.write("content/about.md", ABOUT.format("three"))
    other.get_by_text("Edition three.").wait_for()
    assert not opened.was_reloaded
    other.close()


def test_how_a_table_is_sorted_outlives_a_reload(opened: Open) -> None:
    opened.visit("made/", "Made")
    button = opened.page.locator("th button").first
    if not button.count():
        pytest.skip("tables have no buttons here")
    button.click()
    order = "[...document.querySelectorAll('th')].map(one => one.getAttribute('aria-sort')).join()"
    sorted_ = opened.page.evaluate(order)
    opened.writer.new_report()
    opened.page.wait_for_function("() => window.mark !== true")
    opened.page.wait_for_function(f"() => {order} === {sorted_!r}")


def test_problems_are_shown_as_text_and_go_when_they_are_mended(opened: Open) -> None:
    opened.visit("about.html", "Edition")
    opened.write("content/about.md", "---\ntitle: <img src=x onerror=alert(1)>\nunknown: </script>\n---\n")
    box = opened.page.locator(PROBLEMS)
    box.get_by_text("content/about.md line 3").wait_for()
    assert opened.page.get_by_text("Edition").count() == 1
    assert box.locator("img, script").count() == 0
    assert not opened.was_reloaded
    opened.write("content/about.md", ABOUT.format("healed"))
    opened.page.get_by_text("Edition healed.").wait_for()
    assert box.count() == 0
    assert opened.said == []


def test_a_template_that_fails_leaves_the_page_and_says_its_line(opened: Open) -> None:
    opened.visit("about.html", "Edition")
    opened.write("templates/prose.html", "\n{{ nowhere }}")
    opened.page.locator(PROBLEMS).get_by_text("templates/prose.html line 2").wait_for()
    assert opened.page.get_by_text("Edition").count() == 1
    opened.write("templates/prose.html", "<!doctype html><html><head></head><body>Healed.</body></html>")
    opened.page.get_by_text("Healed.").wait_for()
    assert opened.page.locator(PROBLEMS).count() == 0


def test_a_page_of_another_site_can_neither_read_nor_listen(opened: Open, browser: Browser) -> None:
    opened.visit("about.html", "Edition")
    stranger = browser.new_page()
    stranger.goto("data:text/html,<title>stranger</title>")
    read = "address => fetch(address).then(() => 'read', () => 'refused')"
    listen = """address => new Promise((done) => {
        const stream = new EventSource(address);
        stream.addEventListener("state", () => done("told"));
        stream.onerror = () => done("refused");
    })"""
    assert stranger.evaluate(read, opened.address) == "refused"
    assert stranger.evaluate(listen, f"{opened.address}-/events") == "refused"
    stranger.close()

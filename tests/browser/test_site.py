"""Every kind of page of a whole site in a real browser: open to all, valid, silent, printable, and linked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urldefrag

import html5lib
import pytest

import every_page
from reading import read_page
from tallystick.board import File
from tallystick.render import template_folders

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

Scheme = Literal["light", "dark"]
pytestmark = pytest.mark.browser
AXE = "axe_playwright_python"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The pages of a site that has every type of page, as files."""
    root = tmp_path_factory.mktemp("kinds")
    made = every_page.site(root / "repository")
    return [root / "site" / path for path in every_page.write(made, root / "site")]


def test_no_type_of_page_and_no_template_is_left_out(tmp_path: Path) -> None:
    made = every_page.site(tmp_path)
    checked = list(every_page.looked_at(made))
    silent = {one.id for one in every_page.page_types()} - {id_ for id_, _ in checked}
    assert silent == {"feed", "schemas"}, "which make no HTML"
    shipped = {path.name for path in template_folders(None)[-1].glob("*.html") if path.name[0] != "_"}
    assert {one.template for _, one in checked} == shipped - {"base.html"}
    assert set(every_page.FURTHER) <= {one.path for _, one in checked}


@pytest.fixture(scope="module")
def axe() -> str:
    return (files(AXE) / "axe.min.js").read_text("utf-8")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing(browser: Browser, kinds: list[Path], axe: str, width: int, scheme: Scheme) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = context.new_page()
    complaints = []
    for path in kinds:
        opened.goto(path.as_uri())
        opened.evaluate("document.querySelectorAll('details:not(.columns)').forEach(one => { one.open = true; })")
        opened.evaluate(axe)
        found = opened.evaluate("rules => axe.run({runOnly: {type: 'tag', values: rules}})", RULES)
        assert found["passes"], path
        complaints += [
            (str(path), one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found["violations"]
        ]
    context.close()
    assert complaints == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_moves_while_a_page_opens(browser: Browser, kinds: list[Path], width: int) -> None:
    opened = browser.new_page(viewport={"width": width, "height": 900})
    opened.add_init_script("""window.moved = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((one) => { moved += one.value; }))
            .observe({type: "layout-shift", buffered: true});""")

    def late(route: Route) -> None:
        """Answer with the script once the page is painted, as over a slow line."""
        opened.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        route.continue_()

    opened.route("**/table.*.js", late)
    for path in kinds:
        opened.goto(path.as_uri())
        opened.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        assert opened.evaluate("moved") == 0, path
    opened.close()


def test_the_narrow_form_of_a_figure_fits_the_smallest_phone(browser: Browser, kinds: list[Path]) -> None:
    opened = browser.new_page(viewport={"width": 320, "height": 800})
    widths = []
    for path in kinds:
        opened.goto(path.as_uri())
        widths += opened.eval_on_selector_all(
            ".narrow", "found => found.map(one => [one.clientWidth, one.scrollWidth, one.ariaLabel])"
        )
    opened.close()
    assert len(widths) > 10
    assert [label for client, scroll, label in widths if scroll > client] == []


def test_every_page_is_parsed_without_an_error(built: Path, kinds: list[Path]) -> None:
    for place in (*sorted(built.rglob("*.html")), *kinds):
        html5lib.HTMLParser(strict=True).parse(place.read_text("utf-8"))


def test_a_crawl_under_a_sub_path_finds_no_broken_link_no_message_and_no_other_host(page: Page, served: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(served) else said.append(request.url))
    waiting, seen, fragments = [served], {served}, list[tuple[str, str]]()
    ids: dict[str, set[str]] = {}
    while waiting:
        url = waiting.pop()
        answer = page.goto(url)
        assert answer is not None and answer.status == 200, url
        assert said == [], url
        ids[url] = set(page.eval_on_selector_all("[id]", "found => found.map(one => one.id)"))
        for link in page.eval_on_selector_all("a[href], link[href]", "found => found.map(one => one.href)"):
            if not link.startswith(served.removesuffix("project/")):
                continue
            assert link.startswith(served), f"{url}: {link}"
            target, fragment = urldefrag(link)
            fragments += [(target, fragment)] if fragment else []
            if target not in seen:
                seen.add(target)
                if target.endswith((".html", "/")):
                    waiting.append(target)
                else:
                    assert page.request.get(target).status == 200, f"{url}: {link}"
    assert len(ids) > 50
    for target, fragment in fragments:
        assert fragment in ids[target], f"{target}#{fragment}"


def test_without_a_script_every_kind_of_page_shows_all_that_it_says(browser: Browser, kinds: list[Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    for path in kinds:
        opened.goto(path.as_uri())
        rows = read_page(File(path.name, path.read_bytes())).tags.count("tr")
        assert opened.locator("tr").count() == rows, path
        assert opened.locator("main h1").is_visible(), path
        assert opened.locator("button:visible, input:visible").count() == 0, path
    context.close()


def test_a_board_prints_without_what_only_a_screen_needs(browser: Browser, built: Path) -> None:
    opened = browser.new_page()
    opened.goto((built / "far/index.html").as_uri())
    opened.emulate_media(media="print")
    assert not opened.locator(".tools:visible, .sections:visible").count()
    assert opened.pdf().startswith(b"%PDF-")
    width = opened.evaluate(
        "[...document.querySelectorAll('.scroll')].every(one => one.clientHeight >= one.scrollHeight)"
    )
    assert width
    opened.close()


def test_figures_stand_alone_in_both_schemes(browser: Browser, built: Path) -> None:
    drawings = sorted(built.glob("far/figures.tables/*.svg"))
    assert len(drawings) == 4
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 21, 22)")):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        opened = context.new_page()
        for drawing in drawings:
            opened.goto(drawing.as_uri())
            fills = opened.evaluate(
                "[...document.querySelectorAll('svg > :not(style, title, desc)')].map(one => ["
                "one.getAttribute('class'), getComputedStyle(one).fill, getComputedStyle(one).stroke])"
            )
            assert fills[0][:2] == ["paper", paper]
            unpainted = {name for name, fill, stroke in fills if fill == "rgb(0, 0, 0)" and stroke == "none"}
            assert unpainted == set(), drawing.name
        context.close()

"""Tables in a real browser: sorted, filtered, narrowed and remembered, by mouse and by keyboard, or simply read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tallystick.board import Document
from tallystick.render import render
from tallystick.table import Cell, Column, Row, Table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
ROOM = 40
"""Rows of a long table that are laid out at once."""
VALUES = (5, None, 7, None, 6, 38.5, 9, 100, -1)
"""With missing values, and with what a text would sort wrongly."""
TEMPLATE = """{% import "_macros.html" as show with context %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>One</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self'">
<link rel="stylesheet" href="{{ asset("style.css") }}"><script src="{{ asset("table.js") }}" defer></script></head>
<body><h1>One</h1>{{ show.table(made) }}</body></html>"""
HOSTILE = (
    "made.sort=<script>alert(1)</script>",
    "made.sort=value.sideways",
    "made.sort=nothing.ascending",
    "made.sort=__proto__.ascending",
    "made.find=%00%ff&made.kind=%3Cb%3E",
    "made.hide=constructor value.value",
    "sort=value.ascending",
    "%=&&=%E0%A4%A",
)


def table(values: Sequence[float | None] = VALUES) -> Table:
    columns = (
        Column("name", "Name", "header"),
        Column("value", "Value", order="descending"),
        Column("error", "Error", order="ascending"),
        Column("kind", "Kind", "text", facet="value", minor=True),
        Column("group", "Group", "range", facet="letters"),
    )
    rows = tuple(
        Row(
            f"row-{place}",
            (
                Cell(f"Method {place}", href="one.html"),
                Cell("—" if value is None else f"{value}%", value),
                Cell("—" if value is None else f"{value}%", value),
                Cell(("baseline", "method", "—")[place % 3]),
                Cell(("a", "ab", "b")[place % 3], ("a", "ab", "b")[place % 3]),
            ),
        )
        for place, value in enumerate(values)
    )
    return Table("made", "Made up", columns, rows)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of one table, in a folder."""
    return write(tmp_path_factory.mktemp("tables"), VALUES)


@pytest.fixture(scope="module")
def long_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of one long table, in a folder."""
    return write(tmp_path_factory.mktemp("long"), tuple(range(1000)))


def write(out: Path, values: Sequence[float | None], made: Table | None = None) -> str:
    (out / "templates").mkdir()
    (out / "templates" / "one.html").write_text(TEMPLATE, "utf-8")
    context = {"made": made or table(values), "exports": {}, "cite": None}
    for file in render([Document("one.html", "one.html", context)], out):
        place = out / file.path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(file.content)
    return (out / "one.html").as_uri()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1000, "height": 800})
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    opened.set_default_timeout(20_000)
    yield opened
    opened.close()
    assert said == []


def shown(page: Page, column: int = 0) -> list[str]:
    return page.eval_on_selector_all(
        "#made tbody tr:not([hidden])", f"rows => rows.map(row => row.cells[{column}].textContent)"
    )


def heading(page: Page, column: str) -> str | None:
    return page.get_attribute(f"#made th[data-column={column}]", "aria-sort")


def status(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def test_numbers_sort_as_numbers_and_what_is_missing_comes_last_both_ways(page: Page, address: str) -> None:
    page.goto(address)
    button = page.get_by_role("button", name="Value")
    button.click()
    assert heading(page, "value") == "descending"
    assert shown(page, 1) == ["100%", "38.5%", "9%", "7%", "6%", "5%", "-1%", "—", "—"]
    button.click()
    assert heading(page, "value") == "ascending"
    assert shown(page, 1) == ["-1%", "5%", "6%", "7%", "9%", "38.5%", "100%", "—", "—"]
    assert shown(page)[-2:] == ["Method 1", "Method 3"]
    button.click()
    assert heading(page, "value") is None
    assert shown(page, 1) == [cell.text for cell in (row.cells[1] for row in table().rows)]


def test_the_first_order_of_a_column_is_the_one_that_puts_its_best_first(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Value").click()
    page.get_by_role("button", name="Error").click()
    assert (heading(page, "value"), heading(page, "error")) == (None, "ascending")
    assert shown(page, 2)[0] == "-1%"


def test_a_heading_that_is_a_link_sorts_by_a_button_beside_it(page: Page, tmp_path: Path) -> None:
    linked = replace(table(), columns=tuple(replace(one, href="made/value.html") for one in table().columns))
    page.goto(write(tmp_path, (), linked))
    button, link = page.get_by_role("button", name="Sort by Value"), page.get_by_role("link", name="Value")
    button.click()
    assert shown(page, 1)[0] == "100%"
    one, other = button.bounding_box(), link.bounding_box()
    assert one is not None and other is not None
    assert one["x"] + one["width"] <= other["x"]
    assert min(one["width"], one["height"]) >= 24


def test_ties_stay_in_the_order_of_the_page(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Group").click()
    assert shown(page) == [f"Method {place}" for place in (0, 3, 6, 1, 4, 7, 2, 5, 8)]
    page.get_by_role("button", name="Group").click()
    assert shown(page) == [f"Method {place}" for place in (2, 5, 8, 1, 4, 7, 0, 3, 6)]


def test_names_that_may_break_are_sorted_and_chosen_whole(page: Page, tmp_path: Path) -> None:
    names = ("far_minus_b", "far_minus_a", "far_zero", "far", "far_minus_c", "a", "b", "c")
    rows = tuple(
        Row("", (Cell(name), Cell("—"), Cell("—"), Cell(f"type_{name}", detail="x"), Cell("a"))) for name in names
    )
    page.goto(write(tmp_path, (), replace(table(), rows=rows)))
    page.get_by_role("button", name="Name").click()
    assert shown(page) == sorted(names)
    page.get_by_role("combobox", name="Kind").select_option("type_far_zero")
    assert shown(page) == ["far_zero"]


def test_rows_are_found_by_text_and_chosen_by_facets_and_the_count_is_said(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Find").fill("METHOD 4")
    assert shown(page) == ["Method 4"]
    assert status(page) == "1 of 9 rows."
    page.get_by_label("Find").fill("")
    assert len(shown(page)) == 9
    page.get_by_role("combobox", name="Group").select_option("a")
    assert shown(page) == [f"Method {place}" for place in (0, 1, 3, 4, 6, 7)]
    page.get_by_role("combobox", name="Kind").select_option("method")
    assert shown(page) == ["Method 1", "Method 4", "Method 7"]
    page.get_by_label("Find").fill("nothing like it")
    assert shown(page) == []
    assert status(page) == "0 of 9 rows."


def test_the_address_keeps_order_filters_and_columns(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Error").click()
    page.get_by_role("combobox", name="Kind").select_option("baseline")
    page.get_by_label("Find").fill("method")
    page.get_by_text("Columns").click()
    page.get_by_role("checkbox", name="Value").uncheck()
    kept, url = shown(page), page.url
    assert page.locator("#made th[data-column=value]").is_hidden()
    page.goto("about:blank")
    page.goto(url)
    assert shown(page) == kept == ["Method 0", "Method 6", "Method 3"]
    assert heading(page, "error") == "ascending"
    assert page.locator("#made th[data-column=value]").is_hidden()
    assert page.locator("#made tbody tr >> nth=0 >> td >> nth=0").is_hidden()
    assert "Sorted by Error, ascending." in status(page)
    page.get_by_label("Find").fill("")
    page.get_by_role("combobox", name="Kind").select_option("")
    page.get_by_role("button", name="Error").click()
    page.get_by_role("button", name="Error").click()
    page.get_by_text("Columns").click()
    page.get_by_role("checkbox", name="Value").check()
    assert page.url == address


@pytest.mark.parametrize("query", HOSTILE)
def test_an_address_that_makes_no_sense_gives_the_order_of_the_page(page: Page, address: str, query: str) -> None:
    page.goto(f"{address}?{query}")
    found = shown(page)
    assert found in ([], [f"Method {place}" for place in range(9)])
    assert bool(found) == ("find" not in query)
    assert page.locator("#made th[aria-sort]").count() == 0
    assert page.locator("body script, b").count() == 0


def test_everything_is_done_with_the_keyboard_alone(page: Page, address: str) -> None:
    page.goto(address)
    focused = "document.activeElement.closest('th')?.dataset.column ?? document.activeElement.tagName"
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(focused))
        if seen[-1] == "value":
            page.keyboard.press("Enter")
            assert heading(page, "value") == "descending"
            page.keyboard.press("Space")
            assert heading(page, "value") == "ascending"
            break
    assert seen[:5] == ["INPUT", "SELECT", "SELECT", "SUMMARY", "DIV"]
    assert page.evaluate(focused) == "value"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("#made th[data-column=value]").is_hidden()
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == "SUMMARY"
    assert page.locator(".choices").is_hidden()


def test_without_a_script_the_table_is_whole_and_offers_nothing_that_does_not_work(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}?made.sort=value.ascending")
    assert page.locator("#made tbody tr").count() == len(VALUES)
    assert page.locator("button, input, select").count() == 0
    assert page.locator(".tools").is_hidden()
    context.close()


def test_a_phone_begins_with_the_columns_that_matter_and_can_have_all(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(address)
    assert page.locator("#made th[data-column=kind]").is_hidden()
    assert page.locator("#made th[data-column=value]").is_visible()
    page.get_by_text("Columns").click()
    page.get_by_role("checkbox", name="Kind").check()
    assert page.locator("#made th[data-column=kind]").is_visible()
    page.close()


def test_the_choice_of_columns_stays_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    long = tuple(replace(one, title=f"{one.title} of a long name", facet=None) for one in table().columns[:4])
    one_facet = replace(table(), columns=(*long, table().columns[4]))
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(write(tmp_path, (), one_facet))
    page.get_by_text("Columns").click()
    assert page.locator(".choices").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_a_long_table_shows_its_first_rows_in_any_order_and_all_on_demand(browser: Browser, long_address: str) -> None:
    page = browser.new_page()
    rows = page.locator("#made tbody tr:visible")
    page.goto(long_address)
    assert rows.count() == ROOM
    page.get_by_role("button", name="Value").click()
    assert rows.count() == ROOM
    assert rows.first.inner_text().startswith("Method 999")
    page.get_by_label("Find").fill("method 7")
    assert rows.count() == ROOM
    page.get_by_label("Find").fill("method 77")
    assert [text.split()[1] for text in rows.all_inner_texts()] == [*map(str, range(779, 769, -1)), "77"]
    assert page.get_by_role("button", name="Show all").is_hidden()
    page.get_by_label("Find").fill("")
    page.emulate_media(media="print")
    assert rows.count() == 1000
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Show all 1,000 rows").click()
    assert rows.count() == 1000
    page.goto(long_address + "#row-900")
    page.reload()
    assert page.locator("#row-900").is_visible()
    page.close()


def settled(page: Page) -> None:
    """Wait until rows that nobody saw are moved, too."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")


def test_rows_that_are_not_seen_yet_are_in_order_as_soon_as_the_others_are_painted(
    page: Page, long_address: str
) -> None:
    page.goto(long_address)
    names = [f"Method {place}" for place in range(1000)]
    page.get_by_role("button", name="Value").click()
    settled(page)
    assert shown(page) == names[::-1]
    page.get_by_label("Find").fill("5")
    page.get_by_role("button", name="Value").click()
    settled(page)
    assert [name for name in shown(page) if "5" in name] == [name for name in names if "5" in name]
    page.get_by_label("Find").fill("")
    settled(page)
    assert shown(page) == names
    page.eval_on_selector("#made th[data-column=value] button", "button => { button.click(); button.click(); }")
    settled(page)
    assert shown(page) == names[::-1], "only the last of two orders holds"


def test_a_long_table_grows_while_it_is_scrolled_until_all_is_there(page: Page, long_address: str) -> None:
    page.goto(long_address)
    rows = page.locator("#made tbody tr:visible")
    page.get_by_role("button", name="Value").click()
    before = 0
    while before < 1000:
        settled(page)
        before = rows.count()
        page.locator("#row-0").evaluate(
            "row => { const all = row.closest('.scroll'); all.scrollTop = all.scrollHeight; }"
        )
        if before < 1000:
            page.wait_for_function("n => document.querySelectorAll('#made tr:not(.later)').length > n + 1", arg=before)
    assert page.get_by_role("button", name="Show all").is_hidden()
    assert shown(page) == [f"Method {place}" for place in range(999, -1, -1)]


def test_the_tools_of_a_long_table_never_lie_on_its_headings(page: Page, long_address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(long_address)
    region = page.locator(".scroll")
    region.evaluate("region => { region.scrollTop = 300; }")
    tools, table = page.locator(".tools").bounding_box(), region.bounding_box()
    assert tools is not None and table is not None
    assert tools["y"] + tools["height"] <= table["y"]


def test_all_rows_stay_on_the_screen_once_they_were_asked_for(page: Page, long_address: str) -> None:
    page.goto(long_address)
    page.get_by_role("button", name="Show all 1,000 rows").click()
    page.get_by_role("button", name="Value").click()
    rows = page.locator("#made tbody tr:visible")
    assert rows.first.inner_text().startswith("Method 999")
    settled(page)
    assert rows.count() == 1000
    page.get_by_label("Find").fill("method 7")
    settled(page)
    assert rows.count() == 111
    assert page.get_by_role("button", name="Show all").is_hidden()


TOP = """id => {
    const {left, top, height} = document.getElementById(id).getBoundingClientRect();
    return document.elementFromPoint(left + 20, top + height / 2)?.closest("tr").id;
}"""
"""The row that is seen where a row is, under headings that stay."""


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("row", ["row-20", "row-900"])
def test_a_row_that_is_asked_for_is_not_under_the_headings(
    browser: Browser, long_address: str, row: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(f"{long_address}?made.sort=value.descending#{row}")
    page.wait_for_timeout(200)
    assert page.evaluate(TOP, row) == row
    assert page.evaluate("document.querySelector('thead th').getBoundingClientRect().top >= 0")
    context.close()


def test_a_row_that_is_asked_for_is_shown_whatever_was_filtered(page: Page, long_address: str) -> None:
    page.goto(f"{long_address}?made.find=method+77&made.group=a#row-901")
    assert page.evaluate(TOP, "row-901") == "row-901"
    assert page.url == f"{long_address}#row-901"
    assert (page.get_by_label("Find").input_value(), page.get_by_role("combobox", name="Group").input_value()) == (
        "",
        "",
    )
    page.get_by_label("Find").fill("method 5")
    assert page.url == f"{long_address}?made.find=method+5", "what is filtered out is asked for no more"
    page.evaluate("location.hash = 'row-902'")
    page.wait_for_function("document.getElementById('row-902').offsetHeight > 0")
    assert page.evaluate(TOP, "row-902") == "row-902"
    page.goto(f"{long_address}?made.find=method+77#row-775")
    page.reload()
    assert len(shown(page)) == 11


def test_showing_all_says_how_many_and_leads_to_the_first_of_them(page: Page, long_address: str) -> None:
    page.goto(long_address)
    page.get_by_label("Find").fill("method 7")
    button = page.get_by_role("button", name="Show all 111 rows")
    button.focus()
    page.keyboard.press("Enter")
    focused = "document.activeElement.textContent"
    assert page.evaluate(focused) == shown(page)[ROOM]
    assert page.locator("#made tbody tr:visible").count() == 111


def test_a_search_of_the_browser_finds_every_row(page: Page, long_address: str) -> None:
    page.goto(long_address)
    page.get_by_label("Find").press("f")
    assert page.locator("#row-999").is_hidden()
    page.get_by_label("Find").fill("")
    page.keyboard.press("Control+f")
    assert page.locator("#made tbody tr:visible").count() == 1000


def test_rows_are_numbered_though_not_all_are_laid_out(page: Page, long_address: str) -> None:
    page.goto(long_address)
    numbers = "rows => rows.map(row => row.ariaRowIndex)"
    assert page.get_attribute("#made", "aria-rowcount") == "1001"
    assert page.eval_on_selector_all("#made tbody tr", numbers) == [str(place + 2) for place in range(1000)]
    page.get_by_role("button", name="Value").click()
    page.get_by_label("Find").fill("method 77")
    settled(page)
    assert page.get_attribute("#made", "aria-rowcount") == "12"
    assert page.eval_on_selector_all("#made tbody tr:not([hidden])", numbers) == [str(at + 2) for at in range(11)]


def test_another_order_begins_at_its_first_row_and_stays_there(page: Page, long_address: str) -> None:
    page.goto(long_address)
    region = page.locator(".scroll")
    region.evaluate("region => { region.scrollTop = region.scrollHeight; }")
    page.wait_for_function("n => document.querySelectorAll('#made tbody tr:not(.later)').length > n", arg=ROOM)
    page.eval_on_selector("#made th[data-column=value] button", "button => button.click()")
    page.wait_for_timeout(300)
    assert region.evaluate("region => region.scrollTop") == 0
    assert page.locator("#made tbody tr:visible").count() == ROOM


def test_the_script_is_small(built: Path) -> None:
    (script,) = built.glob("assets/table.*.js")
    assert script.stat().st_size < 13_500

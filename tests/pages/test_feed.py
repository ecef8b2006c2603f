"""The feed: valid Atom, newest first, the same ids at every build, and inert."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from xml.etree import ElementTree

import pytest

import synthetic
from tallystick.board import Site, Withdrawal
from tallystick.pages.feed import PAGE
from tallystick.render import render

ATOM = "{http://www.w3.org/2005/Atom}"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
REFERENCE = re.compile(r"[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def feed(site: Site) -> ElementTree.Element:
    (file,) = (one for one in render(PAGE.documents(site)) if one.path == "feed.xml")
    return ElementTree.fromstring(file.content)


def texts(root: ElementTree.Element, name: str) -> list[str]:
    return [entry.findtext(f"{ATOM}{name}") or "" for entry in root.findall(f"{ATOM}entry")]


def test_it_tells_every_outcome_newest_first() -> None:
    root = feed(synthetic.site())
    titles = texts(root, "title")
    for outcome in ("admitted", "diagnostic", "refused", "not readable"):
        assert any(title.endswith(f": {outcome}") for title in titles), outcome
    updated = texts(root, "updated")
    assert updated == sorted(updated, reverse=True)
    assert root.findtext(f"{ATOM}updated") == updated[0]


def test_ids_are_unique_and_stay() -> None:
    first, again = texts(feed(synthetic.site()), "id"), texts(feed(synthetic.site()), "id")
    assert first == again
    assert len(set(first)) == len(first)
    assert all(one.startswith("urn:uuid:") for one in first)


def test_a_withdrawn_report_is_told_with_its_reason() -> None:
    board = synthetic.site().boards[0]
    gone = Withdrawal("lost", "It leaked.", date(2026, 12, 2), "Lost")
    site = Site(synthetic.site().settings, (_with(board, gone),), ())
    root = feed(site)
    assert texts(root, "title")[0].startswith("Lost on ")
    assert texts(root, "summary")[0] == "It leaked."


def _with(board: synthetic.Board, gone: Withdrawal) -> synthetic.Board:
    return replace(board, withdrawn=(gone,))


@pytest.mark.parametrize("hostile", ["</title><script>alert(1)</script>", "]]>&<!--", "\u202e\x00\x1b\ud800"])
def test_hostile_text_is_text(hostile: str) -> None:
    root = feed(synthetic.site(text=lambda text: text + hostile))
    assert {element.tag.removeprefix(ATOM) for element in root.iter()} <= {
        "feed", "title", "subtitle", "id", "updated", "author", "name", "generator", "link", "entry", "summary",
    }  # fmt: skip


HOSTILE = (
    "</title><script>alert(1)</script>",
    "]]>&<!-- --",
    "\u202e\x00\x1b\ud800\ufffe",
    "&#0;&amp;",
    "\t\n\u2028",
    "<?x?>",
)


@pytest.mark.parametrize("base_url", [None, "https://example.org/x"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_rfc_4287_asks_for_holds_whatever_a_report_says(hostile: str, base_url: str | None) -> None:
    root = feed(synthetic.site(lambda _: hostile, base_url))
    entries = root.findall(f"{ATOM}entry")
    for one in (root, *entries):
        for name in ("id", "title", "updated"):
            (found,) = one.findall(f"{ATOM}{name}")
            assert (found.text or "").strip(), name
        assert DATE.fullmatch(one.findtext(f"{ATOM}updated") or "")
        assert [link.get("rel") for link in one.findall(f"{ATOM}link")].count("alternate") == 1
        for link in one.findall(f"{ATOM}link"):
            assert REFERENCE.fullmatch(link.get("href") or "")
    assert [link.get("rel") for link in root.findall(f"{ATOM}link")].count("self") == 1
    assert (root.findtext(f"{ATOM}author/{ATOM}name") or "").strip()
    for name in ("subtitle", "summary"):
        assert all((found.text or "").strip() for found in root.iter(f"{ATOM}{name}")), name
    ids = [one.findtext(f"{ATOM}id") for one in (root, *entries)]
    assert len(set(ids)) == len(ids)


def test_what_is_empty_is_left_out() -> None:
    board = synthetic.board()
    board = replace(board, unread=(replace(board.unread[0], problems=()),))
    site = replace(synthetic.site(), boards=(board,))
    root = feed(replace(site, settings=replace(site.settings, description="")))
    assert root.find(f"{ATOM}subtitle") is None
    (entry,) = (one for one in root.findall(f"{ATOM}entry") if "not readable" in (one.findtext(f"{ATOM}title") or ""))
    assert entry.find(f"{ATOM}summary") is None


def test_copies_of_a_refused_report_are_entries_of_their_own() -> None:
    board = synthetic.board()
    refused, unread = board.refused[0], board.unread[0]
    source = replace(refused.report.sources[0], path="reports/copy.json")
    copy = replace(refused, report=replace(refused.report, sources=(source,)))
    twins = (replace(unread, method="a"), replace(unread, method="b"))
    root = feed(replace(synthetic.site(), boards=(replace(board, refused=(refused, copy), unread=twins),)))
    ids = texts(root, "id")
    assert len(set(ids)) == len(ids) == len(board.entries) + len(board.diagnostic) + 4


@pytest.mark.parametrize("year", [1, 999, 9999])
def test_any_year_has_four_digits(year: int) -> None:
    board = synthetic.board()
    first = board.entries[0]
    run = replace(first.report.run, finished=datetime(year, 1, 1, tzinfo=UTC))
    entries = (replace(first, report=replace(first.report, run=run)), *board.entries[1:])
    root = feed(replace(synthetic.site(), boards=(replace(board, entries=entries),)))
    assert f"{year:04}-01-01T00:00:00Z" in texts(root, "updated")


def test_links_are_absolute_where_the_site_knows_its_address() -> None:
    root = feed(synthetic.site(base_url="https://example.org/x"))
    assert root.get("{http://www.w3.org/XML/1998/namespace}base") == "https://example.org/x/"
    own = [link.get("href") for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == ["https://example.org/x/feed.xml"]

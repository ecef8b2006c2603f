"""The feed: valid Atom, newest first, the same ids at every build, and inert."""

from __future__ import annotations

from datetime import date
from xml.etree import ElementTree

import pytest

import synthetic
from tallystick.board import Site, Withdrawal
from tallystick.pages.feed import PAGE
from tallystick.render import render

ATOM = "{http://www.w3.org/2005/Atom}"


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
    from dataclasses import replace

    return replace(board, withdrawn=(gone,))


@pytest.mark.parametrize("hostile", ["</title><script>alert(1)</script>", "]]>&<!--", "\u202e\x00\x1b\ud800"])
def test_hostile_text_is_text(hostile: str) -> None:
    root = feed(synthetic.site(text=lambda text: text + hostile))
    assert {element.tag.removeprefix(ATOM) for element in root.iter()} <= {
        "feed", "title", "subtitle", "id", "updated", "author", "name", "generator", "link", "entry", "summary",
    }  # fmt: skip


def test_links_are_absolute_where_the_site_knows_its_address() -> None:
    root = feed(synthetic.site(base_url="https://example.org/x"))
    assert root.get("{http://www.w3.org/XML/1998/namespace}base") == "https://example.org/x/"
    own = [link.get("href") for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == ["https://example.org/x/feed.xml"]

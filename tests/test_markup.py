"""Text that reaches a page is text: in tables, figures, links and prose."""

from __future__ import annotations

import pytest

from tallystick import markup
from tallystick.table import Cell, Column, Figure, Mark, Row, Table

HOSTILE = "<img src=x onerror=alert(1)>\"'&"
ESCAPED = "&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;&amp;"


def table(cell: Cell, kind: str = "number") -> Table:
    return Table("t", "Caption", (Column("a", "A", kind),), (Row("r", (cell,)),))  # type: ignore[arg-type]


def test_every_text_of_a_cell_is_escaped() -> None:
    cell = Cell(HOSTILE, HOSTILE, detail=HOSTILE, href=HOSTILE, note=HOSTILE)
    html = markup.rows(table(cell), lambda path: path)
    assert "<img" not in html
    assert html.count(ESCAPED) == 4  # value, link, text, detail; a note's text stands below its table


def test_a_digest_breaks_into_even_parts_and_nothing_else_does() -> None:
    digest = "0123456789abcdef" * 4
    html = markup.rows(table(Cell(f"{digest}, {digest}0"), "code"), lambda path: path)
    assert "<wbr>".join(["0123456789abcdef"] * 4) + f", {digest}0<" in html


def test_a_short_text_is_never_broken() -> None:
    for text, kind, short in (("numerical_conflict", "text", True), ("w_w" * 9, "text", False), ("a", "code", False)):
        html = markup.rows(table(Cell(text), kind), lambda path: path)
        assert ("short" in html) is short
        assert ("<wbr>" in html) is (kind == "text" and not short)
    assert "short" not in markup.rows(table(Cell("a", detail="w" * 25), "text"), lambda path: path)


def test_the_value_of_a_number_is_exact_and_an_undefined_one_has_none() -> None:
    assert 'data-value="0.1"' in markup.rows(table(Cell("0.10", 0.1)), str)
    assert "data-value" not in markup.rows(table(Cell("—", note="why")), str)


def test_cells_with_one_reason_share_a_footnote() -> None:
    cells = (Cell("—", note="why"), Cell("—", note="other"), Cell("—", note="why"))
    shown = Table("t", "", tuple(Column(c, c) for c in "abc"), (Row("", cells),))
    assert shown.footnotes == ("why", "other")
    html = markup.rows(shown, str)
    assert (html.count('"#t-note-1"'), html.count('"#t-note-2"')) == (2, 1)


def test_figures_escape_their_texts_and_hide_when_they_only_repeat() -> None:
    mark = Mark("text", "label", (("x", HOSTILE),), HOSTILE)
    drawn = markup.figure(Figure("f", 1, 1, (mark,), HOSTILE, HOSTILE))
    assert "<img" not in drawn
    assert drawn.count(ESCAPED) == 4
    assert 'role="img"' in drawn
    assert 'aria-hidden="true"' in markup.figure(Figure("f", 1, 1, (mark,)))


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "//example.org",
        "https://",
        "https:///path",
        "https://user:secret@example.org",
        "https://example.org@evil.example",
        "https://exa mple.org",
        "https://example.org\\@evil.example",
        "https://example.org/\u202egpj",
        " https://example.org",
        "https://[::1",
        "https://example.org:99999",
        "",
        None,
    ],
)
def test_only_https_with_a_plain_host_is_linked(address: str | None) -> None:
    assert markup.web_link(address) is None


def test_an_ordinary_address_is_linked() -> None:
    assert markup.web_link("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"


@pytest.mark.parametrize(
    "character", ["\0", "\x1b", "\x9b", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\ud800", "\r"]
)
def test_characters_that_deceive_become_visible(character: str) -> None:
    assert markup.visible(f"a{character}b") == "a\ufffdb"


def test_marks_that_cover_other_lines_are_cut() -> None:
    marks = "\u0301\u0302\u0303\u0304" * 15
    assert markup.visible(f"<p>中e{marks}</p><p>e{marks[:4]}</p>") == f"<p>中e{marks[:4]}\ufffd</p><p>e{marks[:4]}</p>"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "naïve 中文 العربية עברית 👩‍👩‍👧 a\n\tb"
    assert markup.visible(text) == text


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](//evil.example)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "[x]: javascript:alert(1)\n\n[x]",
        "[x](java&#115;cript:alert(1))",
        '<a href="https://a.example" onclick="x">',
    ],
)
def test_hostile_markdown_is_inert(source: str) -> None:
    for html in (markup.prose(source), markup.reported_prose(source)):
        assert not any(
            opening in html
            for opening in ("<script", "<img", 'onclick="', 'href="java', 'href="data', 'href="//', 'href="vb')
        )
        assert "<a " not in html or "https://" in html


def test_the_maintainer_may_link_inside_the_site_and_a_report_may_not() -> None:
    assert '<a href="about.html">' in markup.prose("[x](about.html)")
    assert '<a href="mailto:a@example.org">' in markup.prose("[x](mailto:a@example.org)")
    assert "<a " not in markup.reported_prose("[x](about.html)")


def test_links_of_a_report_are_not_vouched_for() -> None:
    html = markup.reported_prose("[x](https://example.org)")
    assert '<a rel="nofollow noopener noreferrer ugc" href="https://example.org">' in html


def test_prose_of_a_report_is_cut_and_has_no_headings() -> None:
    assert len(markup.reported_prose("a" * 10_000)) < markup.REPORTED_PROSE_LIMIT + 100
    assert "<h1>" not in markup.reported_prose("# Best method of all")

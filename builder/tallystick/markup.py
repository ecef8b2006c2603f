"""Write tables, figures and prose as HTML in which every text is escaped.

Table bodies and figures are joined here rather than in a template, where the same cells take ten times as long. All
text passes through `escape`; attribute names and element names are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markupsafe import Markup

from tallystick.numerals import exact
from tallystick.strict.names import unstacked
from tallystick.table import Cell, Column, ColumnKind, Figure, Mark, Row, Table

Link = Callable[[str], str]
"""Turns a site path into a link from the page at hand."""

HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
"""Control characters, line separators, direction overrides, invisible characters and lone surrogates."""

_DIGEST = re.compile(r"\b([0-9a-f]{16})([0-9a-f]{16})([0-9a-f]{16})([0-9a-f]{16})\b")
_JOINT = re.compile(r"(?<=[^\W_])([_/]+)(?=\w)")
SHORT = 24
"""Characters of a text, and of the smaller line below it, that no narrow column breaks."""
REPORTED_PROSE_LIMIT = 4096
SORTED_BY_VALUE = ("number", "range")
"""Columns whose cells carry their exact value, so that no script has to read a number out of a text."""


def visible(text: str) -> str:
    """Replace by U+FFFD what would be invisible, reorder its neighbours, cover other lines or be no character."""
    return unstacked(HARMFUL.sub("\ufffd", text))


def breakable(text: str) -> Markup:
    """Write a name that may be long, so that a narrow column breaks it after an underscore or a slash."""
    return Markup(_breakable(text))


def _breakable(text: str) -> str:
    escaped = escape(text)
    return _JOINT.sub(r"\1<wbr>", escaped) if "_" in text or "/" in text else escaped


def _code(text: str) -> str:
    """Write a code; a long digest breaks into even parts."""
    escaped = escape(text)
    return _DIGEST.sub(r"\1<wbr>\2<wbr>\3<wbr>\4", escaped) if len(text) >= 64 else escaped


_WRITERS: Mapping[ColumnKind, Callable[[str], str]] = {"header": _breakable, "text": _breakable, "code": _code}


def web_link(address: str | None) -> str | None:
    """Return an address that a page may link to: https, with a host, without credentials; else None."""
    if not address or HARMFUL.search(address) or re.search(r"[\s\\]", address):
        return None
    try:
        parts = urlsplit(address)
        usable = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return None
    return address if usable else None


def figure(drawing: Figure) -> Markup:
    """Draw a figure as an SVG element, with its title and description where it has them."""
    head = f'<svg class="drawing" width="{drawing.width}" height="{drawing.height}"'
    head += f' viewBox="0 0 {drawing.width} {drawing.height}"'
    if not drawing.title:
        return Markup(f'{head} aria-hidden="true" focusable="false">{marks(drawing)}</svg>')
    name = escape(drawing.id)
    head += f' role="img" aria-labelledby="{name}-title {name}-description"'
    words = f'<title id="{name}-title">{escape(drawing.title)}</title>'
    words += f'<desc id="{name}-description">{escape(drawing.description)}</desc>'
    return Markup(f"{head}>{words}{marks(drawing)}</svg>")


def marks(drawing: Figure) -> Markup:
    """Write what is drawn, without the element around it."""
    return Markup("".join(map(_mark, drawing.marks)))


def _mark(mark: Mark) -> str:
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in mark.attributes)
    opening = f'<{mark.shape} class="{mark.role}"{attributes}'
    return f"{opening}>{escape(mark.text)}</text>" if mark.shape == "text" else f"{opening}/>"


def rows(table: Table, link: Link) -> Markup:
    """Write the rows of a table's body."""
    notes = {note: str(number) for number, note in enumerate(table.footnotes, start=1)}
    return Markup("\n".join(_row(table, row, notes, link) for row in table.rows))


def _row(table: Table, row: Row, notes: dict[str, str], link: Link) -> str:
    anchor = f' id="{escape(row.id)}"' if row.id else ""
    tone = f' class="{row.tone}"' if row.tone else ""
    cells = (_cell(table, column, cell, notes, link) for column, cell in zip(table.columns, row.cells, strict=True))
    return f"<tr{anchor}{tone}>{''.join(cells)}</tr>"


def _cell(table: Table, column: Column, cell: Cell, notes: dict[str, str], link: Link) -> str:
    classes = f"{column.kind} {cell.tone}" if cell.tone else column.kind
    short = column.kind == "text" and len(cell.text) <= SHORT and len(cell.detail) <= SHORT
    classes += " short" if short else ""
    valued = cell.value is not None and column.kind in SORTED_BY_VALUE
    value = f' data-value="{escape(exact(cell.value))}"' if valued else ""
    content = escape(cell.text) if short else _WRITERS.get(column.kind, escape)(cell.text)
    if cell.href is not None:
        content = f'<a href="{escape(link(cell.href))}">{content}</a>'
    if cell.note:
        note = notes[cell.note]  # in the frame, where the table is embedded and its other links leave it
        content += f'<sup><a href="#{escape(table.id)}-note-{note}" target="_self">{note}</a></sup>'
    for line in cell.detail.splitlines():
        content += f'<span class="detail">{escape(line)}</span>'
    if cell.figure is not None:
        content = f"{figure(cell.figure)}{content}"
    if column.kind == "header":
        return f'<th scope="row" class="{classes}">{content}</th>'
    return f'<td class="{classes}"{value}>{content}</td>'


class _MaintainerMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        scheme = re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", url)
        if scheme is None:
            return not url.startswith(("/", "\\"))
        return scheme.group().lower() == "mailto:" or web_link(url) is not None


class _ReportedMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return web_link(url) is not None


def prose(markdown: str) -> Markup:
    """Write the maintainer's Markdown: no raw HTML, no images, links to https, mailto and places inside the site.

    Headings go down a level, for the title of the page stands above them.
    """
    parser = _MaintainerMarkdown("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def reported_prose(markdown: str) -> Markup:
    """Write Markdown that came with a report: also no headings, at most 4 kB, links to https and not vouched for."""
    parser = _ReportedMarkdown("commonmark", {"html": False}).disable(["image", "heading", "lheading", "reference"])
    html = parser.render(markdown[:REPORTED_PROSE_LIMIT])
    return Markup(html.replace("<a href=", '<a rel="nofollow noopener noreferrer ugc" href='))

"""List the pages of a site for search engines, where the site knows its address."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape  # xml.sax would bring a network client with it
from urllib.parse import quote

from tallystick.board import Data, Document, File

URLS_AT_MOST = 50_000
"""As many as the sitemap protocol allows in one file."""
UNLISTED = ("404.html", "embed.html")
"""Pages at which nobody should arrive."""


def sitemap(documents: Iterable[Document | File | Data], base_url: str | None) -> tuple[File, ...]:
    """Return `sitemap.xml`, or nothing for a site without an address; no page is looked into."""
    paths = sorted(one.path for one in documents if isinstance(one, Document) and one.path.endswith(".html"))
    listed = [path for path in paths if path.split("/")[-1] not in UNLISTED][:URLS_AT_MOST]
    if not (base_url and listed):
        return ()
    lines = [f"<url><loc>{escape(f'{base_url}/{quote(path)}')}</loc></url>" for path in listed]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return (File("sitemap.xml", "\n".join((head, *lines, "</urlset>", "")).encode("utf-8")),)

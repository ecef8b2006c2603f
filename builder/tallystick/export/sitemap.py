"""List the pages of a site for search engines, where the site knows its address."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape  # xml.sax would bring a network client with it
from urllib.parse import quote

from tallystick.board import Document, File

URLS_AT_MOST = 50_000
"""As many as the sitemap protocol allows in one file."""


def sitemap(pages: Iterable[Document]) -> tuple[File, ...]:
    """Return `sitemap.xml`, or nothing for a site without an address."""
    addresses = []
    for page in pages:
        base = getattr(page.context.get("site"), "base_url", None)
        if base and page.path.endswith(".html") and page.path != "404.html" and not page.context.get("unlisted"):
            addresses.append(f"{base}/{quote(page.path)}")
    if not addresses:
        return ()
    lines = [f"<url><loc>{escape(address)}</loc></url>" for address in sorted(addresses)[:URLS_AT_MOST]]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return (File("sitemap.xml", "\n".join((head, *lines, "</urlset>", "")).encode("utf-8")),)

"""Put data files beside every table of a page: the same cells as CSV, JSON and LaTeX, with exact values.

Pages know nothing of it: the tables are found in what their templates receive, and the names of the files follow from
the path of the page and the id of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from tallystick.board import Data, Document, File, Link, Plate
from tallystick.export.contents import within
from tallystick.export.csvs import as_csv
from tallystick.export.drawings import drawn
from tallystick.export.jsons import as_json, as_json_of_page
from tallystick.export.latex import as_latex
from tallystick.export.origin import Origin
from tallystick.export.sitemap import sitemap
from tallystick.table import Table

__all__ = ["crowded", "export", "export_page", "exporter", "folder", "sitemap"]

FORMATS = (("CSV", "csv", as_csv), ("JSON", "json", as_json), ("LaTeX", "tex", as_latex))
Unfold: TypeAlias = Callable[[Document | File | Data | Plate], Sequence[Document | File | Data | Plate]]
PAGES_AT_MOST = 150
"""Pages of one kind up to which each of their tables has its own files; beyond, each page has one file of all."""


def export(
    documents: Iterable[Document | File | Data], base_url: str | None = None
) -> tuple[Document | File | Data | Plate, ...]:
    """Return all that a site of these documents has, by path: each with links to the data of its tables in `exports`,
    the data files, and a sitemap where the site has an address.
    """
    documents = tuple(documents)
    unfold = exporter(documents)
    made = [part for one in (*documents, *sitemap(documents, base_url)) for part in unfold(one)]
    return tuple(sorted(made, key=lambda one: one.path))


def exporter(documents: Iterable[Document | File | Data]) -> Unfold:
    """Return what turns one of these documents into itself with links and its data files, wherever that is done."""
    crowd = crowded(documents)
    return lambda one: export_page(one, crowd) if isinstance(one, Document) else (one,)


def crowded(documents: Iterable[Document | File | Data]) -> frozenset[str]:
    """Return the templates of so many pages that a file for each table would be too many."""
    count = Counter(one.template for one in documents if isinstance(one, Document))
    return frozenset(template for template, pages in count.items() if pages > PAGES_AT_MOST)


def export_page(page: Document, crowd: frozenset[str]) -> tuple[Document | Data | Plate, ...]:
    """Return a page with links to the data of its tables and figures, and those files."""
    if page.context.get("exports"):  # a page that brings its own: a frozen table's never change
        return (page,)
    found = tuple(tables(page.context))
    alone = page.template not in crowd
    links, files = (_each if alone else _together)(page, found)
    drawn_links, drawn_files = drawn(page, folder(page.path)) if alone else ({}, ())
    return (replace(page, context={**page.context, "exports": links | drawn_links}), *files, *drawn_files)


def folder(path: str) -> str:
    """Return where the data of a page's tables lies: a folder that no page and no other page's data can be in."""
    stem = path.removesuffix(".html")
    return stem.removesuffix("index") + "tables" if stem.split("/")[-1] == "index" else f"{stem}.tables"


def tables(value: object) -> Iterator[Table]:
    """Find every table in what a template receives, in order, each id once."""
    seen: set[str] = set()
    for table in within(value, Table):
        if table.id not in seen:
            seen.add(table.id)
            yield table


def _each(page: Document, found: tuple[Table, ...]) -> tuple[dict[str, tuple[Link, ...]], list[Data]]:
    origin = Origin.of(page)
    links: dict[str, tuple[Link, ...]] = {}
    files = []
    for table in found:
        names = [(title, f"{folder(page.path)}/{table.id}.{suffix}", write) for title, suffix, write in FORMATS]
        files += [Data(path, partial(write, table, origin)) for _, path, write in names]
        links[table.id] = tuple(Link(title, path) for title, path, _ in names)
    return links, files


def _together(page: Document, found: tuple[Table, ...]) -> tuple[dict[str, tuple[Link, ...]], list[Data]]:
    if not found:
        return {}, []
    path = f"{folder(page.path)}/all.json"
    link = (Link("JSON of all tables here", path),)
    file = Data(path, partial(as_json_of_page, found, Origin.of(page)))
    return dict.fromkeys((table.id for table in found), link), [file]

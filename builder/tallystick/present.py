"""Make the documents of a site by asking every page type; two pages that claim one path stop the build."""

from __future__ import annotations

from tallystick import pages
from tallystick.board import Data, Document, File, PageType, Site
from tallystick.errors import Problem, SettingsError
from tallystick.registry import collect


def present(site: Site) -> tuple[Document | File | Data, ...]:
    """Return every document and data file of the site, sorted by path.

    Raises SettingsError where two claim one path, also where they differ in case only: some file systems, and some
    readers' bookmarks, do not tell them apart.
    """
    claims: dict[str, tuple[str, Document | File | Data]] = {}
    problems = []
    for page_type in collect(pages, "PAGE", PageType):
        for document in page_type.documents(site):
            first = claims.setdefault(document.path.casefold(), (page_type.id, document))
            if first[1] is not document:
                problems.append(_taken(document.path, first[0], page_type.id))
    if problems:
        raise SettingsError(problems)
    return tuple(sorted((document for _, document in claims.values()), key=lambda document: document.path))


def _taken(path: str, first: str, second: str) -> Problem:
    return Problem(
        code="page-path-taken",
        where=path,
        expected="one page at this path",
        found=f"two, of the page types {first!r} and {second!r}",
        remedy="Rename the board, or the text in content/, that gives the path its name.",
    )

"""Keep a site at hand while it is being written: what was edited decides what is made anew, and pages wait for readers.

The values are those of a build and so are the bytes of every file. A change that cannot be built leaves no trace.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from tallystick import frozen, pipeline
from tallystick.board import Board, Data, Document, File, Plate, Prose, Site, SiteSettings
from tallystick.cache import Cache
from tallystick.discover import discover
from tallystick.errors import Problem
from tallystick.export import crowded, export_page, folder, sitemap
from tallystick.present import present
from tallystick.render import Compiled, Renderer, template_folders
from tallystick.settings import load_prose
from tallystick.workshop import Workshop

CONTENT, RESULTS, TEMPLATES = "content", "results", "templates"
SITEMAP = "sitemap.xml"


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a site is made of, each part kept until it is edited."""

    settings: SiteSettings
    prose: tuple[Prose, ...]
    boards: Mapping[str, Board]
    renderer: Renderer


class Preview:
    """Makes the site of a board repository again after each edit."""

    def __init__(
        self, root: Path, base_url: str, now: Callable[[], datetime], tell: Callable[[Iterable[Problem]], None]
    ) -> None:
        """`base_url` is where the site is served; `tell` is handed what is wrong with reports, the first time it is."""
        self._root = root.resolve()
        self._base_url = base_url.rstrip("/")
        self._now = now
        self._tell = tell
        self._told: frozenset[Problem] = frozenset()
        self._parts: _Parts | None = None
        self._documents: tuple[Document | File | Data, ...] = ()
        self._compiled = Compiled()
        self._workshops: dict[str, Workshop] = {}

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders to watch; the program's own templates are among them, for they may be edited too."""
        own = (self._root / name for name in (CONTENT, RESULTS, TEMPLATES))
        return (*own, *template_folders(None))

    def site(self, changed: Iterable[Path]) -> LazySite:
        """Return the site as it is after changes to these paths. Raises what a build raises."""
        parts = self._edited(self._parts, [self._within(path) for path in changed])
        known = self._parts
        if known is None or known.settings is not parts.settings or known.boards is not parts.boards:
            settings = replace(parts.settings, base_url=self._base_url)
            self._documents = present(Site(settings, tuple(parts.boards.values()), parts.prose))
        if known is None:  # what was read first stays for long: do not look through it at each edit
            gc.collect()
            gc.freeze()
        self._parts = parts
        return LazySite(self._documents, parts.renderer, self._base_url)

    def _within(self, path: Path) -> tuple[str, ...]:
        """Return a path's parts below the root; one outside is in the program's own templates."""
        return path.relative_to(self._root).parts if path.is_relative_to(self._root) else (TEMPLATES,)

    def _edited(self, parts: _Parts | None, changed: Sequence[tuple[str, ...]]) -> _Parts:
        if parts is None:
            settings, prose = pipeline.site_settings(self._root), load_prose(self._root)
            return _Parts(settings, prose, self._boards({}), Renderer(self._root, self._compiled))
        areas = {path[0] for path in changed}
        if CONTENT in areas:
            parts = replace(parts, settings=pipeline.site_settings(self._root), prose=load_prose(self._root))
        if TEMPLATES in areas:
            parts = replace(parts, renderer=Renderer(self._root, self._compiled))
        if RESULTS in areas:
            edited = {path[1] if len(path) > 2 else "" for path in changed if path[0] == RESULTS}
            kept = {} if "" in edited else {name: one for name, one in parts.boards.items() if name not in edited}
            parts = replace(parts, boards=self._boards(kept))
        return parts

    def _boards(self, kept: Mapping[str, Board]) -> dict[str, Board]:
        """Return every board, those that are not kept made anew; each remembers what was computed for its own."""
        shelves = frozen.load(self._root)
        catalogue = discover(self._root)
        boards = {}
        for found in catalogue.folders:
            if found.id in kept:
                boards[found.id] = kept[found.id]
                continue
            cache = Cache()
            workshop = self._workshops.setdefault(found.id, Workshop(cache))
            boards[found.id] = pipeline.board(found, self._root, self._now(), shelves.get(found.id, ()), workshop)
            if workshop.cache is not None:
                workshop.cache.settle()
        self._say(catalogue.problems, boards.values())
        return boards

    def _say(self, strays: Iterable[Problem], boards: Iterable[Board]) -> None:
        """Tell the problems that were not there before."""
        found = [*strays]
        for board in boards:
            told = [problem for unread in board.unread for problem in unread.problems]
            told += [problem for entry in (*board.refused, *board.diagnostic) for problem in entry.problems]
            place = f"{RESULTS}/{board.benchmark.id}"  # the files of several boards may have the same name
            found += [replace(problem, where=f"{place}/{problem.where}") for problem in told]
        fresh = tuple(problem for problem in dict.fromkeys(found) if problem not in self._told)
        self._told = frozenset(found)
        if fresh:
            self._tell(fresh)


class LazySite:
    """A site whose files are made when they are asked for: the same bytes that a build would publish."""

    def __init__(
        self, documents: Sequence[Document | File | Data], renderer: Renderer, base_url: str | None = None
    ) -> None:
        self._documents = {document.path: document for document in documents}
        self._renderer = renderer
        self._crowd = crowded(documents)
        self._base_url = base_url

    def content(self, path: str) -> bytes | None:
        """Return the file at a path, None where there is none; raise SettingsError where its template is wrong."""
        document = self._documents.get(path) or self._beside(path)
        if document is None:
            return None
        if isinstance(document, Document):
            document = export_page(document, self._crowd)[0]
        return self._renderer.file(document).content

    def _beside(self, path: str) -> Document | File | Data | Plate | None:
        """Find what is no page's own: an asset, the data of a page's tables, the list of all pages."""
        for asset in self._renderer.assets:
            if asset.path == path:
                return asset
        if path == SITEMAP:
            return next(iter(sitemap(self._documents.values(), self._base_url)), None)
        page = self._pages.get(path.rpartition("/")[0])
        made = export_page(page, self._crowd)[1:] if page else ()
        return next((one for one in made if one.path == path), None)

    @cached_property
    def _pages(self) -> dict[str, Document]:
        """Every page, by the folder of its tables' data."""
        return {folder(one.path): one for one in self._documents.values() if isinstance(one, Document)}

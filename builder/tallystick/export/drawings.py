"""A figure as a file of its own: an SVG that brings its colours and says where it comes from, and plates of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from tallystick.board import Document, Link, Plate
from tallystick.export.origin import Origin
from tallystick.inert import plain
from tallystick.table import Figure, Table

TEMPLATE = "figure.svg"
CHARACTER_WIDTH = 5.6
MARK = "Diagnostic, no publication evidence."


def drawings(value: object) -> Iterator[Figure]:
    """Find every titled figure in what a template receives, in order; those in tables only repeat what is there."""
    if isinstance(value, Figure):
        if value.title:
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from drawings(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from drawings(item)
    elif is_dataclass(value) and not isinstance(value, type | Table):
        for field in fields(value):
            yield from drawings(getattr(value, field.name))


def drawn(page: Document, folder: str) -> tuple[dict[str, tuple[Link, ...]], tuple[Document | Plate, ...]]:
    """Return links to the files of each figure of a page, by the figure's id, and those files."""
    found = {figure.id: figure for figure in drawings(page.context)} if page.template != TEMPLATE else {}
    formats = getattr(page.context.get("site"), "figures", ())
    links: dict[str, tuple[Link, ...]] = {}
    files: list[Document | Plate] = []
    for id_, figure in found.items():
        drawing = _file(page, figure, f"{folder}/{id_}.svg")
        plates = [Plate(f"{folder}/{id_}.{name}", drawing, name) for name in formats]
        links[id_] = (Link("SVG", drawing.path), *(Link(plate.format.upper(), plate.path) for plate in plates))
        files += (drawing, *plates)
    return links, tuple(files)


def _file(page: Document, figure: Figure, path: str) -> Document:
    origin = Origin.of(page)
    source = " ".join(filter(None, (f"{figure.title}.", origin.recipe, origin.url or origin.path, f"({origin.tool})")))
    said = [f"{MARK} {origin.diagnostic}"] if origin.diagnostic else []
    room = max(40, int(figure.width / CHARACTER_WIDTH))
    lines = [line for text in (*said, source) for line in textwrap.wrap(plain(text), room)]
    return Document(path, TEMPLATE, {"figure": figure, "source": tuple(lines)})

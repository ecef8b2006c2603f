"""A figure as a file of its own: an SVG that brings its colours and says where it comes from, and plates of it."""

from __future__ import annotations

from tallystick.board import Document, Link, Plate
from tallystick.export.contents import within
from tallystick.export.origin import Origin
from tallystick.inert import plain
from tallystick.table import Figure
from tallystick.widths import HINT, lines

TEMPLATE = "figure.svg"
NARROWEST = 240
"""The room for words below a figure, however narrow it is."""

MARK = "Diagnostic, no publication evidence."


def drawn(page: Document, folder: str) -> tuple[dict[str, tuple[Link, ...]], tuple[Document | Plate, ...]]:
    """Return links to the files of each figure of a page, by the figure's id, and those files."""
    found = {} if page.template == TEMPLATE else {one.id: one for one in within(page.context, Figure) if one.title}
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
    recipe = origin.recipe if figure.inferred else ""
    source = " ".join(filter(None, (f"{figure.title}.", recipe, origin.url or origin.path, f"({origin.tool})")))
    said = [figure.description, f"{MARK} {origin.diagnostic}" if origin.diagnostic else "", source]
    room = max(NARROWEST, figure.width)
    # apart from its page, a figure has no caption: its description tells what the marks mean
    below = tuple(line for text in filter(None, said) for line in lines(plain(text), room, HINT))
    return Document(path, TEMPLATE, {"figure": figure, "source": below})

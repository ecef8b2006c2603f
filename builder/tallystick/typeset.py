"""Turn the SVG of a figure into the PDF and the PNG that papers take, with Typst; the only module that knows it.

Letters come from Typst's own fonts and from the board's `templates/fonts/`, never from the machine's, and no file says
when it was made: the same figure becomes the same bytes wherever the same release of Typst sets it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from tallystick import png
from tallystick.board import FigureFormat
from tallystick.errors import Problem, SettingsError

if TYPE_CHECKING:
    import typst

PACKAGE = "typst"
DOTS_PER_INCH, UNITS_PER_INCH = 300, 96
"""What journals ask of a PNG, and what CSS says of a user unit."""

DOTS_AT_MOST = 16_000_000
"""A figure that is larger than any page is drawn coarser, lest it take all memory."""

PDF_VERSION: Final = "1.5"
"""Newer ones make pdfTeX complain."""

_SVG = "{http://www.w3.org/2000/svg}"
_PAGE = b"""\
#set document(title: sys.inputs.title, date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.description)
"""
"""Text enters as data only: what a method calls itself is never read as Typst's markup."""


def require(formats: Sequence[FigureFormat], where: str) -> None:
    """Raise SettingsError if figures are asked for that cannot be made here; `where` says who asks."""
    if formats and find_spec(PACKAGE) is None:
        expected = f"the package {PACKAGE}, which makes {' and '.join(name.upper() for name in formats)}"
        remedy = "Install Tallystick with its extra `figures`; or take the key away, and figures are SVG only."
        raise SettingsError([Problem("typst-missing", where, expected, "none", remedy)])


def release() -> str:
    """Return which release of Typst would be used: other releases may draw otherwise."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""


class Typesetter:
    """Sets figures with Typst's own fonts and those in one folder, which need not exist."""

    def __init__(self, fonts: Path | None = None) -> None:
        self._folder = fonts

    def typeset(self, svg: bytes, name: FigureFormat, where: str) -> bytes:
        """Return an SVG in another format; raise SettingsError if it is none, `where` being what made it."""
        import typst

        try:
            root = ElementTree.fromstring(svg)
            title, description = (root.findtext(f"{_SVG}{name}", "") for name in ("title", "desc"))
            density = _density(root)
            compiler = typst.Compiler(_PAGE, font_paths=self._fonts)
            made = compiler.compile(
                format=name,
                ppi=density,
                pdf_standards=PDF_VERSION,
                sys_inputs={"svg": svg.decode(), "title": title, "description": description},
            )
        except (ElementTree.ParseError, typst.TypstError) as error:
            remedy = "Mend the template, or remove it from templates/ to use the one that is shipped."
            raise SettingsError([Problem("template-fails", where, "an SVG", str(error), remedy)]) from error
        assert isinstance(made, bytes)
        return _described(made, title, description, density) if name == "png" else made

    @cached_property
    def _fonts(self) -> typst.Fonts:
        import typst

        own = [self._folder] if self._folder is not None and self._folder.is_dir() else []
        return typst.Fonts(include_system_fonts=False, font_paths=own)


def _density(svg: ElementTree.Element) -> float:
    """Return at how many dots per inch an SVG is drawn."""
    try:
        area = float(svg.get("width", "")) * float(svg.get("height", ""))
    except ValueError:  # a theme's, with units
        return DOTS_PER_INCH
    return min(DOTS_PER_INCH, UNITS_PER_INCH * math.sqrt(DOTS_AT_MOST / max(area, 1.0)))


def _described(content: bytes, title: str, description: str, density: float) -> bytes:
    """Say in a PNG how large it is meant to be and what it shows."""
    end = len(png.SIGNATURE) + len(png.chunk(b"IHDR", bytes(png.HEADER.size)))
    dots = round(density / 0.0254)
    size = png.chunk(b"pHYs", struct.pack(">IIB", dots, dots, 1))
    texts = (
        png.chunk(b"iTXt", keyword + b"\0\0\0\0\0" + text.encode())
        for keyword, text in ((b"Title", title), (b"Description", description))
    )
    return b"".join((content[:end], size, *texts, content[end:]))

"""Read built pages as a strict reader would, for tests: elements in order, links, ids, text of an element."""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tallystick.board import File

VOID = {"base", "meta", "link", "br", "wbr", "hr", "img", "input", "path", "line", "circle", "rect"}


@dataclass
class Page:
    """What a page consists of."""

    path: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    @property
    def links(self) -> list[str]:
        return [attributes[name] for _, attributes in self.elements for name in ("href", "src") if name in attributes]


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.page, self.open = Page(path), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{self.page.path}: an attribute twice in <{tag}>"
        self.page.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"{self.page.path}: </{tag}> closes {self.open[-3:]}"
        self.open.pop()


def read_page(file: File) -> Page:
    """Read one page; elements that do not nest are an error."""
    reader = _Reader(file.path)
    reader.feed(file.content.decode())
    reader.close()
    assert not reader.open, f"{file.path}: never closed: {reader.open}"
    return reader.page


def read_pages(files: tuple[File, ...]) -> dict[str, Page]:
    """Read every page of a site."""
    return {file.path: read_page(file) for file in files if file.path.endswith(".html")}


def target(page: str, link: str) -> tuple[str, str]:
    """Return the path and the fragment that a relative link of a page leads to."""
    path, _, fragment = link.partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page), fragment


def text_of(file: File, tag: str) -> list[str]:
    """Return the unescaped text of every element of a kind, without the elements inside."""
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", file.content.decode(), re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", inner)) for inner in found]

"""Turn documents into files with Jinja2: escaping everywhere, undefined names are errors, links are relative.

A template of the same name in the board's own `templates/` folder takes the place of the one shipped here, and a file
in `templates/static/` that of a shipped asset. Assets carry a digest of their content in their name, so that a page
kept by a reader's browser never meets a stylesheet of another build.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from jinja2 import (
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateRuntimeError,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket

from tallystick import copies, markup
from tallystick.board import Data, Document, File, Plate
from tallystick.digest import sha256
from tallystick.errors import Problem, SettingsError
from tallystick.numerals import count
from tallystick.typeset import Typesetter

ASSETS = "assets"
FONTS = "fonts"
MISSING_PAGE = "404.html"

Source: TypeAlias = Document | File | Data | Plate
"""What becomes a file."""


def render(
    documents: Iterable[Source],
    root: Path | None = None,
    unfold: Callable[[Source], Iterable[Source]] = lambda one: (one,),
) -> tuple[File, ...]:
    """Render documents, add the assets that they use, and pass data files through; sorted by path.

    `root` is the folder that may hold the board's own `templates/`. `unfold` gives what a document brings along, on the
    core that renders it. Raises SettingsError where a template is wrong.
    """
    renderer = Renderer(root)
    documents = tuple(documents)
    renderer.compile({one.template for one in documents if isinstance(one, Document)})

    def made(some: Sequence[Source]) -> list[File]:
        return [renderer.file(part) for one in some for part in unfold(one)]

    return tuple(sorted([*renderer.assets, *copies.each(made, documents)], key=lambda file: file.path))


class Renderer:
    """Makes files of documents one at a time, with the templates and assets that it found when it was made."""

    def __init__(self, root: Path | None = None, compiled: Compiled | None = None) -> None:
        """Look for templates; `compiled` may be that of an earlier renderer, so that only what changed is compiled."""
        folders = template_folders(root)
        self.compiled = compiled or Compiled()
        self._environment = _environment(folders, self.compiled)
        assets = _assets(folders)
        self._names = {name: file.path for name, file in assets.items()}
        self.assets = tuple(assets.values())
        self._typesetter = Typesetter(root / "templates" / FONTS if root is not None else None)

    def compile(self, templates: Iterable[str]) -> None:
        """Compile templates before they are needed; one that is wrong is told of where it is used."""
        for name in sorted(templates):
            with suppress(TemplateError):
                self._environment.get_template(name)

    def file(self, document: Source) -> File:
        """Return the file that a document becomes; raise SettingsError where its template is wrong."""
        if isinstance(document, File):
            return document
        if isinstance(document, Data):
            return File(document.path, document.write())
        if isinstance(document, Plate):
            drawing = self.file(document.drawing).content
            made = self._typesetter.typeset(drawing, document.format, f"templates/{document.drawing.template}")
            return File(document.path, made)
        return _render(self._environment, document, self._names)


class Compiled(BytecodeCache):
    """Compiled templates, held in memory and each good for exactly the source that it was compiled from."""

    def __init__(self) -> None:
        self._held: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give Jinja what is held for a template; a bucket takes it only if the source is still the same."""
        if bucket.key in self._held:
            bucket.bytecode_from_string(self._held[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Hold what Jinja compiled."""
        self._held[bucket.key] = bucket.bytecode_to_string()


def template_folders(root: Path | None) -> tuple[Path, ...]:
    """Return where templates are looked for: the board's own folder, then the shipped one."""
    here = Path(__file__).resolve().parent
    shipped = here / "templates"
    if not shipped.is_dir():  # an editable install: the templates stand at the top of the source tree
        shipped = here.parents[1] / "templates"
    own = (root / "templates",) if root is not None and (root / "templates").is_dir() else ()
    return (*own, shipped)


def relative(page: str, target: str) -> str:
    """Return a link from one page of the site to a path of the site.

    >>> relative("far/methods/a.html", "far/index.html#top")
    '../index.html#top'
    """
    here, there = page.split("/")[:-1], target.split("/")
    common = 0
    while common < len(here) and common < len(there) - 1 and here[common] == there[common]:
        common += 1
    return "../" * (len(here) - common) + "/".join(there[common:])


def _environment(folders: tuple[Path, ...], compiled: Compiled) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=compiled,
    )
    environment.globals.update(
        draw=markup.figure,
        marks=markup.marks,
        breakable=markup.breakable,
        count=count,
        prose=markup.prose,
        reported_prose=markup.reported_prose,
        web_link=markup.web_link,
    )
    return environment


def _assets(folders: tuple[Path, ...]) -> dict[str, File]:
    """Return the assets by their plain name; the first folder that has one wins."""
    assets: dict[str, File] = {}
    for folder in folders:
        for path in sorted((folder / "static").rglob("*")):
            name = path.relative_to(folder / "static").as_posix()
            if path.is_file() and not path.name.startswith(".") and name not in assets:
                content = path.read_bytes()
                stem, dot, suffix = name.rpartition(".")
                digest = sha256(content)[:12]
                hashed = f"{stem}.{digest}.{suffix}" if dot else f"{name}.{digest}"
                assets[name] = File(f"{ASSETS}/{hashed}", content)
    return assets


def _linker(document: Document) -> Callable[[str], str]:
    """Return the function that turns site paths into links from this page."""
    base_url = getattr(document.context.get("site"), "base_url", None)
    if document.path == MISSING_PAGE and base_url:  # served at any depth, so nothing relative would hold
        prefix = urlsplit(base_url).path.rstrip("/") + "/"
        return lambda target: prefix + target
    return lambda target: relative(document.path, target)


def _render(environment: Environment, document: Document, assets: Mapping[str, str]) -> File:
    link = _linker(document)

    def asset(name: str) -> str:
        if name not in assets:
            raise TemplateRuntimeError(f"there is no asset {name!r} in templates/static/")
        return link(assets[name])

    def destination(href: str) -> str | None:
        """Return where a link of the maintainer's leads: a web address, a place on this site, or nowhere."""
        outside = ":" in href.split("/")[0] or href.startswith(("/", "\\"))
        return markup.web_link(href) if outside else link(href)

    def rows(table: Any) -> Any:  # noqa: ANN401 - a Table and Markup, as templates see them
        return markup.rows(table, link)

    functions = {"link": link, "asset": asset, "destination": destination, "rows": rows, "path": document.path}
    try:
        text = environment.get_template(document.template).render(functions | dict(document.context))
    except TemplateError as error:
        raise SettingsError([_problem(document, error)]) from error
    return File(document.path, markup.visible(text).encode())


def _problem(document: Document, error: TemplateError) -> Problem:
    if isinstance(error, TemplateSyntaxError):
        where = f"templates/{error.name or document.template} line {error.lineno}"
    else:
        where = _place(error) or f"templates/{document.template}"
    return Problem(
        code="template-fails",
        where=where,
        expected=f"a template that renders {document.path}",
        found=error.message or type(error).__name__,
        remedy="Mend the template, or remove it from templates/ to use the one that is shipped.",
    )


def _place(error: TemplateError) -> str:
    """Return the template and line that were being rendered: Jinja puts them into the traceback."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.suffix != ".py" and "templates" in path.parts:
            place = f"templates/{path.name} line {line}"
    return place

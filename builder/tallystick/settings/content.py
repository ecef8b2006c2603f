"""Read `content/`: the site's settings and its prose pages."""

from __future__ import annotations

from pathlib import Path

from tallystick.board import Link, Prose, SiteSettings
from tallystick.errors import Problem, Refusal, SettingsError
from tallystick.settings.mistakes import validated
from tallystick.settings.schema import ProseShape, SiteShape
from tallystick.strict import text, yaml_document
from tallystick.strict.files import MEGABYTE, read_file
from tallystick.strict.names import id_problem

_FENCE = "---"


def load_site(root: Path) -> SiteSettings:
    """Read `content/site.yaml`; raise SettingsError with every mistake in it."""
    where = "content/site.yaml"
    if not (root / "content").exists():
        remedy = "Add it; or name the folder of a board with --root, or begin one: `tallystick init DIR`."
        raise SettingsError([Problem("file-absent", where, "the settings of a site", "none", remedy)])
    document = yaml_document(read_settings(root, where), where)
    shape = validated(SiteShape, document.value, document)
    base_url = shape.base_url.rstrip("/") if shape.base_url else None
    links = tuple(Link(link.text, link.href) for link in shape.links)
    return SiteSettings(shape.title, shape.description, base_url, shape.footer, links, tuple(shape.figures))


def load_prose(root: Path) -> tuple[Prose, ...]:
    """Read the Markdown pages of `content/`, by order and name; raise SettingsError with the mistakes of all."""
    pages: list[Prose] = []
    problems: list[Problem] = []
    for path in sorted((root / "content").glob("*.md"), key=lambda path: path.name):
        if path.name == "README.md" or path.name.startswith("."):
            continue
        try:
            pages.append(_page(root, f"content/{path.name}", path.stem))
        except SettingsError as error:
            problems += error.problems
    if problems:
        raise SettingsError(problems)
    return tuple(sorted(pages, key=lambda page: (page.order, page.slug)))


def read_settings(root: Path, where: str) -> bytes:
    """Return the bytes of a settings file; raise SettingsError where it cannot be read."""
    try:
        return read_file(root, where, MEGABYTE, where)
    except Refusal as refusal:
        raise SettingsError(refusal.problems) from None


def _page(root: Path, where: str, slug: str) -> Prose:
    if problem := id_problem(slug, where):
        raise SettingsError([problem])
    try:
        lines = text(read_settings(root, where), where).replace("\r\n", "\n").split("\n")
    except Refusal as refusal:
        raise SettingsError(refusal.problems) from None
    if lines[0].rstrip() != _FENCE or _FENCE not in (line.rstrip() for line in lines[1:]):
        expected = "front matter between two lines of `---`, with a `title`"
        remedy = "Begin the page with `---`, `title: …`, `---`."
        raise SettingsError([Problem("front-matter-absent", f"{where} line 1", expected, "none", remedy)])
    end = next(number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE)
    front = "\n".join(lines[1:end]) or "{}"
    document = yaml_document(front.encode(), where, first_line=2)
    shape = validated(ProseShape, document.value, document)
    markdown = "\n".join(lines[end + 1 :]).strip("\n") + "\n"
    return Prose(slug, shape.title, shape.description, markdown, shape.order)

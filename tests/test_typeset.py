"""Figures as PDF and PNG: well-formed, on light paper, the same bytes everywhere, and made only where asked for."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import synthetic
from sized_board import write_board
from tallystick import pipeline, png, receipt, typeset
from tallystick.board import Data, Document, FigureFormat, File, Plate, Site
from tallystick.errors import SettingsError
from tallystick.export import export
from tallystick.markup import visible
from tallystick.present import present
from tallystick.render import render
from tallystick.typeset import DOTS_AT_MOST, Typesetter
from test_render import HOSTILE

NOW = datetime(2027, 1, 1, tzinfo=UTC)
BOTH: tuple[FigureFormat, ...] = ("pdf", "png")
SETTINGS = "content/site.yaml"
DARK = "@media (prefers-color-scheme: dark) { rect { fill: #000; } }"


def svg(text: str, style: str = "", family: str = "sans-serif", width: int = 300, height: int = 60) -> bytes:
    shown = escape(text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><title>{shown}</title>'
        f"<desc>About {shown}</desc><style>rect {{ fill: #fff; }} {style}</style>"
        f'<rect width="{width}" height="{height}"/>'
        f'<text x="10" y="40" font-size="24" font-family="{family}">{shown}</text></svg>'
    ).encode()


def made(drawing: bytes, name: FigureFormat, fonts: Path | None = None) -> bytes:
    return Typesetter(fonts).typeset(drawing, name, "templates/figure.svg")


def chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    """Read a PNG to its end, and hold every checksum."""
    assert content.startswith(png.SIGNATURE)
    place, found = len(png.SIGNATURE), []
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        name, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        assert content[place : place + 12 + length] == png.chunk(name, body)
        found.append((name, body))
        place += 12 + length
    return found


def size(content: bytes) -> tuple[int, int]:
    width, height, *_ = png.HEADER.unpack(chunks(content)[0][1])
    return width, height


def pixels(content: bytes) -> bytes:
    """Return the filtered rows of a PNG; the first pixel of the first row is never changed by a filter."""
    return zlib.decompress(b"".join(body for name, body in chunks(content) if name == b"IDAT"))


def is_pdf(content: bytes) -> bool:
    start = int(content[content.rindex(b"startxref") + 9 :].split()[0])
    ended = content.rstrip().endswith(b"%%EOF")
    return content.startswith(b"%PDF-1.5") and ended and content[start:].startswith(b"xref")


def words(content: bytes, folder: Path) -> str:
    """Return the text of a PDF, as far as this machine can read one."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")
    (folder / "figure.pdf").write_bytes(content)
    command = ["pdftotext", "-enc", "UTF-8", str(folder / "figure.pdf"), "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


def asking(site: Site, *formats: FigureFormat) -> Site:
    return replace(site, settings=replace(site.settings, figures=formats))


@cache
def files(*formats: FigureFormat) -> dict[str, bytes]:
    return {file.path: file.content for file in render(export(present(asking(synthetic.site(), *formats))))}


def plates(site: Site, root: Path | None = None) -> dict[str, bytes]:
    """Return the files of plates, and none of what they stand on."""
    wanted = [document for document in export(present(site)) if isinstance(document, Plate)]
    paths = {plate.path for plate in wanted}
    return {file.path: file.content for file in render(wanted, root) if file.path in paths}


def test_every_figure_is_offered_in_each_format_that_is_asked_for() -> None:
    plain, both = files(), files(*BOTH)
    drawings = {path.removesuffix(".svg") for path in plain if re.search(r"\btables/.*\.svg$", path)}
    assert both.keys() - plain.keys() == {f"{path}.{name}" for path in drawings for name in BOTH}
    assert len(drawings) > 10
    assert all(is_pdf(both[f"{path}.pdf"]) for path in drawings)
    assert all(chunks(both[f"{path}.png"])[-1] == (b"IEND", b"") for path in drawings)
    page = both["far/figures.html"].decode()
    assert 'href="figures.tables/forest-accuracy.pdf" download>PDF</a>' in page
    assert 'href="figures.tables/forest-accuracy.png" download>PNG</a>' in page


def test_whoever_does_not_ask_gets_the_same_site_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    before = files()
    monkeypatch.setitem(sys.modules, "typst", None)
    files.cache_clear()
    assert files() == before
    assert not [path for path in before if path.endswith(".pdf")]


def test_a_pdf_says_its_title_and_every_word_of_the_figure(tmp_path: Path) -> None:
    content = made(svg("Weiß Ωμέγα Модель"), "pdf")
    assert "Weiß Ωμέγα Модель" in words(content, tmp_path)
    information = subprocess.run(["pdfinfo", str(tmp_path / "figure.pdf")], check=True, capture_output=True).stdout
    assert "Weiß Ωμέγα Модель" in information.decode()
    assert b"CreationDate" not in content


def test_a_png_says_its_title_and_its_size_on_paper() -> None:
    content = made(svg("Weiß"), "png")
    texts = [body.split(b"\0\0\0\0\0") for name, body in chunks(content) if name == b"iTXt"]
    assert texts == [[b"Title", "Weiß".encode()], [b"Description", "About Weiß".encode()]]
    (dots,) = (struct.unpack(">IIB", body) for name, body in chunks(content) if name == b"pHYs")
    assert dots == (11811, 11811, 1)
    assert size(content) == pytest.approx((300 * 300 / 96, 60 * 300 / 96), abs=1)


def test_paper_is_white_whatever_the_reader_s_screen() -> None:
    content = made(svg("Light", DARK), "png")
    assert pixels(content)[1:5] == b"\xff\xff\xff\xff"
    assert pixels(content) == pixels(made(svg("Light"), "png"))


@pytest.mark.parametrize("name", BOTH)
def test_the_same_figure_is_the_same_bytes_in_any_surroundings(name: FigureFormat, tmp_path: Path) -> None:
    drawing = svg("Same Ωμέγα 中文")
    program = (
        "import sys; from tallystick.typeset import Typesetter;"
        f"sys.stdout.buffer.write(Typesetter().typeset(sys.stdin.buffer.read(), {name!r}, ''))"
    )
    environment = os.environ | {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "HOME": str(tmp_path),
        "RAYON_NUM_THREADS": "1",
    }
    command = [sys.executable, "-c", program]
    elsewhere = subprocess.run(command, input=drawing, capture_output=True, check=True, cwd=tmp_path, env=environment)
    assert elsewhere.stdout == made(drawing, name) == made(drawing, name)


def machine_font(letter: str) -> Path:
    """Return a font of this machine that has a letter."""
    if shutil.which("fc-match") is None:
        pytest.skip("fontconfig is not installed")
    listed = subprocess.run(["fc-list", f":charset={ord(letter):x}", "file"], capture_output=True, check=True)
    found = sorted(line.rstrip(": ") for line in listed.stdout.decode().splitlines() if ".ttf" in line)
    if not found:
        pytest.skip(f"no font of this machine has {letter}")
    return Path(found[0])


def test_no_letter_comes_from_the_machine_and_any_can_come_from_the_board(tmp_path: Path) -> None:
    font = machine_font("中")
    boxes = made(svg("中"), "png")
    assert pixels(boxes) == pixels(made(svg("文"), "png")), "a letter that no font has is a box"
    (tmp_path / "fonts").mkdir()
    shutil.copy(font, tmp_path / "fonts")
    drawn = [pixels(made(svg(letter), "png", tmp_path / "fonts")) for letter in "中文"]
    assert all(one != other for one, other in pairwise((*drawn, pixels(boxes))))


def test_the_fonts_of_a_board_lie_among_its_templates(tmp_path: Path) -> None:
    font = machine_font("中")
    site = asking(synthetic.site(lambda text: f"中{text}"), "pdf")
    boxes = plates(site, tmp_path)
    (tmp_path / "templates/fonts").mkdir(parents=True)
    assert plates(site, tmp_path) == boxes
    shutil.copy(font, tmp_path / "templates/fonts")
    drawn = plates(site, tmp_path)
    assert all(drawn[path] != boxes[path] for path in boxes)


def test_a_huge_figure_is_drawn_coarser_and_says_so() -> None:
    content = made(svg("Huge", width=9000, height=9000), "png")
    width, height = size(content)
    assert DOTS_AT_MOST * 0.99 < width * height <= DOTS_AT_MOST * 1.01
    (dots,) = (struct.unpack(">IIB", body)[0] for name, body in chunks(content) if name == b"pHYs")
    assert dots == pytest.approx(width / (9000 / 96 * 0.0254), abs=1)


@pytest.mark.parametrize("hostile", [*HOSTILE, '#eval("1") $x$ \\u{1F} *b* @preview/x:0.1.0', "\u202e\u0301" * 40])
def test_no_hostile_name_breaks_a_figure_or_is_read_as_markup(hostile: str, tmp_path: Path) -> None:
    found = plates(asking(synthetic.site(lambda text: hostile + text), "pdf"))
    assert found
    assert all(map(is_pdf, found.values()))
    assert chunks(made(svg(visible(hostile)), "png"))
    start = "".join(hostile.split())[:5]
    if start.isascii() and start.isprintable():
        assert start in "".join(words(found["far/figures.tables/forest-accuracy.pdf"], tmp_path).split())


def test_a_template_that_is_no_svg_is_named(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/figure.svg").write_text("<svg><unclosed></svg>")
    site = asking(synthetic.site(), "pdf")
    with pytest.raises(SettingsError, match=r"templates/figure\.svg: expected an SVG.*mismatched tag"):
        render(export(present(site)), tmp_path)
    with pytest.raises(SettingsError, match="template-fails"):
        made(b'<html xmlns="http://www.w3.org/1999/xhtml"/>', "png")


# --- the setting ------------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_board(tmp_path / "board", 3, 20)
    return tmp_path / "board"


def ask(root: Path, what: str) -> None:
    settings = root / SETTINGS
    settings.write_text(f"{settings.read_text('utf-8')}\nfigures: {what}\n", "utf-8")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("[gif]", "/figures/0: expected 'pdf' or 'png'"),
        ("pdf", "/figures: expected a list"),
        ("[pdf, pdf]", "/figures: expected each format once"),
        ("true", "/figures: expected a list"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(root: Path, what: str, said: str) -> None:
    ask(root, what)
    with pytest.raises(SettingsError) as caught:
        pipeline.site_settings(root)
    assert said in str(caught.value)


def test_what_is_asked_for_and_not_installed_stops_the_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, typeset.PACKAGE, None)
    out = root.parent / "site"
    pipeline.build(root, out, NOW, lambda _: None)
    before = (out / "index.html").read_bytes()
    ask(root, "[png, pdf]")
    with pytest.raises(SettingsError) as caught:
        pipeline.build(root, out, NOW, lambda _: None)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("typst-missing", "content/site.yaml /figures")
    assert problem.expected == "the package typst, which makes PNG and PDF"
    assert "its extra `figures`" in problem.remedy
    assert (out / "index.html").read_bytes() == before


def test_another_release_is_another_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def name() -> str:
        return receipt.inputs(root, root.parent / "site", None)

    before = name()
    assert name() == before
    monkeypatch.setattr(receipt, "release", lambda: "")
    assert name() != before


def test_the_asked_for_formats_are_built(root: Path) -> None:
    ask(root, "[pdf]")
    out = root.parent / "site"
    pipeline.build(root, out, NOW, lambda _: None)
    assert list(out.rglob("*.tables/*.pdf"))
    assert not list(out.rglob("*.tables/*.png"))


def test_files_are_unlike_the_page(root: Path) -> None:
    """A plate is no page: it is in no sitemap, and nothing is exported from it."""
    site = asking(synthetic.site(base_url="https://example.org"), *BOTH)
    (sitemap,) = (
        document for document in export(present(site), site.settings.base_url) if document.path == "sitemap.xml"
    )
    assert isinstance(sitemap, Document | File | Data)
    (written,) = (file for file in render([sitemap]) if file.path == "sitemap.xml")
    assert b".html" in written.content
    assert b".pdf" not in written.content

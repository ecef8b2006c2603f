"""Pages of a whole site: inert, whole, linked, and the same bytes every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from reading import Page, read_pages, target
from tallystick.board import Document, File
from tallystick.errors import Effect, Problem, SettingsError
from tallystick.present import present
from tallystick.render import relative, render, template_folders

HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}</style></title><svg/onload=alert(1)>",
    "javascript:alert(1)//' onfocus='alert(1)' autofocus='",
    "\u202egnp.exe\u200b\x1b[31m\0\ud800 ]]>--><!--",
    '=HYPERLINK("https://evil.example") \\input{/etc/passwd} ' + "x" * 400,
)


@pytest.fixture(scope="module")
def files() -> tuple[File, ...]:
    return render(present(synthetic.site()))


def test_every_page_nests_and_has_no_id_twice(files: tuple[File, ...]) -> None:
    pages = read_pages(files)
    assert len(pages) > 30
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), path
        assert page.tags.count("h1") == 1, path


def test_every_link_and_fragment_leads_somewhere(files: tuple[File, ...]) -> None:
    pages, paths = read_pages(files), {file.path for file in files}
    crawled = 0
    for page in pages.values():
        for link in page.links:
            if link.startswith(("https://", "mailto:")):
                continue
            path, fragment = target(page.path, link)
            assert path in paths, f"{page.path}: {link}"
            assert not fragment or fragment in pages[path].ids, f"{page.path}: {link}"
            crawled += 1
    assert crawled > 400


def test_every_page_is_reached_from_the_start(files: tuple[File, ...]) -> None:
    pages = read_pages(files)
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        page = pages[waiting.pop()]
        found = {target(page.path, link)[0] for link in page.links if not link.startswith(("https:", "mailto:"))}
        waiting += sorted((found & pages.keys()) - reached)
        reached |= found & pages.keys()
    assert pages.keys() - reached == {"404.html"}


def test_nothing_is_asked_of_another_host_and_nothing_is_inline(files: tuple[File, ...]) -> None:
    for path, page in read_pages(files).items():
        policy = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
        assert "default-src 'none'" in policy[0], path
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert [sorted(one) for one in scripts] in ([["defer", "src"]], []), path
        assert all(re.fullmatch(r"(\.\./)*assets/table\.[0-9a-f]{12}\.js", one["src"]) for one in scripts), path
        assert not {"style", "iframe", "object", "form"} & set(page.tags), path
        images = [attributes["src"] for tag, attributes in page.elements if tag == "img"]
        assert images == (["badge.svg"] if path.endswith("/data.html") else []), path
        bases = [attributes for tag, attributes in page.elements if tag == "base"]
        assert bases == ([{"target": "_blank"}] if path.endswith("/embed.html") else []), path
        for tag, attributes in page.elements:
            assert not any(name == "style" or name.startswith("on") for name in attributes), path
            if tag in ("link", "use") and attributes.get("rel") != "canonical":
                assert ":" not in attributes.get("href", ""), path


def shape(page: Page) -> list[tuple[str, list[str]]]:
    """Return elements with their attributes' names, but for the lines and breaks that a long name takes."""
    return [(tag, sorted(attributes)) for tag, attributes in page.elements if tag not in ("text", "wbr")]


def place(path: str) -> str:
    """Return a path without what follows from the text of an axis value: its digest, and its last words."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name[:2]}" if "/by/" in path and name != "index.html" else path


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_in_every_field_adds_no_element_and_no_attribute(files: tuple[File, ...], hostile: str) -> None:
    plain = {place(path): page for path, page in read_pages(files).items()}
    attacked = read_pages(render(present(synthetic.site(text=lambda text: text + hostile))))
    assert set(map(place, attacked)) == plain.keys()
    for path, page in attacked.items():
        if "/computation" in path:
            continue
        assert shape(page) == shape(plain[place(path)]), path
        for link in page.links:
            assert link.startswith(("https://example.org/", "mailto:a@example.org")) or ":" not in link.split("#")[0], (
                link
            )


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_stays_readable_and_no_deceiving_character_passes(hostile: str) -> None:
    made = {
        file.path: file.content.decode()
        for file in render(present(synthetic.site(text=lambda text: text + hostile)))
        if file.path.endswith((".html", ".xml", ".svg"))
    }
    for path, text in made.items():
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b\x7f]", text), path
        own = r'<script src="[./]*assets/table\.[0-9a-f]{12}\.js" defer>'
        assert re.sub(own, "", text).count("<script") == 0, path
    assert "7 * 7" not in hostile or "{{ 7 * 7 }}" in made["far/index.html"]


def test_an_address_of_a_report_is_linked_only_if_it_is_plain_https() -> None:
    site = synthetic.site()
    entry = site.boards[0].entries[0]
    for url, linked in (
        ("https://example.org/x", True),
        ("javascript:alert(1)", False),
        ("//evil.example", False),
        (None, False),
    ):
        method = replace(entry.report.method, url=url)
        changed = replace(entry, report=replace(entry.report, method=method))
        board = replace(site.boards[0], entries=(changed, *site.boards[0].entries[1:]))
        made = {file.path: file for file in render(present(replace(site, boards=(board,))))}
        page = made[f"far/methods/{entry.method}.html"].content.decode()
        assert ('rel="nofollow noopener noreferrer ugc" href="https://example.org/x"' in page) is linked
        assert 'href="java' not in page


def test_no_rank_and_the_reason_on_every_page_of_a_diagnostic_board(files: tuple[File, ...]) -> None:
    pages = {
        file.path: file.content.decode()
        for file in files
        if file.path.startswith("pilot/") and file.path.endswith(".html")
    }
    assert len(pages) > 10
    for path, text in pages.items():
        assert "prompts were still changing between methods" in text, path
        assert ">Rank<" not in text, path


def test_templates_neither_round_nor_format() -> None:
    shipped = template_folders(None)[-1]
    for path in shipped.glob("*.html"):
        found = re.findall(
            r"\|\s*(?:round|int|float|format|filesizeformat|abs|sum)\b|\.format\(|\bround\(|%\.\d", path.read_text()
        )
        assert not found, f"{path.name}: {found}"


def test_same_input_same_bytes_whatever_surrounds_it(tmp_path: Path) -> None:
    program = (
        "import hashlib, synthetic; from tallystick.present import present; from tallystick.render import render\n"
        "made = render(present(synthetic.site()))\n"
        "print(hashlib.sha256(b''.join(f.path.encode() + b'\\0' + f.content for f in made)).hexdigest())"
    )
    digests = set()
    for seed, locale, zone in (
        ("0", "C", "UTC"),
        ("7", "de_DE.UTF-8", "Asia/Kathmandu"),
        ("99", "tr_TR.UTF-8", "America/Lima"),
    ):
        around = os.environ | {
            "PYTHONHASHSEED": seed,
            "LC_ALL": locale,
            "TZ": zone,
            "PYTHONPATH": str(Path(__file__).parent),
        }
        run = subprocess.run(
            [sys.executable, "-c", program], env=around, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_an_own_template_and_an_own_asset_take_the_place_of_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "templates" / "static").mkdir(parents=True)
    (tmp_path / "templates" / "missing.html").write_text(
        '{% extends "base.html" %}{% block content %}Ours.{% endblock %}'
    )
    (tmp_path / "templates" / "static" / "style.css").write_text("body { color: red }")
    made = {file.path: file.content for file in render(present(synthetic.site()), tmp_path)}
    assert b"Ours." in made["404.html"]
    assert [content for path, content in made.items() if path.endswith(".css")] == [b"body { color: red }"]


@pytest.mark.parametrize(
    ("template", "where", "found"),
    [
        ("\n{{ nowhere }}", "templates/missing.html line 2", "'nowhere' is undefined"),
        ("a\n{% if %}", "templates/missing.html line 2", "Expected an expression"),
        ('{% extends "gone.html" %}', "templates/missing.html line 1", "gone.html"),
        ("{{ asset('gone.css') }}", "templates/missing.html line 1", "there is no asset 'gone.css'"),
    ],
)
def test_a_template_that_fails_says_where(tmp_path: Path, template: str, where: str, found: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "missing.html").write_text(template)
    with pytest.raises(SettingsError) as error:
        render(present(synthetic.site()), tmp_path)
    problem = error.value.problems[0]
    assert (problem.code, problem.where) == ("template-fails", where)
    assert found in problem.found


def test_assets_are_named_by_their_content_and_data_files_pass_through() -> None:
    data = File("far/data.json", b"<raw>")
    made = render((data,))
    assert data in made
    assert all(re.fullmatch(r"assets/[a-z]+\.[0-9a-f]{12}\.[a-z]+", file.path) for file in made if file is not data)


@pytest.mark.parametrize(
    ("page", "to", "link"),
    [
        ("index.html", "far/index.html", "far/index.html"),
        ("far/methods/a.html", "far/index.html#top", "../index.html#top"),
        ("far/methods/a.html", "far/methods/b.html", "b.html"),
        ("far/methods/a.html", "index.html", "../../index.html"),
        ("far/index.html", "far/index.html", "index.html"),
        ("a/b/c.html", "a/x/b/c.html", "../x/b/c.html"),
    ],
)
def test_relative(page: str, to: str, link: str) -> None:
    assert relative(page, to) == link
    assert target(page, link)[0] == to.partition("#")[0]


def test_the_page_for_lost_readers_links_from_the_root_of_a_known_address() -> None:
    pages = read_pages(render(present(synthetic.site(base_url="https://example.org/boards"))))
    inside = [link for link in pages["404.html"].links if not link.startswith(("https:", "mailto:"))]
    assert all(link.startswith(("/boards/", "#")) for link in inside)
    canonical = [a["href"] for tag, a in pages["far/index.html"].elements if a.get("rel") == "canonical"]
    assert canonical == ["https://example.org/boards/far/index.html"]


@pytest.mark.parametrize(
    ("effects", "heading"),
    [(["note", "note"], "Notes on this report"), (["note", "refuse"], "Problems of this report")],
)
def test_mere_notes_are_not_called_problems(effects: list[Effect], heading: str) -> None:
    board = synthetic.board()
    told = tuple(Problem("made", "far.json", "this", "that", "Do.", effect) for effect in effects)
    site = replace(synthetic.site(), boards=(replace(board, entries=(replace(board.entries[0], problems=told),)),))
    (page,) = (file for file in render(present(site)) if file.path == f"far/methods/{board.entries[0].method}.html")
    assert re.findall(rb'<h2 id="found">(.*?)</h2>', page.content) == [heading.encode()]


def test_a_document_without_its_context_is_an_error() -> None:
    with pytest.raises(SettingsError):
        render((Document("x.html", "board.html", {}),))

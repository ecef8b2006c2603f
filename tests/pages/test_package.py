"""The data package: parsed by the readers it is meant for, the same numbers as the board, and inert."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

import synthetic
from tallystick.board import Board, Site
from tallystick.export import export
from tallystick.pages.package import PAGE
from tallystick.render import render

HOSTILE = ('"</script><script>alert(1)</script>', "}, @string{x = 1} {", "': - !!python/object [\\", "\u202e\x07é中")


def files(site: Site) -> dict[str, bytes]:
    return {file.path: file.content for file in render(PAGE.documents(site))}


def made(board: Board | None = None, base_url: str | None = "https://example.org/x") -> dict[str, bytes]:
    site = synthetic.site(base_url=base_url)
    return files(site if board is None else replace(site, boards=(board,)))


def test_the_whole_board_is_in_one_file() -> None:
    board = synthetic.board()
    read: Any = json.loads(made()["far/board.json"])
    assert read["format"] == "tallystick-board/1"
    for entry, row in zip(board.entries, read["table"]["rows"], strict=True):
        assert row["method"] == entry.method
        assert row["values"]["accuracy"]["value"] == entry.estimates["accuracy"].value
        assert row["report"]["files"][0]["sha256"] == entry.report.sources[0].digest
    assert {item["outcome"] for item in read["set_aside"]} == {"diagnostic", "refused"}


def test_the_dataset_is_what_search_engines_ask_for() -> None:
    read: Any = json.loads(made()["far/dataset.jsonld"])
    assert (read["@context"], read["@type"]) == ("https://schema.org/", "Dataset")
    assert 50 <= len(read["description"]) <= 5000
    assert read["distribution"][0]["contentUrl"] == "https://example.org/x/far/board.json"
    relative: Any = json.loads(made(base_url=None)["far/dataset.jsonld"])
    assert relative["distribution"][0]["contentUrl"] == "board.json"


def test_the_citation_file_has_what_its_format_requires() -> None:
    read = yaml.safe_load(made()["far/citation.cff"])
    assert {"cff-version", "message", "title", "authors"} <= set(read)
    assert read["cff-version"] == "1.2.0"
    assert read["date-released"] == "2026-03-01"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_titles_stay_values(hostile: str) -> None:
    found = files(synthetic.site(text=lambda text: text + hostile))
    assert set(json.loads(found["far/dataset.jsonld"])) == set(json.loads(made(base_url=None)["far/dataset.jsonld"]))
    assert set(yaml.safe_load(found["far/citation.cff"])) == set(
        yaml.safe_load(made(base_url=None)["far/citation.cff"])
    )
    depth = 0
    for character in found["far/citation.bib"].decode("utf-8"):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert found["far/citation.bib"].count(b"\n  ") == made(base_url=None)["far/citation.bib"].count(b"\n  ")
    tags = {element.tag.split("}")[1] for element in ElementTree.fromstring(found["far/badge.svg"]).iter()}
    assert tags == {"svg", "title", "rect", "g", "text"}


def test_a_diagnostic_board_says_so_in_every_file() -> None:
    found = made()
    for name in ("board.json", "dataset.jsonld", "citation.cff", "citation.bib", "embed.html"):
        assert b"prompts were still changing" in found[f"pilot/{name}"], name
    assert b"diagnostic" in found["pilot/badge.svg"]


def test_the_picture_is_a_png_that_any_reader_takes() -> None:
    found = made()
    content = found["far/preview.png"]
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    place, parts = 8, {}
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        name, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", content[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(name + body)
        parts[name] = body
        place += 12 + length
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    assert len(zlib.decompress(parts[b"IDAT"])) == height * (1 + width // 4)
    assert any(zlib.decompress(parts[b"IDAT"]))
    assert len(content) < 50_000


def test_a_diagnostic_board_has_no_picture_as_none_could_say_so() -> None:
    assert "pilot/preview.png" not in made()


def test_the_embedded_table_stands_alone() -> None:
    page = made()["far/embed.html"].decode()
    assert '<table id="results"' in page
    assert "<header" not in page
    assert 'content="noindex"' in page
    assert '<link rel="icon"' in page, "a browser would ask the host's root for one"


def test_links_of_the_embedded_table_leave_the_frame_except_to_places_in_it() -> None:
    site = synthetic.site(lambda text: f'{text} <a href="#x">')
    page = {file.path: file for file in render(export(PAGE.documents(site)))}["far/embed.html"].content.decode()
    assert page.index('<base target="_blank">') < page.index("<a ")
    anchors = re.findall(r"<a [^>]*>", page)
    within = [anchor for anchor in anchors if 'href="#' in anchor]
    assert within
    assert len(within) < len(anchors)
    assert all('target="_self"' in anchor for anchor in within)
    assert not any("target" in anchor for anchor in anchors if anchor not in within)
    assert page.count('href="#') == len(within)

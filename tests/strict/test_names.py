"""Ids, titles, links and paths that strangers choose."""

from __future__ import annotations

import pytest

from tallystick.strict.names import id_problem, title_problem, url_problem
from tallystick.strict.paths import fold, matches, name_fault, reference_problem


@pytest.mark.parametrize("name", ["a", "0", "gpt-4.1_mini", "x" * 63])
def test_plain_ids(name: str) -> None:
    assert id_problem(name, "w") is None


@pytest.mark.parametrize(
    "name", ["", "A", "-a", ".a", "a b", "é", "a/b", "x" * 64, "a\n", "\u0430", "con", "nul.x", "a.", "lpt1"]
)
def test_ids_that_are_not_plain(name: str) -> None:
    assert id_problem(name, "w") is not None


@pytest.mark.parametrize(
    "title",
    [
        "x" * 80,
        "GPT-4 (é, 中文)",
        "<b>",
        "=1+1",
        "e\u0301" * 20,
        "ที่นี่ น้ำ",
        "क्षि ज्ञीं",
        "الْعَرَبِيَّةُ",
        "שּׁ\u0596\u05b8לוֹם",
        "Tiê\u0301ng Viê\u0323t",
        "မြို့",
    ],
)
def test_titles_that_can_be_seen(title: str) -> None:
    assert title_problem(title, "w") is None


@pytest.mark.parametrize("title", ["", " ", "x" * 81, "a\u200bb", "a\u202eb", "a\nb", "a\x1b[0m", "\ufeffa", "a\ue000"])
def test_titles_that_cannot(title: str) -> None:
    assert title_problem(title, "w") is not None


@pytest.mark.parametrize(
    "title", ["e" + "\u0301" * 60, "e" + "\u0301" * 5, "中" + "\u20dd" * 9, "a\u0e49\u0301\u0300\u0302\u0303b"]
)
def test_titles_whose_marks_cover_others(title: str) -> None:
    problem = title_problem(title, "w")
    assert problem is not None and problem.found == "more than 4 combining marks on a letter"


@pytest.mark.parametrize(
    "url", ["https://example.org", "https://example.org:8443/a?b=c#d", "https://xn--bcher-kva.example/ü"]
)
def test_links_that_are_safe(url: str) -> None:
    assert url_problem(url, "w") is None


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "HTTPS://example.org",
        "https://",
        "https:///x",
        "https://localhost",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://user:pw@example.org/",
        "https://example.org:99999/",
        "https://example.org\\@evil.example/",
        "https://exa mple.org",
        "https://example.org/\u202e",
        "//example.org",
        "javascript:alert(1)",
        "https://example.org/" + "x" * 2000,
    ],
)
def test_links_that_are_not(url: str) -> None:
    assert url_problem(url, "w") is not None


@pytest.mark.parametrize("path", ["a.json", "runs/far/predictions.jsonl", "é/中.txt", "..a/b..c"])
def test_paths_that_every_system_can_hold(path: str) -> None:
    assert reference_problem(path, "w") is None


@pytest.mark.parametrize("name", ["com1.txt", "PRN", "aux.tar.gz", "x<", 'x"', "x|", "x?", "x*", "a\x7f", "x" * 256])
def test_names_that_not_every_system_can(name: str) -> None:
    assert name_fault(name) is not None


def test_names_that_some_systems_take_for_one() -> None:
    assert fold("Straße") == fold("STRASSE")
    assert fold("caf\u00e9") == fold("CAFE\u0301")
    assert fold("a") != fold("b")


@pytest.mark.parametrize(
    ("path", "glob", "answer"),
    [
        ("reports/a.json", "reports/*.json", True),
        ("reports/x/a.json", "reports/*.json", False),
        ("x/reports/a.json", "reports/*.json", False),
        ("a/b/report.json", "**/report.json", True),
        ("report.json", "**/report.json", True),
        ("a/xreport.json", "**/report.json", False),
        ("reportsXa.json", "reports/*.json", False),
    ],
)
def test_patterns(path: str, glob: str, answer: bool) -> None:
    assert matches(path, (glob,)) is answer

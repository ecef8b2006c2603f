"""What a static host would not take is noted, and nothing else."""

from __future__ import annotations

import pytest

from tallystick import hosting as module
from tallystick.board import File
from tallystick.hosting import hosting


def test_an_ordinary_site_is_weighed_and_not_complained_of() -> None:
    found = hosting([File("index.html", b"12345"), File("t/0a/index.html", b"123"), File("assets/a-b_c.1.css", b"")])
    assert (found.size, found.problems) == (8, ())


@pytest.mark.parametrize("path", [".nojekyll", "a/.b/c.html", "Board/index.html", "a b.html", "é.html", "a//b"])
def test_names_that_hosts_treat_in_their_own_ways_are_noted(path: str) -> None:
    (problem,) = hosting([File(path, b"")]).problems
    assert (problem.code, problem.where, problem.effect) == ("site-name", path, "note")


def test_sizes_near_the_limits_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SITE_AT_MOST", 1000)
    monkeypatch.setattr(module, "FILE_AT_MOST", 500)
    assert hosting([File("a", b"x" * 400), File("b", b"x" * 400)]).problems == ()
    found = hosting([File("a", b"x" * 401), File("b", b"x" * 400)])
    assert [(problem.code, problem.where) for problem in found.problems] == [
        ("site-size", "the site"),
        ("site-size", "a"),
    ]

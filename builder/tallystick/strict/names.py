"""Names that others chose: ids, titles and links, checked before anything is made of them."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from tallystick.errors import Problem
from tallystick.strict.paths import name_fault

ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
TITLE_LENGTH = 80
STACKED = 4
"""Marks on one letter: points, vowels and tones of every script need no more, and further ones cover other lines."""

_INVISIBLE = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}
_ON_A_LETTER = {"Mn", "Me"}
_BEYOND_LATIN = re.compile(f"[\u0300-\U0010ffff][\u0300-\U0010ffff]{{{STACKED},}}")
"""Where marks can be: a quick look, since most text is ASCII."""

_HOST = re.compile(
    r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE
)


def id_problem(name: str, where: str) -> Problem | None:
    """Return what is wrong with an id; None where it is `[a-z0-9][a-z0-9._-]{0,62}` and no reserved file name."""
    expected = "an id of at most 63 lower-case ASCII letters, digits, dots, dashes and underscores"
    remedy = "Choose a plain id; the title may hold anything readable."
    if not ID.fullmatch(name):
        return Problem("unsafe-id", where, expected, _shown(name), remedy)
    fault = name_fault(name)
    return Problem("unsafe-id", where, expected, fault, remedy) if fault else None


def title_problem(title: str, where: str) -> Problem | None:
    """Return what is wrong with a name for people: too long, empty, or with characters that cannot be seen."""
    remedy = "Write a short name of visible characters."
    if not title.strip():
        return Problem("unsafe-title", where, "a name", "none", remedy)
    if len(title) > TITLE_LENGTH:
        expected = f"at most {TITLE_LENGTH} characters"
        return Problem("unsafe-title", where, expected, f"{len(title)} characters", remedy)
    hidden = hidden_characters(title)
    if hidden:
        return Problem("unsafe-title", where, "visible characters", hidden, remedy)
    if unstacked(title) != title:
        found = f"more than {STACKED} combining marks on a letter"
        return Problem("unsafe-title", where, "a name that covers no other line", found, remedy)
    return None


def url_problem(url: str, where: str) -> Problem | None:
    """Return what is wrong with a link: anything but https with a host, without user or odd port."""
    problem = Problem("unsafe-url", where, "an https address", _shown(url), "Give an https address, or none.")
    if hidden_characters(url) or " " in url or "\\" in url or len(url) > 2000 or not url.startswith("https://"):
        return problem
    try:
        parts = urlsplit(url)
        good = parts.netloc == parts.hostname or parts.netloc == f"{parts.hostname}:{parts.port}"
    except ValueError:
        return problem
    return None if good and _HOST.fullmatch(parts.hostname or "") else problem


def hidden_characters(text: str) -> str | None:
    """Name the control, bidirectional, zero-width and unassigned characters of a text; None where there is none."""
    hidden = sorted({character for character in text if unicodedata.category(character) in _INVISIBLE})
    return ", ".join(f"U+{ord(character):04X}" for character in hidden[:5]) or None


def unstacked(text: str, instead: str = "\ufffd") -> str:
    """Return text in which no letter has more than a few combining marks: `instead` stands for the others."""
    return _BEYOND_LATIN.sub(lambda run: _unstacked(run[0], instead), text)


def _unstacked(text: str, instead: str) -> str:
    kept, stack = [], 0
    for character in text:
        stack = stack + 1 if unicodedata.category(character) in _ON_A_LETTER else 0
        if stack <= STACKED:
            kept.append(character)
        elif stack == STACKED + 1:
            kept.append(instead)
    return "".join(kept)


def _shown(text: str) -> str:
    shown = text if len(text) <= 80 else f"{text[:77]}…"
    return ascii(shown)

"""How much room text needs in a drawing, and how it is made to fit: estimated, for readers have fonts of their own.

Widths are those of wide fonts (such as DejaVu Sans), so that text ends early rather than on top of what is beside it.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import bidirectional, category, combining, east_asian_width, normalize

LABEL, NUMBERS, HINT = 13.0, 11.7, 10.0
"""Sizes as bold letters: labels have 13 px; numbers have 13 px, hints 11 px, and plain letters are a tenth narrower."""

_CLASSES = {
    " !',.:;I|`ijlІЈӀΙіјӏ": 0.38,
    '"()*-/[\\]frtι': 0.5,
    "#&+<=>^~м": 0.85,
    "%@MWmw—→←МФЦЪЫΜÆæœωжшщыюфњљђ": 1.12,
    "ЖШЩЮЊЉŒ": 1.35,
}
_WIDTHS = {character: em for characters, em in _CLASSES.items() for character in characters}
_CAPITAL, _OTHER = 0.85, 0.7
_CAPITAL_BEYOND_ASCII, _SMALL_BEYOND_ASCII, _RIGHT_TO_LEFT, _OTHER_BEYOND_ASCII = 0.9, 0.8, 0.7, 0.85
_EAST_ASIAN, _PICTURE = 1.05, 1.3
"""Letters of East Asia fill a square in every font; pictures, emoji above all, are wider in some."""


def width(text: str, size: float) -> float:
    """Return the room that a line of text takes, rather too much than too little."""
    return size * sum(map(_em, text))


def cut(text: str, room: float, size: float) -> str:
    """Return a line of text that fits into the room, with an ellipsis where it does not end there."""
    if width(text, size) <= room:
        return text
    return text[: _fitting(text, room - width("…", size), size)].rstrip() + "…"


def lines(text: str, room: float, size: float) -> list[str]:
    """Break text at its spaces into lines that fit into the room, one at least; a word that does not is broken too."""
    found = [""]
    for word in text.split(" "):
        rest = word
        while rest:
            end = max(1, _fitting(rest, room, size))
            joined = f"{found[-1]} {rest[:end]}".strip()
            if width(joined, size) <= room or not found[-1]:
                found[-1] = joined
            else:
                found.append(rest[:end])
            rest = rest[end:]
    return found


def _fitting(text: str, room: float, size: float) -> int:
    """Count the first characters that fit."""
    taken = 0.0
    for place, character in enumerate(text):
        taken += size * _em(character)
        if taken > room:
            return place
    return len(text)


@lru_cache(4096)
def _em(character: str) -> float:
    if category(character) == "So":
        return _PICTURE
    if east_asian_width(character) in "WF":
        return _EAST_ASIAN
    return sum(map(_em_of_one, normalize("NFKD", character)))  # é is as wide as e, a ligature as its letters


def _em_of_one(character: str) -> float:
    if combining(character) or category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if character in _WIDTHS:
        return _WIDTHS[character]
    if character.isascii():
        return _CAPITAL if character.isupper() else _OTHER
    if character.isupper() or character.islower():
        return _CAPITAL_BEYOND_ASCII if character.isupper() else _SMALL_BEYOND_ASCII
    return _RIGHT_TO_LEFT if bidirectional(character) in ("R", "AL") else _OTHER_BEYOND_ASCII

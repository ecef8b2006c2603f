"""Name files after values that may be any text: safe, lower-case, never two alike, and the same in every build."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from tallystick.digest import sha256
from tallystick.strict.paths import name_fault

PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
RESERVED = frozenset({"index"})
WORDS_LENGTH = 40
DIGEST_LENGTH = 8
REMEMBERED = 32
"""Sets of values whose names are kept: every page of a board asks for the same few."""


def slugs(values: Iterable[str]) -> Mapping[str, str]:
    """Return the file name of each value.

    A plain value is its own name, so that the name of a name is itself. Any other is named by what it has of plain
    characters and by its digest: by more of it where another value bears that very name.
    """
    return _named(tuple(dict.fromkeys(values)))


@lru_cache(REMEMBERED)
def _named(values: tuple[str, ...]) -> Mapping[str, str]:
    taken = {value for value in values if _plain(value)}
    names: dict[str, str] = {}
    for value in values:
        if value in taken:
            names[value] = value
            continue
        digest, length = sha256(value.encode("utf-8", "surrogatepass")), DIGEST_LENGTH
        while (name := _joined(_words(value), digest[:length])) in taken:
            length += DIGEST_LENGTH
        names[value] = name
    return MappingProxyType(names)


def _plain(value: str) -> bool:
    return bool(PLAIN.fullmatch(value)) and value not in RESERVED and not name_fault(value)


def _words(value: str) -> str:
    letters = unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", letters)[:WORDS_LENGTH].strip("-")


def _joined(words: str, digest: str) -> str:
    return f"{words}-{digest}" if words else digest

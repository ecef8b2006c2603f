"""Neutralise strangers' text for terminals, Markdown and workflow commands."""

from __future__ import annotations

import re
import unicodedata

LENGTH_AT_MOST = 600
"""Characters of one name or problem in Markdown."""


def printable(value: str) -> str:
    """Return `value` with every control, format and line character escaped, so that a terminal shows it as text.

    `##[`, which workflow runners take for a command anywhere in a line, is escaped too.
    """
    shown = "".join(
        character if unicodedata.category(character)[0] not in "CZ" or character == " " else _escaped(character)
        for character in value
    )
    return shown.replace("##[", "##\\x5b")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii") if ord(character) != 0xA0 else "\\xa0"


def code(value: str) -> str:
    """Return `value` as a code span of Markdown, in one line: no markup, mention, reference or address works in it.

    A backslash before a mention or an address would not do: both are looked for in the text that is left of Markdown.
    """
    shown = printable(value)
    if len(shown) > LENGTH_AT_MOST:
        shown = shown[: LENGTH_AT_MOST - 1] + "…"
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    spaced = not shown.strip() or shown[0] in " `" or shown[-1] in " `"
    return f"{fence} {shown} {fence}" if spaced else f"{fence}{shown}{fence}"


def data(value: str) -> str:
    """Escape the data of a workflow command as the runner's toolkit does: percent, carriage return, line feed.

    The older form of commands, which may begin anywhere in a line, is broken as well.
    """
    return value.replace("##[", "##\\x5b").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def attribute(value: str) -> str:
    """Escape a property of a workflow command, which colons and commas end too."""
    return data(value).replace(":", "%3A").replace(",", "%2C")

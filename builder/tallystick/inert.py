"""Write text that strangers chose so that a spreadsheet, LaTeX or BibTeX reads it as text and as nothing else.

The data files of frozen tables are made with these functions and must never change: a change here is a new function.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

REMEMBERED = 1 << 14
"""A site says the same short texts in many tables, and each table in three forms."""

_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
"""Control characters, direction overrides, invisible characters and lone surrogates; spaces of any kind are not."""

_RUN_BY_SPREADSHEETS = "=+-@＝＋－＠"
"""First characters of what a spreadsheet may take for a formula; the last four are the full-width forms."""

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"{\char34}", "`": r"{\char96}", "[": "{[}", "]": "{]}", "*": "{*}", "@": "{@}",
    "–": "{--}", "—": "{---}", "−": "$-$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$",
    "≥": r"$\geq$", "≈": r"$\approx$", "≠": r"$\neq$", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "·": r"$\cdot$",
    "…": r"\ldots{}", "‘": r"\textquoteleft{}", "’": r"\textquoteright{}", "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}", "°": r"$^\circ$", "§": r"\S{}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}",
    "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "å": r"\aa{}", "Å": r"\AA{}", "ł": r"\l{}",
    "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip
_ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=", "\u0306": r"\u",
    "\u0307": r"\.", "\u0308": '\\"', "\u030a": r"\r", "\u030b": r"\H", "\u030c": r"\v", "\u0327": r"\c",
}  # fmt: skip
_NOT_ITSELF = re.compile(f"[^{re.escape(''.join(chr(code) for code in range(128) if chr(code) not in _LATEX))}]")
_LIGATURE = re.compile(r"([-,'])(?=\1)")
NAMED_CHARACTER = r'\providecommand{\tallychar}[1]{\ifdefined\Umathchar\char"#1\relax\else[U+#1]\fi}'
"""Defines the command for characters that pdfLaTeX has no glyph for: set by XeLaTeX and LuaLaTeX, else named."""


@lru_cache(REMEMBERED)
def plain(text: str) -> str:
    """Return text on one line: every unseen character as U+FFFD, every run of white space as one space."""
    return " ".join(_UNSEEN.sub("\ufffd", text).split())


@lru_cache(REMEMBERED)
def for_csv(text: str) -> str:
    """Return a text cell that no spreadsheet runs: an apostrophe goes before a first character that might be.

    It also goes before an apostrophe, so that taking one away gives the text back.
    """
    shown = plain(text)
    return "'" + shown if shown.startswith((*_RUN_BY_SPREADSHEETS, "'")) else shown


def csv_lines(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows as RFC 4180 CSV in UTF-8; every cell must be inert already."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\r\n").writerows(rows)
    return stream.getvalue().encode("utf-8")


@lru_cache(REMEMBERED)
def for_latex(text: str) -> str:
    """Return text that LaTeX sets as it stands, under any engine; a sequence such as `^^5c` or `--` means itself."""
    return _escaped(text, r"\tallychar{{{:04X}}}".format)


def for_bibtex(text: str) -> str:
    """Return a value to stand between two braces: as for LaTeX, with balanced braces, and other scripts as they are."""
    escaped = _escaped(text, chr)
    return escaped.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


def _escaped(text: str, other: Callable[[int], str]) -> str:
    apart = _LIGATURE.sub("\\1\ue000", unicodedata.normalize("NFC", plain(text).replace("\ue000", "\ufffd")))
    return _NOT_ITSELF.sub(lambda found: "{}" if found[0] == "\ue000" else _latex(found[0], other), apart)


def _latex(character: str, other: Callable[[int], str]) -> str:
    if character in _LATEX:
        return _LATEX[character]
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _ACCENTS:
        letter = {"i": r"\i", "j": r"\j"}.get(parts[0], parts[0]) if parts[1] != "\u0327" else parts[0]
        return f"{{{_ACCENTS[parts[1]]}{{{letter}}}}}"
    return other(ord(character))

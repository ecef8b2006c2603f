"""Estimates of how wide text is, and text made to fit."""

from __future__ import annotations

import pytest

from tallystick import widths

IN_A_WIDE_FONT = [
    ("GPT-4O-MINI WITH RETRIEVAL AND MEMORY", 324.1),
    ("W" * 80, 1147.1),
    ("M" * 80, 1034.9),
    ("@@@@%%%%mmmmwwww", 206.3),
    ("dateparser 1.5.0, strict, UTC by default", 288.0),
    ("gpt-4.1-mini-2025-04-14", 178.9),
    ("illicit filling (trial), 1.1.1", 175.5),
    ("検索拡張生成モデル", 117.0),
    ("Модель с поиском, широкая", 215.4),
    ("ÉCOLE A\u030angstro\u0308m", 122.6),
    ("МОДЕЛЬ С ПОИСКОМ И ПАМЯТЬЮ", 258.6),
    ("ЖШЩЫЮФЊЉЂМ", 144.9),
    ("МОДЕЛЬ ДЛЯ УКРАЇНСЬКОЇ І БІЛОРУСЬКОЇ", 324.5),
    ("ΜΟΝΤΕΛΟ ΑΝΑΚΤΗΣΗΣ", 167.7),
    ("μοντέλο ανάκτησης με μνήμη", 217.5),
    ("מודל עם אחזור", 92.0),
    ("نموذج مع استرجاع", 117.5),
    ("检索增强模型", 78.0),
    ("ÞÓRSHÖFN ŁÓDŹ ÆRØ", 165.1),
    ("می\u200cخواهم", 62.4),
]
"""Texts and how wide DejaVu Sans Bold sets them at 13 px."""


@pytest.mark.parametrize(("text", "measured"), IN_A_WIDE_FONT)
def test_text_is_estimated_a_little_too_wide(text: str, measured: float) -> None:
    assert measured <= widths.width(text, widths.LABEL) <= 1.25 * measured


@pytest.mark.parametrize("text", ["W" * 80, "i" * 400, "检" * 80, "two words " * 20, "a\u0301" * 200])
def test_what_is_cut_fits_and_leaves_no_room_for_more(text: str) -> None:
    short = widths.cut(text, 200, widths.LABEL)
    assert short.endswith("…") and text.startswith(short[:-1])
    assert 200 - 3 * widths.LABEL < widths.width(short, widths.LABEL) <= 200


def test_what_fits_is_not_cut() -> None:
    text = "dateparser 1.5.0"
    assert widths.cut(text, widths.width(text, widths.LABEL), widths.LABEL) == text


def test_lines_are_broken_at_spaces_and_inside_words_that_are_too_long() -> None:
    words = f"MMMM MMMM {'x' * 100} end"
    broken = widths.lines(words, 200, widths.LABEL)
    assert broken[0] == "MMMM MMMM" and broken[-1].endswith("x end")
    assert all(widths.width(line, widths.LABEL) <= 200 for line in broken)
    assert "".join(broken).replace(" ", "") == words.replace(" ", "")
    assert widths.lines("", 200, widths.LABEL) == [""]
    assert widths.lines("WW", 1, widths.LABEL) == ["W", "W"]

"""Text of strangers in spreadsheets, LaTeX and BibTeX: it arrives as it was, and does nothing."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.inert import csv_lines, for_bibtex, for_csv, for_latex, plain

SPECIALS = "\\{}$&#%_^~"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠x", "\t=1+1", "\r=1+1", " =1"]
)
def test_a_cell_that_a_spreadsheet_would_run_begins_with_an_apostrophe(text: str) -> None:
    assert for_csv(text) == "'" + text.strip()


@given(st.text())
def test_a_cell_comes_back_from_a_csv_reader_and_never_begins_a_formula(text: str) -> None:
    ((read,),) = csv.reader(io.StringIO(csv_lines([[for_csv(text)]]).decode("utf-8"), newline="")) or [("",)]
    assert read[:1] not in set("=+-@＝＋－＠\t\r\n")
    assert (read[1:] if read.startswith("'") else read) == plain(text)


@given(st.text())
def test_latex_holds_no_special_but_those_of_its_own_commands(text: str) -> None:
    written = for_latex(text)
    assert written.isascii()
    bare = re.sub(r"\\(?:[A-Za-z]+|[{}$&#%_`'^\"~=.,])", "", written.replace("$-$", "").replace(r"$^\circ$", ""))
    bare = re.sub(r"\$\\?\w*\$", "", bare)
    assert not set(bare) & set(SPECIALS) - set("{}$"), written
    assert "--" not in re.sub(r"\{--+\}", "", written)


@pytest.mark.parametrize("character", SPECIALS)
def test_each_of_the_ten_specials_is_escaped(character: str) -> None:
    assert for_latex(f"a{character}b") not in (f"a{character}b", "ab")
    assert for_latex(f"a{character}b")[0] + for_latex(f"a{character}b")[-1] == "ab"


def test_a_sequence_that_tex_would_read_as_a_character_is_text() -> None:
    assert "^^" not in for_latex("^^5cinput{/etc/passwd}")
    assert for_latex(r"\write18{id}").startswith(r"\textbackslash{}write18\{")


def test_accents_are_set_and_other_scripts_are_named() -> None:
    assert for_latex("é ü ç Å ł") == r"{\'{e}} " + r"{\"{u}} {\c{c}} \AA{} \l{}"
    assert for_latex("中") == r"\tallychar{4E2D}"
    assert for_bibtex("中") == "中"


@given(st.text())
def test_braces_balance_in_bibtex_and_no_entry_begins(text: str) -> None:
    written, depth = for_bibtex(text), 0
    for character in written:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert "@" not in written.replace("{@}", "")

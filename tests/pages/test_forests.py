"""Forest plots: what the wide form says, the narrow one says in the width of a phone."""

from __future__ import annotations

from tallystick.board import Interval
from tallystick.pages._forests import NARROW_WIDTH, ForestRow, forest
from tallystick.table import Figure, Mark

ROWS = (
    ForestRow(
        "A method whose name takes more than one line of its column", "", 0.5, Interval(0.4, 0.7), "0.50  [0.40]"
    ),
    ForestRow("B", "lower is better", -0.2, Interval(-0.3, 0.1), "−0.20"),
    ForestRow("C", "", None, None, "—"),
)
PHONE = 390 - 2 * 16


def drawn() -> tuple[Figure, Figure]:
    wide = forest("f", "Title", "About", ROWS, line=0.0, sides=("lower", "higher"))
    assert wide is not None and wide.narrow is not None
    return wide, wide.narrow


def number(mark: Mark, name: str) -> float:
    return float(dict(mark.attributes)[name])


def test_both_forms_say_the_same() -> None:
    wide, narrow = drawn()
    assert (narrow.title, narrow.description) == (wide.title, wide.description)
    assert narrow.id != wide.id  # both stand on one page
    for role in ("point", "point open", "interval"):
        assert len([m for m in narrow.marks if m.role == role]) == len([m for m in wide.marks if m.role == role]) > 0
    texts = {mark.text for mark in narrow.marks}
    assert {row.text for row in ROWS} <= texts
    assert "lower is better" in texts


def test_the_narrow_form_fits_a_phone_and_no_mark_lies_on_a_text() -> None:
    _, narrow = drawn()
    assert narrow.width <= PHONE
    dots = [mark for mark in narrow.marks if mark.shape == "circle"]
    assert all(0 < number(mark, "cx") <= NARROW_WIDTH for mark in dots)
    numbers = max(len(row.text) for row in ROWS) * 6
    assert all(number(mark, "cx") > numbers for mark in dots)


def test_the_order_of_values_is_the_order_of_marks() -> None:
    for form in drawn():
        first, second = (mark for mark in form.marks if mark.shape == "circle")
        assert number(first, "cx") > number(second, "cx")
        assert number(first, "cy") < number(second, "cy")


def test_no_number_no_plot() -> None:
    assert forest("f", "Title", "About", ROWS[2:], line=None) is None

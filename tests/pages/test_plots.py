"""What plots of many rows and axes show: outcomes where the letters say, points where their values are."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date

import pytest

import synthetic
from tallystick import widths
from tallystick.board import Interval
from tallystick.pages import _forests as forests
from tallystick.pages import _plots as plots
from tallystick.table import Figure, Mark

PHONE = 390 - 2 * 16


def roles(drawing: Figure) -> list[str]:
    return [mark.role for mark in drawing.marks]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("a", "a", False),
        ("ab", "bc", False),
        ("ab", "cd", True),
        ("a–c", "b", False),
        ("a–c", "d", True),
        ("z–b2", "a2", False),
        ("z–b2", "c2", True),
        ("a z", "b–y", True),
        ("a", "a2", True),
    ],
)
def test_methods_without_a_common_letter_are_told_apart(one: str, other: str, apart: bool) -> None:
    assert plots.separated(one, other) is apart
    assert plots.separated(other, one) is apart


def test_a_matrix_marks_each_outcome_by_its_shape() -> None:
    drawn = plots.matrix("m", "All pairs", ["first", "second"], [[None, "better"], ["worse", None]])
    assert [role for role in roles(drawn) if role in ("better", "worse", "grid")] == ["grid", "better", "worse", "grid"]
    paths = {mark.role: dict(mark.attributes)["d"] for mark in drawn.marks if mark.shape == "path"}
    tops = {role: [float(part.split()[1]) for part in path.strip("MZ").split("L")] for role, path in paths.items()}
    assert tops["better"][2] < tops["better"][0]
    assert tops["worse"][2] > tops["worse"][0]


def test_panels_share_one_scale_and_leave_out_what_is_undefined() -> None:
    panels = [
        plots.Panel("one", "3 samples", ((0.2, Interval(0.1, 0.3)), (0.8, None))),
        plots.Panel("two", "4 samples", ((0.2, Interval(0.1, 0.3)), (None, None))),
    ]
    drawn = plots.multiples("p", "Title", "About", ["a", "b"], panels)
    assert drawn is not None
    across = [float(dict(mark.attributes)["cx"]) for mark in drawn.marks if mark.role == "point"]
    assert len(across) == 3
    assert across[2] - across[0] == pytest.approx(plots.PANEL_WIDTH + plots.PANEL_GAP)
    assert plots.multiples("p", "Title", "About", ["a"], [plots.Panel("one", "", ((None, None),))]) is None


def test_every_plot_of_methods_has_a_form_for_phones_that_says_the_same() -> None:
    long = [f"The method with a long name, variant {place}" for place in range(6)]
    points = tuple((0.1 * place, Interval(0.1 * place, 0.1 * place + 0.2)) for place in range(6))
    panels = plots.multiples("p", "Title", "About", long, [plots.Panel(name, "3 samples", points) for name in "abc"])
    matrix = plots.matrix("m", "Title", long, [["open"] * 6 for _ in long])
    bars = plots.statuses("s", "Title", "About", [(name, synthetic.board().entries[0].ledger) for name in long])
    for wide in (panels, matrix, bars):
        assert wide is not None and wide.narrow is not None
        assert wide.narrow.width <= PHONE < wide.width
        for role in ("point", "interval", "undecided", "status-scored", "hint"):
            if wide is not bars or role != "hint":
                assert roles(wide.narrow).count(role) == roles(wide).count(role)
    for wide in (panels, bars):
        assert set(long) <= {mark.text.removesuffix("…") for mark in wide.narrow.marks}  # type: ignore[union-attr]


def test_a_long_name_of_a_narrow_matrix_keeps_its_end() -> None:
    drawn = plots.matrix("m", "Title", ["a parser, strict, and absolute", "短" * 30], [["open"] * 2] * 2)
    assert drawn.narrow is not None
    labels = [mark.text for mark in drawn.narrow.marks if mark.role == "label"]
    assert labels == ["a parser…absolute", "短短短短…短短短短"]


def test_time_runs_to_the_right_and_a_top_that_was_not_told_apart_is_open() -> None:
    moments = [
        plots.Moment(date(2026, 1, 1), 0.5, "first"),
        plots.Moment(date(2026, 3, 1), 0.7, "second", firm=False),
        plots.Moment(date(2026, 2, 1), 0.4),
    ]
    drawn = plots.over_time("t", "Title", "About", moments)
    assert drawn is not None
    place = {mark.role: dict(mark.attributes) for mark in drawn.marks if mark.shape == "circle"}
    assert float(place["point"]["cx"]) < float(place["other"]["cx"]) < float(place["point open"]["cx"])
    assert float(place["point open"]["cy"]) < float(place["point"]["cy"]) < float(place["other"]["cy"])
    assert plots.over_time("t", "Title", "About", moments[:1]) is None


def place(mark: Mark) -> tuple[float, float, float]:
    """Return where a text begins, where it ends, and how high it stands."""
    size = {"label": widths.LABEL, "numbers": widths.NUMBERS}.get(mark.role, widths.HINT)
    attributes, length = dict(mark.attributes), widths.width(mark.text, size)
    start = float(attributes["x"]) - {"start": 0, "middle": length / 2, "end": length}[attributes["text-anchor"]]
    return start, start + length, float(attributes["y"])


@pytest.mark.parametrize("name", ["W" * 80, "GPT-4O-MINI WITH RETRIEVAL AND MEMORY", "检" * 80, "i" * 80])
def test_names_in_letters_of_any_width_stay_in_their_columns(name: str) -> None:
    points = ((0.1, Interval(0.0, 0.3)), (0.2, None))
    rows = tuple(
        forests.ForestRow(name, "lower is better", value, span, "0.100  [0.000, 0.300]") for value, span in points
    )
    moments = [plots.Moment(date(2026, 1, day), 0.5 + day / 1000, name) for day in (1, 16, 31)]
    drawn = [
        forests.forest("f", "Title", "About", rows, line=None),
        plots.matrix("m", "Title", [name] * 2, [[None, "better"], ["worse", None]]),
        plots.multiples("p", "Title", "About", [name] * 2, [plots.Panel(name, "3 samples", points)] * 4),
        plots.over_time("t", "Title", "About", moments),
        plots.statuses("s", "Title", "About", [(name, synthetic.board().entries[-1].ledger)] * 2),
    ]
    for figure in drawn:
        assert figure is not None and figure.narrow is not None
        for form in (figure, figure.narrow):
            texts = [place(mark) for mark in form.marks if mark.shape == "text" and mark.role != "tick-label"]
            assert min(start for start, _, _ in texts) >= 0
            assert max(end for _, end, _ in texts) <= form.width
            for (start, end, y), (left, right, height) in itertools.combinations(texts, 2):
                assert end < left or right < start or abs(y - height) > 11
        if figure.id != "t":  # all others have the names at the left of what is drawn
            names = [place(mark)[1] for mark in figure.marks if mark.role == "label" and place(mark)[0] == 0]
            lines = [float(dict(mark.attributes)["x1"]) for mark in figure.marks if mark.shape == "line"]
            assert max(names) < min(lines)


def test_names_of_tops_do_not_lie_on_one_another() -> None:
    moments = [plots.Moment(date(2026, 1, day), 0.5 + day / 1000, f"top number {day}") for day in (1, 2, 3, 31)]
    drawn = plots.over_time("t", "Title", "About", moments)
    assert drawn is not None and drawn.narrow is not None
    for form in (drawn, drawn.narrow):
        names = [mark for mark in form.marks if mark.role == "hint"]
        assert any(mark.text == "top number 31" for mark in names), "the last top is named"
        assert roles(form).count("point") == 4
        for one, other in itertools.combinations(names, 2):
            (start, end, y), (left, right, height) = place(one), place(other)
            assert end < left or right < start or abs(y - height) > 11


def test_every_status_of_every_method_has_its_bar_and_its_count() -> None:
    entries = synthetic.board().entries
    drawn = plots.statuses("s", "Title", "About", [(entry.report.method.title, entry.ledger) for entry in entries])
    for role in ("scored", "abstained", "missing"):
        bars = sum(bool(entry.ledger.counts[role]) for entry in entries)
        assert roles(drawn).count(f"status-{role}") == bars + 1, "one more tells which status it is"
        assert role in [mark.text for mark in drawn.marks if mark.role == "hint"]
    one = plots.statuses("s", "Title", "About", [("full", replace(entries[0].ledger, counts={"scored": 1}))])
    assert [mark.text for mark in one.marks if mark.role == "hint"] == ["scored"], "no other status occurs"
    assert any("40 scored, 6 abstained" in mark.text for mark in drawn.marks)

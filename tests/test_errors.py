"""Problems carry text that strangers wrote."""

from __future__ import annotations

from tallystick.errors import LONGEST, Problem


def test_no_part_of_a_problem_is_longer_than_a_page_can_show() -> None:
    long = "x" * (LONGEST + 1)
    problem = Problem("code", long, long, long, "Shorten it.")
    assert {len(problem.where), len(problem.expected), len(problem.found)} == {LONGEST + 1}
    assert problem.found == "x" * LONGEST + "…"
    assert Problem("code", "a", "b", "c", "d").found == "c"

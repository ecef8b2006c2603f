"""The audit page: nothing that was set aside is lost, and every problem is whole."""

from __future__ import annotations

from dataclasses import replace

import synthetic
from tallystick.pages.audit import PAGE
from tallystick.render import render


def groups(outcome: str = "refused") -> dict[str, object]:
    board = synthetic.board()
    refused = tuple(replace(entry, outcome=outcome) for entry in board.refused)  # type: ignore[arg-type]
    (document,) = PAGE.documents(replace(synthetic.site(), boards=(replace(board, refused=refused),)))
    return {group.id: group for group in document.context["groups"]}


def test_each_kind_has_its_section_and_count() -> None:
    found = groups()
    assert [found[kind].count for kind in ("refused", "unread", "diagnostic", "withdrawn")] == ["1", "1", "1", "0"]  # type: ignore[attr-defined]


def test_the_counts_lead_to_the_cases() -> None:
    (document,) = [one for one in PAGE.documents(synthetic.site()) if one.path == "far/audit.html"]
    said = {getattr(what, "text", what): getattr(what, "href", "") for _, what in document.context["verification"]}
    assert said["refused"] == "far/audit.html#refused"
    assert (said["shown"], said["withdrawn"]) == ("", "")
    page = {file.path: file.content.decode() for file in render([document])}["far/audit.html"]
    assert '<a href="audit.html#refused">refused</a>' in page
    assert 'id="refused"' in page


def test_a_withdrawn_report_stays_listed() -> None:
    found = groups("withdrawn")
    assert [case.title for case in found["withdrawn"].cases] == ["Inflated"]  # type: ignore[attr-defined]


def test_a_problem_says_where_what_was_expected_and_found_and_what_to_do() -> None:
    (case,) = groups()["refused"].cases  # type: ignore[attr-defined]
    problem = synthetic.problem(synthetic.same)
    assert case.problems == (problem, problem)
    files = {file.path: file.content.decode() for file in render(PAGE.documents(synthetic.site()))}
    for text in (problem.where, problem.expected, problem.found, problem.remedy, problem.code):
        assert text in files["far/audit.html"]


def test_the_path_is_said_once_where_a_problem_has_no_place_inside_its_file() -> None:
    board = synthetic.board()
    (entry,) = board.refused
    path, problem = entry.report.path, entry.problems[0]
    whole, inside = replace(problem, where=path), replace(problem, where=f"{path} /run")
    refused = (replace(entry, problems=(whole, inside)),)
    site = replace(synthetic.site(), boards=(replace(board, refused=refused),))
    page = {file.path: file.content.decode() for file in render(PAGE.documents(site))}["far/audit.html"]
    assert page.count(f"<code>{whole.where}</code>") == 1
    assert page.count(f"<code>{inside.where}</code>") == 1


def test_numbers_that_differ_are_shown_both() -> None:
    (case,) = groups()["refused"].cases  # type: ignore[attr-defined]
    assert [cell.text for cell in case.differing.rows[0].cells[1:3]] == ["0.696", "0.0"]


def test_a_file_that_could_not_be_read_is_named_by_its_path() -> None:
    (case,) = groups()["unread"].cases  # type: ignore[attr-defined]
    assert (case.title, case.page) == ("reports/broken.json", None)

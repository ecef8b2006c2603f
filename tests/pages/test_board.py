"""The board's page: what may be ranked, what stands apart, and how numbers are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from tallystick.board import Board, Estimate, Interval, Site
from tallystick.pages.board import PAGE
from tallystick.table import Table


def context(board: Board) -> dict[str, object]:
    site = synthetic.site()
    (document,) = PAGE.documents(Site(site.settings, (board,), ()))
    return dict(document.context)


def table(board: Board, name: str) -> Table:
    found = context(board)[name]
    assert isinstance(found, Table)
    return found


def column(shown: Table, name: str) -> list[str]:
    index = [column.id for column in shown.columns].index(name)
    return [row.cells[index].text for row in shown.rows]


def test_ranks_are_ranges_with_letters_and_rows_are_anchored_by_method() -> None:
    shown = table(synthetic.board(), "results")
    assert column(shown, "rank")[0] == "1–3"
    assert set(column(shown, "group")) == {"a", "ab", "b"}
    assert [row.id for row in shown.rows] == [f"method-{e.method}" for e in synthetic.board().entries if e.complete]


def test_complete_and_incomplete_reports_never_share_a_table() -> None:
    board = synthetic.board()
    complete, incomplete = table(board, "results"), table(board, "incomplete")
    assert not set(column(complete, "method")) & set(column(incomplete, "method"))
    assert column(incomplete, "method") == ["Careful abstainer"]
    assert "rank" not in [column.id for column in incomplete.columns]
    (row,) = incomplete.rows
    assert row.cells[1].detail == "on 40/60"
    assert column(incomplete, "bounds") != ["—"]


def test_a_board_without_standings_shows_no_rank_and_says_why() -> None:
    board = replace(synthetic.board(), standings={})
    assert "rank" not in [column.id for column in table(board, "results").columns]
    assert "No rank is shown" in str(context(board)["unranked"])


def test_a_diagnostic_board_shows_no_rank_even_where_standings_exist() -> None:
    board = synthetic.board()
    board = replace(board, benchmark=replace(board.benchmark, diagnostic="prompts differ"))
    assert "rank" not in [column.id for column in table(board, "results").columns]
    assert context(board)["unranked"] == "No rank is shown on a diagnostic board."
    assert context(board)["diagnostic"] == "prompts differ"
    assert "Ranks:" not in str(context(board)["recipe"])


def test_decimals_are_the_same_within_a_column() -> None:
    shown = column(table(synthetic.board(), "results"), "accuracy")
    assert len({len(text.partition(".")[2]) for text in shown}) == 1


def test_an_undefined_value_is_a_dash_with_its_reason_and_no_value() -> None:
    board = synthetic.board()
    absent = Estimate("accuracy", None, None, 0, 60, False, note="no sample has a value")
    entry = replace(board.entries[0], estimates={"accuracy": absent})
    shown = table(replace(board, entries=(entry, *board.entries[1:])), "results")
    index = [column.id for column in shown.columns].index("accuracy")
    cell = shown.rows[0].cells[index]
    assert (cell.text, cell.value, cell.note) == ("—", None, "no sample has a value")
    assert "no sample has a value" in shown.footnotes


def test_statuses_that_never_occur_are_named_instead_of_shown() -> None:
    shown = table(synthetic.board(), "results")
    assert "missing" not in [column.id for column in shown.columns]
    assert "No sample was abstained, unresolved, pending, missing or invalid." in shown.notes[0]
    assert "missing" in [column.id for column in table(synthetic.board(), "incomplete").columns]


def test_every_bar_of_a_column_stands_on_one_axis() -> None:
    board = synthetic.board()
    shown = table(board, "results")
    index = [column.id for column in shown.columns].index("accuracy-bar")
    figures = [row.cells[index].figure for row in shown.rows]
    references = [mark.attributes[0] for f in figures if f for mark in f.marks if mark.role == "reference"]
    assert len(references) == len(shown.rows)
    assert len(set(references)) == 1
    points = [float(dict(mark.attributes)["cx"]) for f in figures if f for mark in f.marks if mark.role == "point"]
    values = [entry.estimates["accuracy"].value or 0.0 for entry in board.entries if entry.complete]
    for x, value in zip(points, values, strict=True):
        share = (x - points[-1]) / (points[0] - points[-1])
        assert share == pytest.approx((value - values[-1]) / (values[0] - values[-1]), abs=0.01)


def test_verification_comes_first_and_counts_every_report() -> None:
    assert context(synthetic.board())["verification"] == (("7", "admitted"), ("1", "diagnostic"), ("2", "refused"))
    assert dict(context(synthetic.board())["tally"])["812"] == "stated numbers"  # type: ignore[call-overload]


def test_a_board_that_shows_no_report_has_nothing_to_account_for() -> None:
    found = context(replace(synthetic.board(), entries=(), comparisons=(), ranking=None))
    assert (found["ledger"], found["accounting"], found["results"]) == (None, "", None)
    assert found["aside"]


def test_what_was_set_aside_is_linked_with_its_first_reason() -> None:
    shown = table(synthetic.board(), "aside")
    assert column(shown, "outcome") == ["diagnostic", "refused", "refused"]
    assert column(shown, "reason")[1] == "Expected 0.0 (recomputed from 60 samples), found 0.696."
    assert all((row.cells[0].href or "").startswith("far/audit.html#report-") for row in shown.rows)


def test_a_board_with_nothing_but_refusals_still_has_its_page() -> None:
    board = replace(synthetic.board(), entries=(), comparisons=(), standings={})
    assert context(board)["results"] is None
    assert context(board)["incomplete"] is None


def test_equal_values_without_spread_are_drawn_and_shown() -> None:
    board = synthetic.board()
    same = Estimate("accuracy", 0.5, Interval(0.5, 0.5), 60, 60, False, standard_error=0.0)
    entries = tuple(replace(entry, estimates={"accuracy": same}) for entry in board.entries if entry.complete)
    assert set(column(table(replace(board, entries=entries), "results"), "accuracy")) == {"0.500"}


def test_what_is_left_of_rounding_is_no_error_that_asks_for_decimals() -> None:
    board = synthetic.board()
    noise = Estimate("accuracy", 0.1, Interval(0.1, 0.1 + 2**-56), 60, 60, False, standard_error=1.4e-17)
    entries = tuple(replace(entry, estimates={"accuracy": noise}) for entry in board.entries if entry.complete)
    shown = table(replace(board, entries=entries), "results")
    assert set(column(shown, "accuracy")) == {"0.100"}


def test_an_axis_of_equal_values_ends_where_the_metric_ends() -> None:
    board = synthetic.board()
    best = Estimate("accuracy", 1.0, Interval(1.0, 1.0), 60, 60, False, standard_error=0.0)
    entries = tuple(replace(entry, estimates={"accuracy": best}) for entry in board.entries if entry.complete)
    scale = next(c.axis for c in table(replace(board, entries=entries), "results").columns if c.id == "accuracy-bar")
    assert scale is not None
    ticks = [float(mark.text) for mark in scale.marks if mark.shape == "text"]
    assert max(ticks) == 1.0


def test_bounds_are_known_where_no_sample_is_scored() -> None:
    board = synthetic.board()
    none = Estimate("accuracy", None, None, 0, 60, True, bounds=Interval(0.0, 1.0), note="no sample has a value")
    entry = replace(board.entries[0], estimates={"accuracy": none}, complete=False)
    shown = table(replace(board, entries=(entry,)), "incomplete")
    assert column(shown, "accuracy") == ["—"]
    assert column(shown, "bounds") == ["0.000–1.000"]
    index = [one.id for one in shown.columns].index("accuracy-bar")
    drawn = shown.rows[0].cells[index].figure
    assert drawn is not None
    assert [mark.role for mark in drawn.marks] == ["bounds"]


def test_a_value_over_fewer_samples_says_on_how_many() -> None:
    board = synthetic.board()
    fewer = replace(board.entries[0].estimates["accuracy"], n=52)
    entry = replace(board.entries[0], estimates={"accuracy": fewer})
    rows = table(replace(board, entries=(entry, *board.entries[1:])), "results").rows
    assert [row.cells[2].detail for row in rows[:2]] == ["on 52/60", ""]


def test_a_reason_that_ends_with_a_full_stop_gets_no_second_one() -> None:
    board = synthetic.board()
    (entry,) = board.refused
    refused = (replace(entry, problems=(replace(entry.problems[0], found="a report: It was wrong."),)),)
    assert column(table(replace(board, refused=refused), "aside"), "reason")[1].endswith(
        "found a report: It was wrong."
    )
    assert ".." not in str(refused[0].problems[0])


def test_a_digest_among_the_reasons_is_cut_and_whole_on_the_audit_page() -> None:
    board = synthetic.board()
    digest = synthetic.digest("other")
    (entry,) = board.refused
    refused = (replace(entry, problems=(replace(entry.problems[0], found=digest),)),)
    shown = column(table(replace(board, refused=refused), "aside"), "reason")
    assert any(f"found {digest[:12]}…." in text for text in shown)
    assert not any(digest in text for text in shown)


def test_optimism_that_the_decimals_do_not_show_is_not_shown_as_a_number() -> None:
    board = synthetic.board()
    assert board.ranking is not None
    leader = replace(board.ranking.leader, adjusted=board.ranking.leader.value - 1e-6)  # type: ignore[union-attr, type-var]
    said = context(replace(board, ranking=replace(board.ranking, leader=leader)))["resolution"]
    assert isinstance(said, tuple)
    assert said[0].endswith("Picking flatters, but here by less than these decimals show.")


def test_a_record_leads_to_the_method_that_set_it() -> None:
    shown = table(synthetic.board(), "records")
    assert all((row.cells[1].href or "").startswith("far/methods/") for row in shown.rows)


def test_the_ranking_says_what_it_cannot_tell_apart() -> None:
    said = context(synthetic.board())["resolution"]
    assert isinstance(said, tuple)
    assert said[0].startswith("The top value, 0.85 (FAR, full)")
    assert "would take about 12,345 samples" in said[1]
    assert (
        said[2]
        == "FAR, full and FAR without revision may each be the best: no other is told to be better than they are."
    )
    records = table(synthetic.board(), "records")
    assert column(records, "day") == ["2026-01-02", "2026-03-01"]
    assert column(records, "real") == ["—", "no"]
    diagnostic = replace(synthetic.board(), benchmark=replace(synthetic.board().benchmark, diagnostic="a pilot"))
    assert context(diagnostic)["resolution"] == ()
    assert context(diagnostic)["records"] is None


def test_a_metric_without_any_value_is_named_instead_of_shown() -> None:
    board = synthetic.board()
    absent = Estimate("overclaim", None, None, 0, 60, False, note="no sample has a value")
    entries = tuple(replace(entry, estimates={**entry.estimates, "overclaim": absent}) for entry in board.entries)
    shown = table(replace(board, entries=entries), "metrics")
    assert [column.id for column in shown.columns] == ["method", "soft_f1", "unsupported"]
    assert shown.notes == ("No report here has a value of Overclaim reduction.",)


def test_a_family_of_all_others_is_tabulated() -> None:
    made = synthetic.board()
    far = next(one for one in made.benchmark.comparisons if one.baseline == "vanilla")
    board = replace(made, benchmark=replace(made.benchmark, comparisons=(replace(far, candidates=("*",)),)))
    (family,) = context(board)["families"]  # type: ignore[misc]
    assert sorted(row.cells[0].value for row in family.rows) == sorted(far.candidates)
    assert context(board)["uncompared"] == ()


def test_a_declared_comparison_whose_method_is_absent_is_named() -> None:
    made = synthetic.board()
    entries = tuple(entry for entry in made.entries if entry.method not in ("debate", "far"))
    present = [one for one in made.comparisons if not {one.baseline, one.candidate} & {"debate", "far"}]
    board = replace(made, entries=entries, comparisons=tuple(present))
    assert context(board)["uncompared"] == (
        "Not compared, having no admitted report: debate, far (family “against vanilla”).",
        "Not compared, having no admitted report: the baseline far (family “ablations”).",
    )

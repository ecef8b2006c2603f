"""What verification found, in each form, with names that try to be more than names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tallystick.errors import Problem, UsageError
from tallystick.messages import FORMATS, SUMMARY_LINES, Verdict, brief, printable, since, write_summary

HOSTILE = "x\n::error::owned\x1b[2J\u202e%0A"
VERDICT = Verdict(
    "board",
    "reports/a,b:c.json",
    HOSTILE,
    "refused",
    (Problem("seal-mismatch", "reports/a.json", "seal 1", HOSTILE, "Seal it again."),),
    {"exact": 3, "agrees": 0, "differs": 1, "unverified": 0},
)


def test_text_is_one_line_for_each_report_and_problem_and_a_summary() -> None:
    lines = FORMATS["text"]((VERDICT,), None, 0).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("refused    results/board/reports/a,b:c.json (x\\n::error::owned")
    assert "4 stated numbers: 3 exact, 1 differs" in lines[0]
    assert lines[1].startswith("  refuse: reports/a.json: expected seal 1, found x\\n")
    assert lines[2] == "1 report: 1 refused"


def test_a_build_counts_notes_and_tells_everything_else() -> None:
    noted = replace(VERDICT, problems=(*VERDICT.problems, replace(VERDICT.problems[0], effect="note")))
    whole, short = FORMATS["text"]((noted,), None, 0).splitlines(), brief((noted,)).splitlines()
    assert [line for line in whole if line not in short] == [whole[2]]
    assert whole[2].startswith("  note: ")
    assert short[3:] == ["1 note, told by `tallystick check` and on the pages of the methods"]
    assert brief((VERDICT,)) == FORMATS["text"]((VERDICT,), None, 0)


def test_nothing_that_a_terminal_would_obey_is_left() -> None:
    assert printable(HOSTILE) == "x\\n::error::owned\\x1b[2J\\u202e%0A"
    assert printable("naïve 名 — ok") == "naïve 名 — ok"
    assert printable("\x9b31m\u2028\x00") == "\\x9b31m\\u2028\\x00"
    assert printable("a ##[add-mask]b # [c]") == "a ##\\x5badd-mask]b # [c]"


def test_workflow_commands_cannot_be_smuggled() -> None:
    out = FORMATS["github"]((VERDICT,), None, 0)
    assert out.count("\n") == 1
    assert out.startswith("::error file=results/board/reports/a%2Cb%3Ac.json,title=seal-mismatch::")
    assert "%0A::error::owned" in out
    assert "%250A" in out


def test_json_carries_every_field() -> None:
    (report,) = json.loads(FORMATS["json"]((VERDICT,), None, 0))["reports"]
    assert report["method"] == HOSTILE
    assert report["stated"]["differs"] == 1
    assert report["problems"][0]["remedy"] == "Seal it again."


def test_sarif_names_rule_level_and_place() -> None:
    log = json.loads(FORMATS["sarif"]((VERDICT,), None, 0))
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("seal-mismatch", "error")
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "results/board/reports/a%2Cb%3Ac.json"
    assert log["runs"][0]["tool"]["driver"]["rules"] == [{"id": "seal-mismatch"}]


HOSTILE_NAMES = (
    "@all [x](https://example.org) <img src=x> `a` | ##[error] #1 www.example.org a@example.org",
    "``` `` `",
    "`",
    " ",
    "$x$ **b** ~~s~~ :tada: &amp; \\",
    "x\n# heading\n\n| a |\n|---|\n<script>alert(1)</script>",
    HOSTILE,
)


@pytest.mark.parametrize("method", HOSTILE_NAMES)
def test_markdown_leaves_nothing_to_markup(method: str) -> None:
    lines = FORMATS["markdown"]((replace(VERDICT, method=method),), None, 0)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(lines)
    inner = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in inner} <= {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
    said = " ".join(token.content for token in inner if token.type == "text").split()
    assert said == ["1", "report:", "1", "refused", "refused", "(", ")", "refuse:"]
    assert not {token.type for token in tokens} & {"html_block", "table_open", "fence", "code_block"}
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3"]
    assert code_of(printable(method)) in [token.content for token in inner if token.type == "code_inline"]


def code_of(text: str) -> str:
    """Return what a code span of a text holds."""
    return text if text.strip() else f" {text} "


def test_a_name_in_markdown_has_an_end() -> None:
    assert max(map(len, FORMATS["markdown"]((replace(VERDICT, method="x" * 10_000),), None, 0).splitlines())) < 700


def test_a_long_summary_is_cut_and_says_so(tmp_path: Path) -> None:
    write_summary((VERDICT,) * SUMMARY_LINES, tmp_path / "summary.md")
    lines = (tmp_path / "summary.md").read_text("utf-8").splitlines()
    assert len(lines) == SUMMARY_LINES + 3
    assert lines[-1] == f"- and {SUMMARY_LINES} more lines"


def test_a_summary_that_cannot_be_written_is_the_caller_s_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="file-unusable"):
        write_summary((VERDICT,), tmp_path / "absent" / "summary.md")


def test_what_was_known_with_the_same_problems_is_left_out(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(FORMATS["json"]((VERDICT,), None, 0), "utf-8")
    other = replace(VERDICT, path="reports/b.json")
    reworded = replace(VERDICT, problems=(replace(VERDICT.problems[0], found="another's digest"),))
    worse = replace(VERDICT, problems=(*VERDICT.problems, Problem("other", "x", "y", "z", "w")))
    assert since((VERDICT, reworded, other, worse), known) == (other, worse)
    assert since((replace(VERDICT, outcome="admitted"),), known) != ()


@pytest.mark.parametrize("content", ["", "[]", '{"format": "other"}', '{"format": "tallystick-check/1"}'])
def test_a_known_outcome_must_be_one(content: str, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(content)
    with pytest.raises(UsageError, match="known-unusable"):
        since((VERDICT,), known)
    with pytest.raises(UsageError, match="known-unusable"):
        since((VERDICT,), tmp_path / "absent.json")

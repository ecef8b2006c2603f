"""What verification found, in each form, with names that try to be more than names."""

from __future__ import annotations

import json

from tallystick.errors import Problem
from tallystick.messages import FORMATS, Verdict, printable

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
    lines = FORMATS["text"]((VERDICT,)).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("refused    board x\\n::error::owned")
    assert "4 stated numbers: 3 exact, 1 differs" in lines[0]
    assert lines[1].startswith("  refuse: reports/a.json: expected seal 1, found x\\n")
    assert lines[2] == "1 reports: 1 refused"


def test_nothing_that_a_terminal_would_obey_is_left() -> None:
    assert printable(HOSTILE) == "x\\n::error::owned\\x1b[2J\\u202e%0A"
    assert printable("naïve 名 — ok") == "naïve 名 — ok"
    assert printable("\x9b31m\u2028\x00") == "\\x9b31m\\u2028\\x00"


def test_workflow_commands_cannot_be_smuggled() -> None:
    out = FORMATS["github"]((VERDICT,))
    assert out.count("\n") == 1
    assert out.startswith("::error file=results/board/reports/a%2Cb%3Ac.json,title=seal-mismatch::")
    assert "%0A::error::owned" in out
    assert "%250A" in out


def test_json_carries_every_field() -> None:
    (report,) = json.loads(FORMATS["json"]((VERDICT,)))["reports"]
    assert report["method"] == HOSTILE
    assert report["stated"]["differs"] == 1
    assert report["problems"][0]["remedy"] == "Seal it again."


def test_sarif_names_rule_level_and_place() -> None:
    log = json.loads(FORMATS["sarif"]((VERDICT,)))
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("seal-mismatch", "error")
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "results/board/reports/a%2Cb%3Ac.json"
    assert log["runs"][0]["tool"]["driver"]["rules"] == [{"id": "seal-mismatch"}]

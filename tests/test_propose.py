"""Pull requests in a real repository: what `check --base main` says of each, in every form."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from pull_requests_made import Board, git, report, some
from tallystick import read as reading
from tallystick.cli import main
from tallystick.messages import FORMATS
from tallystick.model import Benchmark, Bundle, Protocol, Report, Unread

LEDGER = "results/frozen.sha256"
GOOD = report("mine", [*range(25), 33, 35], stated={"accuracy": {"estimate": 27 / 40}})


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    board = Board(tmp_path_factory.mktemp("board"))
    board.begin()
    return board.folder


@pytest.fixture
def board(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    shutil.copytree(begun, tmp_path / "board")
    found = Board(tmp_path / "board")
    found.branch("proposed")
    return found


class Said:
    """What the command said, and how it ended; `forms` by name."""

    def __init__(self, board: Board, capsys: pytest.CaptureFixture[str], base: str = "main") -> None:
        before = (git(board.folder, "status", "--porcelain"), git(board.folder, "rev-parse", "HEAD"))
        self.forms, statuses = {}, set()
        for form in FORMATS:
            statuses.add(main(["check", "--root", str(board.folder), "--base", base, "--format", form]))
            captured = capsys.readouterr()
            assert captured.err == ""
            self.forms[form] = captured.out
        (self.status,) = statuses
        assert before == (git(board.folder, "status", "--porcelain"), git(board.folder, "rev-parse", "HEAD"))
        document: dict[str, Any] = json.loads(self.forms["json"])
        self.proposal, self.reports = document["proposal"], document["reports"]
        jsonschema.validate(json.loads(self.forms["sarif"]), SARIF)

    @property
    def codes(self) -> list[str]:
        """The codes of broken rules."""
        return [problem["code"] for problem in self.proposal["problems"] if problem["effect"] == "refuse"]

    def everywhere(self, *words: str) -> None:
        """Hold that each form says all of these words."""
        for form, said in self.forms.items():
            plain = said.replace("%3A", ":").replace("%2C", ",")
            for word in words:
                assert word in plain or json.dumps(word)[1:-1] in plain, f"{form}: {word}\n{said}"


SARIF = {
    # What SARIF 2.1.0 (OASIS, §3) requires of the parts that are written, in a schema of our own.
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    }
                                },
                            }
                        },
                        "additionalProperties": False,
                    },
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
    "$defs": {
        "result": {
            "type": "object",
            "required": ["message", "ruleId"],
            "properties": {
                "ruleId": {"type": "string"},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
                "message": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {"text": {"type": "string", "minLength": 1}},
                    "additionalProperties": False,
                },
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation"],
                                "properties": {
                                    "artifactLocation": {
                                        "type": "object",
                                        "properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}},
                                    }
                                },
                            }
                        },
                    },
                },
            },
            # §3.27.10: where kind is something else than fail, level is none.
            "if": {"required": ["kind"], "properties": {"kind": {"not": {"const": "fail"}}}},
            "then": {"properties": {"level": {"const": "none"}}},
            "additionalProperties": False,
        }
    },
}


# --- what is well -----------------------------------------------------------------------------------------------------


def test_a_good_report_is_placed_ranked_and_compared(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.commit("Add mine")
    said = Said(board, capsys)
    assert said.status == 0
    assert said.codes == []
    assert [(change["path"], change["action"], change["kind"]) for change in said.proposal["changes"]] == [
        ("results/small/reports/mine.json", "added", "report")
    ]
    assert [(item["method"], item["outcome"]) for item in said.reports] == [("mine", "admitted")]
    (effect,) = said.proposal["effects"]
    assert effect["estimate"]["value"] == 27 / 40
    assert effect["position"] == [2, 3]
    assert (effect["standing"]["lower"], effect["standing"]["upper"]) == (1, 2)
    assert effect["standing"]["letters"] == "a"
    assert effect["stated"] == {"exact": 1, "agrees": 0, "differs": 0, "unverified": 0}
    assert effect["ledger"]["scored"] == 40
    against = {tuple(rival["roles"]): rival for rival in effect["rivals"]}
    assert against[("baseline",)]["difference"] == pytest.approx(17 / 40)
    assert against[("leader",)]["baseline"] == "best"
    assert (against[("leader",)]["test"]["baseline_only"], against[("leader",)]["test"]["candidate_only"]) == (5, 2)
    for form in ("text", "markdown", "github", "sarif"):
        text = said.forms[form]
        if form == "sarif":
            text = json.loads(text)["runs"][0]["results"][0]["message"]["text"]
        for words in ("0.68", "place 2/3 by value", "rank 1–2, group a", "5 against 2 discordant pairs", "1 exact"):
            assert words in text, f"{form}: {words}"


def test_what_is_not_committed_yet_counts_too(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.write("notes.txt", "my own")
    said = Said(board, capsys)
    assert (said.status, len(said.proposal["effects"]), len(said.proposal["changes"])) == (0, 1, 1)


def test_two_good_reports_are_judged_in_turn(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.commit("Add mine")
    board.branch("second", "main")
    board.report(report("yours", range(33)))
    board.commit("Add yours")
    board.merge("proposed")
    git(board.folder, "switch", "--quiet", "second")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (0, [])
    assert [change["path"] for change in said.proposal["changes"]] == ["results/small/reports/yours.json"]
    (effect,) = said.proposal["effects"]
    assert (effect["method"], effect["position"]) == ("yours", [1, 4])


def test_a_report_that_both_states_hold_is_read_once(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = reading.read_bundle

    def counting(bundle: Bundle, benchmark: Benchmark, protocol: Protocol) -> Report | Unread:
        seen.append(bundle.path)
        return real(bundle, benchmark, protocol)

    monkeypatch.setattr(reading, "read_bundle", counting)
    board.report(GOOD)
    assert main(["check", "--root", str(board.folder), "--base", "main"]) == 0
    assert sorted(seen) == [f"reports/{method}.json" for method in ("best", "mine", "plain")]


def test_nothing_new_is_nothing_to_say(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.commit("Add mine")
    git(board.folder, "switch", "--quiet", "main")
    board.report(GOOD)
    board.commit("Add mine by another way")
    git(board.folder, "switch", "--quiet", "proposed")
    said = Said(board, capsys)
    assert (said.status, said.proposal["changes"], said.proposal["effects"]) == (0, [], [])


def test_a_new_report_leaves_what_is_refused_already_alone(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    git(board.folder, "switch", "--quiet", "main")
    board.report({**report("forged", range(7)), "seal": "0" * 64})
    board.commit("Merge what should not have been")
    board.branch("later")
    board.report(GOOD)
    said = Said(board, capsys)
    assert (said.status, [item["method"] for item in said.reports]) == (0, ["mine"])


def test_a_withdrawal_by_a_file_with_a_reason_is_well(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.write("results/small/withdrawn/best.yaml", "reason: Trained on the samples.\ndate: 2026-11-03\n")
    board.commit("Withdraw best")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (0, [])
    assert [(item["method"], item["outcome"]) for item in said.reports] == [("best", "withdrawn")]
    said.everywhere("Trained on the samples.")
    (board.folder / "results/small/reports/best.json").unlink()
    assert Said(board, capsys).codes == []


def test_changed_settings_are_the_maintainer_s_and_no_fault(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.write("content/site.yaml", "title: Theirs\n")
    board.write("templates/board.html", "<p>theirs</p>")
    board.commit("Rename")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (0, [])
    assert [problem["code"] for problem in said.proposal["problems"]] == ["maintainer-change"]
    said.everywhere("content/site.yaml", "maintainer-change")


# --- what breaks the rules --------------------------------------------------------------------------------------------


def test_settings_do_not_come_with_reports(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.write("content/site.yaml", "title: Theirs\n")
    board.write("results/small/helper.py", "print()")
    board.commit("Add mine and more")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["change-mixed", "change-mixed"])
    said.everywhere("content/site.yaml", "results/small/helper.py", "change-mixed")


def test_another_s_report_is_not_edited(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(report("plain", range(3), finished="2026-11-01"))
    board.commit("Improve plain")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["report-edited"])
    said.everywhere("results/small/reports/plain.json", "report-edited")


def test_another_s_report_is_not_removed(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    (board.folder / "results/small/reports/best.json").unlink()
    board.commit("Remove best")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["report-removed"])
    said.everywhere("results/small/withdrawn/best.yaml", "report-removed")


def test_a_renamed_report_is_a_removed_one(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    place = board.folder / "results/small/reports"
    (place / "best.json").rename(place / "mine.json")
    board.report(report("mine", range(30)))
    board.commit("Take best as mine")
    said = Said(board, capsys)
    assert said.codes == ["report-removed"]
    assert said.forms["markdown"].startswith("### 1 breach of the rules; 1 report: 1 admitted\n")


def test_a_removal_is_no_good_news(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    (board.folder / "results/small/reports/best.json").unlink()
    board.commit("Take best away")
    said = Said(board, capsys)
    assert said.forms["markdown"].startswith("### 1 breach of the rules; no report is new or judged otherwise\n")
    assert "\n1 breach of the rules; no report is new or judged otherwise\n" in said.forms["text"]


def test_a_replay_under_another_name_is_refused(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f'{{"id": "s{i:02}", "status": "scored", "accuracy": {int(i < 31)}}}\n' for i in range(40))
    git(board.folder, "switch", "--quiet", "main")
    board.write("results/small/reports/far.jsonl", rows)
    board.report(sampled("far", "far.jsonl", rows, "2026-11-01"))
    board.commit("Add far")
    board.branch("replay")
    board.write("results/small/reports/mine.jsonl", rows)
    board.report(sampled("mine", "mine.jsonl", rows, "2026-11-02"))
    said = Said(board, capsys)
    assert (said.status, said.codes, said.proposal["effects"]) == (1, [], [])
    assert [(item["method"], item["outcome"]) for item in said.reports] == [("mine", "refused")]
    said.everywhere("content-replayed")
    board.report(sampled("mine", "mine.jsonl", rows, "2026-10-01"))
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["report-displaced"])
    outcomes = {item["method"]: item["outcome"] for item in said.reports}
    assert (outcomes["mine"], outcomes["far"]) == ("admitted", "refused")


def sampled(method: str, path: str, rows: str, finished: str) -> dict[str, Any]:
    from tallystick.digest import sha256

    return report(method, [], finished=finished, samples={"path": path, "sha256": sha256(rows.encode())})


def test_a_withdrawal_needs_a_report_and_a_reason(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.write("results/small/withdrawn/nobody.yaml", "reason: Why not.\ndate: 2026-11-03\n")
    assert Said(board, capsys).codes == ["withdrawal-without-report"]
    board.write("results/small/withdrawn/nobody.yaml", "date: 2026-11-03\n")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (2, ["withdrawal-without-report", "key-absent"])
    said.everywhere("key-absent")


@pytest.mark.parametrize(("day", "codes"), [("2026-11-04", []), ("2026-11-05", ["withdrawal-date"])])
def test_a_withdrawal_has_a_day_that_has_begun_somewhere(
    board: Board, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, day: str, codes: list[str]
) -> None:
    evening = datetime(2026, 11, 3, 22, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", f"{evening.timestamp():.0f}")
    board.write("results/small/withdrawn/best.yaml", f"reason: Why not.\ndate: {day}\n")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (len(codes), codes)
    board.commit("Withdraw")
    board.merge("proposed")
    board.branch("later")
    assert (said := Said(board, capsys)).codes == [] and said.status == 0, "it stands, and no build depends on the day"


def test_a_withdrawal_is_not_taken_back_nor_mixed(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.write("results/small/withdrawn/best.yaml", "reason: Why not.\ndate: 2026-11-03\n")
    board.report(GOOD)
    assert Said(board, capsys).codes == ["change-mixed"]
    board.commit("Withdraw")
    board.branch("later", "proposed")
    (board.folder / "results/small/withdrawn/best.yaml").unlink()
    assert "withdrawal-changed" in Said(board, capsys, "proposed").codes


def frozen(board: Board, note: str) -> str:
    """Freeze the board's table on the branch at hand, commit it, and return its digest."""
    assert main(["freeze", "small", "--root", str(board.folder), "--note", note]) == 0
    board.commit(f"Freeze {note}")
    ledger = (board.folder / LEDGER).read_text("utf-8")
    return ledger.splitlines()[-1][:64]


def twice_frozen(board: Board, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Freeze two tables on main, and begin a change to them."""
    git(board.folder, "switch", "--quiet", "main")
    older = frozen(board, "the first paper")
    board.report(GOOD)
    newer = frozen(board, "the second paper")
    board.branch("tidying")
    capsys.readouterr()
    return older, newer


def test_the_newest_frozen_table_is_not_removed_together_with_its_line(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    older, newer = twice_frozen(board, capsys)
    (board.folder / f"results/small/frozen/{newer}.json").unlink()
    board.write(LEDGER, f"{older}  small/frozen/{older}.json\n")
    board.commit("Tidy up")
    assert main(["check", "--root", str(board.folder)]) == 0, "no build could tell"
    capsys.readouterr()
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["frozen-edited"])
    said.everywhere(f"results/small/frozen/{newer}.json", "Restore it")


def test_frozen_tables_keep_their_order_and_new_ones_follow(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    older, newer = twice_frozen(board, capsys)
    lines = [f"{digest}  small/frozen/{digest}.json\n" for digest in (older, newer)]
    board.write(LEDGER, "".join(reversed(lines)))
    said = Said(board, capsys)
    assert (said.status, said.codes) == (1, ["frozen-edited"])
    said.everywhere(LEDGER, "Restore it")
    board.write(LEDGER, "".join(lines))
    board.report(report("another", range(20)))
    frozen(board, "the third paper")
    capsys.readouterr()
    assert "frozen-edited" not in Said(board, capsys).codes


def test_a_frozen_table_stays_though_the_base_s_settings_are_broken(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    _, newer = twice_frozen(board, capsys)
    settings = (board.folder / "results/small/benchmark.yaml").read_text("utf-8")
    board.write("results/small/benchmark.yaml", "titel: Small\n")
    board.commit("Break it")
    board.branch("mending", "tidying")
    board.write("results/small/benchmark.yaml", settings)
    shutil.rmtree(board.folder / "results/small/frozen")
    (board.folder / LEDGER).unlink()
    board.commit("Mend it, and more")
    said = Said(board, capsys, "tidying")
    assert (said.status, set(said.codes)) == (1, {"frozen-edited"})
    said.everywhere(f"results/small/frozen/{newer}.json")


def test_what_was_frozen_meanwhile_is_not_missed(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(report("another", range(20)))
    board.commit("Add another")
    twice_frozen(board, capsys)
    git(board.folder, "switch", "--quiet", "proposed")
    said = Said(board, capsys)
    assert (said.status, said.codes) == (0, [])


def test_a_file_of_no_report_does_not_slip_in(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.write("results/small/stray.bin", "?")
    assert Said(board, capsys).codes == ["file-without-report"]


def test_one_path_changed_on_both_sides_is_told(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.commit("Add mine")
    git(board.folder, "switch", "--quiet", "main")
    board.report(report("mine", range(12)))
    board.commit("Add mine first")
    git(board.folder, "switch", "--quiet", "proposed")
    assert "change-clashes" in Said(board, capsys).codes


def test_a_folder_that_becomes_a_link_is_not_followed(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    reports = board.folder / "results/small/reports"
    shutil.move(reports, board.folder.parent / "elsewhere")
    reports.symlink_to(board.folder.parent / "elsewhere")
    said = Said(board, capsys)
    assert (said.status, said.codes[-2:]) == (1, ["report-removed", "report-removed"])
    said.everywhere("a symbolic link")


def test_broken_settings_end_with_two_and_the_base_s_are_mended(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    board.write("results/small/benchmark.yaml", "titel: Small\n")
    board.commit("Break it")
    said = Said(board, capsys)
    assert said.status == 2
    said.everywhere("key-unknown", "results/small/benchmark.yaml line 1")
    board.branch("mended", "proposed")
    git(board.folder, "checkout", "--quiet", "main", "--", "results/small/benchmark.yaml")
    board.commit("Mend it")
    said = Said(board, capsys, "proposed")
    assert said.status == 0
    assert "base-unusable" in {problem["code"] for problem in said.proposal["problems"]}


# --- names that try to be more than names -----------------------------------------------------------------------------

HOSTILE = "@all **x** [a](https://e.org) `c` <img src=x> | #1 ##[error] %0A::error::owned"


def test_names_stay_names_in_every_form(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(report("mine", range(20), title=HOSTILE[:80]))
    board.write("results/small/withdrawn/best.yaml", f"reason: {json.dumps(HOSTILE)}\ndate: 2026-11-03\n")
    board.write("results/small/reports/@all `x`\n::error::owned <img>.json", "{}")
    board.commit("Add hostility")
    said = Said(board, capsys)
    assert said.status == 1
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(said.forms["markdown"])
    inner = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in inner} <= {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
    assert {token.type for token in tokens if token.nesting >= 0} <= {
        *("heading_open", "inline", "bullet_list_open", "list_item_open", "paragraph_open")
    }
    loose = " ".join(token.content for token in inner if token.type == "text")
    assert not any(sign in loose for sign in ("@", "#", "<", "`", "owned", "img", "e.org", "://"))
    for line in said.forms["github"].splitlines():
        assert line.startswith(("::error file=", "::warning file=", "::notice file="))
    assert "\n::error::owned" not in said.forms["text"]
    assert "##[" not in said.forms["text"] + said.forms["github"] + said.forms["markdown"]


# --- where git cannot tell --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["nowhere", "--upload-pack=x", "", "HEAD:results"])
def test_an_unknown_ref_is_said(ref: str, board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--root", str(board.folder), f"--base={ref}"]) == 2
    assert "[ref-unknown]" in capsys.readouterr().err


def test_where_there_is_no_repository_or_no_git(
    board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["check", "--root", str(tmp_path), "--base", "main"]) == 2
    assert "[git-failed]" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["check", "--root", str(board.folder), "--base", "main"]) == 2
    assert "[git-absent]" in capsys.readouterr().err


def test_other_choices_do_not_go_with_a_base(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--root", str(board.folder), "--base", "main", str(board.folder)]) == 2
    assert "[base-alone]" in capsys.readouterr().err


def test_nothing_that_a_repository_configures_is_run(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    mark = board.folder.parent / "ran"
    touch = f"touch {mark}"
    for key in ("core.fsmonitor", "diff.external", "diff.mine.command", "diff.mine.textconv"):
        git(board.folder, "config", key, touch)
    board.write(".git/info/attributes", "* diff=mine\n")
    hook = board.folder / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{touch}\n")
    hook.chmod(0o755)
    (board.folder / "results/small/reports/best.json").write_text("{}")
    assert main(["check", "--root", str(board.folder), "--base", "main"]) == 1
    assert not mark.exists()
    capsys.readouterr()


def test_a_checkout_of_two_commits_is_enough(board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board.report(GOOD)
    board.commit("Add mine")
    board.merge("proposed")
    base, head = git(board.folder, "rev-parse", "main^", "main").split()
    clone = tmp_path / "clone"
    git(tmp_path, "init", "--quiet", str(clone))
    for commit in (head, base):
        git(clone, "fetch", "--quiet", "--depth", "1", f"file://{board.folder}", commit)
    git(clone, "checkout", "--quiet", "--detach", head)
    said = Said(Board(clone), capsys, base)
    assert (said.status, [effect["method"] for effect in said.proposal["effects"]]) == (0, ["mine"])
    git(clone, "checkout", "--quiet", "--orphan", "unrelated")
    git(clone, "commit", "--quiet", "--message", "Begin anew", "--allow-empty")
    assert main(["check", "--root", str(clone), "--base", base]) == 2
    assert "[no-common-commit]" in capsys.readouterr().err


def test_a_board_may_live_below_a_repository(board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = tmp_path / "top"
    inner = Board(top / "boards/ours")
    inner.begin()
    shutil.rmtree(inner.folder / ".git")
    git(top, "init", "--quiet", "--initial-branch", "main")
    outer = Board(top)
    outer.commit("Begin")
    inner.report(report("mine", some(1, 20)))
    said = Said(inner, capsys)
    assert [change["path"] for change in said.proposal["changes"]] == ["results/small/reports/mine.json"]
    outer.write("program.py", "changed")
    outer.commit("Add mine, and change the program")
    outer.branch("more")
    said = Said(inner, capsys, "main~1")
    assert said.codes == ["change-mixed"]
    assert "../program.py" in {change["path"] for change in said.proposal["changes"]}


def test_it_is_said_from_the_shell_as_well(board: Board, root: Path) -> None:
    board.report(GOOD)
    command = [shutil.which("tallystick", path=str(root / ".venv/bin")) or "tallystick", "check", "--base", "main"]
    done = subprocess.run(command, cwd=board.folder, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 file differs from main (")
    assert "If merged: mine on Small would be admitted" in done.stdout


def test_the_workflow_s_own_check_holds_the_rules(board: Board, root: Path, tmp_path: Path) -> None:
    board.report(GOOD)
    board.write("content/site.yaml", "title: Theirs\n")
    board.commit("Add mine and more")
    board.merge("proposed")
    for name, commit in (("proposed", "main"), ("trusted", "main^")):
        head = git(board.folder, "rev-parse", commit).strip()
        git(tmp_path, "init", "--quiet", name)
        git(tmp_path / name, "fetch", "--quiet", "--depth", "1", f"file://{board.folder}", head)
        git(tmp_path / name, "checkout", "--quiet", "--detach", head)
    script = root / "builder/tallystick/scaffolding/dot-github/tool/check.sh"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", script, "proposed", "trusted"],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "::error file=content/site.yaml,title=change-mixed::" in done.stdout
    assert "If merged, `mine` on `Small` would be admitted" in (tmp_path / "summary.md").read_text("utf-8")

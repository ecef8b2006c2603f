"""The composite action, its steps run one by one as the runner would: on a good board, and on a hostile one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from runner import Outcome, Runner, obeyed
from tallystick.scaffold import Beginning, scaffold
from test_scaffold_workflows import BASE_URL, FAULTS, PROJECT, crawl, hostile, only_harmless

ACTION = PROJECT / "action.yml"
INSTALL = "Install the program of this commit"
OFFLINE = (b"NewConnectionError", b"Temporary failure in name resolution", b"from versions: none")


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a board with one benchmark and one report, below a workspace of its own."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    made = tmp_path / "workspace/board"
    scaffold(made, Beginning("Ours", None), ())
    shutil.copytree(FAULTS / "board/results/tiny", made / "results/tiny")
    return made


def acted(board: Path, given: Mapping[str, str], action: Path = ACTION, *, install: bool = False) -> Outcome:
    """Run the action on a board; unless it is to `install`, the program at hand is taken."""
    temporary = board.parents[1] / "temporary"
    temporary.mkdir(exist_ok=True)
    runner = Runner(board.parent, temporary, {}, {"actions/setup-python": lambda given: None})
    return runner.action(action, given, {} if install else {INSTALL: "tallystick --version"})


def test_a_sound_board_is_checked_and_built(board: Path) -> None:
    site = board.parents[1] / "site"
    outcome = acted(board, {"root": "board", "out": str(site), "base-url": BASE_URL})
    assert outcome.success, outcome.steps
    assert list(outcome.steps) == ["Set up Python", INSTALL, "Check the reports", "Build the site"]
    assert outcome.steps["Check the reports"] == (0, b"")
    assert "1 report" in outcome.summary
    assert outcome.told == {}
    assert only_harmless(outcome.commands())
    assert crawl(site) == []
    assert '"/repo/' in (site / "404.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        ({}, ["Check the reports"]),
        ({"check": "false"}, []),
        ({"check": "false", "out": "site"}, ["Build the site"]),
    ],
)
def test_inputs_say_which_steps_are_taken(board: Path, given: dict[str, str], steps: list[str]) -> None:
    outcome = acted(board, {"root": "board", **given})
    assert outcome.success, outcome.steps
    assert list(outcome.steps)[2:] == steps
    assert (board.parent / "site/index.html").is_file() is ("out" in given)


def test_what_the_base_refuses_is_not_held_against_a_proposal(board: Path) -> None:
    shutil.copy(FAULTS / "reports/nan.json", board / "results/tiny/reports/old.json")
    base = shutil.copytree(board, board.parent / "base")
    assert not acted(board, {"root": "board"}).success
    assert acted(board, {"root": "board", "base": str(base)}).success


def test_a_hostile_proposal_commands_nothing_and_runs_nothing(board: Path) -> None:
    base = shutil.copytree(board, board.parent / "base")
    hostile(board)
    shutil.rmtree(board / "templates")
    outcome = acted(board, {"root": "board", "base": str(base), "out": "site"})
    status, output = outcome.steps["Check the reports"]
    assert (outcome.success, status) == (False, 1)
    assert len(obeyed(output)) > 100
    assert [line for line in output.splitlines() if line and not line.startswith(b"::")] == []
    for command in obeyed(output):
        assert re.fullmatch(r"file=results/[^,:]*,title=[a-z0-9-]+", command.properties), command
    assert outcome.steps["Build the site"][0] == 0, "refused reports stop no site"
    assert crawl(board.parent / "site") == []
    assert outcome.told == {}
    assert only_harmless(outcome.commands())
    assert list(board.parents[1].rglob("owned")) == []


def interpreter() -> Path | None:
    """Find the Python that the action sets up, for which its dependencies are locked."""
    (version,) = re.findall(r'python-version: "(.*)"', ACTION.read_text("utf-8"))
    found = shutil.which(f"python{version}")
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    candidates = [*kept, *([Path(found)] if found else [])]
    asked = ("-c", "import venv, sys; print(sys.version)")
    for one in candidates:
        done = subprocess.run([one, *asked], capture_output=True, text=True, check=False)
        if done.stdout.startswith(f"{version}."):
            return one
    return None


@pytest.mark.slow
def test_it_installs_itself_into_a_clean_environment(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = interpreter()
    if python is None:
        pytest.skip("the action's Python is not on this machine")
    clone, place = board.parents[1] / "action", board.parents[1] / "python"
    taken = ("builder", "templates", "results", "content", "pyproject.toml", "README.md", "LICENSE", "action.yml")
    for name in taken:
        source = PROJECT / name
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, clone / name, ignore=left_out) if source.is_dir() else shutil.copy(source, clone / name)
    subprocess.run([python, "-m", "venv", place], check=True)
    monkeypatch.setenv("PATH", f"{place / 'bin'}:/usr/bin:/bin")
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    hostile(board)
    shutil.rmtree(board / "templates")
    outcome = acted(board, {"root": "board", "out": "site"}, clone / "action.yml", install=True)
    status, output = outcome.steps[INSTALL]
    if status and any(sign in output for sign in OFFLINE):
        pytest.skip("no package index within reach")
    assert status == 0, output.decode()
    assert re.fullmatch(rb"tallystick \S+", output.splitlines()[-1])
    where = subprocess.run(
        [place / "bin/python", "-I", "-c", "import tallystick; print(tallystick.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(place))
    assert [outcome.steps[name][0] for name in ("Check the reports", "Build the site")] == [1, 0]
    assert (board.parent / "site/tiny/audit.html").is_file()
    assert only_harmless(outcome.commands())
    assert list(board.parents[1].rglob("owned")) == []

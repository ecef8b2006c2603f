"""What docs/publishing.md shows as commands runs as it stands, in one go."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_way_from_nothing_to_a_pushed_board_runs(root: Path, tmp_path: Path) -> None:
    text = (root / "docs/publishing.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "".join(blocks)],
        cwd=tmp_path,
        env=os.environ | who | {"PATH": path, "HOME": str(tmp_path)},
        check=True,
    )
    board = tmp_path / "my-board"
    assert "My board" in (board / "site/index.html").read_text("utf-8")
    assert re.match(r"### [1-9]\d* reports read: nothing is new\n", (board / "summary.md").read_text("utf-8"))
    tracked = subprocess.run(["git", "ls-files"], cwd=board, capture_output=True, text=True, check=True).stdout.split()
    assert ".github/workflows/check.yml" in tracked
    assert not [name for name in tracked if name.startswith("site/")]


def test_every_file_that_it_names_is_in_a_new_board(root: Path) -> None:
    text = (root / "docs/publishing.md").read_text("utf-8")
    scaffolding = root / "builder/tallystick/scaffolding"
    for name in re.findall(r"`\.github/([^`]+)`", text):
        assert (scaffolding / "dot-github" / name).exists(), name

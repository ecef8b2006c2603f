"""A short while of chaos; benchmarks/preview_chaos.py does it for ten minutes, and watches the memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from preview_chaos import Writer, chaos, preview


@pytest.mark.slow
def test_whatever_is_written_the_preview_lives_and_shows_whole_pages(tmp_path: Path) -> None:
    findings, log = chaos(tmp_path, 15, seed=1)
    assert findings.wrong == []
    assert "Traceback" not in log and "internal-error" not in log
    assert min(findings.edits, findings.asked, findings.streams) > 20


def test_the_command_says_where_it_serves_and_that_a_port_is_taken(tmp_path: Path) -> None:
    Writer(tmp_path / "board", 0)
    with preview(tmp_path / "board", tmp_path / "log") as (_, port):
        command = [sys.executable, "-m", "tallystick", "serve", "--root", str(tmp_path / "board"), "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    said = [line for line in (tmp_path / "log").read_text("utf-8").splitlines() if not line.startswith("results/")]
    assert said[-3:] == [
        f"http://127.0.0.1:{port}/ shows the site as it is written; Ctrl-C ends it",
        "building …",
        "built: the site is shown",
    ]
    assert done.returncode == 2
    assert f"port {port}: expected an address to serve on, found address already in use" in done.stderr


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ("--host=evil.example", "host-unusable"),
        ("--host=localhost", "host-unusable"),
        ("--base-path=/a/../b", "base-path"),
        ("--base-path=/<script>", "base-path"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, option: str, code: str) -> None:
    command = [sys.executable, "-m", "tallystick", "serve", "--root", str(tmp_path), option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert f"[{code}]" in done.stderr

"""The same input gives the same site, whatever the locale, time zone, hash seed, threads and order of files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOME_REPORTS = ("dateutil", "dateutil-fuzzy", "dateparser", "stdlib", "whenever", "aniso8601", "dateparser-search")
ENVIRONMENTS = (
    {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    {"TZ": "Pacific/Kiritimati", "LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "4711", "OMP_NUM_THREADS": "3"},
)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Return a part of the example board whose files were created in another order than their names'."""
    shutil.copytree(ROOT / "content", tmp_path / "board/content")
    with (tmp_path / "board/content/site.yaml").open("a", encoding="utf-8") as settings:
        settings.write("\nfigures: [pdf, png]\n")
    source, target = ROOT / "results/dateparse", tmp_path / "board/results/dateparse"
    (target / "reports").mkdir(parents=True)
    for name in ("benchmark.yaml", "samples.jsonl"):
        shutil.copy(source / name, target)
    for method in reversed(SOME_REPORTS):
        shutil.copy(source / f"reports/{method}.json", target / "reports")
    return tmp_path / "board"


def built(board: Path, out: Path, environment: dict[str, str]) -> dict[str, bytes]:
    command = [sys.executable, "-m", "tallystick", "build", "--root", str(board), "--out", str(out)]
    subprocess.run(command, env=os.environ | environment, check=True, capture_output=True)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_surroundings_and_other_reports_change_nothing(board: Path, tmp_path: Path) -> None:
    first, second = (
        built(board, tmp_path / f"site-{number}", environment) for number, environment in enumerate(ENVIRONMENTS)
    )
    assert first.keys() == second.keys()
    assert [path for path, content in first.items() if second[path] != content] == []
    assert len(first) > len(SOME_REPORTS)
    assert any(path.endswith(".pdf") for path in first)

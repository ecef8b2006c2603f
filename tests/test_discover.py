"""What is found below `results/`, and what never is (tests/faults holds the refusals)."""

from __future__ import annotations

from pathlib import Path

from tallystick.discover import discover
from tallystick.model import Candidate


def make(root: Path, *paths: str) -> None:
    for path in paths:
        place = root / "results" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")


def test_benchmarks_and_candidates_come_sorted(tmp_path: Path) -> None:
    make(tmp_path, "b/benchmark.yaml", "b/z.json", "b/runs/one/x.jsonl", "b/a.json", "a/benchmark.yaml")
    catalogue = discover(tmp_path)
    assert [folder.id for folder in catalogue.folders] == ["a", "b"]
    assert catalogue.folders[1].candidates == (
        Candidate("a.json", 1),
        Candidate("runs/one/x.jsonl", 1),
        Candidate("z.json", 1),
    )
    assert catalogue.problems == ()


def test_what_is_no_report_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a/benchmark.yaml", "a/README.md", "a/measure.py", "a/.hidden/x.json", "a/frozen/t/x.json")
    make(tmp_path, "a/__pycache__/m.pyc", "README.md", ".git/benchmark.yaml", "a/runs/frozen/kept.json")
    (folder,) = discover(tmp_path).folders
    assert [candidate.path for candidate in folder.candidates] == ["runs/frozen/kept.json"]


def test_a_folder_that_is_no_benchmark_is_told(tmp_path: Path) -> None:
    make(tmp_path, "empty/benchmark.yml", "Upper/benchmark.yaml", "con/benchmark.yaml")
    catalogue = discover(tmp_path)
    assert catalogue.folders == ()
    assert [(problem.code, problem.where) for problem in catalogue.problems] == [
        ("unsafe-id", "results/Upper"),
        ("unsafe-id", "results/con"),
        ("benchmark-without-settings", "results/empty"),
    ]


def test_a_root_without_results_is_told(tmp_path: Path) -> None:
    (problem,) = discover(tmp_path).problems
    assert problem.code == "results-absent"
    assert "`tallystick init DIR`" in problem.remedy
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results").symlink_to("elsewhere")
    (problem,) = discover(tmp_path).problems
    assert (problem.found, problem.remedy) == ("a symbolic link", "Put the folder itself there.")

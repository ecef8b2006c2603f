"""What is installed is whole: a wheel, and a source distribution that makes the same wheel, with templates inside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

pytestmark = pytest.mark.slow


def wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a source tree."""
    return Path(next(iter(WheelBuilder(str(source)).build(directory=str(folder)))))


def members(archive: Path) -> dict[str, bytes]:
    """Return the files of a wheel by name."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture(scope="module")
def source(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tree as a source distribution holds it, which is also a still copy of a tree that people work in."""
    folder = tmp_path_factory.mktemp("sdist")
    archive = next(iter(SdistBuilder(str(root)).build(directory=str(folder))))
    with tarfile.open(archive) as opened:
        opened.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # 3.11.4, 3.12
    return Path(archive.removesuffix(".tar.gz"))


@pytest.fixture(scope="module")
def built(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel(source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip installed the wheel, and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), str(built)], check=True)
    return target


def run(installed: Path, folder: Path, *arguments: str) -> str:
    """Run the installed program and return what it said; its dependencies are those of the tests."""
    code = "import runpy, tallystick; print(tallystick.__file__); runpy.run_module('tallystick', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, _, said = done.stdout.partition("\n")
    assert first == str(installed / "tallystick/__init__.py")
    return said


def test_the_wheel_holds_the_program_and_all_that_it_reads(built: Path, source: Path) -> None:
    found = members(built)
    inside = {
        "builder/tallystick": "tallystick",
        "templates": "tallystick/templates",
        "results/dateparse": "tallystick/example/results/dateparse",
    }
    expected = {"tallystick/example/content/dateparse.md": (source / "content/dateparse.md").read_bytes()}
    for folder, place in inside.items():
        for path in (source / folder).rglob("*"):
            if path.is_file():
                expected[f"{place}/{path.relative_to(source / folder).as_posix()}"] = path.read_bytes()
    assert {name: content for name, content in found.items() if ".dist-info/" not in name} == expected
    assert "tallystick/templates/base.html" in expected
    assert "tallystick/scaffolding/dot-github/workflows/check.yml" in expected
    assert "tallystick/py.typed" in expected
    assert not [name for name in found if "__pycache__" in name or name.endswith(".pyc")]


def test_the_source_distribution_is_enough_to_test_and_to_build_again(
    source: Path, built: Path, tmp_path: Path
) -> None:
    for name in ("Makefile", "LICENSE", "action.yml", ".ci/run", "tests/conftest.py", "docs/decisions/README.md"):
        assert (source / name).is_file(), name
    again = wheel(source, tmp_path)
    assert again.read_bytes() == built.read_bytes()


def test_the_installed_program_begins_and_builds_a_board(installed: Path, tmp_path: Path) -> None:
    assert "tallystick" in run(installed, tmp_path, "--version")
    run(installed, tmp_path, "init", "board", "--title", "From a wheel")
    said = run(installed, tmp_path / "board", "build")
    assert "dateparse" in said
    start = (tmp_path / "board/site/index.html").read_text("utf-8")
    assert "From a wheel" in start
    assert (tmp_path / "board/site/dateparse/index.html").is_file()
    assert list((tmp_path / "board/site/assets").glob("style.*.css"))


def test_completion_comes_with_it(installed: Path, tmp_path: Path) -> None:
    assert "complete -c tallystick" in run(installed, tmp_path, "completion", "fish")


def test_what_was_measured_comes_without_what_measuring_left(source: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(source, tree)
    (tree / "results/dateparse/__pycache__").mkdir()
    (tree / "results/dateparse/__pycache__/measure.cpython-311.pyc").write_bytes(b"")
    assert not [name for name in members(wheel(tree, tmp_path / "out")) if "__pycache__" in name]

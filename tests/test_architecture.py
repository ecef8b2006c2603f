"""The house keeps its shape: import contracts, module and function sizes, names, and who may print, draw or round."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from importlinter.cli import lint_imports
from packaging.requirements import Requirement

from tallystick.cache import FOUNDATIONS

PROGRAM = Path(__file__).resolve().parents[1] / "builder" / "tallystick"
TEMPLATES = PROGRAM.parents[1] / "templates"
MODULES = sorted(PROGRAM.rglob("*.py"))
LINES_AT_MOST = 330
FUNCTION_LINES_AT_MOST = 50

# Each with its reason.
LONGER = {
    "model.py": "the values that pass between stages are read together; more than half of it is their documentation",
    "board.py": "likewise",
}


def imports(module: Path) -> set[str]:
    """Return the top-level names of what a module imports anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_imports_run_downwards_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROGRAM.parents[1])
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(PROGRAM)))
def test_a_module_is_small(module: Path) -> None:
    lines = len(module.read_text("utf-8").splitlines())
    if str(module.relative_to(PROGRAM)) not in LONGER:
        assert lines <= LINES_AT_MOST
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_AT_MOST
    ]
    assert long == []


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {module.stem.strip("_") for module in MODULES}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_every_dependency_is_imported_and_has_its_reason() -> None:
    project = tomllib.loads((PROGRAM.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    reasons = (PROGRAM.parents[1] / "docs/decisions/0002-dependencies.md").read_text("utf-8").lower()
    imported = {name for module in MODULES for name in imports(module)}
    provided = {
        name.lower()
        for top, distributions in packages_distributions().items()
        for name in distributions
        if top in imported
    }
    declared = {Requirement(line).name for line in project["dependencies"]}
    assert declared <= provided
    assert set(FOUNDATIONS) == declared - {"watchdog"}  # which tells the preview of changes, and computes nothing
    assert [name for name in sorted(declared) if f"| {name} |" not in reasons] == []
    extras = {extra for extra in project["optional-dependencies"] if extra != "test"}
    assert [extra for extra in sorted(extras) if f"| `{extra}` |" not in reasons] == []


def test_only_render_knows_jinja() -> None:
    assert {module.name for module in MODULES if "jinja2" in imports(module)} == {"render.py"}


def test_what_makes_pages_does_not_compute() -> None:
    makers = [*sorted((PROGRAM / "pages").glob("*.py")), PROGRAM / "present.py", PROGRAM / "render.py"]
    for module in makers:
        assert not imports(module) & {"numpy", "pandas", "scipy"}, module.name


def test_only_cli_prints() -> None:
    for module in MODULES:
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(module.read_text("utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in calls or module.name == "cli.py", module.name


def test_only_resample_draws() -> None:
    for module in MODULES:
        assert "random" not in imports(module) or module.name == "resample.py", module.name
        text = module.read_text("utf-8")
        assert not re.search(r"np\.random|numpy\.random", text) or module.name == "resample.py", module.name


def test_no_number_is_formatted_in_a_template() -> None:
    forbidden = re.compile(r"\|\s*(round|format|int|float|filesizeformat|safe)\b|\.format\(|%\s*\(")
    for template in sorted(TEMPLATES.rglob("*")):
        if template.suffix in {".html", ".xml", ".svg"}:
            assert not forbidden.search(template.read_text("utf-8")), template.name

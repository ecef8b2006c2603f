"""A short version of `benchmarks/ranking_coverage.py`: rank sets cover as often as they say, percentiles do not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def simulation(root: Path) -> ModuleType:
    name = "ranking_coverage"
    spec = importlib.util.spec_from_file_location(name, root / "benchmarks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("scenario", "least"),
    [
        ("10 tied at 0.50, correlation 0.50", 0.91),
        ("9 at 0.50, 1 at 0.70", 0.91),
        ("10 tied, 12 unequal strata", 0.91),
        ("10 tied, continuous", 0.91),
        ("10 tied, two of them identical", 0.91),
        ("near ties, steps of 0.001", 0.96),
    ],
)
def test_rank_sets_cover_all_true_ranks_at_once(simulation: ModuleType, scenario: str, least: float) -> None:
    """200 replications have a standard error of 0.017; the seed is fixed."""
    chosen = next(one for one in simulation.SCENARIOS if one.name == scenario)
    found = simulation.coverage(chosen, 200)
    assert found.joint >= least
    assert found.percentile_joint < 0.4 < found.joint


def test_rank_sets_are_not_wide_for_want_of_looking(simulation: ModuleType) -> None:
    found = simulation.coverage(next(one for one in simulation.SCENARIOS if one.name == "5 at 0.50, 5 at 0.75"), 60)
    assert found.width < 5.3

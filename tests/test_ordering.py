"""Rank sets: held against the reference procedure, against plain Python, and against what must not matter."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.ordering import RankSets, interpolated, marginal_sets, rank_sets, spreads

DRAWS = 40_000


def board(methods: int, samples: int, seed: int, resamples: int = 500) -> tuple[Any, Any]:
    """Return estimates and replicates of 0/1 outcomes with a common factor."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=(samples, 1))
    outcomes = (ease + rng.normal(size=(samples, methods)) < np.linspace(-0.3, 0.9, methods)).astype(float)
    counts = rng.multinomial(samples, np.full(samples, 1 / samples), size=resamples).astype(float)
    return outcomes.mean(axis=0), counts @ outcomes / samples


# --- the reference procedure ----------------------------------------------------------------------------------------


def gaussian(covariance: list[list[float]], seed: int) -> Any:
    """Return draws of the reference procedure; directions without variance are exactly that, as they are for it."""
    values, vectors = np.linalg.eigh(np.array(covariance))
    scales = np.sqrt(np.where(values > 1e-12 * values[-1], values, 0.0))
    return np.random.default_rng(seed).standard_normal((DRAWS, len(values))) @ (vectors * scales).T


def answer(case: dict[str, Any]) -> RankSets:
    """Return our rank sets with the options of an oracle case."""
    options = case["options"]
    estimates = np.array(case["x"])
    draws = estimates + gaussian(case["Sigma"], 7)
    passes = None if options["stepdown"] else 1
    focus = options["indices"]
    if options["simul"]:
        return rank_sets(estimates, draws, case["coverage"], focus=focus, passes=passes)
    lower, upper = marginal_sets(estimates, draws, case["coverage"], passes=passes)
    return RankSets(lower, upper, np.zeros((len(lower),) * 2, np.bool_), (), np.zeros(0))


def stated(case: dict[str, Any], ends: dict[str, Any], end: str) -> list[int]:
    chosen = case["options"]["indices"]
    found: list[int] = ends[end]
    return found if chosen is None or len(found) == len(chosen) else [found[index] for index in chosen]


def test_reference_procedure(shared: Path) -> None:
    cases = json.loads((shared / "rank_oracle" / "cases.json").read_text("utf-8"))["cases"]
    wrong, firm = [], 0
    for case in cases:
        found = answer(case)
        chosen = case["options"]["indices"] or range(len(case["x"]))
        one_sided = case["options"]["cstype"]
        ends = {"L": found.lower[list(chosen)].tolist(), "U": found.upper[list(chosen)].tolist()}
        if case["options"]["kind"] == "taubest":
            good = (found.lower <= case["options"]["tau"]).tolist() == case["member"]
        elif case["firm"]:
            sides = "L" if one_sided == "lower" else "LU"
            good = all(ends[side] == stated(case, case, side) for side in sides)
        elif one_sided == "lower" and not case["options"]["simul"]:
            continue  # a one-sided family of one method's pairs: nothing here offers it
        else:
            wide, narrow = case["bracket"]["wider"], case["bracket"]["narrower"]
            good = all(
                low <= here <= high
                for low, here, high in zip(stated(case, wide, "L"), ends["L"], stated(case, narrow, "L"), strict=True)
            ) and all(
                low <= here <= high
                for low, here, high in zip(stated(case, narrow, "U"), ends["U"], stated(case, wide, "U"), strict=True)
            )
        firm += case["firm"]
        if not good:
            wrong.append((case["name"], ends))
    assert wrong == []
    assert firm >= 25

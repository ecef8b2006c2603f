"""FAR's rule of comparisons: baselines and the full method against vanilla, ablations against the full method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tallystick.errors import Problem, some
from tallystick.model import Benchmark, McNemarOf, PairedOf, Report
from tallystick.strict import Node, describe

FULL, VANILLA = "far", "vanilla_rag"
BASELINES = (
    "counterrefine_style_reproduction",
    "crag_style_reproduction",
    "multi_query_rag",
    "reflective_rag",
    "self_rag_style_reproduction",
)
ABLATIONS = (
    "far_minus_boundary_query",
    "far_minus_refutation_query",
    "far_minus_typed_conflict",
    "far_minus_typed_revision",
)
DECLARED = [
    {"baseline": VANILLA, "candidates": [*BASELINES, FULL], "family": "against vanilla"},
    {"baseline": FULL, "candidates": list(ABLATIONS), "family": "ablations"},
]
"""The comparisons of the known methods, in the shape of benchmark.yaml."""


def kind_of(method: str) -> str:
    """Say what part a method plays, by FAR's names."""
    if method == FULL:
        return "full method"
    return "ablation" if method.startswith((f"{FULL}_minus_", "minus_")) else "baseline"


def check_comparison(report: Node, benchmark: Benchmark) -> None:
    """Require the baseline of FAR's rule, or one that the board declares for this method."""
    if report.get("/comparison") is None:
        return
    method, found = report.text("/method"), report.text("/comparison/baseline_method")
    expected = FULL if kind_of(method) == "ablation" else VANILLA
    declared = {
        comparison.baseline for comparison in benchmark.comparisons if method in comparison.candidates or comparison.all
    }
    if found != expected and found not in declared:
        whose = "ablations" if expected == FULL else "baselines"
        told = f"{found}: {whose} have to be compared with {expected}"
        remedy = f"Evaluate again with the scores of {expected} as baseline."
        report.refuse("/comparison/baseline_method", "comparison-baseline", f"the baseline {expected}", told, remedy)


def check_bootstrap(report: Node, benchmark: Benchmark, blocks: Sequence[str]) -> None:
    """Require the board's resamples, seed and confidence of every interval below `blocks` that is stated."""
    for name in ("resamples", "seed", "confidence"):
        required = getattr(benchmark.bootstrap, name)
        stated = Counter(
            _shown(interval.get(name))
            for block in blocks
            for interval in _intervals(report, block)
            if _differs(interval.get(name), required)
        )
        for value, count in sorted(stated.items()):
            differ = "differ" if name == "resamples" else "differs"
            found = (
                f"{name} {differ} from the required {required}: {value} in {count} interval{'s' * (count != 1)} "
                f"(numbers correct for {value} unless another problem says that they differ)"
            )
            remedy = f"Evaluate again with {name} {required}: intervals drawn otherwise are not compared."
            report.refuse("", f"bootstrap-{name}", f"{name} {required}, as the board draws", found, remedy)


def check_baseline(report: Report, peers: Sequence[Report]) -> Iterator[Problem]:
    """Hold the baseline that a report was compared with against the report of that method on this board.

    Where the board has no such report (or refused it) nothing is said: the numbers then count as unverified.
    """
    named = {
        (stated.quantity.baseline, stated.quantity.baseline_digest)
        for stated in report.stated
        if isinstance(stated.quantity, PairedOf | McNemarOf)
    }
    others = {peer.method.id: peer for peer in reversed(peers) if peer.path != report.path}
    for method, digest in sorted(named):
        if (peer := others.get(method)) is None:
            continue
        if digest != peer.scores_digest:
            whose = next((f" (those of {one.method.id})" for one in peers if one.scores_digest == digest), "")
            expected = f"the digest of the scores of {method} on this board, {peer.scores_digest}"
            remedy = f"Compare again with the scores of {method} as they lie here."
            yield Problem("baseline-scores", report.path, expected, f"baseline scores {digest}{whose}", remedy)
        yield from _aligned(report, peer)


def _aligned(report: Report, baseline: Report) -> Iterator[Problem]:
    """Paired samples must be the same ones, each with the same category, split and dependency group."""
    mine, theirs = _placed(report), _placed(baseline)
    different = sorted(sample for sample in mine.keys() | theirs.keys() if mine.get(sample) != theirs.get(sample))
    if different:
        expected = f"the samples of {baseline.method.id}, each with the same category, split and dependency group"
        found = f"{len(different)} that differ: {some(different)}"
        remedy = "Evaluate both on the same pinned samples."
        yield Problem("comparison-samples", report.path, expected, found, remedy)


def _placed(report: Report) -> dict[str, tuple[str | None, ...]]:
    columns = [report.axes[axis] for axis in sorted(report.axes)]
    if report.clusters is not None:
        columns.append(report.clusters)
    return {sample: tuple(column[index] for column in columns) for index, sample in enumerate(report.ids)}


def _intervals(report: Node, block: str) -> Iterator[dict[str, Any]]:
    found = report.get(block)
    if isinstance(found, dict):
        yield from (interval for interval in found.values() if isinstance(interval, dict))


def _differs(value: object, required: float) -> bool:
    return isinstance(value, bool) or value != required


def _shown(value: object) -> str:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else describe(value)

"""Is everything there that FAR's evaluator writes for such rows, and nothing besides?

A number that is left out can hide one that was changed, and one that nobody can recompute must not stand beside those
that were verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tallystick.errors import some
from tallystick.model import BoolArray, Column
from tallystick.protocols._far_metrics import BINARY
from tallystick.protocols._far_stated import NONLINEAR
from tallystick.strict import Node, pointer

_REMEDY = "Submit the report as its evaluator wrote it."
_KINDS = {"typed_conflict_f1": "-typed-f1", "conflict_presence_f1": "-conflict-presence-f1"}
PAIRED, TEST = "paired-stratified-percentile-bootstrap", "exact-two-sided-mcnemar-v1"
_STRATIFIED, _CLUSTER = "stratified-percentile-bootstrap", "source-dependency-cluster-bootstrap"
_SPLITS = ("train", "dev", "test")
_COUNTS = ("true_positives", "predicted", "gold")


def check_layout(
    report: Node, columns: Mapping[str, Column], axes: Mapping[str, Sequence[str]], groups: Sequence[str | None]
) -> None:
    """Add what a report leaves out, or states beyond what such rows give, to its problems."""
    _aggregate(report, columns, axes)
    valued = [metric for metric, column in columns.items() if column.defined.any()]
    check_keys(report, "/confidence_intervals", valued)
    for metric in _held(report, "/confidence_intervals", valued):
        drawn = np.ones_like(columns[metric].defined) if metric in NONLINEAR else columns[metric].defined
        strata = {category for category, there in zip(axes["category"], drawn, strict=True) if there}
        check_keys(report, pointer(("confidence_intervals", metric, "strata")), strata)
        check_method(report, f"/confidence_intervals/{metric}", f"{_STRATIFIED}{_KINDS.get(metric, '')}-v1")
    _clusters(report, columns, np.array([group is not None for group in groups], dtype=np.bool_))
    _comparison(report, valued)


def _aggregate(report: Node, columns: Mapping[str, Column], axes: Mapping[str, Sequence[str]]) -> None:
    check_keys(report, "/split_counts", axes["split"], beside=_SPLITS)
    check_keys(report, "/aggregate/metrics", columns)
    check_keys(report, "/aggregate/by_category", axes["category"])
    linear = [metric for metric in columns if metric not in NONLINEAR]
    for category in _held(report, "/aggregate/by_category", set(axes["category"])):
        check_keys(report, pointer(("aggregate", "by_category", category)), linear)
    for metric in columns.keys() & NONLINEAR.keys():
        beside = ("scored_samples",) if metric == "typed_conflict_f1" else ()
        check_keys(report, f"/aggregate/{NONLINEAR[metric]}", _COUNTS, beside)


def _clusters(report: Node, columns: Mapping[str, Column], grouped: BoolArray) -> None:
    """Without any group there is no such block; the nonlinear metrics need no row inside a group."""
    block = "/dependency_cluster_intervals"
    inside = [metric for metric, column in columns.items() if (column.defined & grouped).any()]
    if inside or report.get(block) is not None:
        check_keys(report, block, inside, beside=NONLINEAR.keys() & columns.keys())
        for metric in _held(report, block, columns):
            check_method(report, f"{block}/{metric}", f"{_CLUSTER}{_KINDS.get(metric, '')}-v1")


def _comparison(report: Node, valued: Sequence[str]) -> None:
    if not report.has("/comparison"):
        report.mapping("/comparison")  # notes that it is absent; null says that nothing was compared
    if report.get("/comparison") is None:
        return
    check_keys(report, "/comparison/metrics", valued)
    for metric in _held(report, "/comparison/metrics", valued):
        check_method(report, f"/comparison/metrics/{metric}", f"{PAIRED}{_KINDS.get(metric, '')}-v1")
    check_keys(report, "/comparison/mcnemar", BINARY & set(valued), beside=report.get("/comparison/mcnemar") or ())
    for metric in _held(report, "/comparison/mcnemar", BINARY):
        check_method(report, f"/comparison/mcnemar/{metric}", TEST)


def check_keys(report: Node, block: str, wanted: Iterable[str], beside: Iterable[str] = ()) -> None:
    """Require all of `wanted` in a block, and of other names only those `beside`."""
    required, held = set(wanted), report.mapping(block).keys()
    if not isinstance(report.get(block), dict):
        return  # which is noted
    if missing := sorted(required - held):
        expected = f"all {len(required)} that the rows give"
        report.refuse(block, "field-absent", expected, f"none of: {some(missing)}", _REMEDY)
    if unknown := sorted(held - required - set(beside)):
        found = f"numbers that the rows do not give: {some(unknown)}"
        report.refuse(block, "stated-unknown", "only what can be recomputed", found, _REMEDY)


def check_method(report: Node, place: str, expected: str) -> None:
    if (found := report.text(f"{place}/method")) != expected:
        report.refuse(f"{place}/method", "procedure-differs", f'"{expected}"', f'"{found}"', _REMEDY)


def _held(report: Node, block: str, names: Iterable[str]) -> list[str]:
    """Return those of the names that stand in a block, as objects."""
    held = report.get(block)
    return sorted(name for name in names if isinstance(held, dict) and isinstance(held.get(name), dict))

"""Every number that a falsirag report states, each with what it must follow from: the seed's quirks have names here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from tallystick.model import (
    Column,
    Computed,
    CountOf,
    Direction,
    IntervalOf,
    McNemarOf,
    MeanOf,
    PairedOf,
    Quantity,
    Stated,
    SumOf,
)
from tallystick.protocols._far_metrics import BASE, BINARY, REVISION
from tallystick.strict import Node

NONLINEAR = {"typed_conflict_f1": "typed_conflict_counts", "conflict_presence_f1": "conflict_presence_counts"}
"""The micro F1 metrics, and the block of counts that each has in `aggregate`."""

_LOWER_IS_BETTER = frozenset({"unsupported_claim_rate", "unsupported_sentence_rate"})
_COUNTS = {"true_positives": "true_positives", "predicted": "predicted", "gold": "gold"}
_INTERVAL: tuple[Literal["estimate", "lower", "upper", "clusters"], ...] = ("estimate", "lower", "upper", "clusters")

Scheme: TypeAlias = Literal["stratified", "cluster"]
_BLOCKS: Mapping[str, Scheme] = {"confidence_intervals": "stratified", "dependency_cluster_intervals": "cluster"}
_PAIRED: Mapping[str, Literal["difference", "lower", "upper", "probability", "pairs"]] = {
    "candidate_minus_baseline": "difference",
    "lower": "lower",
    "upper": "upper",
    "probability_candidate_better": "probability",
    "pairs": "pairs",
}
_DISCORDANT: tuple[Literal["baseline_only", "candidate_only", "discordant", "p_value"], ...] = (
    "baseline_only",
    "candidate_only",
    "discordant",
    "p_value",
)


def stated(report: Node, columns: Mapping[str, Column]) -> tuple[Stated, ...]:
    """List all that a falsirag report states of its rows; wrong types become problems of the report."""
    return tuple([*_aggregate(report, columns), *_intervals(report, columns), *_comparison(report, columns)])


def _aggregate(report: Node, columns: Mapping[str, Column]) -> Iterator[Stated]:
    yield _one(report, "/samples", CountOf())
    yield _one(report, "/aggregate/samples", CountOf())
    for split in _block(report, "/split_counts"):
        yield _one(report, f"/split_counts/{_escaped(split)}", CountOf(axis="split", axis_value=split))
    for metric in _known(report, "/aggregate/metrics", columns):
        yield _one(report, f"/aggregate/metrics/{metric}", _mean(metric))
    for category in _block(report, "/aggregate/by_category"):
        block = f"/aggregate/by_category/{_escaped(category)}"
        for metric in _known(report, block, columns):
            yield _one(report, f"{block}/{metric}", _mean(metric, category))
    for metric, counts in NONLINEAR.items():
        block = f"/aggregate/{counts}"
        if metric not in columns:
            continue
        for name in _block(report, block):
            if name in _COUNTS:
                yield _one(report, f"{block}/{name}", SumOf(metric, _COUNTS[name]))
            elif name == "scored_samples":
                yield _one(report, f"{block}/{name}", CountOf(metric=metric))


def _mean(metric: str, category: str | None = None) -> MeanOf:
    """An average over no values is stated as 0, but the typed F1 over no typed outcome as null."""
    axis = "category" if category is not None else None
    if metric in NONLINEAR:
        empty = None if metric == "typed_conflict_f1" else 0.0
        return MeanOf(metric, axis, category, empty=empty, form="precision-recall")
    return MeanOf(metric, axis, category, empty=0.0)


def _intervals(report: Node, columns: Mapping[str, Column]) -> Iterator[Stated]:
    for block, scheme in _BLOCKS.items():
        for metric in _known(report, f"/{block}", columns):
            place = f"/{block}/{metric}"
            drawn = IntervalOf(
                metric,
                "estimate",
                scheme,
                report.whole(f"{place}/resamples"),
                report.whole(f"{place}/seed"),
                report.number(f"{place}/confidence"),
                clustered_rows_only=metric not in NONLINEAR,
                rows="all" if metric in NONLINEAR else "defined",
            )
            yield _text(report, f"{place}/metric", metric)
            for part in _INTERVAL[: None if scheme == "cluster" else 3]:
                yield _one(report, f"{place}/{part}", replace(drawn, part=part))
            yield from _strata(report, place, metric)


def _strata(report: Node, place: str, metric: str) -> Iterator[Stated]:
    """The rows drawn from each stratum: of a nonlinear metric all of them."""
    for category in _block(report, f"{place}/strata"):
        counted = None if metric in NONLINEAR else metric
        quantity = CountOf(axis="category", axis_value=category, metric=counted)
        yield _one(report, f"{place}/strata/{_escaped(category)}", quantity)


def _comparison(report: Node, columns: Mapping[str, Column]) -> Iterator[Stated]:
    if report.get("/comparison") is None:
        return
    baseline, digest = report.text("/comparison/baseline_method"), report.text("/comparison/baseline_scores_sha256")
    yield _text(report, "/comparison/candidate_method", report.text("/method"))
    for metric in _known(report, "/comparison/metrics", columns):
        place = f"/comparison/metrics/{metric}"
        yield _text(report, f"{place}/metric", metric)
        yield from paired(report, place, metric, baseline, digest)
    for metric in _known(report, "/comparison/mcnemar", columns):
        yield from mcnemar(report, f"/comparison/mcnemar/{metric}", metric, baseline, digest)


def paired(report: Node, place: str, metric: str, baseline: str, digest: str) -> Iterator[Stated]:
    """List the numbers of one paired comparison; the nonlinear ones count every row as a pair."""
    drawn = (report.whole(f"{place}/resamples"), report.whole(f"{place}/seed"), report.number(f"{place}/confidence"))
    better: Direction = "lower" if metric in _LOWER_IS_BETTER else "higher"
    higher = Computed(better == "higher", "equality")
    yield Stated(report.place(f"{place}/higher_is_better"), report.flag(f"{place}/higher_is_better"), higher)
    for name, part in _PAIRED.items():
        quantity = PairedOf(
            metric, part, baseline, digest, *drawn, pairs_of_all_rows=metric in NONLINEAR, better=better
        )
        yield _one(report, f"{place}/{name}", quantity)


def mcnemar(report: Node, place: str, metric: str, baseline: str, digest: str) -> Iterator[Stated]:
    """List the numbers of one exact test, in which an undefined outcome is a failure."""
    if metric in (*BASE, *REVISION, *NONLINEAR) and metric not in BINARY:
        found, remedy = f"a test of {metric}", "Test means of 0 and 1 only; give other metrics an interval."
        report.refuse(place, "test-not-binary", "McNemar's test on outcomes of 0 and 1", found, remedy)
        return
    for part in _DISCORDANT:
        yield _one(report, f"{place}/{part}", McNemarOf(metric, part, baseline, digest, undefined_fails=True))


def _one(report: Node, pointer: str, quantity: Quantity) -> Stated:
    value = report.maybe(pointer, report.number)
    if value is None and not report.has(pointer):
        report.number(pointer)  # notes that the field is absent
    return Stated(report.place(pointer), value, quantity)


def _text(report: Node, pointer: str, expected: str) -> Stated:
    return Stated(report.place(pointer), report.text(pointer), Computed(expected, "equality"))


def _known(report: Node, block: str, columns: Mapping[str, Column]) -> list[str]:
    return [metric for metric in _block(report, block) if metric in columns]


def _block(report: Node, pointer: str) -> Mapping[str, Any]:
    """Return the object there; nothing where a report leaves the block out, as reports without groups do."""
    return report.maybe(pointer, report.mapping) or {}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")

"""Small benchmarks and reports to compute with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallystick.model import (
    Benchmark,
    BootstrapSettings,
    Column,
    DeclaredComparison,
    Fingerprint,
    Method,
    Metric,
    PinnedFingerprint,
    Report,
    Run,
    SampleSet,
    Source,
    Status,
)

ACCURACY = Metric("accuracy", "Accuracy", "mean", {"value": "correct"}, binary=True)
QUALITY = Metric("quality", "Quality", "mean", {"value": "quality"}, lower=0.0, upper=10.0)
WASTE = Metric("waste", "Waste", "mean", {"value": "waste"}, direction="lower")
F1 = Metric("f1", "F1", "micro_f1", {"true_positives": "tp", "predicted": "p", "gold": "g"}, upper=None)
ABSTAINED = Metric("abstained", "Abstained", "status_rate", {"status": "abstained"}, direction="lower", over="all")


def make_benchmark(
    strata: Sequence[str],
    metrics: Sequence[Metric],
    *,
    clusters: Sequence[str | None] | None = None,
    axes: Mapping[str, Sequence[str | None]] | None = None,
    comparisons: Sequence[DeclaredComparison] = (),
    resamples: int = 50,
) -> Benchmark:
    """Make a benchmark of len(strata) samples, s000 and on."""
    ids = tuple(f"s{index:03}" for index in range(len(strata)))
    named = {axis: tuple(values) for axis, values in (axes or {}).items()}
    clustered = None if clusters is None else tuple(clusters)
    return Benchmark(
        id="made",
        title="Made",
        description="",
        protocol="native",
        fingerprint=PinnedFingerprint(None, None, None, None),
        samples=SampleSet(ids, named, tuple(strata), clustered, (), "0" * 64, "samples.jsonl"),
        axes=tuple(named),
        stratum=None,
        cluster=None,
        metrics=tuple(metrics),
        primary=metrics[0].id,
        comparisons=tuple(comparisons),
        bootstrap=BootstrapSettings(resamples=resamples),
        diagnostic=None,
        created=None,
        supplements={},
        options={},
    )


def make_report(
    method: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    statuses: Sequence[Status] | None = None,
    ids: Sequence[str] | None = None,
) -> Report:
    """Make a report; a column holds numbers, or three counts for `f1`, and None where undefined."""
    n = len(statuses) if statuses is not None else len(next(iter(columns.values())))
    made = {}
    for metric, values in columns.items():
        width = len(F1.fields) if metric == F1.id else 1
        rows = [0.0 if value is None else value for value in values]
        defined = np.array([value is not None for value in values], np.bool_)
        made[metric] = Column(np.array([np.broadcast_to(row, width) for row in rows], np.float64), defined)
    return Report(
        method=Method(method, method),
        protocol="native",
        fingerprint=Fingerprint(None, None, None, None),
        sources=(Source(f"reports/{method}.json", "0" * 64, 1),),
        scores_digest=method.rjust(64, "0"),
        run=Run(None, complete=True, partial=False, demo=False),
        ids=tuple(f"s{index:03}" for index in range(n)) if ids is None else tuple(ids),
        statuses=("scored",) * n if statuses is None else tuple(statuses),
        columns=made,
    )


def shuffled(report: Report, order: Sequence[int]) -> Report:
    """Return the report with its rows in another order."""
    rows = list(order)
    return make_report(
        report.method.id,
        {
            metric: [tuple(column.statistics[row].tolist()) if column.defined[row] else None for row in rows]
            for metric, column in report.columns.items()
        },
        statuses=[report.statuses[row] for row in rows],
        ids=[report.ids[row] for row in rows],
    )

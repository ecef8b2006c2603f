"""Boards made of arrays, and the real ones that lie beside the project, as `rank` is handed them."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tallystick.board import Entry, Estimate, Ledger, Outcome, Rate
from tallystick.model import (
    Benchmark,
    BoolArray,
    BootstrapSettings,
    Column,
    Direction,
    Fingerprint,
    FloatArray,
    Method,
    Metric,
    PinnedFingerprint,
    Report,
    Run,
    SampleSet,
    Source,
)

NONE = Rate(0, 0, None, None)


def benchmark(
    ids: Sequence[str],
    strata: Sequence[str] | None = None,
    *,
    direction: Direction = "higher",
    binary: bool = False,
    resamples: int = 500,
    diagnostic: str | None = None,
    upper: float | None = 1.0,
) -> Benchmark:
    names = tuple(strata) if strata is not None else ("all",) * len(ids)
    samples = SampleSet(tuple(ids), {"stratum": names}, names, None, ({},) * len(ids), "0", "samples.jsonl")
    metrics = (
        Metric("score", "Score", "mean", {"value": "score"}, direction, upper=upper, binary=binary),
        Metric("f1", "F1", "micro_f1", {"true_positives": "t", "predicted": "p", "gold": "g"}),
    )
    return Benchmark(
        id="made",
        title="Made",
        description="",
        protocol="native",
        fingerprint=PinnedFingerprint("b", None, None, None),
        samples=samples,
        axes=("stratum",),
        stratum="stratum",
        cluster=None,
        metrics=metrics,
        primary="score",
        comparisons=(),
        bootstrap=BootstrapSettings(resamples=resamples),
        diagnostic=diagnostic,
        created=None,
        supplements={},
        options={},
    )


def entry(
    bench: Benchmark,
    method: str,
    values: FloatArray,
    *,
    defined: BoolArray | None = None,
    conditional: bool = False,
    metric: str = "score",
    finished: datetime | None = datetime(2026, 3, 1, tzinfo=UTC),
    outcome: Outcome = "admitted",
) -> Entry:
    """Return a report whose rows are in the benchmark's order; `values` (n,) or (n, k)."""
    n = len(bench.samples.ids)
    mask = np.ones(n, np.bool_) if defined is None else defined
    column = Column(np.asarray(values, np.float64).reshape(n, -1), mask)
    report = Report(
        method=Method(method, method),
        protocol="native",
        fingerprint=Fingerprint("b", None, None, None),
        sources=(Source(f"reports/{method}.json", "0", 1),),
        scores_digest="0",
        run=Run(finished, True, False, False),
        ids=bench.samples.ids,
        statuses=("scored",) * n,
        columns={metric: column},
    )
    estimate = Estimate(metric, 0.5, None, int(mask.sum()), n, conditional)
    return Entry(report, outcome, (), (), Ledger(n, {"scored": n}, NONE, NONE, NONE), {metric: estimate})


Table = Mapping[str, Mapping[str, float]]
"""Method → sample → value."""


def entries(bench: Benchmark, table: Table) -> list[Entry]:
    return [
        entry(bench, method, np.array([row[sample] for sample in bench.samples.ids])) for method, row in table.items()
    ]


def swebench(folder: Path) -> tuple[Table, Mapping[str, str]]:
    """Return resolved instances, and each instance's repository."""
    table: dict[str, dict[str, float]] = defaultdict(dict)
    repository = {}
    with (folder / "swebench" / "per_instance.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            table[row["system_folder"]][row["instance_id"]] = float(row["resolved"])
            repository[row["instance_id"]] = row["repo"]
    return table, repository


def alpaca_eval(folder: Path) -> tuple[Table, Mapping[str, str]]:
    """Return preferences over the baseline, from 0 to 1, and each instruction's source, by the importer's ids."""
    table: dict[str, dict[str, float]] = defaultdict(dict)
    source = {}
    with (folder / "alpaca_eval" / "preferences.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            sample = row["instruction_sha16"]
            table[row["model"]][sample] = float(row["preference"]) - 1
            source[sample] = row["dataset"]
    return table, source


def eval_arena(folder: Path) -> tuple[Table, Mapping[str, str]]:
    """Return the first attempt at every problem, of the models that made all of them."""
    table: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(folder / "eval_arena" / "humaneval+.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            table[row["model"]][row["example_id"]] = float(row["pass1"])
    samples = {sample for row in table.values() for sample in row}
    whole = {model: row for model, row in table.items() if set(row) == samples}
    return whole, dict.fromkeys(sorted(samples), "all")

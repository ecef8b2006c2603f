"""Time and peak memory of a board's estimates against the bare matrix product that they cannot do without.

Run `python benchmarks/sizes.py`. Every cell is a process of its own, on one thread of BLAS and one core, timed in CPU
seconds, because neighbours would blur others; product and estimates are timed alternately. The product is numpy's, of
doubles: counts (resamples, samples) times values (samples, methods · metrics). Estimates are all that `estimate`
does: drawing, lining up, slicing, exact products, ends of intervals, standard errors, ledgers, every value made.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is first imported

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from cases import make_benchmark, make_report  # noqa: E402  # found by the line above
from tallystick import draws  # noqa: E402
from tallystick.cli import YOUNG_AT_MOST  # noqa: E402
from tallystick.estimate import estimate  # noqa: E402
from tallystick.model import Benchmark, Column, Method, Metric, Report  # noqa: E402

METHODS = (10, 100, 1000)
SAMPLES = (100, 1000, 10_000, 100_000)
METRICS = 13
RESAMPLES = 2000
STRATA = 10
KINDS = ("0/1", "continuous")
VALUES_AT_MOST = 10**8
"""Reports of more values than this are left out: they alone would fill the memory."""


def board(kind: str, methods: int, samples: int, metrics: int) -> tuple[Benchmark, list[Report]]:
    """Return a benchmark and reports whose outcomes are drawn."""
    stream = np.random.default_rng(1)
    settled = [Metric(f"m{number}", f"m{number}", "mean", {"value": f"m{number}"}) for number in range(metrics)]
    benchmark = make_benchmark([f"c{place % STRATA}" for place in range(samples)], settled, resamples=RESAMPLES)
    pattern = make_report("pattern", {"m0": np.zeros(samples)}, ids=benchmark.samples.ids)
    defined = np.ones(samples, np.bool_)

    def column() -> Column:
        values = stream.random(samples)
        return Column(((values < 0.6) * 1.0 if kind == "0/1" else values)[:, None], defined)

    return benchmark, [
        replace(pattern, method=Method(f"r{number}", ""), columns={metric.id: column() for metric in settled})
        for number in range(methods)
    ]


def cpu(work: Callable[[], object]) -> float:
    """Return CPU seconds."""
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(kind: str, methods: int, samples: int, metrics: int) -> dict[str, float]:
    """Time product and estimates alternately, three times or, where that takes long, once."""
    gc.set_threshold(YOUNG_AT_MOST, *gc.get_threshold()[1:])  # as the command does
    benchmark, reports = board(kind, methods, samples, metrics)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    first = cpu(lambda: estimate(reports, benchmark))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # before the other's arrays are there
    counts = np.random.default_rng(2).poisson(1.0, (RESAMPLES, samples)).astype(np.float64)
    width = min(methods * metrics, max(1, VALUES_AT_MOST // samples // 8))
    values = np.random.default_rng(3).random((samples, width))
    ours, bare = [first], []
    for _ in range(1 if samples > 10_000 else 3):
        bare.append(cpu(lambda: counts @ values) * methods * metrics / width)
        if samples > 10_000:
            break
        draws._all_counts.cache_clear()
        draws._compact_counts.cache_clear()
        ours.append(cpu(lambda: estimate(reports, benchmark)))
    return {
        "ours": statistics.median(ours),
        "bare": statistics.median(bare),
        "reports": before,
        "megabytes": megabytes,
    }


def apart(kind: str, methods: int, samples: int, metrics: int) -> dict[str, float] | None:
    """Measure in a process of its own, on one core where the system can say so; None where it would be too large."""
    if methods * samples * metrics > VALUES_AT_MOST:
        return None
    command = [sys.executable, str(Path(__file__)), kind, *map(str, (methods, samples, metrics))]
    found: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def told(found: dict[str, float] | None) -> str:
    """Write a cell."""
    if found is None:
        return "–"
    return f"{found['ours']:.3f} s, {found['ours'] / found['bare']:.2f}×, {found['megabytes']:.0f} MB"


def main() -> None:
    """Print the tables."""
    print(
        f"{os.getloadavg()[0]:.1f} processes were running. A cell: CPU seconds, times the bare product, peak memory.\n"
    )
    for kind in KINDS:
        found = apart(kind, 1000, 1000, METRICS)
        assert found is not None
        print(f"1000 methods × {METRICS} metrics × 1000 samples, {kind}: {told(found)} (bare {found['bare']:.3f} s)")
    for kind in KINDS:
        print(f"\n| one metric, {kind} | " + " | ".join(f"{samples} samples" for samples in SAMPLES) + " |")
        print("| --- |" + " --- |" * len(SAMPLES))
        for methods in METHODS:
            cells = [told(apart(kind, methods, samples, 1)) for samples in SAMPLES]
            print(f"| {methods} methods | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 5:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        print(json.dumps(measure(sys.argv[1], *map(int, sys.argv[2:]))))
    else:
        main()

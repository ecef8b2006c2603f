"""Time and peak memory of ranking, peers beside it in the same run, each in a process of its own.

Run `OPENBLAS_NUM_THREADS=1 python benchmarks/ranking_speed.py`. A cell holds seconds on the clock, seconds of all
processors together (which a busy machine changes less), and the peak memory of the whole process. Every task starts
from 0/1 outcomes (samples, methods). honestboard and errorbars are timed where they are installed; they are not needed
for anything else. What each peer answers differs: scipy gives an interval per method, percentile ranks hold for no set
of methods jointly, sorting says nothing of noise.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from tallystick import bootstrap
from tallystick.letters import letters
from tallystick.metrics import kinds
from tallystick.model import BootstrapSettings, FloatArray
from tallystick.ordering import Pairs

SETTINGS = BootstrapSettings()
METHODS = (10, 25, 100, 1000)
SAMPLES = (100, 1000, 10_000, 100_000)
SLOW = {"scipy.stats.bootstrap": 100, "errorbars": 100}
"""Peers that are not waited for above so many methods."""


def outcomes(methods: int, samples: int) -> FloatArray:
    """Return 0/1 outcomes (samples, methods) of rising scores that share how easy a sample is."""
    rng = np.random.default_rng(3)
    ease, own = rng.random((samples, 1)), rng.random((samples, methods))
    return np.asarray(0.7 * ease + 0.3 * own < np.linspace(0.3, 0.8, methods), np.float64)


def replicates(values: FloatArray) -> FloatArray:
    """Return the replicates of the means (resamples, methods)."""
    kind = kinds()["mean"]
    measures = [bootstrap.single(kind, column[:, None]) for column in values.T]
    return bootstrap.replicates(measures, bootstrap.stratified(["all"] * len(values), np.arange(len(values))), SETTINGS)


def drawing(values: FloatArray) -> Callable[[], object]:
    """Draw the replicates alone."""
    return lambda: replicates(values)


def ordering(values: FloatArray) -> Callable[[], Pairs]:
    """Find rank sets and letters from replicates that are there."""
    estimates, drawn = values.mean(axis=0), replicates(values)

    def work() -> Pairs:
        pairs = Pairs(estimates, drawn)
        letters(pairs.joint(SETTINGS.confidence).better, np.argsort(-estimates, kind="stable").tolist())
        return pairs

    return work


def everything(values: FloatArray) -> Callable[[], object]:
    """Find every method's own rank set besides, as a board does."""
    work = ordering(values)
    return lambda: work().marginal(SETTINGS.confidence)


def percentiles(values: FloatArray) -> Callable[[], object]:
    """Take the percentiles of the ranks in each resample: the usual practice, from replicates that are there."""
    drawn = replicates(values)
    return lambda: np.quantile(stats.rankdata(-drawn, method="min", axis=1), (0.025, 0.975), axis=0)


def scipy_bootstrap(values: FloatArray) -> Callable[[], object]:
    """Draw an interval for each mean."""
    return lambda: stats.bootstrap(
        (values,), np.mean, n_resamples=2000, method="percentile", vectorized=True, batch=20, rng=1729
    )


def sorting(values: FloatArray) -> Callable[[], object]:
    """Sort by mean."""
    return lambda: np.argsort(-values.mean(axis=0), kind="stable")


def honestboard(values: FloatArray) -> Callable[[], object]:
    """Take the peer's percentile ranks with as many resamples as ours."""
    from honestboard import Board

    tasks = [str(place) for place in range(len(values))]
    systems = [
        {"name": str(place), "resolved": [task for task, value in zip(tasks, column, strict=True) if value]}
        for place, column in enumerate(values.T)
    ]
    board = Board.from_resolved(tasks, systems)
    return lambda: board.rank_summary(B=SETTINGS.resamples)


def errorbars(values: FloatArray) -> Callable[[], object]:
    """Test all pairs as the peer does."""
    from errorbars.io import EvalData
    from errorbars.leaderboard import build_leaderboard

    samples, methods = values.shape
    data = EvalData(
        question_id=[str(sample) for sample in range(samples)] * methods,
        model=[str(method) for method in range(methods) for _ in range(samples)],
        score=values.T.ravel().tolist(),
    )
    return lambda: build_leaderboard(data)


TASKS: dict[str, Callable[[FloatArray], Callable[[], object]]] = {
    "replicates": drawing,
    "rank sets and letters": ordering,
    "marginal sets besides": everything,
    "percentile ranks": percentiles,
    "scipy.stats.bootstrap": scipy_bootstrap,
    "sorting by mean": sorting,
    "honestboard": honestboard,
    "errorbars": errorbars,
}


def measure(task: str, methods: int, samples: int) -> dict[str, float]:
    """Time one task in this process: the median of some runs, after one that warms up where it is short."""
    work = TASKS[task](outcomes(methods, samples))
    times: list[float] = []
    busy: list[float] = []
    while len(times) < 2 or (sum(times) < 1 and len(times) < 10):
        started, used = time.perf_counter(), time.process_time()
        work()
        times.append(time.perf_counter() - started)
        busy.append(time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return {"seconds": float(np.median(times)), "busy": float(np.median(busy)), "megabytes": peak}


def apart(task: str, methods: int, samples: int) -> str:
    """Measure in a process of its own, and write the answer as a cell."""
    if methods > SLOW.get(task, methods) or (
        task in ("honestboard", "errorbars") and not importlib.util.find_spec(task)
    ):
        return "–"
    command = [sys.executable, str(Path(__file__)), task, str(methods), str(samples)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return f"{found['seconds']:.3g} / {found['busy']:.2g} s, {found['megabytes']:.0f} MB"


def main() -> None:
    """Print both tables."""
    print(
        f"500 samples, {SETTINGS.resamples} resamples\n\n| task | " + " | ".join(f"{p} methods" for p in METHODS) + " |"
    )
    print("| --- |" + " --- |" * len(METHODS))
    for task in TASKS:
        print(f"| {task} | " + " | ".join(apart(task, methods, 500) for methods in METHODS) + " |", flush=True)
    print("\n| 100 methods | " + " | ".join(f"{n} samples" for n in SAMPLES) + " |\n| --- |" + " --- |" * len(SAMPLES))
    for task in ("replicates", "rank sets and letters", "sorting by mean"):
        print(f"| {task} | " + " | ".join(apart(task, 100, samples) for samples in SAMPLES) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main()

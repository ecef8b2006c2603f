"""How far the top score flatters its method, and how much of that the leader's caution takes away.

Run `python benchmarks/ranking_leader.py [replications]`. The bias is that of the top method's value against its own
true score. Beside the adjustment stand two others: the mean of the resamples' maximum less the maximum, which picks but
does not hold the pick against its own estimate, and splitting the samples in halves, which is unbiased for half a
benchmark and says nothing of the whole one's value.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from tallystick import resample
from tallystick.caution import leader
from tallystick.model import FloatArray

SAMPLES = 300
CORRELATION = 0.5
SCENARIOS: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("2 tied", (0.5,) * 2),
    ("10 tied", (0.5,) * 10),
    ("100 tied", (0.5,) * 100),
    ("10 near ties, steps of 0.005", tuple(0.5 + 0.005 * place for place in range(10))),
    ("10 on a ladder, steps of 0.02", tuple(0.4 + 0.02 * place for place in range(10))),
    ("9 tied, 1 better by 0.03", (0.5,) * 9 + (0.53,)),
    ("9 tied, 1 better by 0.15", (0.5,) * 9 + (0.65,)),
)


def outcomes(scores: Sequence[float], rng: np.random.Generator) -> FloatArray:
    """Draw 0/1 outcomes (samples, methods) that share how easy a sample is."""
    shared = rng.standard_normal((SAMPLES, 1))
    own = rng.standard_normal((SAMPLES, len(scores)))
    latent = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
    return np.asarray(latent < ndtri(np.array(scores)), np.float64)


def biases(scores: Sequence[float], replications: int, seed: int = 11) -> FloatArray:
    """Return the mean bias of the top value, the adjusted one, the bootstrap maximum and split halves.

    The last two numbers are the root mean square errors of the first two.
    """
    rng = np.random.default_rng(seed)
    counts = resample.counts(resample.positions(1729, (SAMPLES,), 2000))
    names = [str(place) for place in range(len(scores))]
    truth = np.array(scores)
    found = []
    for _ in range(replications):
        values = outcomes(scores, rng)
        estimates, replicates = values.mean(axis=0), counts @ values / SAMPLES
        top = int(np.argmax(estimates))
        told = leader(names, estimates, replicates)
        naive = 2 * told.value - replicates.max(axis=1).mean()
        half = rng.permutation(SAMPLES)
        picked = int(np.argmax(values[half[: SAMPLES // 2]].mean(axis=0)))
        split = values[half[SAMPLES // 2 :], picked].mean() - truth[picked]
        found.append((told.value - truth[top], told.adjusted - truth[top], naive - truth[top], split))
    table = np.array(found)
    return np.concatenate([table.mean(axis=0), np.sqrt((table[:, :2] ** 2).mean(axis=0))])


def main(replications: int) -> None:
    """Print the table, in points."""
    print(f"{SAMPLES} samples, correlation {CORRELATION}, {replications} replications; points of 100\n")
    print(
        "| methods | bias of the top | after adjusting | bootstrap maximum | split halves | rms error: top | adjusted |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, scores in SCENARIOS:
        cells = " | ".join(f"{100 * value:+.2f}" for value in biases(scores, replications))
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

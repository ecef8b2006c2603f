"""What was drawn, for whoever adds it up: how often each unit, or in which order. Remembered where it is small.

Before all resamples come the samples themselves, each drawn once: what is summed over them is the point estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from tallystick import resample
from tallystick.exact import Counts
from tallystick.layout import Layout
from tallystick.model import BootstrapSettings, FloatArray, IntArray

VALUES = 1 << 23
"""About how many counts are held at once."""
REMEMBERED = 1 << 21
"""How many may be kept for the next measure with the same sizes of strata."""
COMPACT = 1 << 28
"""How many may be kept in a byte each."""


def counts(sizes: tuple[int, ...], settings: BootstrapSettings) -> Iterator[Counts]:
    """Yield the counts of the samples themselves and of all resamples, in blocks: one where they can be remembered."""
    drawn = settings.resamples * sum(sizes)
    if drawn <= REMEMBERED:
        yield _all_counts(settings.seed, sizes, settings.resamples)
    elif drawn <= COMPACT:
        held = _compact_counts(settings.seed, sizes, settings.resamples)
        rows = max(1, VALUES // sum(sizes))
        for start in range(0, len(held), rows):
            yield Counts(held[start : start + rows].astype(np.float64))
    else:
        blocks = _blocks(settings.seed, sizes, settings.resamples)
        while some := list(islice(blocks, max(1, VALUES // max(sum(sizes), resample.BLOCK)))):
            yield Counts(np.concatenate(some))


def _blocks(seed: int, sizes: tuple[int, ...], resamples: int) -> Iterator[FloatArray]:
    yield np.ones((1, sum(sizes)))
    yield from map(resample.counts, resample.blocks(seed, sizes, resamples))


@lru_cache(maxsize=8)
def _all_counts(seed: int, sizes: tuple[int, ...], resamples: int) -> Counts:
    return Counts(np.concatenate(list(_blocks(seed, sizes, resamples))))


@lru_cache(maxsize=1)
def _compact_counts(seed: int, sizes: tuple[int, ...], resamples: int) -> npt.NDArray[np.unsignedinteger]:
    """Return all counts in as few bytes as they need: one each, as good as always."""
    blocks = _blocks(seed, sizes, resamples)
    return np.concatenate([block.astype(np.min_scalar_type(int(block.max()))) for block in blocks])


@lru_cache(maxsize=8)
def order(layout: Layout, settings: BootstrapSettings) -> tuple[IntArray, FloatArray]:
    """Return the rows of each resample in the order of the draws, filled up with −1 → (r, most), and their number.

    Remembered by layout: reports with the same rows share one, and are reconciled one after another.
    """
    units = resample.positions(settings.seed, layout.sizes, settings.resamples)
    lengths = layout.lengths[units]
    drawn = lengths.sum(axis=1)
    ends = np.cumsum(lengths.ravel())
    within = np.arange(ends[-1]) - np.repeat(ends - lengths.ravel(), lengths.ravel())
    rows = np.full((settings.resamples, int(drawn.max())), -1)
    rows[np.arange(rows.shape[1]) < drawn[:, None]] = layout.rows[
        np.repeat(layout.starts[units].ravel(), lengths.ravel()) + within
    ]
    rows.setflags(write=False)
    return rows, drawn.astype(np.float64)

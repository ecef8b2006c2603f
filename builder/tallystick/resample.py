"""Draw resamples: the stream of CPython's `random.Random(seed)`, vectorised, so that plain Python can repeat it.

Nothing else in the program draws. One resample visits the strata in order and makes as many draws from each as it has
units (samples, or clusters); `choice` of n units takes the top n.bit_length() bits of a 32-bit word and rejects n or
more. numpy's Mersenne Twister yields the same words from the transplanted state.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tallystick.model import FloatArray, IntArray

Words = npt.NDArray[np.uint32]

BLOCK = 1 << 16
"""About how many draws are made at once: so few that every pass over them stays in the processor's cache."""

WORD_BITS = 32


def positions(seed: int, sizes: Sequence[int], resamples: int) -> IntArray:
    """Return the drawn positions (resamples, n): position i is the i-th unit when units are grouped by stratum."""
    return np.concatenate(list(blocks(seed, sizes, resamples)))


def blocks(seed: int, sizes: Sequence[int], resamples: int) -> Iterator[IntArray]:
    """Yield the rows of `positions` in blocks of bounded memory, in order."""
    units = sum(sizes)
    if units == 0 or min(sizes) < 1:
        raise ValueError("every stratum holds at least one unit")
    rows = max(1, BLOCK // units)
    stream = _Stream(seed)
    for start in range(0, resamples, rows):
        yield stream.draw(tuple(sizes), min(rows, resamples - start))


def counts(drawn: IntArray) -> FloatArray:
    """Return how often each unit was drawn in each resample: positions (r, n) → counts (r, n)."""
    resamples, units = drawn.shape
    shifted = drawn + np.arange(resamples)[:, None] * units
    return np.bincount(shifted.ravel(), minlength=resamples * units).reshape(drawn.shape).astype(np.float64)


class _Stream:
    """The words of one generator that have been produced and not yet used."""

    def __init__(self, seed: int) -> None:
        *key, position = random.Random(seed).getstate()[1]
        self._source = np.random.MT19937()
        self._source.state = {"bit_generator": "MT19937", "state": {"key": np.array(key), "pos": position}}
        self._words: Words = np.empty(0, np.uint32)

    def draw(self, sizes: tuple[int, ...], rows: int) -> IntArray:
        """Draw `rows` resamples and drop the words they used."""
        expected = rows * sum(1 << size.bit_length() for size in sizes)
        self._extend(expected + 8 * int(expected**0.5) + 64)
        while True:
            found = _equal(self._words, sizes, rows) if len(set(sizes)) == 1 else _walk(self._words, sizes, rows)
            if found is not None:
                break
            self._extend(2 * len(self._words))  # the rejections of a lifetime
        taken, used = found
        self._words = self._words[used:]
        return taken

    def _extend(self, length: int) -> None:
        """Have at least `length` words in hand."""
        short = length - len(self._words)
        if short > 0:
            self._words = np.concatenate([self._words, self._source.random_raw(short).astype(np.uint32)])


def _equal(words: Words, sizes: tuple[int, ...], rows: int) -> tuple[IntArray, int] | None:
    """Draw from strata of one size: the accepted words, in order, are the draws. None where the words run short."""
    size, draws = sizes[0], rows * sum(sizes)
    accepted = _accepted(words, size)
    if len(accepted) < draws:
        return None
    accepted = accepted[:draws]
    offsets = np.repeat(np.arange(len(sizes)) * size, size)
    values = _values(words[accepted], size).reshape(rows, -1)
    return values + offsets, int(accepted[-1]) + 1


def _walk(words: Words, sizes: tuple[int, ...], rows: int) -> tuple[IntArray, int] | None:
    """Draw from strata of different sizes: what a word means depends on how many words went before it.

    Acceptances are found for every distinct size at once; only the step from stratum to stratum is a Python loop.
    """
    accepted = {size: _accepted(words, size) for size in set(sizes)}
    starts = _starts(accepted, sizes, rows)
    if starts is None:
        return None
    drawn = np.empty((rows, sum(sizes)), np.int64)
    offset = 0
    for stratum, size in enumerate(sizes):
        chosen = accepted[size][starts[:, stratum, None] + np.arange(size)]
        drawn[:, offset : offset + size] = _values(words[chosen], size) + offset
        offset += size
    return drawn, int(chosen[-1, -1]) + 1


def _starts(accepted: dict[int, IntArray], sizes: tuple[int, ...], rows: int) -> IntArray | None:
    """Return which acceptance of its size each stratum of each resample starts with (rows, strata)."""
    steps = [(accepted[size].data, size - 1) for size in sizes]
    starts: list[int] = []
    word = 0
    try:
        for _ in range(rows):
            for places, further in steps:
                first = bisect_left(places, word)
                starts.append(first)
                word = places[first + further] + 1
    except IndexError:
        return None
    return np.array(starts).reshape(rows, len(sizes))


def _accepted(words: Words, size: int) -> IntArray:
    """Return the places of the words that `choice` of `size` units accepts."""
    return np.flatnonzero(words < np.uint32(size << (WORD_BITS - size.bit_length())))


def _values(words: Words, size: int) -> IntArray:
    """Return the units that accepted words choose."""
    return (words >> np.uint32(WORD_BITS - size.bit_length())).astype(np.int64)

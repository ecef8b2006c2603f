"""Compact letter display: methods that share a letter are not told apart (Piepho 2004, insert and absorb).

A letter stands for a largest set of methods of which no two are separated. Methods are inserted one at a time rather
than one separated pair at a time: the sets come out the same, and 499,500 pairs need not be gone through.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallystick.model import BoolArray

MOST_SETS = 2000
"""A board whose display needs more letters than this gets runs instead."""

ALPHABET = string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Letters:
    """`texts` are aligned with the methods given; `sets` hold, for each letter, the positions that carry it.

    Where `exact` is false, the display had too many letters and was simplified to runs of neighbours: methods without
    a common letter are separated, but some with one are too.
    """

    texts: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    exact: bool


def letters(better: BoolArray, order: Sequence[int]) -> Letters:
    """Return the display for `better` (p, p), where [i, j] says that i is declared better than j.

    `order` lists the methods from the best; letters are given out along it, so the best method carries an a.
    """
    along = np.asarray(order, dtype=np.int64)
    alike = ~(better | better.T)[np.ix_(along, along)]
    sets = _largest_sets(alike)
    exact = sets is not None
    numbered = _runs(alike) if sets is None else sorted(sets)
    held: list[list[int]] = [[] for _ in order]
    for number, members in enumerate(numbered):
        for place in members:
            held[order[place]].append(number)
    texts = tuple(_text(numbers, len(numbered)) for numbers in held)
    return Letters(texts, tuple(tuple(sorted(order[place] for place in members)) for members in numbered), exact)


def _largest_sets(alike: BoolArray) -> list[tuple[int, ...]] | None:
    """Return every largest set of places that are all alike, or None where there are more than MOST_SETS.

    Sets are whole numbers, one bit a place. Inserting a method never lowers their count, so stopping early is safe.
    """
    neighbours = [_bits(row) for row in alike]
    sets: list[int] = []
    for place, row in enumerate(neighbours):
        own = 1 << place
        kept = [members for members in sets if members & ~row]
        cut = {members & row for members in sets} or {0}
        sets = kept + [members | own for members in _absorbed(cut)]
        if len(sets) > MOST_SETS:
            return None
    return [_places(members) for members in sets]


def _absorbed(sets: set[int]) -> list[int]:
    """Drop every set that lies within another."""
    largest: list[int] = []
    for members in sorted(sets, key=lambda bits: (-bits.bit_count(), bits)):
        if not any(members & ~other == 0 for other in largest):
            largest.append(members)
    return largest


def _runs(alike: BoolArray) -> list[tuple[int, ...]]:
    """Return the longest runs of places whose ends are alike: at most one a place."""
    count = len(alike)
    ends = np.maximum.accumulate([int(np.flatnonzero(row)[-1]) for row in alike])
    starts = [place for place in range(count) if place == 0 or ends[place] > ends[place - 1]]
    return [tuple(range(start, int(ends[start]) + 1)) for start in starts]


def _bits(row: BoolArray) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _places(members: int) -> tuple[int, ...]:
    return tuple(place for place in range(members.bit_length()) if members >> place & 1)


def _text(numbers: Sequence[int], count: int) -> str:
    """Write a method's letters: a–z singly; where there are more, a, …, z, a2, …, with runs shortened to their ends."""
    if count <= len(ALPHABET):
        return "".join(ALPHABET[number] for number in numbers)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(_name(run[0]) if len(run) == 1 else f"{_name(run[0])}–{_name(run[-1])}" for run in runs)


def _name(number: int) -> str:
    again, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(again + 1) if again else "")

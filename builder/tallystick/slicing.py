"""Cut columns of values into slices of so few bits that no partial sum of drawn slices outgrows a float's significand.

The product of small whole counts with such a slice is then exact in any order, whatever the BLAS, processor or threads.
Columns never influence each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tallystick.model import BoolArray, FloatArray, IntArray

AnyFloat: TypeAlias = npt.NDArray[np.floating[Any]]
F = TypeVar("F", FloatArray, AnyFloat)

PRECISIONS: tuple[tuple[type[np.floating[Any]], int], ...] = ((np.float32, 24), (np.float64, 53))
"""What a slice may be held in, cheapest first, with the bits of its significand."""
GLANCE = 16
"""How many rows are looked at before a cheap slice is tried on all of them."""
ORDINARY_EXPONENT = 100
"""Slices of columns bounded by 2**e, |e| up to this, and sums of them are ordinary floats, in single precision too."""
SHORT = 2.0**11
"""Two sums below this fit into one number of single precision, signs included."""
PAIRED = np.float32(2 * SHORT)
"""What the upper of two sums in one number is multiplied by."""
MANTISSA = 52
"""How many bits of a double follow the first."""
SAFE_EXPONENT = 960
"""2**e and 2**-e are ordinary floats, times any slice too, for |e| up to this."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Numbers `digits` (n, m) that stand for digits · 2**exponent, with one exponent per column (m,).

    They are multiples of one power of two per column, and so short that sums of drawn ones are exact.
    """

    digits: AnyFloat
    exponent: IntArray

    def keep(self, columns: BoolArray) -> Slice:
        """Return the slice of some columns."""
        return self if columns.all() else Slice(_some(self.digits, columns), self.exponent[columns])


@dataclass(frozen=True, slots=True)
class Group:
    """`columns` (m,), in order, that need slices of the same precisions, and those slices.

    Sums of `short` columns are whole and below `SHORT`: two of them fit into one number.
    """

    columns: IntArray
    parts: tuple[Slice, ...]
    short: bool = False

    @property
    def needs(self) -> tuple[object, ...]:
        """What the columns need; those that need the same are multiplied together."""
        return self.short, *(part.digits.dtype for part in self.parts)

    def grouped(self, starts: IntArray) -> Group:
        """Return the same with rows added up from each start to the next."""
        parts = (Slice(np.add.reduceat(part.digits, starts, axis=0), part.exponent) for part in self.parts)
        return Group(self.columns, tuple(parts), self.short)


@dataclass(frozen=True, slots=True)
class Sliced:
    """Values (n, width) as sums of slices."""

    width: int
    groups: tuple[Group, ...]

    def grouped(self, starts: IntArray) -> Sliced:
        """Return the same with rows added up from each start to the next, as whole clusters are drawn."""
        return Sliced(self.width, tuple(group.grouped(starts) for group in self.groups))


def slices(values: FloatArray, most: int) -> Sliced:
    """Cut finite values (n, m) into slices whose sums over at most `most` drawn rows are exact.

    Whole numbers and other short fractions need one slice of single precision; most other columns one of double and a
    second of either.
    """
    return Sliced(values.shape[1], _joined(_groups(values, most)))


def beside(blocks: Sequence[Sliced]) -> Sliced:
    """Return the slices of blocks (n, m) as those of one block (n, sum of m): they are better multiplied together."""
    starts = [0, *accumulate(block.width for block in blocks)]
    groups = (
        Group(group.columns + start, group.parts, group.short)
        for start, block in zip(starts, blocks, strict=False)
        for group in block.groups
    )
    return Sliced(starts[-1], _joined(groups))


def _groups(values: FloatArray, most: int) -> Iterator[Group]:
    """Yield columns with their slices, as soon as they need no more."""
    peak = np.abs(values).max(axis=0, initial=0.0)
    if not np.isfinite(peak).all():
        raise ValueError("values must be finite")
    top = np.frexp(peak)[1].astype(np.int64)  # |value| <= 2**top
    growth = (most - 1).bit_length()
    columns, rest = np.arange(values.shape[1]), values
    parts: tuple[Slice, ...] = ()
    whole = _whole(values, top + growth)
    if whole.any():
        short = peak < SHORT / most
        for some, is_short in ((whole & short, True), (whole & ~short, False)):
            if some.any():
                yield Group(columns[some], (_uncut(_some(values, some)),), is_short)
        columns, top, rest = columns[~whole], top[~whole], _some(rest, ~whole)
    while len(columns):
        for kind, bits in PRECISIONS:
            if bits <= growth or not _promising(rest, top, bits - growth, kind):
                continue
            part, head, below = _cut(rest, top, bits - growth, kind)
            open_ = _differ(rest, head)
            if not open_.all():
                yield Group(columns[~open_], tuple(piece.keep(~open_) for piece in (*parts, part)))
                columns, top, below = columns[open_], top[open_], below[open_]
                rest, head = _some(rest, open_), _some(head, open_)
                parts, part = tuple(piece.keep(open_) for piece in parts), part.keep(open_)
        parts, rest, top = (*parts, part), rest - head, below


def _uncut(values: FloatArray) -> Slice:
    """Return whole numbers as they are."""
    digits = values.astype(np.float32)
    digits += 0  # no zero with a sign, which a sum could inherit
    return Slice(digits, np.zeros(values.shape[1], np.int64))


def _joined(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return groups that need the same as one."""
    alike: dict[tuple[object, ...], list[Group]] = {}
    for group in groups:
        alike.setdefault(group.needs, []).append(group)
    return tuple(same[0] if len(same) == 1 else _one(same) for same in alike.values())


def _one(groups: list[Group]) -> Group:
    """Return groups as one, its columns in order."""
    columns = np.concatenate([group.columns for group in groups])
    order = np.argsort(columns)
    in_order = bool((order[1:] > order[:-1]).all())
    parts = []
    for of_one in zip(*(group.parts for group in groups), strict=True):
        digits = np.concatenate([part.digits.T for part in of_one])
        exponent = np.concatenate([part.exponent for part in of_one])
        parts.append(Slice((digits if in_order else digits[order]).T, exponent[order]))
    return Group(columns[order], tuple(parts), groups[0].short)


def _whole(values: FloatArray, bits: IntArray) -> BoolArray:
    """Say which columns hold whole numbers whose sums, of so many bits, single precision holds: no need to cut them."""
    glance = values[:GLANCE]
    whole = (bits <= PRECISIONS[0][1]) & ~_differ(glance, np.rint(glance))
    if whole.any():
        hopeful = _some(values, whole)
        whole[whole] = ~_differ(hopeful, np.rint(hopeful))
    return whole


def _differ(values: FloatArray, others: FloatArray) -> BoolArray:
    """Say which columns differ anywhere."""
    return np.asarray((values != others).any(axis=0))


def _some(values: F, columns: BoolArray) -> F:
    """Return some columns, each contiguous, and without a copy where it is all of them."""
    return values if columns.all() else values.T[columns].T


def _promising(values: FloatArray, top: IntArray, bits: int, kind: type[np.floating[Any]]) -> bool:
    """Say whether a look at a few rows leaves hope that one more slice is enough for some column."""
    if kind is PRECISIONS[-1][0]:
        return True
    glance = values[:GLANCE]
    return not _differ(glance, _cut(glance, top, bits, kind)[1]).all()


def _cut(
    values: FloatArray, top: IntArray, bits: int, kind: type[np.floating[Any]]
) -> tuple[Slice, FloatArray, IntArray]:
    """Return the leading `bits` bits of columns bounded by 2**top, as a slice and as values, and what bounds the rest.

    Rounding to nearest leaves at most half a unit, truncation almost a whole one.
    """
    unit = top - bits
    if bits < MANTISSA and np.abs(top).max(initial=0) <= ORDINARY_EXPONENT:
        # Next to a number this large, floats lie one unit apart: adding it rounds (Rump, Ogita & Oishi 2008).
        shift = np.ldexp(1.5, unit + MANTISSA)
        head = values + shift
        head -= shift
        return Slice(head.astype(kind, copy=False), np.zeros_like(top)), head, unit - 1
    shifted = scaled(values, -unit)
    digits = np.rint(shifted)
    huge = top > SAFE_EXPONENT
    if huge.any():  # rounding up could leave the range of floats
        digits[:, huge] = np.trunc(shifted[:, huge])
    digits += 0.0  # no zero with a sign, which a sum could inherit
    return Slice(digits.astype(kind), unit), scaled(digits, unit), unit - ~huge


def scaled(values: AnyFloat, exponent: IntArray) -> FloatArray:
    """Return values (n, m) · 2**exponent in double precision, by the fast way where the power is a float."""
    if not exponent.any():
        return values.astype(np.float64, copy=False)
    if np.abs(exponent).max() <= SAFE_EXPONENT:
        return np.asarray(values * np.ldexp(1.0, exponent))
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponent, dtype=np.float64))

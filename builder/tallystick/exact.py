"""Sums without rounding: what `math.fsum` gives, from matrix products, whatever the BLAS, processor or threads.

Each column of values is cut into slices of so few bits that no partial sum of drawn slices outgrows the significand of
a float: the product of small whole counts with such a slice is then exact in any order. What remains is one rounding.
The two other rules of summation found in the wild are here as well, for reconciling what they produced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tallystick.model import BoolArray, FloatArray, IntArray, Summation

AnyFloat: TypeAlias = npt.NDArray[np.floating[Any]]

PRECISIONS: tuple[tuple[type[np.floating[Any]], int], ...] = ((np.float32, 24), (np.float64, 53))
"""What a slice may be held in, cheapest first, with the bits of its significand."""
GLANCE = 16
"""How many rows are looked at before a cheap slice is tried on all of them."""
SAFE_EXPONENT = 960
"""2**e and 2**-e are ordinary floats, times any slice too, for |e| up to this."""
LEAST_EXPONENT = -1074
"""Every float is a multiple of 2**LEAST_EXPONENT."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Whole numbers `digits` (n, m) that stand for digits · 2**exponent, with one exponent per column (m,)."""

    digits: AnyFloat
    exponent: IntArray

    def keep(self, columns: BoolArray) -> Slice:
        """Return the slice of some columns."""
        return Slice(self.digits[:, columns], self.exponent[columns])


@dataclass(frozen=True, slots=True)
class Sliced:
    """Values (n, width) as sums of slices: `groups` pair columns that need the same slices with those slices."""

    width: int
    groups: tuple[tuple[IntArray, tuple[Slice, ...]], ...]

    def grouped(self, starts: IntArray) -> Sliced:
        """Return the same with rows added up from each start to the next, as whole clusters are drawn."""
        return Sliced(
            self.width,
            tuple(
                (columns, tuple(Slice(np.add.reduceat(part.digits, starts, axis=0), part.exponent) for part in parts))
                for columns, parts in self.groups
            ),
        )


def slices(values: FloatArray, most: int) -> Sliced:
    """Cut finite values (n, m) into slices whose sums over at most `most` drawn rows are exact.

    Whole numbers and other short fractions need one slice of single precision; most other columns one of double and a
    second of either. Columns never influence each other.
    """
    peak = np.abs(values).max(axis=0, initial=0.0)
    if not np.isfinite(peak).all():
        raise ValueError("values must be finite")
    top = np.frexp(peak)[1].astype(np.int64)  # |value| <= 2**top
    growth = (most - 1).bit_length()
    columns, rest = np.arange(values.shape[1]), values
    parts: tuple[Slice, ...] = ()
    groups: list[tuple[IntArray, tuple[Slice, ...]]] = []
    whole = _whole(values, top + growth)
    if whole.any():
        digits = _some(values, whole).astype(np.float32)
        digits += 0  # no zero with a sign, which a sum could inherit
        groups.append((columns[whole], (Slice(digits, np.zeros_like(top[whole])),)))
        columns, top, rest = columns[~whole], top[~whole], rest[:, ~whole]
    while len(columns):
        for kind, bits in PRECISIONS:
            if bits <= growth or not _promising(rest, top, bits - growth, kind):
                continue
            part, left = _cut(rest, top, bits - growth, kind)
            open_: BoolArray = np.asarray(left.any(axis=0))
            if not open_.all():
                groups.append((columns[~open_], tuple(piece.keep(~open_) for piece in (*parts, part))))
                columns, top, rest, left = columns[open_], top[open_], rest[:, open_], left[:, open_]
                parts, part = tuple(piece.keep(open_) for piece in parts), part.keep(open_)
        # Rounding to nearest leaves at most half a unit, truncation almost a whole one.
        parts, rest, top = (*parts, part), left, part.exponent - (top <= SAFE_EXPONENT)
    return Sliced(values.shape[1], tuple(groups))


class Counts:
    """How often each unit was drawn in each resample (r, n), ready to be multiplied in either precision."""

    def __init__(self, counts: FloatArray) -> None:
        self.double = counts
        self.single = counts.astype(np.float32)

    def drawn(self, digits: AnyFloat) -> AnyFloat:
        """Return digits (n, m) times counts → (m, r), in the precision of the digits."""
        return np.asarray(digits.T @ (self.single if digits.dtype == np.float32 else self.double).T)


def sums(counts: Counts, sliced: Sliced) -> FloatArray:
    """Return the correctly rounded sums of drawn values: counts (r, n) → sums (width, r).

    A sum beyond the largest float is infinite. Zero comes out without a sign.
    """
    result = np.empty((sliced.width, len(counts.double)))
    for columns, parts in sliced.groups:
        terms = [_scaled(counts.drawn(part.digits), part.exponent[:, None]) for part in parts]
        if len(columns) == sliced.width:
            return _added(terms)
        result[columns] = _added(terms)
    return result


def _added(terms: list[FloatArray]) -> FloatArray:
    """Add exact terms element by element with one rounding."""
    if len(terms) <= 2:
        with np.errstate(over="ignore"):
            return terms[0] if len(terms) == 1 else np.add(terms[0], terms[1], out=terms[0])
    flat = zip(*(term.ravel().tolist() for term in terms), strict=True)
    return np.array([_fsum(values) for values in flat]).reshape(terms[0].shape)


def _fsum(values: tuple[float, ...]) -> float:
    """Return `math.fsum`, infinite where it overflows."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.copysign(math.inf, max(values, key=abs))


def _whole(values: FloatArray, bits: IntArray) -> BoolArray:
    """Say which columns hold whole numbers whose sums, of so many bits, single precision holds: no need to cut them."""
    whole = (bits <= PRECISIONS[0][1]) & ~_fractional(values[:GLANCE])
    if whole.any():
        whole[whole] = ~_fractional(_some(values, whole))
    return whole


def _fractional(values: FloatArray) -> BoolArray:
    """Say which columns hold any number that is not whole."""
    return np.asarray((values != np.rint(values)).any(axis=0))


def _some(values: FloatArray, columns: BoolArray) -> FloatArray:
    """Return some columns, without a copy where it is all of them."""
    return values if columns.all() else values[:, columns]


def _promising(values: FloatArray, top: IntArray, bits: int, kind: type[np.floating[Any]]) -> bool:
    """Say whether a look at a few rows leaves hope that one more slice is enough for some column."""
    if kind is PRECISIONS[-1][0]:
        return True
    return not _cut(values[:GLANCE], top, bits, kind)[1].any(axis=0).all()


def _cut(values: FloatArray, top: IntArray, bits: int, kind: type[np.floating[Any]]) -> tuple[Slice, FloatArray]:
    """Return the leading `bits` bits of columns bounded by 2**top, and exactly what they leave."""
    exponent = np.maximum(top - bits, LEAST_EXPONENT)
    scaled = _scaled(values, -exponent)
    digits = np.rint(scaled)
    huge = top > SAFE_EXPONENT
    if huge.any():  # rounding up could leave the range of floats
        digits[:, huge] = np.trunc(scaled[:, huge])
    digits += 0.0  # no zero with a sign, which a sum could inherit
    return Slice(digits.astype(kind), exponent), values - _scaled(digits, exponent)


def _scaled(values: AnyFloat, exponent: IntArray) -> FloatArray:
    """Return values · 2**exponent, by the fast way where the power is a float."""
    if np.abs(exponent).max(initial=0) <= SAFE_EXPONENT:
        return np.asarray(values * np.ldexp(1.0, exponent))
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponent, dtype=np.float64))


# --- one value after another ------------------------------------------------------------------------------------------


def sequential_sums(values: FloatArray, order: IntArray, rule: Summation) -> FloatArray:
    """Add drawn values in the order of the draws under a rule of Python's `sum`: order (r, draws) → sums (m, r).

    `values` (n, m); an entry of −1 in `order` draws nothing. "plain" is `sum` of Python 3.11 and older, "compensated"
    that of 3.12 and newer (Neumaier 1974).
    """
    padded = np.vstack([values, np.zeros(values.shape[1])])
    total = np.zeros((len(order), values.shape[1]))
    lost = np.zeros_like(total)
    for column in np.ascontiguousarray(order.T):
        drawn = padded[column]
        raised = total + drawn
        if rule == "compensated":
            larger = np.abs(total) >= np.abs(drawn)
            lost += np.where(larger, (total - raised) + drawn, (drawn - raised) + total)
        total = raised
    return np.ascontiguousarray((total + lost).T)


def column_sums(values: FloatArray, rule: Summation = "correctly rounded") -> FloatArray:
    """Sum each column of values (n, m) in row order under a rule → (m,)."""
    if rule == "correctly rounded":
        return np.array([_fsum(tuple(column)) for column in values.T.tolist()])
    return np.array([_sequential_sum(column, rule) for column in values.T.tolist()])


def _sequential_sum(values: list[float], rule: Summation) -> float:
    """Return what `sequential_sums` gives for one column: a few numbers are added faster without numpy."""
    total = lost = 0.0
    for value in values:
        raised = total + value
        if rule == "compensated":
            lost += (total - raised) + value if abs(total) >= abs(value) else (value - raised) + total
        total = raised
    return total + lost

"""Sums without rounding: what `math.fsum` gives, from matrix products, whatever the BLAS, processor or threads.

Values come in slices whose products with counts are exact; what remains is one rounding. The two other rules of
summation found in the wild are here as well, for reconciling what they produced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tallystick.model import FloatArray, IntArray, Summation
from tallystick.slicing import PAIRED, AnyFloat, Slice, Sliced, scaled


class Counts:
    """How often each unit was drawn in each resample (r, n), ready to be multiplied in either precision."""

    def __init__(self, counts: FloatArray) -> None:
        self.double = counts
        self.single = counts.astype(np.float32)

    def drawn(self, digits: AnyFloat) -> AnyFloat:
        """Return digits (n, m) times counts → (m, r), in the precision of the digits."""
        return np.asarray(digits.T @ (self.single if digits.dtype == np.float32 else self.double).T)


class Sums:
    """The correctly rounded sums of drawn values: counts (r, n) and values (n, width) → sums (width, r).

    They are held as exact products and added where they are asked for, a few at a time. A sum is infinite where it is
    beyond the largest float, or its leading slices are. Zero comes out without a sign. Short sums come in single
    precision, where they are exact as well.
    """

    def __init__(self, counts: Counts, sliced: Sliced) -> None:
        self._resamples = len(counts.double)
        self._groups = [
            (group.columns, (_Pairs if group.short else _Terms)(counts, group.parts)) for group in sliced.groups
        ]

    def of(self, start: int, stop: int) -> AnyFloat:
        """Return the sums of the columns from `start` to before `stop` (stop − start, r)."""
        result = np.empty((stop - start, self._resamples))
        for columns, products in self._groups:
            first, last = np.searchsorted(columns, (start, stop)).tolist()
            if last - first == stop - start:
                return products.added(first, last)
            if last > first:
                result[columns[first:last] - start] = products.added(first, last)
        return result


class _Terms:
    """One product for each slice."""

    def __init__(self, counts: Counts, parts: Sequence[Slice]) -> None:
        self._terms = [(counts.drawn(part.digits), part.exponent[:, None]) for part in parts]

    def added(self, first: int, last: int) -> FloatArray:
        """Return the sums of some columns."""
        return _added([scaled(term[first:last], exponent[first:last]) for term, exponent in self._terms])


class _Pairs:
    """One product for each two columns, of which one is held above the other's bits."""

    def __init__(self, counts: Counts, parts: Sequence[Slice]) -> None:
        (part,) = parts
        lower, upper = part.digits.T[0::2], part.digits.T[1::2]
        both = np.zeros_like(lower)
        np.multiply(upper, PAIRED, out=both[: len(upper)])
        both += lower
        self._products = counts.drawn(both.T)

    def added(self, first: int, last: int) -> AnyFloat:
        """Return the sums of some columns, in single precision."""
        start = first // 2
        both = self._products[start : (last + 1) // 2]
        sums = np.empty((2 * len(both), both.shape[1]), np.float32)
        above = np.rint(both * (1 / PAIRED), out=sums[1::2])
        above += 0  # no zero with a sign
        np.subtract(both, above * PAIRED, out=sums[0::2])
        return sums[first - 2 * start : last - 2 * start]


def _added(terms: list[FloatArray]) -> FloatArray:
    """Add exact terms element by element with one rounding."""
    if len(terms) <= 2:
        with np.errstate(over="ignore"):
            return terms[0] if len(terms) == 1 else terms[0] + terms[1]
    flat = zip(*(term.ravel().tolist() for term in terms), strict=True)
    return np.array([_fsum(values) for values in flat]).reshape(terms[0].shape)


def _fsum(values: tuple[float, ...]) -> float:
    """Return `math.fsum`, infinite where it overflows."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.copysign(math.inf, max(values, key=abs))


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

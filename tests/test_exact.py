import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plain_python import compensated_sum, plain_sum
from tallystick import exact
from tallystick.model import FloatArray, IntArray
from tallystick.slicing import GLANCE, SHORT, Sliced, beside, slices

ordinary = st.floats(0, 1)
short = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, -2.0])
mixed = st.floats(-1e9, 1e9) | st.floats(1e-12, 1e-6) | short
tiny = st.floats(-1e-300, 1e-300)
any_scale = st.floats(-(2.0**990), 2.0**990)
huge = st.floats(-1e306, 1e306)


def fsums(counts: FloatArray, values: FloatArray) -> FloatArray:
    """Draw every value as often as counted and let Python add."""
    rows = [np.repeat(np.arange(len(values)), row.astype(int)) for row in counts]
    return np.array([[math.fsum(column[row].tolist()) for row in rows] for column in values.T])


def drawn_sums(counts: exact.Counts, sliced: Sliced) -> FloatArray:
    """Return all sums, asked for a few at a time: that changes nothing."""
    sums = exact.Sums(counts, sliced)
    whole = sums.of(0, sliced.width)
    parts = [sums.of(start, min(start + 3, sliced.width)) for start in range(0, sliced.width, 3)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    return whole.astype(np.float64)


@st.composite
def drawn(draw: Callable[..., object], elements: st.SearchStrategy[float]) -> tuple[IntArray, FloatArray]:
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 4))  # type: ignore[call-overload]
    values = draw(hnp.arrays(np.float64, (n, m), elements=elements))
    order = draw(hnp.arrays(np.int64, (5, n), elements=st.integers(0, n - 1)))
    return order, values  # type: ignore[return-value]


def counted(order: IntArray) -> FloatArray:
    return np.array([np.bincount(row, minlength=order.shape[1]) for row in order], np.float64)


@pytest.mark.parametrize("elements", [ordinary, short, mixed, tiny, any_scale, huge], ids=str)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_sums_are_those_of_fsum(elements: st.SearchStrategy[float], data: st.DataObject) -> None:
    order, values = data.draw(drawn(elements))
    counts = counted(order)
    np.testing.assert_array_equal(
        drawn_sums(exact.Counts(counts), slices(values, order.shape[1])), fsums(counts, values), strict=True
    )


def lowest_bit(number: Fraction) -> Fraction:
    """Return the largest power of two that a binary fraction is a multiple of."""
    return Fraction(number.numerator & -number.numerator, number.denominator)


signs = st.sampled_from([1, -1])
long = st.builds(lambda sign, bits: float(sign * (2**53 - bits)), signs, st.integers(0, 2**52))
edges = st.builds(lambda sign, bits, off: sign * (2.0**bits + off), signs, st.integers(0, 53), st.integers(-1, 1))
growths = st.integers(0, 1) | st.integers(0, 25)
scales = st.sampled_from([0, 0, 50, 75, 85, 100, -150, -175, -1074]) | st.integers(-200, 150) | st.integers(800, 970)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("elements", [edges, long, edges | long | mixed], ids=["edges", "long", "any"])
@settings(max_examples=200, deadline=None)
@given(data=st.data(), growth=growths, off=st.sampled_from([0, 1, -1]))
def test_no_sum_of_slices_outgrows_a_significand(
    elements: st.SearchStrategy[float], alone: bool, data: st.DataObject, growth: int, off: int
) -> None:
    """So sums are exact, even where the last rounding would hide that one was not; and slices leave nothing out."""
    _, values = data.draw(drawn(elements))
    values = np.ldexp(values, data.draw(st.lists(scales, min_size=values.shape[1], max_size=values.shape[1])))
    most = max(1, 2**growth + off)
    blocks = np.hsplit(values, range(1, values.shape[1]) if alone else [values.shape[1] // 2])
    for group in beside([slices(block, most) for block in blocks]).groups:
        for place, column in enumerate(group.columns.tolist()):
            left = list(map(Fraction, values[:, column].tolist()))
            for part in group.parts:
                digits = list(map(Fraction, part.digits[:, place].tolist()))
                unit = min(map(lowest_bit, filter(None, digits)), default=Fraction(1))
                largest = most * max(map(abs, digits))
                limits = np.finfo(part.digits.dtype)
                assert largest <= unit * 2 ** (limits.nmant + 1)
                assert unit >= Fraction(float(limits.tiny)) and largest <= Fraction(float(limits.max))
                assert not group.short or (unit >= 1 and largest < SHORT)
                scale = Fraction(2) ** int(part.exponent[place])
                left = [value - digit * scale for value, digit in zip(left, digits, strict=True)]
            assert not any(left)


def at_the_limit(n: int, numbers: np.random.Generator) -> FloatArray:
    """Return rows as long as slices allow.

    All ones, next to half a unit of the first slice, short ones; and, below a first row that leaves an odd unit, such
    whose second slice, rounded or truncated, is as long as slices allow.
    """
    growth = (n - 1).bit_length()
    ones = 2**53 - numbers.integers(1, 4, n)
    halfway = [(numbers.integers(2**52, 2**53, n) >> growth << growth) + (1 << growth >> 1) + off for off in (-1, 0, 1)]
    short = [2**bits - numbers.integers(1, 4, n) for bits in range(max(2, 23 - growth), 26 - growth) if bits > 1]
    columns = [column.astype(np.float64) for column in (ones, *halfway, *short)]
    for lower in (23 - growth, 24 - growth, 51 - growth, 52 - growth):
        long = (numbers.integers(2**52, 2**53, n) >> growth + lower << growth + lower).astype(np.float64)
        for rest in (2 ** (growth + lower - 1) - 1, 2 ** (growth + lower) - 1):
            column = np.ldexp(long + rest, -lower)
            column[0] = 2**53 - 2
            columns.append(column)
    return np.ldexp(np.column_stack(columns), -53)


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 1000, 2048, 4095, 4096, 4097, 8191])
@pytest.mark.parametrize(
    "exponent", [0, 60, 99, 100, 101, 124, 130, 153, 900, 961, 1010, -47, -60, -72, -101, -124, -130, -1000]
)
def test_sums_at_the_limit_of_a_slice_are_exact(n: int, exponent: int) -> None:
    """The same row drawn every time, so that the sum is as large as a slice allows, and every row once."""
    values = np.ldexp(at_the_limit(n, np.random.default_rng(n)), exponent)
    counts = np.zeros((9, n))
    counts[np.arange(8), np.arange(8) % n] = n
    counts[8] = 1
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, n)), fsums(counts, values))
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(-values, n)), -fsums(counts, values))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 64, 100, 1024, 2048])
def test_sums_of_short_columns_share_a_product_up_to_the_last_bit(n: int) -> None:
    """As large as allowed, and one more, whatever the sign of the other sum in the same number."""
    largest = math.ceil(2**11 / n) - 1
    below, beyond = ([sign * peak for sign in (1, -1)] for peak in (largest, largest + 1))
    values = np.tile(np.array([*product(below, below), *product(beyond, beyond)], np.float64).ravel(), (n, 1))
    values[: n // 2] -= np.sign(values[: n // 2])  # not every sum is even
    counts = np.array([np.ones(n), np.eye(n)[-1] * n, np.eye(n)[0] * n])
    assert [len(group.columns) for group in slices(values, n).groups if group.short] == [8]
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, n)), fsums(counts, values))


def test_many_random_sums_are_those_of_fsum() -> None:
    numbers = np.random.default_rng(5)
    values = np.hstack([numbers.random((200, 6)), numbers.normal(size=(200, 6)) * 10.0 ** numbers.integers(-20, 20, 6)])
    counts = counted(numbers.integers(0, 200, (400, 200)))
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, 200)), fsums(counts, values))


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    numbers = np.random.default_rng(6)
    values = np.hstack([numbers.random((50, 2)), numbers.integers(0, 2, (50, 2)), numbers.normal(size=(50, 2)) * 1e-30])
    counts = counted(numbers.integers(0, 50, (30, 50)))
    together = drawn_sums(exact.Counts(counts), slices(values, 50))
    for column in range(values.shape[1]):
        alone = drawn_sums(exact.Counts(counts), slices(values[:, [column]], 50))
        np.testing.assert_array_equal(together[column], alone[0])


def test_zeros_and_ones_take_one_slice_of_single_precision_and_fractions_two() -> None:
    numbers = np.random.default_rng(7)
    values = np.column_stack([numbers.integers(0, 2, 300), numbers.uniform(0.5, 1, 300), np.zeros(300)])
    kinds = {int(c): [p.digits.dtype.name for p in g.parts] for g in slices(values, 300).groups for c in g.columns}
    assert kinds == {0: ["float32"], 1: ["float64", "float32"], 2: ["float32"]}


def test_a_sum_beyond_the_largest_float_is_infinite() -> None:
    assert drawn_sums(exact.Counts(np.array([[2.0]])), slices(np.array([[-1.7e308]]), 2))[0, 0] == -math.inf
    assert exact.column_sums(np.array([[1.7e308], [1.7e308]]))[0] == math.inf


def test_columns_that_need_the_same_for_different_reasons_keep_their_places() -> None:
    numbers = np.random.default_rng(9)
    whole, quarters, zeros_and_ones = (numbers.integers(-m, m, (50, 4)) for m in (4000, 9, 2))
    values = np.stack([quarters / 4, whole, zeros_and_ones], axis=2).reshape(50, 12)
    counts = counted(numbers.integers(0, 50, (20, 50)))
    blocks = [slices(values[:, start : start + 5], 50) for start in range(0, 12, 5)]
    for sliced in (slices(values, 50), beside(blocks)):
        np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), sliced), fsums(counts, values))


def test_no_zero_has_a_sign() -> None:
    values = np.array([[-5.0, 0.0, -0.0, -0.25, -0.0], [5.0, -0.0, 0.0, 0.25, -1e-300]])
    counts = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    found = drawn_sums(exact.Counts(counts), slices(values, 2))
    digits = np.hstack([part.digits for group in slices(values, 2).groups for part in group.parts])
    for zeros in (found[found == 0], digits[digits == 0]):
        assert not np.signbit(zeros).any()


@pytest.mark.parametrize("late", [0.5, 2.0**-20, 2.0**-40, 2.0**-60, 1e-300, 2.0**23, 2.0**60, 2.0**1000])
def test_what_the_first_rows_promise_binds_no_later_row(late: float) -> None:
    numbers = np.random.default_rng(10)
    values = np.column_stack([numbers.integers(0, 2, 99), numbers.integers(0, 9, 99) / 4, numbers.random(99)])
    values[GLANCE + 1 :: 7] += late
    counts = counted(numbers.integers(0, 99, (20, 99)))
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, 99)), fsums(counts, values))


def test_the_largest_floats_cancel() -> None:
    largest = np.finfo(np.float64).max
    values = np.array([[largest, -largest], [-largest, largest / 2], [largest / 3, 0.1]])
    counts = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, 3)), fsums(counts, values))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        slices(np.array([[bad]]), 1)


@settings(max_examples=60, deadline=None)
@given(drawn(mixed))
def test_whole_clusters_are_summed_exactly(case: tuple[IntArray, FloatArray]) -> None:
    order, values = case
    starts = np.unique(np.concatenate([[0], order[0] // 2]))
    lengths = np.diff([*starts, len(values)])
    counts = counted(order[:, : len(starts)] % len(starts))[:, : len(starts)]
    sliced = slices(values, int(counts.sum(axis=1).max() * lengths.max()))
    np.testing.assert_array_equal(
        drawn_sums(exact.Counts(counts), sliced.grouped(starts)), fsums(np.repeat(counts, lengths, axis=1), values)
    )


@pytest.mark.parametrize(("rule", "python"), [("plain", plain_sum), ("compensated", compensated_sum)])
@settings(max_examples=60, deadline=None)
@given(case=drawn(mixed))
def test_sequential_sums_follow_the_order_of_the_draws(
    rule: str, python: Callable[[list[float]], float], case: tuple[IntArray, FloatArray]
) -> None:
    order, values = case
    found = exact.sequential_sums(values, order, rule)  # type: ignore[arg-type]
    expected = [[python(column[row].tolist()) for row in order] for column in values.T]
    np.testing.assert_array_equal(found, expected)
    padded = np.hstack([order, np.full((len(order), 2), -1)])
    np.testing.assert_array_equal(exact.sequential_sums(values, padded, rule), expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["plain", "compensated", "correctly rounded"])
def test_column_sums_under_each_rule(rule: str) -> None:
    values = np.array([[0.1, 1e16], [0.2, 1.0], [0.3, 1.0], [0.4, -1e16]])
    python = {"plain": plain_sum, "compensated": compensated_sum, "correctly rounded": math.fsum}[rule]
    assert exact.column_sums(values, rule).tolist() == [python(column) for column in values.T.tolist()]  # type: ignore[arg-type]


def test_the_order_in_which_a_product_adds_changes_nothing() -> None:
    """Other processors, libraries and threads add in other orders."""
    numbers = np.random.default_rng(8)
    values = numbers.normal(size=(300, 4)) * 10.0 ** numbers.integers(-8, 8, (300, 1))
    counts = counted(numbers.integers(0, 300, (50, 300)))
    found = drawn_sums(exact.Counts(counts), slices(values, 300))
    for _ in range(5):
        order = numbers.permutation(300)
        np.testing.assert_array_equal(drawn_sums(exact.Counts(counts[:, order]), slices(values[order], 300)), found)


@pytest.mark.parametrize("n", [3, 63, 64, 65, 999])
def test_whole_numbers_of_every_length_are_summed_exactly(n: int) -> None:
    """Odd ones, as long as a slice of single or double precision, and a little longer or shorter."""
    numbers = np.random.default_rng(n)
    values = np.column_stack([2.0**bits - 2 * numbers.integers(1, 3, n) + 1 for bits in range(3, 53)])
    counts = counted(numbers.integers(0, n, (20, n)))
    counts[0] = np.eye(n)[0] * n
    np.testing.assert_array_equal(drawn_sums(exact.Counts(counts), slices(values, n)), fsums(counts, values))

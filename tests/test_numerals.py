"""Numbers as text: decimals follow the uncertainty, and no rounding claims what is not so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick import numerals

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.mark.parametrize(
    ("errors", "places"),
    [
        ([0.03], 2),
        ([0.012], 3),  # two digits, since it begins with 1
        ([0.0096], 3),
        ([0.0099999], 3),  # rounds to 0.010, which begins with 1
        ([3.0], 0),
        ([17.0], 0),
        ([0.5, 0.03, 0.0004], 2),  # the median speaks for the column
        ([None, 0.0, 0.03], 2),
        ([], 3),
        ([1e-12], 6),
    ],
)
def test_decimals_follow_the_standard_error(errors: list[float | None], places: int) -> None:
    assert numerals.decimals(errors) == places


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.797378, 3, "0.797"),
        (-0.5, 1, "−0.5"),
        (-0.0001, 2, "0.00"),
        (-0.0, 1, "0.0"),
        (None, 2, "—"),
        (12.0, 0, "12"),
    ],
)
def test_number(value: float | None, places: int, text: str) -> None:
    assert numerals.number(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.12, "+0.1"), (-0.12, "−0.1"), (0.0, "0.0"), (0.01, "0.0"), (-0.01, "0.0")]
)
def test_a_difference_has_a_sign_unless_it_shows_as_zero(value: float, text: str) -> None:
    assert numerals.signed(value, 1) == text


def test_intervals_are_two_ends() -> None:
    assert numerals.interval(0.3356, 0.5, 2) == "0.34–0.50"
    assert numerals.interval(-0.1, 0.02, 2) == "−0.10 to 0.02"
    assert numerals.signed_interval(-0.1, 0.02, 2) == "−0.10 to +0.02"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0%"), (1.0, "100%"), (0.99999, ">99.9%"), (0.00001, "<0.1%"), (0.5, "50.0%"), (None, "—")],
)
def test_percentages_never_round_to_certainty(value: float | None, text: str) -> None:
    assert numerals.percentage(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.997, ">0.99"),
        (0.0768, "0.077"),
        (0.3, "0.30"),
        (0.00123, "0.0012"),
        (1e-9, "<0.0001"),
        (None, "—"),
    ],
)
def test_p_values(value: float | None, text: str) -> None:
    assert numerals.p_value(value) == text


@given(finite)
def test_the_exact_form_gives_the_same_bits_back(value: float) -> None:
    read = float(numerals.exact(value))
    assert read == value
    assert math.copysign(1, read) == math.copysign(1, value)


@given(finite, st.integers(0, 6))
def test_no_number_is_written_with_a_hyphen(value: float, places: int) -> None:
    assert "-" not in numerals.number(value, places)
    assert "-" not in numerals.signed(value, places)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_share_between_never_looks_like_an_end(value: float) -> None:
    assert numerals.percentage(value) not in ("0%", "100%", "0.0%", "100.0%")
    assert numerals.p_value(value) not in ("0", "1", "0.00", "1.00")


def test_counts_sizes_ranks_and_positions() -> None:
    assert numerals.count(2000) == "2,000"
    assert numerals.of(44, 60) == "44/60"
    assert [numerals.size(n) for n in (999, 31_415, 2_718_281, 3_000_000_000)] == [
        "999 B",
        "31.4 kB",
        "2.7 MB",
        "3.0 GB",
    ]
    assert (numerals.ranks(1, 3), numerals.ranks(2, 2)) == ("1–3", "2")
    assert [numerals.coordinate(x) for x in (1.0, 2.346, -0.001)] == ["1", "2.35", "0"]
    assert numerals.level(0.95) == "95%"
    assert (numerals.bound(-1.0), numerals.bound(None), numerals.bound(0.5)) == ("−1", "any", "0.5")

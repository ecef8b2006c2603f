"""Turn numbers into text; nothing else in the program does.

Decimals follow the uncertainty, never the other way round, and are the same for all numbers of a column. No rounding
may claim what is not so: a share that is not 0 or 1 is never shown as 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from statistics import median_low

UNDEFINED = "—"
MINUS = "−"
DASH = "–"
MOST_DECIMALS = 6
PLAIN_DECIMALS = 3
REMEMBERED = 1 << 14
"""Positions in drawings, of which most come again in the next one."""


def decimals(errors: Iterable[float | None]) -> int:
    """Return the decimals of a column from the standard errors of its numbers.

    The median error speaks for the column: one significant digit of it is kept, two if it begins with 1. Errors that
    are undefined or zero say nothing; without any other, three decimals are shown.
    """
    known = [error for error in errors if error is not None and error > 0 and math.isfinite(error)]
    if not known:
        return PLAIN_DECIMALS
    mantissa, exponent = f"{median_low(known):.1e}".split("e")
    places = -int(exponent) + (1 if mantissa.startswith("1") else 0)
    return min(max(places, 0), MOST_DECIMALS)


def number(value: float | None, places: int) -> str:
    """Write a number with a true minus sign and without a negative zero."""
    if value is None:
        return UNDEFINED
    text = f"{value:.{places}f}"
    if text.startswith("-"):
        return MINUS + text[1:] if text.strip("-0.") else text[1:]
    return text


def signed(value: float | None, places: int) -> str:
    """Write a difference: with its sign, unless it is shown as zero."""
    text = number(value, places)
    return text if value is None or value <= 0 or not text.strip("0.") else "+" + text


def interval(lower: float, upper: float, places: int) -> str:
    """Write two ends: "0.34–0.50", or "−0.10 to 0.02" where a dash would be read as a sign."""
    ends = number(lower, places), number(upper, places)
    return (" to " if MINUS in ends[0] + ends[1] else DASH).join(ends)


def signed_interval(lower: float, upper: float, places: int) -> str:
    """Write the two ends of a difference, each with its sign."""
    return f"{signed(lower, places)} to {signed(upper, places)}"


def count(value: int) -> str:
    """Write a whole number with its thousands apart."""
    return f"{value:,}".replace("-", MINUS)


def of(k: int, n: int) -> str:
    """Write a count out of all: "44/60"."""
    return f"{k}/{n}"


def percentage(value: float | None) -> str:
    """Write a share in per cent with one decimal, and never as 0 % or 100 % unless it is that."""
    if value is None:
        return UNDEFINED
    if value in (0, 1):
        return "0%" if value == 0 else "100%"
    text = f"{100 * value:.1f}"
    if text == "0.0":
        return "<0.1%"
    return ">99.9%" if text == "100.0" else text + "%"


def level(confidence: float) -> str:
    """Write a nominal confidence as it was set: "95%"."""
    return f"{100 * confidence:g}%"


def percentage_interval(lower: float, upper: float) -> str:
    """Write two ends in per cent, with the sign once; an end is a bound, so that it may round to 0 or 100."""
    return f"{100 * lower:.1f}{DASH}{100 * upper:.1f}%"


def bound(value: float | None) -> str:
    """Write an end of a metric as a maintainer would, or say that there is none."""
    return "any" if value is None else f"{value:g}".replace("-", MINUS)


def single(value: float) -> str:
    """Write a value of one sample, which has no uncertainty to follow: at most six significant digits."""
    return f"{value:.6g}".replace("-", MINUS)


def p_value(value: float | None) -> str:
    """Write a p-value: two significant digits between 0.0001 and 1."""
    if value is None:
        return UNDEFINED
    if value >= 1:
        return "1"
    if value < 0.0001:
        return "<0.0001"
    if f"{value:.2f}" == "1.00":
        return ">0.99"
    return f"{value:.{max(2, 1 - math.floor(math.log10(value)))}f}"


def exact(value: float | int | str | bool | None) -> str:
    """Write a value so that reading it back gives the same bits: for data values, exports and reconciliation."""
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def ranks(lower: int, upper: int) -> str:
    """Write a range of ranks, "1–3", or the one rank that is left."""
    return str(lower) if lower == upper else f"{lower}{DASH}{upper}"


def size(octets: int) -> str:
    """Write a file's size in decimal units."""
    amount = float(octets)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


@lru_cache(REMEMBERED)
def coordinate(value: float) -> str:
    """Write a position in a drawing: at most two decimals, none that say nothing."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text

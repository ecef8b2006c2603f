"""Digests of bytes, and of JSON values in a canonical form; SHA-256 in lower-case hexadecimal throughout.

Four canonical forms are in use in the wild. A schema names the one it means: they are never tried blindly.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader holds exactly."""


def sha256(content: bytes) -> str:
    """Return the digest of bytes."""
    return hashlib.sha256(content).hexdigest()


def seal(report: Mapping[str, Any]) -> str:
    """Return the digest of the RFC 8785 form of a report without its `seal`."""
    return sha256(canonical(dict(item for item in report.items() if item[0] != "seal")))


def canonical(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the canonical JSON of RFC 8785.

    Raises ValueError where a value has no such form: NaN, an infinity, a whole number beyond ±(2^53 − 1), a lone
    surrogate, or something that is not JSON.
    """
    return _canonical(value).encode("utf-8")


def compact_ascii(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return sorted keys, no spaces, everything beyond ASCII escaped: the form of FAR's run signature."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def spaced_ascii(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return sorted keys, a space after each separator, ASCII only: TextInsight's form of configurations."""
    return json.dumps(value, sort_keys=True, allow_nan=False).encode("ascii")


def compact_unicode(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return sorted keys, no spaces, UTF-8 unescaped: TextInsight's form of submissions and tasks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def _canonical(value: object) -> str:
    """Write one value; the commonest kinds come first, as a report holds tens of thousands of them."""
    match value:
        case str():
            return encode_basestring(value)
        case bool():
            return "true" if value else "false"
        case int() if -SAFE_INTEGER <= value <= SAFE_INTEGER:
            return str(value)
        case float() if math.isfinite(value):
            return _ecmascript(value)
        case None:
            return "null"
        case dict():
            return (
                "{" + ",".join([f"{encode_basestring(key)}:{_canonical(value[key])}" for key in _ordered(value)]) + "}"
            )
        case list() | tuple():
            return "[" + ",".join([_canonical(item) for item in value]) + "]"
    raise ValueError(f"{value!r} has no canonical JSON")


def _ordered(keys: Iterable[str]) -> list[str]:
    """Order keys by UTF-16 code units (RFC 8785, §3.2.3), which is not the order of code points beyond U+FFFF."""
    return sorted(keys) if "".join(keys).isascii() else sorted(keys, key=lambda key: key.encode("utf-16-be"))


def _ecmascript(number: float) -> str:
    """Write a number as ECMAScript does (ECMA-262, Number::toString): shortest digits, its own exponent rule."""
    if number.is_integer() and abs(number) <= SAFE_INTEGER:
        return str(int(number))
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    if 0 < point <= 21:
        if len(digits) <= point:
            return sign + digits.ljust(point, "0")
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"

"""Canonical forms, against the examples of RFC 8785 and of ECMAScript, and digests that others computed."""

from __future__ import annotations

import hashlib
import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.digest import canonical, compact_ascii, compact_unicode, seal, sha256, spaced_ascii


def number(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


@pytest.mark.parametrize(  # RFC 8785, appendix B
    ("bits", "written"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(bits: str, written: str) -> None:
    assert canonical(number(bits)) == written.encode()


def test_keys_sort_by_utf16_code_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]  # RFC 8785, §3.2.3
    ordered = json.loads(canonical(dict.fromkeys(keys, 0)))
    assert list(ordered) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_text_is_escaped_no_more_than_needed() -> None:
    value = {"string": '\u20ac$\u000f\nA\'B"\\\\"/\u007f'}
    assert canonical(value) == '{"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f"}'.encode()


def test_literals_and_whole_floats() -> None:
    assert canonical([True, False, None, 1.0, -3, 4.5, []]) == b"[true,false,null,1,-3,4.5,[]]"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, -(2**53), "\ud800", {"\udfff": 1}, {1, 2}])
def test_what_has_no_canonical_form_is_an_error(value: object) -> None:
    with pytest.raises(ValueError):
        canonical(value)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_value(value: float) -> None:
    assert float(canonical(value)) == value


def test_the_seal_leaves_itself_out_and_nothing_else() -> None:
    report = {"b": 1, "a": "é"}
    expected = hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()
    assert seal(report) == seal({**report, "seal": "anything"}) == expected
    assert seal({**report, "b": 2}) != expected


def test_the_foreign_forms_differ_in_spaces_and_escapes() -> None:
    value = {"b": 1.0, "a": "é"}
    assert compact_ascii(value) == b'{"a":"\\u00e9","b":1.0}'
    assert spaced_ascii(value) == b'{"a": "\\u00e9", "b": 1.0}'
    assert compact_unicode(value) == '{"a":"é","b":1.0}'.encode()


def test_sha256_is_of_the_bytes() -> None:
    assert sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

"""What is written is read back equal, to the bit, and bytes of any other kind become nothing at all."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synthetic import board
from tallystick.board import Entry
from tallystick.codec import decode, encode
from tallystick.errors import Problem
from tallystick.model import Column

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    PLAIN | st.binary() | st.dates() | st.datetimes(timezones=st.just(UTC)).map(lambda time: time.replace(fold=0)),
    lambda inner: st.lists(inner).map(tuple) | st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    found = decode(encode(value))
    assert found == value
    assert repr(found) == repr(value), "1, 1.0 and True are equal, and so are 0.0 and -0.0"


def test_the_order_of_a_mapping_is_kept() -> None:
    assert list(decode(encode({"b": 1, "a": 2}))) == ["b", "a"]


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.bool_])
def test_arrays_keep_type_and_shape_and_cannot_be_written(kind: type) -> None:
    array = np.array([[0.1, -0.0, 1e15], [1, 2, 3]]).astype(kind)
    found = decode(encode(array))
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1


def test_every_value_of_a_board_comes_back() -> None:
    made = board()
    found = decode(encode(made))
    assert encode(found) == encode(made)
    assert isinstance(found.entries[0], Entry)
    assert isinstance(found.entries[0].report.columns["accuracy"], Column)
    assert found.ranking == made.ranking
    assert found.comparisons == made.comparisons


@pytest.mark.parametrize("value", [{1}, object(), 1j, np.array(["a"]), np.array([1], np.int8), print])
def test_what_has_no_encoding_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no encoding"):
        encode(value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b'{"Problem": []}',
        b'{"Problem": ["a"]}',
        b'{"system": ["ls"]}',
        b'{"Path": ["/"]}',
        b'{"array": ["|O", [1], ""]}',
        b'{"array": ["<f8", [2], ""]}',
        b'{"a": 1, "b": 2}',
        b"{}",
        b'{"datetime": "yesterday"}',
        b'{"": 5}',
        b"cposix\nsystem\n(S'ls'\ntR.",
    ],
)
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError):
        decode(content)


def test_it_is_json_that_anyone_can_read() -> None:
    problem = Problem("code", "where", "this", "that", "Mend it.")
    assert json.loads(encode((problem, date(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC)))) == {
        "": [
            {"Problem": ["code", "where", "this", "that", "Mend it.", "refuse"]},
            {"date": "2026-01-02"},
            {"datetime": "2026-01-02T00:00:00+00:00"},
        ]
    }

"""Strict JSON: what it accepts equals what the standard library reads; what it refuses, it names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.errors import PROBLEMS_SHOWN, Refusal
from tallystick.strict import describe, json_document, json_lines, json_object, pointer
from tallystick.strict.jsons import numbered_lines

SAFE = 2**53 - 1
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def refused(content: bytes) -> list[str]:
    with pytest.raises(Refusal) as raised:
        json_document(content, "f.json")
    return [f"{problem.code} {problem.where}" for problem in raised.value.problems]


@settings(deadline=None)
@given(VALUES)
def test_what_is_plain_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:  # noqa: ANN401
    assert json_document(json.dumps(value).encode(), "f.json") == value


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        json_document(content, "f.json")
    except Refusal as refusal:
        assert refusal.problems


def test_every_problem_of_a_document_is_told_with_its_pointer() -> None:
    content = b'{"a/b": [1, NaN, {"x": 1e999}], "c": 12345678901234567890, "d": "\\udc00", "d": 2}'
    assert refused(content) == [
        "not-finite f.json /a~1b/1",
        "number-out-of-range f.json /a~1b/2/x",
        "number-out-of-range f.json /c",
        "duplicate-key f.json /d",
    ]


@pytest.mark.parametrize("number", [SAFE, -SAFE])
def test_the_largest_safe_integers_are_read(number: int) -> None:
    assert json_document(str(number).encode(), "f.json") == number
    assert refused(str(number + (1 if number > 0 else -1)).encode()) == ["number-out-of-range f.json"]


def test_a_surrogate_pair_is_a_character_and_half_of_one_is_not() -> None:
    assert json_document(b'"\\ud83d\\ude00"', "f.json") == "\U0001f600"
    assert refused(b'{"\\ud83d": 1}') == ["lone-surrogate f.json"]


def test_64_levels_are_read_and_65_are_not() -> None:
    assert json_document(b"[" * 64 + b"]" * 64, "f.json")
    assert refused(b"[" * 65 + b"]" * 65) == ["nesting-too-deep f.json"]
    assert refused(b'{"a":' * 65 + b"1" + b"}" * 65) == ["nesting-too-deep f.json"]


def test_brackets_inside_text_are_no_nesting() -> None:
    text = "[{" * 100
    assert json_document(json.dumps(text).encode(), "f.json") == text


def test_lines_end_with_line_feeds_only() -> None:
    rows = [{"a": "x\u2028y\x85z"}, {"a": 2}]
    content = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    assert list(json_lines(content, "f.jsonl")) == rows


def test_blank_lines_count_as_lines() -> None:
    assert numbered_lines(b'\n{"a": 1}\n\n{"a": 2}', "f.jsonl") == ((2, {"a": 1}), (4, {"a": 2}))


def test_problems_of_many_lines_are_capped_and_the_rest_counted() -> None:
    with pytest.raises(Refusal) as raised:
        json_lines(b"{}\n" + b"7\n" * 60, "f.jsonl")
    problems = raised.value.problems
    assert len(problems) == PROBLEMS_SHOWN
    assert problems[0].where == "f.jsonl line 2"
    assert problems[-1].found == "11 further problems from here on"


@pytest.mark.parametrize(
    "content", [b'{"a": [' + b"NaN," * 2000 + b"0]}", b'{"a": [' + b'"\\ud800",' * 2000 + b"0]}"], ids=["NaN", "half"]
)
def test_of_thousands_of_faults_not_all_are_looked_for(content: bytes) -> None:
    with pytest.raises(Refusal) as raised:
        json_document(content, "f.json")
    assert len(raised.value.problems) == PROBLEMS_SHOWN
    assert raised.value.problems[-1].found == "at least 952 further problems from here on"


def test_of_thousands_of_broken_lines_not_all_are_read() -> None:
    with pytest.raises(Refusal) as raised:
        json_lines(b"7\n" * 1500 + b'{"a": "' + b"x" * 10, "f.jsonl")
    assert raised.value.problems[-1].found == "at least 952 further problems from here on"


@pytest.mark.parametrize("content", [b'[\n{"a": 1},\n{"a": 2}\n]', b'[{"a": 1}]', b'{\n "a": 1\n}'])
def test_a_document_is_not_lines(content: bytes) -> None:
    with pytest.raises(Refusal) as raised:
        json_lines(content, "f.jsonl")
    assert [problem.code for problem in raised.value.problems] == ["json-lines-expected"]


def test_an_object_is_asked_for_as_such() -> None:
    assert json_object(b"{}", "f.json") == {}
    with pytest.raises(Refusal, match="expected an object, found an array of 1"):
        json_object(b"[1]", "f.json")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "the number 1.0"),
        ("a\u202eb\n", 'the text "a\\u202eb\\n"'),
        ("é", 'the text "é"'),
        ("x" * 61, f'the text "{"x" * 57}…"'),
        ({"a": 1}, "an object of 1 key"),
        ([], "an array of 0"),
    ],
)
def test_values_are_described_so_that_they_can_be_seen(value: object, said: str) -> None:
    assert describe(value) == said


def test_pointers_escape_as_rfc_6901_says() -> None:
    assert pointer(("a/b", 0, "m~n")) == "/a~1b/0/m~0n"


@pytest.mark.parametrize("written", ['{"a": 1,\n"b": [\n', '{"a": 1,\n"b": 2\n\n \n'])
def test_a_file_that_was_cut_off_ends_on_a_line_that_it_has(written: str) -> None:
    with pytest.raises(Refusal) as refusal:
        json_document(written.encode(), "a.json")
    assert [problem.where for problem in refusal.value.problems] == ["a.json line 2"]

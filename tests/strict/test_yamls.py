"""Strict YAML: the core schema and nothing else, with a line for everything."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.errors import SettingsError
from tallystick.strict import yaml_document


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("True", "True"),
        ("true", True),
        ("~", None),
        ("", None),
        ("2026-11-30", "2026-11-30"),
        ("1:20", "1:20"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("-12", -12),
        ("0", 0),
        ("1e3", 1000.0),
        (".5", 0.5),
        ('"1"', "1"),
        ("'true'", "true"),
    ],
)
def test_scalars_follow_the_core_schema(written: str, value: object) -> None:
    found = yaml_document(f"a: {written}\n".encode(), "f.yaml").value["a"]
    assert found == value
    assert type(found) is type(value)


LETTERS = st.characters(codec="ascii", categories=["L"])


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.text(LETTERS),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(LETTERS, min_size=1), inner),
        max_leaves=10,
    )
)
def test_what_another_writer_wrote_is_read(value: Any) -> None:  # noqa: ANN401
    written = yaml.safe_dump({"value": value})
    if "&id" not in written:
        assert yaml_document(written.encode(), "f.yaml").value == {"value": value}


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("a: 1\nb: [1,\n", 2),
        ("a: 1\nb: [1,\n\n\n", 2),
        ("a: 'x\r\n", 1),
        ("a: 1\rb: [\r", 2),
        ("a: 1\n b: 2\nc: 3\n", 2),
    ],
)
def test_a_syntax_error_is_on_a_line_that_the_file_has(written: str, line: int) -> None:
    with pytest.raises(SettingsError) as error:
        yaml_document(written.encode(), "f.yaml")
    assert [problem.where for problem in error.value.problems] == [f"f.yaml line {line}"]


def test_lines_are_known_for_every_path() -> None:
    document = yaml_document(b"a:\n  - x\n  - b: 1\n\n\nc: {d: 2,\n    e: 3}\n", "f.yaml")
    assert document.place(("a", 0)) == "f.yaml line 2 /a/0"
    assert document.place(("a", 1, "b")) == "f.yaml line 3 /a/1/b"
    assert document.place(("c", "e")) == "f.yaml line 7 /c/e"
    assert document.place(("c", "absent")) == "f.yaml line 6 /c/absent"
    assert document.place(()) == "f.yaml line 1"


def test_lines_count_from_where_the_text_begins() -> None:
    with pytest.raises(SettingsError, match=r"f\.md line 11: "):
        yaml_document(b"a: 1\na: 2\n", "f.md", first_line=10)


@pytest.mark.parametrize("content", [b"? {a: 1}\n: x\n", b"? [a]\n: x\n"])
def test_a_key_is_text(content: bytes) -> None:
    with pytest.raises(SettingsError, match="yaml-key"):
        yaml_document(content, "f.yaml")


@settings(deadline=None)
@given(st.text(max_size=40))
def test_text_is_read_or_refused(source: str) -> None:
    try:
        yaml_document(source.encode("utf-8", "surrogatepass"), "f.yaml")
    except SettingsError as error:
        assert error.problems

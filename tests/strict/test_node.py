"""Typed access to foreign documents: strict types, every problem, nothing raised before it must be."""

from __future__ import annotations

import pytest

from tallystick.errors import Problem, Refusal
from tallystick.strict import Node, line_nodes

DOCUMENT = {"name": "x", "n": 3, "share": 0.5, "flag": True, "seed": None, "a/b": {"deep": [1, "two"]}, "list": [{}, 7]}


@pytest.fixture
def node() -> Node:
    return Node(DOCUMENT, "f.json")


def test_values_come_in_their_types(node: Node) -> None:
    assert (node.text("/name"), node.whole("/n"), node.number("/share"), node.flag("/flag")) == ("x", 3, 0.5, True)
    assert node.mapping("/a~1b") == {"deep": [1, "two"]}
    assert node.text("/a~1b/deep/1") == "two"
    assert node.problems == []


@pytest.mark.parametrize(
    ("method", "pointer", "neutral", "expected", "found"),
    [
        ("text", "/n", "", "text", "the number 3"),
        ("number", "/flag", 0, "a number", "true"),
        ("number", "/name", 0, "a number", 'the text "x"'),
        ("whole", "/share", 0, "a whole number", "the number 0.5"),
        ("flag", "/n", False, "true or false", "the number 3"),
        ("mapping", "/list", {}, "an object", "an array of 2"),
        ("sequence", "/a~1b", [], "an array", "an object of 1 key"),
        ("texts", "/a~1b/deep", (), "an array of texts", "an array of 2"),
        ("text", "/absent", "", "text", "nothing"),
        ("text", "/list/9", "", "text", "nothing"),
        ("text", "/list/-1", "", "text", "nothing"),
    ],
)
def test_another_type_is_a_problem_and_a_neutral_value(
    node: Node, method: str, pointer: str, neutral: object, expected: str, found: str
) -> None:
    assert getattr(node, method)(pointer) == neutral
    assert [(problem.where, problem.expected, problem.found) for problem in node.problems] == [
        (f"f.json {pointer}", expected, found)
    ]


def test_null_and_nothing_are_both_absent_where_a_value_is_optional(node: Node) -> None:
    assert node.maybe("/seed", node.whole) is None
    assert node.maybe("/nowhere", node.whole) is None
    assert node.maybe("/n", node.whole) == 3
    assert node.has("/seed")
    assert not node.has("/nowhere")
    assert node.problems == []


def test_children_share_problems_and_know_where_they_are(node: Node) -> None:
    first, second = node.children("/list")
    first.text("/id")
    assert second.value == {}
    assert [problem.where for problem in node.problems] == ["f.json /list/1", "f.json /list/0/id"]


def test_settling_raises_all_problems_at_once(node: Node) -> None:
    node.settle()
    node.text("/n")
    node.flag("/name")
    with pytest.raises(Refusal) as raised:
        node.settle()
    assert len(raised.value.problems) == 2


def test_lines_become_nodes_that_name_their_line() -> None:
    problems: list[Problem] = []
    _, second = line_nodes(b'{"a": 1}\n\n{"a": "x"}', "f.jsonl", problems)
    second.number("/a")
    assert [problem.where for problem in problems] == ["f.jsonl line 3 /a"]

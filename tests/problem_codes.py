"""Every problem code that the program can give, read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "builder/tallystick"
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def codes() -> dict[str, str]:
    """Return a module by each code; a code made of parts has `*` for what is put in.

    A code is what stands where a function takes an argument named `code`: the first of `Problem`, the second of
    `refuse`, and wherever else the program says so. Raises AssertionError for one that cannot be read.
    """
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PROGRAM.rglob("*.py"))}
    places: dict[str, set[int]] = {}
    for tree in trees.values():
        for name, position in _takers(tree):
            places.setdefault(name, set()).add(position)
    found: dict[str, str] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            for code in [*_given(node, places), *_looped(node, tree)]:
                found.setdefault(code, path.name)
    return found


def _takers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield each function or dataclass that takes a code, and where among its arguments, without `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            fields = [
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            if "code" in fields:
                yield node.name, fields.index("code")
        if isinstance(node, Function):
            names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
            if "code" in names:
                yield node.name, names.index("code")


def _given(node: ast.AST, places: dict[str, set[int]]) -> Iterator[str]:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in places:
            named = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            for position in places[name]:
                for argument in [*named, *node.args[position : position + 1]]:
                    yield from _texts(argument)
        if name == "replace":
            for keyword in node.keywords:
                if keyword.arg == "code":
                    yield from _texts(keyword.value)
    elif isinstance(node, ast.Assign):
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if "codes" in names or ("code" in names and not isinstance(node.value, ast.Dict)):
            yield from _texts(node.value)


def _looped(node: ast.AST, tree: ast.Module) -> Iterator[str]:
    """Yield the codes that a loop goes through: those of its tuples, or of the table that it reads."""
    if isinstance(node, ast.For) and any(
        isinstance(name, ast.Name) and name.id == "code" for name in ast.walk(node.target)
    ):
        read = {name.id for name in ast.walk(node.iter) if isinstance(name, ast.Name)}
        tables = [
            one.value
            for one in tree.body
            if isinstance(one, ast.Assign)
            and any(isinstance(name, ast.Name) and name.id in read for name in one.targets)
        ]
        for table in [node.iter, *tables]:
            for part in ast.walk(table):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and "-" in part.value:
                    yield from _texts(part)


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if CODE.fullmatch(node.value):
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from [*_texts(node.body), *_texts(node.orelse)]
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _texts(value)
    elif isinstance(node, ast.Call):
        for argument in node.args:
            yield from _texts(argument)

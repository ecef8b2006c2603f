"""Hold settings against their shape, and say each mistake with file, line, key and the key that was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from tallystick.errors import Problem, SettingsError
from tallystick.strict import YamlDocument, capped, describe

S = TypeVar("S", bound=BaseModel)
Path = tuple[str | int, ...]


def validated(shape: type[S], value: object, document: YamlDocument) -> S:
    """Return the settings in their shape; raise SettingsError with every mistake of `value`.

    `document` knows the lines; it may hold less than `value`, which defaults may have filled.
    """
    if not isinstance(value, Mapping):
        problem = Problem("wrong-type", document.place(()), "keys and values", describe(value), "Write `key: value`.")
        raise SettingsError([problem])
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        raise SettingsError(capped(shape_problems(error, shape, value, document.place))) from None


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a remedy that names the known word nearest to one that is unknown."""
    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    return f"Did you mean `{close[0]}`?" if close else "Use one of these."


def listed(names: Iterable[str]) -> str:
    """Write names as the "expected" of a problem."""
    return "one of " + ", ".join(sorted(names))


def shape_problems(
    error: ValidationError, shape: type[BaseModel], value: Mapping[str, Any], place: Callable[[Path], str]
) -> Iterator[Problem]:
    """Turn what validation found into problems; `place` says where a path of `value` stands."""
    merged: dict[Path, list[str]] = {}
    found: dict[Path, object] = {}
    for item in error.errors(include_url=False):
        path, kind = item["loc"], item["type"]
        if kind == "extra_forbidden":
            known = _shape_at(shape, path[:-1]).model_fields
            key = str(path[-1])
            where = place(_real(path, value))
            yield Problem("key-unknown", where, listed(known), f"`{key}`", nearest(key, known))
        elif kind == "missing":
            where = place(_real(path, value))
            yield Problem("key-absent", where, f"the key `{path[-1]}`", "none", "Add it.")
        else:
            real = _real(path, value)
            merged.setdefault(real, []).append(_expected(item["msg"]))
            found[real] = item["input"]
    for path, expected in merged.items():
        text = " or ".join(dict.fromkeys(expected))
        yield Problem("wrong-value", place(path), text, describe(found[path]), "Correct the value.")


def _expected(message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input should be ")
    if text.startswith("String should match pattern"):
        return "a SHA-256 of 64 lower-case hexadecimal digits"
    return {
        "a valid string": "text",
        "a valid number": "a number",
        "a valid integer": "a whole number",
        "a valid boolean": "true or false",
        "a valid list": "a list",
        "a valid dictionary": "keys and values",
        "String should have at least 1 character": "some text",
        "List should have at least 1 item after validation, not 0": "at least one",
    }.get(text, "keys and values" if "valid dictionary or instance" in text else text)


def _real(path: Sequence[str | int], value: Any) -> Path:  # noqa: ANN401 - any JSON value
    """Drop what validation adds to a path (the alternatives of a union), keeping at most one absent key."""
    real: list[str | int] = []
    for position, part in enumerate(path):
        if part in (value if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ()):
            value = value[part]
        elif position < len(path) - 1 or not isinstance(value, Mapping):
            continue
        real.append(part)
    return tuple(real)


def _shape_at(shape: type[BaseModel], path: Sequence[str | int]) -> type[BaseModel]:
    for part in path:
        known = shape.model_fields
        if isinstance(part, str) and part in known:
            shape = next(_shapes(known[part].annotation), shape)
    return shape


def _shapes(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any type expression
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _shapes(inner)

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
    known = sorted(names)
    return f"one of {', '.join(known)}" if len(known) > 1 else f"{''.join(known)}"


def shape_problems(
    error: ValidationError, shape: type[BaseModel], value: Mapping[str, Any], place: Callable[[Path], str]
) -> Iterator[Problem]:
    """Turn what validation found into problems; `place` says where a path of `value` stands."""
    wrong: dict[Path, list[str]] = {}
    found: dict[Path, object] = {}
    for item in error.errors(include_url=False):
        path, key = item["loc"], item["loc"][-1]
        parent = _real(path[:-1], value)
        if item["type"] == "extra_forbidden":
            known = _keys(_shape_at(shape, path[:-1]))
            where = place((*parent, key))
            yield Problem("key-unknown", where, listed(known), f"`{key}`", nearest(str(key), known))
        elif item["type"] == "missing":
            yield Problem("key-absent", place((*parent, key)), f"the key `{key}`", "none", "Add it.")
        else:
            real = _real(path, value)
            wrong.setdefault(real, []).append(_expected(item["msg"]))
            found[real] = item["input"]
    inner = {path[:length] for path in _paths(error, value) for length in range(len(path))}
    for path, expected in wrong.items():
        if path not in inner:  # of a union's complaints, the innermost says what is wrong
            text = " or ".join(dict.fromkeys(expected))
            yield Problem("wrong-value", place(path), text, describe(found[path]), "Correct the value.")


def _paths(error: ValidationError, value: object) -> Iterator[Path]:
    for item in error.errors(include_url=False):
        absent = item["type"] in ("missing", "extra_forbidden")
        yield (*_real(item["loc"][:-1], value), item["loc"][-1]) if absent else _real(item["loc"], value)


def _expected(message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input should be ")
    if text.startswith("String should match pattern"):
        return "a SHA-256 of 64 lower-case hexadecimal digits"
    if text.startswith(("greater", "less")):
        return f"a number {text}"
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
    """Drop from a path what only validation knows: the alternatives of a union."""
    real: list[str | int] = []
    for part in path:
        if part in (value if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ()):
            value = value[part]
            real.append(part)
    return tuple(real)


def _keys(shape: type[BaseModel]) -> set[str]:
    return {known.alias or name for name, known in shape.model_fields.items()}


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

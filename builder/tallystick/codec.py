"""Write the program's values as bytes, and read them back: JSON that can only ever become values, never code.

Each JSON object has one member, whose name says what it stands for: a dataclass of `model`, `board` or `errors`, or one
of the few other types below. Floats come back bit for bit, arrays with their type, shape and read-only flag.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from tallystick import board, errors, model

CLASSES: Mapping[str, type] = {
    name: kind
    for module in (errors, model, board)
    for name, kind in vars(module).items()
    if is_dataclass(kind) and isinstance(kind, type)
}
STATED: Mapping[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind) if field.init) for kind in CLASSES.values()
}
ARRAYS = ("|b1", "<f8", "<i8")
PLAIN = (str, int, float, bool, type(None))


def encode(value: object) -> bytes:
    """Return the bytes of a value. Raises TypeError for what it does not know."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(content: bytes) -> Any:  # noqa: ANN401 - any value that `encode` took
    """Return the value that was encoded. Raises ValueError for bytes that are no such value."""
    try:
        return json.loads(content.decode("utf-8", "surrogatepass"), object_hook=_restored)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no value of this program: {error!r}") from error


def _plain(value: object) -> object:
    kind = value.__class__
    if kind in PLAIN:
        return value
    if kind is tuple:
        return {"": [_plain(item) for item in value]}  # type: ignore[attr-defined]
    if kind in STATED:
        return {kind.__name__: [_plain(getattr(value, name)) for name in STATED[kind]]}
    if kind is list:
        return [_plain(item) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {"mapping": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.str in ARRAYS:
        return {"array": [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode("ascii")]}
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode("ascii")}  # type: ignore[arg-type]
    if kind is datetime or kind is date:
        return {kind.__name__: value.isoformat()}  # type: ignore[attr-defined]
    raise TypeError(f"no encoding for {kind.__name__}")


def _array(stated: list[Any]) -> np.ndarray:
    kind, shape, content = stated
    if kind not in ARRAYS:
        raise ValueError(f"no array of {kind}")
    # Bytes are immutable, so the array is read-only.
    return np.frombuffer(base64.b64decode(content, validate=True), kind).reshape(shape)


_OTHER: Mapping[str, Callable[[Any], Any]] = {
    "": tuple,
    "mapping": dict,
    "array": _array,
    "bytes": base64.b64decode,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def _restored(stated: dict[str, Any]) -> Any:  # noqa: ANN401 - any value that `encode` took
    ((name, content),) = stated.items()
    if name in _OTHER:
        return _OTHER[name](content)
    kind = CLASSES[name]
    return kind(**dict(zip(STATED[kind], content, strict=True)))

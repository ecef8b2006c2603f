"""Collect the plug-ins of a folder: the folder is the registry, one constant per module."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def collect(package: ModuleType, constant: str, kind: type[T]) -> tuple[T, ...]:
    """Import every module of `package` in name order and return its `constant`.

    Raises TypeError, naming the module, where the constant is missing or is not a `kind`: a plug-in that says nothing
    is a mistake of ours, not of a user.
    """
    found: list[T] = []
    for module in _plugins(package):
        plugin = getattr(module, constant, None)
        if not isinstance(plugin, kind):
            raise TypeError(f"{module.__name__} must define {constant}, a {kind.__name__}")
        found.append(plugin)
    return tuple(found)


@cache
def _plugins(package: ModuleType) -> tuple[ModuleType, ...]:
    """Import the plug-ins of a package; a leading underscore marks code that they share."""
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))
    return tuple(importlib.import_module(f"{package.__name__}.{name}") for name in names)

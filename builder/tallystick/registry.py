"""Collect the plug-ins of a folder: the folder is the registry, one constant per module."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def collect(package: ModuleType, constant: str, kind: type[T]) -> tuple[T, ...]:
    """Import every module of `package` in name order and return its `constant`.

    Raises TypeError, naming the module, where the constant is missing or is not a `kind`: a plug-in that says nothing
    is a mistake of ours, not of a user.
    """
    found: list[T] = []
    for module_info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if module_info.name.startswith("_"):  # code shared by plug-ins of one folder
            continue
        name = f"{package.__name__}.{module_info.name}"
        plugin = getattr(importlib.import_module(name), constant, None)
        if not isinstance(plugin, kind):
            raise TypeError(f"{name} must define {constant}, a {kind.__name__}")
        found.append(plugin)
    return tuple(found)

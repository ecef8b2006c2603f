"""What a template receives, searched for tables and figures: pages know nothing of their data files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeVar

from tallystick.table import Figure, Table

Leaf = TypeVar("Leaf", Table, Figure)


def within(value: object, kind: type[Leaf]) -> Iterator[Leaf]:
    """Find everything of a kind in order; figures that stand in tables only repeat what is there."""
    if isinstance(value, Table | Figure):
        if isinstance(value, kind):
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from within(item, kind)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from within(item, kind)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from within(getattr(value, field.name), kind)

"""Metric ids: made of the names that logs give, the same way in every log, and never one for two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tallystick.digest import sha256
from tallystick.imported import ImportedRun, identifier

_ROOM = 54  # of 63 characters, for a dash and eight digits of a digest


def named(run: ImportedRun) -> ImportedRun:
    """Return the run with ids in the place of its metrics' names, wherever they stand."""
    ids = metric_ids(metric.id for metric in run.metrics)
    if all(name == made for name, made in ids.items()) and all(item.metric in ids for item in run.stated):
        return run
    return replace(
        run,
        metrics=tuple(replace(metric, id=ids[metric.id]) for metric in run.metrics),
        samples=tuple(
            replace(sample, values={ids[name]: value for name, value in sample.values.items()})
            for sample in run.samples
        ),
        stated=tuple(replace(item, metric=ids[item.metric]) for item in run.stated if item.metric in ids),
    )


def metric_ids(names: Iterable[str]) -> dict[str, str]:
    """Return an id for each name; where two names would have the same, both get part of their digest."""
    plain = {name: identifier(name) for name in names}
    made = list(plain.values())
    return {
        name: made_of if made.count(made_of) == 1 else f"{made_of[:_ROOM]}-{sha256(name.encode())[:8]}"
        for name, made_of in plain.items()
    }

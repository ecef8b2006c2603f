"""What a resample draws: rows within strata, or whole clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from tallystick.model import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What is drawn: `rows` grouped by unit and units by stratum, `starts` the place in `rows` where each unit begins.

    A unit is one row where rows are drawn, and all rows of a cluster where clusters are. `sizes` counts the units of
    each stratum.
    """

    rows: IntArray
    starts: IntArray
    sizes: tuple[int, ...]
    lengths: IntArray = field(init=False)
    alike: tuple[tuple[int, ...], bytes] = field(init=False)
    """What layouts have in common that can share resamples."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", np.diff(self.starts, append=len(self.rows)))
        object.__setattr__(self, "alike", (self.sizes, self.lengths.tobytes() if self.clustered else b""))

    @property
    def clustered(self) -> bool:
        """Whether some unit holds more than one row."""
        return len(self.starts) < len(self.rows)

    @property
    def most(self) -> int:
        """The largest number of rows that a resample can hold."""
        return len(self.starts) * int(self.lengths.max())


def stratified(strata: Sequence[str], rows: IntArray) -> Layout:
    """Draw rows within strata, these sorted by name; within a stratum, rows stand in the order given."""
    codes = _codes(tuple(strata))[rows]
    sizes = np.bincount(codes)
    return Layout(rows[np.argsort(codes, kind="stable")], np.arange(len(rows)), tuple(sizes[sizes > 0].tolist()))


def clustered(clusters: Sequence[str | None], rows: IntArray) -> Layout:
    """Draw whole clusters, sorted by name, as many as there are; rows outside every cluster are left out."""
    codes = _codes(tuple(clusters))[rows]
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return Layout(rows[order], starts, (len(starts),) if len(starts) else ())


class Layouts:
    """The layouts of one set of samples: measures with the same rows get the same one."""

    def __init__(self, strata: Sequence[str], clusters: Sequence[str | None] = ()) -> None:
        self._names = {stratified: strata, clustered: clusters}
        self._known: dict[tuple[object, bytes], Layout] = {}

    def stratified(self, rows: IntArray) -> Layout:
        """Draw rows within strata."""
        return self._layout(stratified, rows)

    def clustered(self, rows: IntArray) -> Layout:
        """Draw whole clusters."""
        return self._layout(clustered, rows)

    def _layout(self, draw: Callable[..., Layout], rows: IntArray) -> Layout:
        key = (draw, rows.tobytes())
        if key not in self._known:
            self._known[key] = draw(self._names[draw], rows)
        return self._known[key]


@lru_cache(maxsize=16)
def _codes(names: tuple[str | None, ...]) -> IntArray:
    """Number names in sorted order from 0; None is −1."""
    number = {name: code for code, name in enumerate(sorted({name for name in names if name is not None}))}
    return np.array([-1 if name is None else number[name] for name in names], np.int64)

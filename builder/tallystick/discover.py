"""Find the benchmarks below `results/` and the files that may be reports, without opening or following anything."""

from __future__ import annotations

from pathlib import Path

from tallystick.model import Catalogue


def discover(root: Path) -> Catalogue:
    """List every benchmark of `root/results` with its candidate files."""
    raise NotImplementedError

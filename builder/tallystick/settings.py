"""What the maintainer settled: `content/` and `results/<benchmark>/benchmark.yaml`, typed and strict."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tallystick.board import Prose, SiteSettings
from tallystick.model import Benchmark, Protocol


def load_site(root: Path) -> SiteSettings:
    """Read `content/site.yaml`; raise SettingsError with every mistake in it."""
    raise NotImplementedError


def load_prose(root: Path) -> tuple[Prose, ...]:
    """Read the Markdown pages of `content/`, in order; raise SettingsError with every mistake in them."""
    raise NotImplementedError


def load_benchmark(root: Path, benchmark_id: str, protocols: Iterable[Protocol]) -> Benchmark:
    """Read `results/<id>/benchmark.yaml`, its sample file and supplements; raise SettingsError with every mistake."""
    raise NotImplementedError

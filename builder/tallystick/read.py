"""Read the candidate files of a benchmark once, and hand their bytes to the benchmark's protocol."""

from __future__ import annotations

from collections.abc import Iterable

from tallystick.model import Benchmark, BenchmarkFolder, Protocol, Report, Unread


def read(
    folder: BenchmarkFolder, benchmark: Benchmark, protocols: Iterable[Protocol]
) -> tuple[tuple[Report, ...], tuple[Unread, ...]]:
    """Return the reports of a benchmark, sorted by path, and what could not be read, sorted by path."""
    raise NotImplementedError

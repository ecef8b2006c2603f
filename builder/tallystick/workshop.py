"""Do a stage's work piece by piece: what was done before is recalled, the rest is spread over an executor.

It knows no stage. `each` is handed a function of some pieces and common settings that gives one value a piece, whatever
other pieces it is called with; so neither the cache, nor the executor, nor the parts can change a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from tallystick.cache import Cache, code, key
from tallystick.errors import Problem, UsageError

Piece = TypeVar("Piece")
Value = TypeVar("Value")
PARTS_PER_WORKER = 4


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where work is done: with a memory, with `workers` of an executor, with both or neither."""

    cache: Cache | None = None
    executor: Executor | None = None
    workers: int = 1

    def each(
        self,
        stage: str,
        work: Callable[[Sequence[Piece]], Sequence[Value]],
        pieces: Sequence[Piece],
        names: Callable[[Piece], Iterable[str]],
    ) -> list[Value]:
        """Return the value of each piece; `names` gives what it follows from, with a gap where that is unknown."""
        if self.cache is None:
            return list(self._done(work, pieces))
        keys = [key(stage, *inputs) if (inputs := tuple(names(piece))) and all(inputs) else "" for piece in pieces]
        values = [self.cache.recall(name) if name else None for name in keys]
        missing = [place for place, value in enumerate(values) if value is None]
        for place, value in zip(missing, self._done(work, [pieces[place] for place in missing]), strict=True):
            values[place] = value
            if keys[place] and value is not None:
                self.cache.keep(keys[place], value)
        return values  # type: ignore[return-value]  # every None was computed

    def rest(self) -> None:
        """Let processes of this machine go: the pages that follow are made in copies, which other threads forbid."""
        if self.executor is None:
            return
        from concurrent.futures import ProcessPoolExecutor

        if isinstance(self.executor, ProcessPoolExecutor):
            self.executor.shutdown()

    def _done(self, work: Callable[[Sequence[Piece]], Sequence[Value]], pieces: Sequence[Piece]) -> Iterator[Value]:
        if self.executor is None or len(pieces) < 2:
            yield from work(pieces) if pieces else ()
            return
        size = -(-len(pieces) // (self.workers * PARTS_PER_WORKER))
        parts = [pieces[start : start + size] for start in range(0, len(pieces), size)]
        futures: list[Future[Sequence[Value]]] = []
        with suppress(BrokenExecutor):  # a process was killed at an earlier stage: nothing more is taken on
            futures += (self.executor.submit(work, part) for part in parts)
        for part, future in zip_longest(parts, futures):
            try:
                values = future.result() if future else work(part)
            except BrokenExecutor:  # a process was killed: its part is done here
                values = work(part)
            yield from values


HERE = Workshop()
"""This very process, remembering nothing."""


@contextmanager
def local(jobs: int, cache: Cache | None) -> Iterator[Workshop]:
    """Work with `jobs` processes of this machine."""
    if jobs < 2:
        yield Workshop(cache)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:  # threads do not survive a fork
        yield Workshop(cache, pool, jobs)


@contextmanager
def cluster(address: str, cache: Cache | None, workers: int = 1, patience: int = 30) -> Iterator[Workshop]:
    """Work on the cluster of the Dask scheduler at `address`, once it has `workers`, which must run this very program.

    What a worker that dies was doing is done by another. Raises UsageError where there is no such cluster within
    `patience` seconds, or where it goes away for as long.
    """
    try:
        from distributed import Client
    except ImportError:
        raise _unusable(address, "Dask", "none", "Install Tallystick with its extra `cluster`.") from None
    try:
        client = Client(address, timeout=patience, set_as_default=False)  # type: ignore[no-untyped-call]  # untyped
    except (OSError, ValueError) as error:
        raise _unusable(address, "a Dask scheduler", str(error), "Start one: dask scheduler.") from None
    with client:
        try:
            client.wait_for_workers(workers, timeout=patience)
        except TimeoutError:
            raise _unusable(address, "workers", "none", "Start some: dask worker ADDRESS.") from None
        versions = client.run(code)
        if odd := sorted(worker for worker, version in versions.items() if version != code()):
            remedy = "Install the same version of everything everywhere."
            raise _unusable(address, "workers with this very program", f"another on {odd[0]}", remedy)
        with client.get_executor(retries=2) as executor:  # type: ignore[no-untyped-call]
            try:
                yield Workshop(cache, executor, len(versions))
            except CancelledError:
                remedy = "Build again once it runs; with a cache, what was done is not done again."
                raise _unusable(address, "a scheduler to the end", "it went away", remedy) from None


def _unusable(address: str, expected: str, found: str, remedy: str) -> UsageError:
    return UsageError([Problem("scheduler", f"--scheduler {address}", expected, found, remedy)])

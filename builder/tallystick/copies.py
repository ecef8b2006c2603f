"""Do independent pieces of work in copies of this very process, one for each core, which hold all that it holds.

Nothing is sent to a copy: it is forked when the work lies ready, and sends back what it made. Where that cannot be done
safely (another system, other threads in this process) or is not worth it, all is done here, and gives the same.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Piece = TypeVar("Piece")
Value = TypeVar("Value")

SHARE = 32
"""The fewest pieces that are worth a copy."""
RUN = 8
"""How many neighbours stay together."""
THREADS = Path("/proc/self/task")


def each(work: Callable[[Sequence[Piece]], list[Value]], pieces: Sequence[Piece]) -> list[Value]:
    """Return all that `work` makes of the pieces, of whatever number, in an order that says nothing.

    A copy that fails or is killed has its share done here; so whatever `work` raises is raised here.
    """
    number = min(_cores(), len(pieces) // SHARE)
    if number < 2 or not _alone():
        return work(pieces)
    # Neighbours are often alike, and alike in their cost: each share has some of every kind.
    shares = [[one for place, one in enumerate(pieces) if place // RUN % number == share] for share in range(number)]
    from multiprocessing import get_context

    system = get_context("fork")
    copies = []
    try:
        for share in shares[1:]:
            receiver, sender = system.Pipe(duplex=False)
            copy = system.Process(target=_send, args=(work, share, sender), daemon=True)
            copy.start()
            sender.close()  # so that a copy that ends is seen to have ended
            copies.append((copy, receiver, share))
        values = work(shares[0])
        for _, receiver, share in copies:
            values += _received(receiver) or work(share)
        return values
    finally:
        for copy, receiver, _ in copies:
            receiver.close()
            copy.terminate()
            copy.join()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _alone() -> bool:
    """Say whether this process has one thread: a fork takes along no other, nor what it held."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return sum(1 for _ in THREADS.iterdir()) == 1
    except OSError:
        return False


def _send(work: Callable[[Sequence[Piece]], list[Value]], share: Sequence[Piece], sender: Connection) -> None:
    """Do a share and send it back, or nothing at all."""
    with suppress(BaseException):
        sender.send_bytes(pickle.dumps(work(share), pickle.HIGHEST_PROTOCOL))


def _received(receiver: Connection) -> list[Value]:
    """Return what a copy sent, or nothing where it sent nothing."""
    try:
        values: list[Value] = pickle.loads(receiver.recv_bytes())
    except (EOFError, OSError):
        return []
    return values

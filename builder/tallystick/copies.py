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

    Where `work` fails or a copy is lost, all is done again here, in order: what is raised is what one core would raise.
    """
    number = min(_cores(), len(pieces) // SHARE)
    if number > 1 and _alone():
        # Neighbours are often alike, and alike in their cost: each share has some of every kind.
        runs = [pieces[start : start + RUN] for start in range(0, len(pieces), RUN)]
        with suppress(Exception):
            return _shared(work, [[one for run in runs[first::number] for one in run] for first in range(number)])
    return work(pieces)


def _shared(work: Callable[[Sequence[Piece]], list[Value]], shares: Sequence[Sequence[Piece]]) -> list[Value]:
    """Do the first share here and each other in a copy; raise EOFError or OSError where one sends nothing back."""
    from multiprocessing import get_context

    system = get_context("fork")
    copies, receivers = [], []
    try:
        for share in shares[1:]:
            receiver, sender = system.Pipe(duplex=False)
            receivers.append(receiver)
            copies.append(system.Process(target=_send, args=(work, share, sender, receivers), daemon=True))
            copies[-1].start()
            sender.close()  # so that a copy that ends is seen to have ended
        values = work(shares[0])
        for receiver in receivers:
            values += pickle.loads(receiver.recv_bytes())  # from a copy of this process
        return values
    finally:
        for receiver, copy in zip(receivers, copies, strict=False):
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


def _send(
    work: Callable[[Sequence[Piece]], list[Value]],
    share: Sequence[Piece],
    sender: Connection,
    receivers: Sequence[Connection],
) -> None:
    """Do a share and send it back, or nothing at all."""
    for receiver in receivers:  # else this copy would wait for itself to read, once the process it is of is gone
        receiver.close()
    with suppress(BaseException):
        sender.send_bytes(pickle.dumps(work(share), pickle.HIGHEST_PROTOCOL))

"""Neither memory, nor processes, nor parts can change a value; what was done before is not done again."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pieces_of_work import dies_once, lengths
from tallystick.cache import Cache
from tallystick.workshop import HERE, PARTS_PER_WORKER, Workshop, local

PIECES = [f"piece {number}" for number in range(30)]


class Noted:
    """Remembers which pieces it was asked for."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, pieces: Sequence[str]) -> list[int]:
        self.seen += pieces
        return lengths(pieces)


def name(piece: str) -> tuple[str, ...]:
    return (piece,)


def test_without_anything_it_is_the_work_itself() -> None:
    assert HERE.each("stage", lengths, PIECES, name) == lengths(PIECES)
    assert HERE.each("stage", lengths, [], name) == []


def test_what_is_known_is_not_done_again() -> None:
    workshop, work = Workshop(Cache()), Noted()
    assert workshop.each("stage", work, PIECES[:20], name) == lengths(PIECES[:20])
    assert workshop.each("stage", work, [*PIECES[10:], PIECES[0]], name) == lengths([*PIECES[10:], PIECES[0]])
    assert work.seen == PIECES
    workshop.each("another stage", work, PIECES[:1], name)
    assert work.seen == [*PIECES, PIECES[0]]


def test_what_follows_from_something_unknown_is_never_kept() -> None:
    workshop, work = Workshop(Cache()), Noted()
    for _ in range(2):
        workshop.each("stage", work, PIECES[:2], lambda piece: (piece, "") if piece == PIECES[0] else (piece,))
    assert work.seen == [PIECES[0], PIECES[1], PIECES[0]]


def test_any_executor_will_do_and_gets_some_parts_a_worker() -> None:
    class Counting(ThreadPoolExecutor):
        parts = 0

        def submit(self, *args, **kwargs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN202
            Counting.parts += 1
            return super().submit(*args, **kwargs)

    with Counting(3) as pool:
        found = Workshop(None, pool, 3).each("stage", lengths, PIECES, name)
    assert found == lengths(PIECES)
    assert 3 < Counting.parts <= 3 * PARTS_PER_WORKER


def test_processes_of_this_machine() -> None:
    with local(2, Cache()) as workshop:
        assert isinstance(workshop.executor, Executor)
        assert workshop.each("stage", partial(lengths, longer=1), PIECES, name) == [len(p) + 1 for p in PIECES]
    with local(1, None) as workshop:
        assert workshop == HERE


def test_a_workshop_at_rest_has_neither_processes_nor_threads() -> None:
    threads = threading.active_count()
    with local(2, None) as workshop:
        workshop.each("stage", lengths, PIECES, name)
        assert threading.active_count() > threads
        workshop.rest()
        assert threading.active_count() == threads
        assert not multiprocessing.active_children()


def test_a_process_that_is_killed_costs_its_work_and_no_more(tmp_path: Path) -> None:
    with local(2, None) as workshop:
        work = partial(dies_once, flag=tmp_path / "died", parent=os.getpid(), fatal=PIECES[4])
        assert workshop.each("stage", work, PIECES, name) == lengths(PIECES)
        assert workshop.each("a later stage", lengths, PIECES, name) == lengths(PIECES)
    assert (tmp_path / "died").exists()


def test_an_error_of_the_work_is_not_swallowed() -> None:
    def fails(pieces: Sequence[str]) -> list[int]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Workshop(Cache()).each("stage", fails, PIECES, name)

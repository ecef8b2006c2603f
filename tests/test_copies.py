"""Work in copies of this process gives what work here gives, whatever becomes of the copies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from tallystick import copies

if not sys.platform.startswith("linux"):
    pytest.skip("only Linux copies processes safely", allow_module_level=True)

PIECES = range(200)


def alone(code: str) -> str:
    """Run code in a process with one thread, on two cores as far as `copies` can tell, and return what it prints."""
    told = "import os, signal\nfrom tallystick import copies\ncopies._cores = lambda: 2\nhere = os.getpid()\n"
    result = subprocess.run(
        [sys.executable, "-c", told + code], capture_output=True, text=True, timeout=60, check=False
    )
    return result.stdout + result.stderr


def test_shares_are_done_in_two_processes_and_nothing_is_lost() -> None:
    told = alone(
        "found = copies.each(lambda some: [(one, os.getpid()) for one in some for _ in range(one % 3)], range(200))\n"
        "print(sorted(one for one, _ in found) == [one for one in range(200) for _ in range(one % 3)])\n"
        "print(len({process for _, process in found}))\n"
    )
    assert told == "True\n2\n"


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise SystemExit", "1 / 0"])
def test_the_share_of_a_copy_that_ends_is_done_here(end: str) -> None:
    told = alone(
        "def work(some):\n"
        f"    if os.getpid() != here:\n        {end}\n"
        "    return [(one, os.getpid() == here) for one in some]\n"
        "found = copies.each(work, range(200))\n"
        "print(sorted(found) == [(one, True) for one in range(200)])\n"
    )
    assert told == "True\n"


def test_a_copy_ends_with_the_process_it_is_of() -> None:
    program = (
        "import os\nfrom tallystick import copies\ncopies._cores = lambda: 2\nhere = os.getpid()\n"
        "def work(some):\n"
        "    if os.getpid() == here:\n        os.kill(here, 9)\n"
        "    return ['x' * 10_000 for _ in some]\n"
        "copies.each(work, range(200))\n"
    )
    # The output ends when the last process that could write to it is gone.
    subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20, check=False)


def test_the_first_piece_that_fails_is_the_one_that_is_told() -> None:
    told = alone(
        "def work(some):\n"
        "    for one in some:\n        assert one < 8, one\n"
        "    return [*some]\n"
        "try:\n    copies.each(work, range(200))\n"
        "except AssertionError as error:\n    print(error)\n"
    )
    assert told == "8\n"


def test_what_work_raises_is_raised_here_and_no_copy_is_left() -> None:
    told = alone(
        "import multiprocessing\n"
        "def work(some):\n    raise LookupError('of every share')\n"
        "try:\n    copies.each(work, range(200))\n"
        "except LookupError as error:\n    print(error, multiprocessing.active_children())\n"
    )
    assert told == "of every share []\n"


def test_a_process_with_other_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_cores", lambda: 2)
    let_go = threading.Event()
    thread = threading.Thread(target=let_go.wait)
    thread.start()
    try:
        assert set(copies.each(lambda some: [os.getpid() for _ in some], PIECES)) == {os.getpid()}
    finally:
        let_go.set()
        thread.join()


def test_few_pieces_are_not_worth_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_alone", lambda: True)
    monkeypatch.setattr(copies, "_cores", lambda: 2)
    few = range(2 * copies.SHARE - 1)
    assert copies.each(lambda some: [(one, os.getpid()) for one in some], few) == [(one, os.getpid()) for one in few]

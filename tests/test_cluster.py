"""A real scheduler and two workers on this machine make the same bytes as one process, even if one of them dies."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pieces_of_work import deadly, lengths
from sized_board import write_board
from tallystick import pipeline, workshop
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.workshop import HERE, Workshop

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
NOW = datetime(2027, 1, 1, tzinfo=UTC)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """Start a scheduler and two workers, each a process of its own."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = ("--no-dashboard", "--host", "127.0.0.1")
    worker = ("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
    with ExitStack() as running:
        for part in (("scheduler", "--port", str(port), *quiet), worker, worker):
            command = [sys.executable, "-m", "dask", *part]
            process = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)
            running.callback(process.wait)
            running.callback(process.terminate)
            if part[0] == "scheduler":
                wait_for(port)
        yield address


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the scheduler did not start within a minute")


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def built(root: Path, place: Workshop, out: Path) -> dict[str, bytes]:
    pipeline.build(root, out, NOW, lambda text: None, workshop=place)
    return files(out)


class Deadly(Executor):
    """Hands work on so that the first process to take some dies of it."""

    def __init__(self, executor: Executor, flag: Path) -> None:
        self.executor, self.flag = executor, flag

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:  # noqa: ANN401
        return self.executor.submit(deadly, work, arguments, self.flag, os.getpid(), **keywords)


def test_a_cluster_makes_the_same_bytes_even_if_a_worker_dies(tmp_path: Path, scheduler: str) -> None:
    write_board(tmp_path / "board", 6, 30)
    expected = built(tmp_path / "board", HERE, tmp_path / "plain")
    with workshop.cluster(scheduler, None, workers=2) as place:
        assert place.workers == 2
        assert built(tmp_path / "board", place, tmp_path / "cluster") == expected
        assert place.executor is not None
        flag = tmp_path / "died"
        dying = replace(place, executor=Deadly(place.executor, flag))
        assert built(tmp_path / "board", dying, tmp_path / "survived") == expected
        assert flag.exists()


def test_the_command_takes_a_scheduler(tmp_path: Path, scheduler: str) -> None:
    write_board(tmp_path / "board", 4, 20)
    arguments = ["build", "--root", str(tmp_path / "board"), "--no-cache"]
    assert main([*arguments, "--out", str(tmp_path / "cluster"), "--scheduler", scheduler]) == 0
    assert main([*arguments, "--out", str(tmp_path / "plain")]) == 0
    assert files(tmp_path / "cluster") == files(tmp_path / "plain")


def test_a_scheduler_that_goes_away_is_told_as_such(scheduler: str) -> None:
    with pytest.raises(UsageError, match="went away"), workshop.cluster(scheduler, None, patience=10) as place:
        from distributed import Client

        Client(scheduler, set_as_default=False).shutdown()  # type: ignore[no-untyped-call]
        place.each("stage", lengths, ["a", "bc"], lambda piece: [piece])


def test_no_scheduler_is_the_callers_mistake() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(UsageError, match="expected a Dask scheduler"), workshop.cluster(address, None, patience=1):
        pass

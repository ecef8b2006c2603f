"""Watch folders for changes to their files, and hand them on in batches: once per burst, and never for mere reading.

Folders may vanish and come back, and the system may run out of watches: then files are looked at every second instead.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from watchdog.events import (
    EVENT_TYPE_CLOSED,
    EVENT_TYPE_CREATED,
    EVENT_TYPE_DELETED,
    EVENT_TYPE_MODIFIED,
    EVENT_TYPE_MOVED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch
from watchdog.observers.polling import PollingObserver

MEANINGFUL = (EVENT_TYPE_CLOSED, EVENT_TYPE_CREATED, EVENT_TYPE_DELETED, EVENT_TYPE_MODIFIED, EVENT_TYPE_MOVED)
"""Opening a file, and closing it unwritten, is what a build does itself."""

QUIET = 0.004
"""Seconds without an event that end a burst."""

WRITING = 0.05
"""Seconds without an event that end a burst while a file is being written: it may be half there."""

PATIENCE = 0.4
"""Seconds after which a burst is handed on even if it goes on."""

AGAIN = 0.3
"""Seconds after which what happened to folders is handed on once more: their first files may have been missed."""

TWICE = "Callback with id"
"""How watchdog's warning begins that it met a folder twice: the second time changes nothing."""

POLLED = 1.0
LIMITS = (errno.ENOSPC, errno.EMFILE, errno.ENFILE)


class Watching:
    """Hands `changed` the paths of each burst of changes below `folders`, of which not all need be there.

    It is called by one thread, and first of all with no path: what changes from then on is told.
    """

    def __init__(
        self, folders: Iterable[Path], changed: Callable[[frozenset[Path]], None], tell: Callable[[str], None]
    ) -> None:
        self._folders = tuple(Path(os.path.abspath(folder)) for folder in folders)  # noqa: PTH100 - links stay links
        self._changed = changed
        self._tell = tell
        self._events: queue.SimpleQueue[FileSystemEvent | None] = queue.SimpleQueue()
        self._handler = _Handler(self._events.put, self._folders)
        self._observer: BaseObserver = Observer()
        self._watches: dict[Path, tuple[ObservedWatch, int]] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)

    def start(self) -> None:
        """Begin to watch; what changes from here on is seen."""
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)  # its troubles are ours to tell
        # A folder made while its parent is first looked into is met twice. Where warnings are errors, that would end
        # watchdog's thread.
        warnings.filterwarnings("ignore", TWICE, RuntimeWarning)
        try:
            self._observer.start()
        except OSError as error:
            self._poll(error)
        self._look_after()
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer, at once: a change that is being handed in, which may take long, is not waited for."""
        self._stopped.set()
        self._events.put(None)
        with suppress(RuntimeError):
            self._observer.stop()
            self._observer.join(5)

    # --- the folders that are there ---------------------------------------------------------------------------------

    def _look_after(self) -> frozenset[Path]:
        """Watch the folders that came, let go of those that went, and return both."""
        moved = set()
        for folder in self._folders:
            there = _identity(folder)
            watch = self._watches.get(folder)
            alive = watch is not None and self._is_alive(watch[0])
            if watch is not None and (there != watch[1] or not alive):
                del self._watches[folder]
                with suppress(Exception):  # of a folder that is gone, watchdog may know nothing more
                    self._observer.unschedule(watch[0])
                moved.add(folder)
            if there is not None and folder not in self._watches:
                moved.add(folder)
                self._watch(folder, there)
        return frozenset(moved)

    def _watch(self, folder: Path, identity: int) -> None:
        try:
            self._watches[folder] = (self._observer.schedule(self._handler, str(folder), recursive=True), identity)
        except OSError as error:
            if error.errno in LIMITS:
                self._poll(error)
            # else it went while we looked: the next look finds it if it comes back

    def _is_alive(self, watch: ObservedWatch) -> bool:
        return any(emitter.watch == watch and emitter.is_alive() for emitter in self._observer.emitters)

    def _poll(self, error: OSError) -> None:
        """Look at every file each second instead, since the system has no watches left."""
        if isinstance(self._observer, PollingObserver):
            return
        reason = error.strerror or type(error).__name__
        self._tell(f"the system cannot watch so many files ({reason}): looking at them every second instead")
        with suppress(RuntimeError):
            self._observer.stop()
        self._observer = PollingObserver(timeout=POLLED)
        self._observer.start()
        self._watches = {}
        for folder in self._folders:
            if (identity := _identity(folder)) is not None:
                self._watch(folder, identity)

    # --- bursts -----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._changed(frozenset())
        again: tuple[float, frozenset[Path]] | None = None
        while not self._stopped.is_set():
            wait = POLLED if again is None else max(0.0, again[0] - time.monotonic())
            paths, folders = self._burst(wait)
            paths |= self._look_after()
            if again is not None and time.monotonic() >= again[0]:
                paths, again = paths | again[1], None
            elif folders:
                again = (time.monotonic() + AGAIN, folders)
            if paths and not self._stopped.is_set():
                self._changed(paths)

    def _burst(self, wait: float) -> tuple[frozenset[Path], frozenset[Path]]:
        """Return the paths of the next burst, and of these the folders; both empty if none comes in time."""
        paths: set[Path] = set()
        folders: set[Path] = set()
        writing: set[str] = set()
        end = 0.0
        while True:
            try:
                event = self._events.get(timeout=(WRITING if writing else QUIET) if paths else wait)
            except queue.Empty:
                return frozenset(paths), frozenset(folders)
            if event is None:
                return frozenset(), frozenset()
            end = end or time.monotonic() + PATIENCE
            found = set(_paths(event))
            paths |= found
            if event.is_directory:
                folders |= found
            elif event.event_type == EVENT_TYPE_MODIFIED or event.event_type == EVENT_TYPE_CREATED:
                writing.add(os.fsdecode(event.src_path))
            else:
                writing.discard(os.fsdecode(event.src_path))
            if time.monotonic() > end:
                return frozenset(paths), frozenset(folders)


class _Handler(FileSystemEventHandler):
    """Passes on the events that mean a change of a file that somebody wrote on purpose."""

    def __init__(self, put: Callable[[FileSystemEvent], None], folders: tuple[Path, ...]) -> None:
        self._put = put
        self._folders = folders

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take an event from watchdog's thread."""
        if event.event_type not in MEANINGFUL or (event.is_directory and event.event_type == EVENT_TYPE_MODIFIED):
            return
        if any(self._is_meant(path) for path in _paths(event)):
            self._put(event)

    def _is_meant(self, path: Path) -> bool:
        """Say whether a path is none that editors and file systems use for themselves."""
        for folder in self._folders:
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).parts
                return not any(part.startswith(".") or part.endswith("~") or part == "__pycache__" for part in parts)
        return False


def _paths(event: FileSystemEvent) -> Iterable[Path]:
    yield Path(os.fsdecode(event.src_path))
    if event.dest_path:
        yield Path(os.fsdecode(event.dest_path))


def _identity(folder: Path) -> int | None:
    """Return what tells a folder from one that was made in its place; None where there is no folder."""
    try:
        return folder.stat().st_ino if folder.is_dir() else None
    except OSError:
        return None

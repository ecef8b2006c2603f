"""What is being previewed right now: the last good site, what is wrong with what came after it, and who waits for it.

A change that cannot be built leaves the site that stands; its problems are shown until a later change heals them.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from tallystick.errors import Problem, TallystickError, memory_exhausted

KEPT = 64
"""Pages of earlier sites that are kept, to stand in for one that cannot be rendered now."""


class Pages(Protocol):
    """A site that renders its files when they are asked for."""

    def content(self, path: str) -> bytes | None:
        """Return the file at a path, None where there is none; raise TallystickError where it cannot be rendered."""


Rebuild = Callable[[frozenset[Path]], Pages]
"""Makes the site anew after changes to these paths; the first call, with none, makes all of it."""


@dataclass(frozen=True, slots=True)
class State:
    """What a browser is told: `generation` names the site, `problems` say what is wrong with what was written since."""

    generation: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A file as it is served: `sound` is false where it only says that there is nothing better to show."""

    content: bytes
    state: State
    sound: bool = True

    @property
    def digest(self) -> str:
        """What the content is known by."""
        return sha256(self.content).hexdigest()[:32]


@dataclass(slots=True)
class _Shown:
    """A site, what was rendered of it, and what went wrong in doing so."""

    generation: str
    site: Pages | None = None
    rendered: dict[str, bytes | None] = field(default_factory=dict)
    problems: dict[Problem, None] = field(default_factory=dict)


class Session:
    """The preview's state. Any thread may ask for pages and wait for news; one thread hands in changes."""

    def __init__(self, rebuild: Rebuild, tell: Callable[[str], None]) -> None:
        """`tell` is handed what the person at the terminal should read."""
        self._rebuild = rebuild
        self._tell = tell
        self._name = token_hex(4)  # another run of the server is another generation
        self._count = 0
        self._shown = _Shown(self._generation())
        self._unbuilt: tuple[Problem, ...] = ()
        self._pending: frozenset[Path] = frozenset()
        self._kept: dict[str, bytes] = {}
        self._rendering = threading.Lock()
        self._news = threading.Condition()
        self.closed = False

    # --- changes ------------------------------------------------------------------------------------------------------

    def change(self, paths: Iterable[Path]) -> None:
        """Make the site anew after changes to these paths, and those of every change that could not be built before."""
        self._pending |= frozenset(paths)
        try:
            site = self._rebuild(self._pending)
        except Exception as error:
            found = self._said(error)
            with self._news:
                self._unbuilt = found
                self._news.notify_all()
            return
        self._pending = frozenset()
        first = self._count == 0
        with self._news:
            healed = bool(self._unbuilt or self._shown.problems)
            self._count += 1
            self._shown, self._unbuilt = _Shown(self._generation(), site), ()
            self._news.notify_all()
        if healed:
            self._tell("mended: the site is shown as it is now")
        elif first:
            self._tell("built: the site is shown")

    def close(self) -> None:
        """Send everybody who waits home."""
        with self._news:
            self.closed = True
            self._news.notify_all()

    # --- what is seen -------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """What stands now."""
        shown = self._shown
        return State(shown.generation, (*self._unbuilt, *shown.problems))

    def wait(self, seen: State | None, seconds: float) -> State:
        """Return the state as soon as it is another than the one seen, or after some seconds as it is."""
        with self._news:
            self._news.wait_for(lambda: self.closed or self.state != seen, seconds)
            return self.state

    def page(self, path: str) -> Page | None:
        """Return the file at a path, None where there is none.

        Where it cannot be rendered, the last one that could is shown instead; where there is none, an empty one.
        """
        with self._rendering:
            shown = self._shown
            if shown.site is None:
                return Page(b"", self.state, sound=False)
            if path not in shown.rendered:
                try:
                    content = shown.site.content(path)
                except Exception as error:
                    self._failed(shown, error)
                    last = self._kept.get(path)
                    return Page(last or b"", self.state, sound=last is not None)
                shown.rendered[path] = content
                self._keep(path, content)
            found = shown.rendered[path]
        return None if found is None else Page(found, State(shown.generation, self.state.problems))

    def _failed(self, shown: _Shown, error: Exception) -> None:
        """Note why a page could not be rendered, and say it once."""
        fresh = [problem for problem in self._problems(error) if problem not in shown.problems]
        if fresh:
            self._said(error)
            with self._news:
                shown.problems = shown.problems | dict.fromkeys(fresh)
                self._news.notify_all()

    def _keep(self, path: str, content: bytes | None) -> None:
        self._kept.pop(path, None)
        if content is not None:
            self._kept[path] = content
            if len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]

    def _generation(self) -> str:
        return f"{self._name}-{self._count}"

    def _said(self, error: Exception) -> tuple[Problem, ...]:
        """Tell the terminal what is wrong, with the traceback where it is our own fault, and return the problems."""
        found = self._problems(error)
        for problem in found:
            self._tell(str(problem))
        if any(problem.code == "internal-error" for problem in found):
            self._tell("".join(traceback.format_exception(error)))
        return found

    @staticmethod
    def _problems(error: Exception) -> tuple[Problem, ...]:
        if isinstance(error, TallystickError):
            return error.problems
        if problem := memory_exhausted(error, "the preview"):
            return (problem,)
        found = f"{type(error).__name__}: {error}"[:300]
        remedy = "This is a fault of Tallystick: please tell its developers. The terminal shows where it arose."
        return (Problem("internal-error", "the preview", "to build the site or to say why not", found, remedy),)

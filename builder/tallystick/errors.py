"""One exception class per person who must act; every one carries problems, never bare text.

A problem found in a report is a value and travels with that report (`verify` never raises). These classes are for what
stops the program, or stops one report before it could be read.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Effect = Literal["refuse", "diagnostic", "note"]
"""What a problem does to its report: refused; kept out of boards of evidence; or only mentioned."""

PROBLEMS_SHOWN = 50
NAMES_SHOWN = 3
NO_THREAD = "can't start new thread"
"""What Python says where there is no room for a thread, which has no error of its own."""
LONGEST = 2000
"""How many characters of one part of a problem are kept."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A failed check: what was expected, what was found and what to do.

    `code` is stable and kebab-case (`seal-mismatch`); `where` is a file, with a JSON pointer or line after a space
    where one applies. `expected`, `found` and `remedy` are plain text: any renderer must escape them.
    """

    code: str
    where: str
    expected: str
    found: str
    remedy: str
    effect: Effect = "refuse"

    def __post_init__(self) -> None:
        """Cut what a report brought: a name of a megabyte must not fill a page."""
        for name in ("where", "expected", "found"):
            if len(text := getattr(self, name)) > LONGEST:
                object.__setattr__(self, name, f"{text[:LONGEST]}…")

    @property
    def sentence(self) -> str:
        """What was expected and what was found; a reason that somebody ended with a full stop gets no second one."""
        return f"Expected {self.expected}, found {self.found.removesuffix('.')}."

    def __str__(self) -> str:
        return f"{self.where}: e{self.sentence[1:]} {self.remedy} [{self.code}]"


class TallystickError(Exception):
    """Base of everything raised on purpose; `exit_status` follows the table of exit statuses in the README."""

    exit_status = 3

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Refusal(TallystickError):
    """A report cannot be read or must not be compared: its author must act."""

    exit_status = 1


class SettingsError(TallystickError):
    """Settings, templates or a benchmark's own files are wrong: the maintainer must act."""

    exit_status = 2


class UsageError(TallystickError):
    """The command was called wrongly: the person at the terminal must act."""

    exit_status = 2


class PublishError(TallystickError):
    """The site cannot be written where it was asked to be written."""

    exit_status = 2


def memory_exhausted(error: BaseException, where: str) -> Problem | None:
    """Return what is told where an error says that there is no memory left; None where it says something else."""
    threadless = isinstance(error, RuntimeError) and str(error) == NO_THREAD
    if not (
        threadless or isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
    ):
        return None
    found = "none for another thread" if threadless else "none left"
    remedy = "Give it more, or fewer reports or logs at once; each of --jobs takes its own."
    return Problem("memory-exhausted", where, "enough memory", found, remedy)


def some(names: Sequence[str]) -> str:
    """Return the first few names, and how many there are in all where that is more."""
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown}, … ({len(names)} in all)"

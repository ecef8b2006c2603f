"""Parse, call, print, exit status.

0 fine · 1 problems in the input · 2 usage or settings · 3 our own fault.
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from tallystick import __version__, commands
from tallystick.command import Command
from tallystick.errors import Problem, TallystickError, UsageError, memory_exhausted
from tallystick.registry import collect

OUR_FAULT = 3
YOUNG_AT_MOST = 100_000
"""New objects between two looks for garbage: a site is many objects and hardly any cycle, so looks find nothing."""

# The program spreads its own batches over cores: threads of BLAS besides would only wait for each other. Read when
# numpy is first imported, which is later than here.
for _limit in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_limit, "1")


class TerminalConsole:
    """Results go to standard output, words for people to standard error; progress only where a person watches."""

    def say(self, text: str) -> None:
        """Print a result as it stands; raise UsageError where it cannot be printed, such as to a full disk."""
        try:
            print(text, end="", flush=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            _let_go()
            found = (error.strerror or type(error).__name__).lower()
            remedy = "Make room, or let it go elsewhere."
            raise UsageError([Problem("file-unusable", "standard output", "a file to write", found, remedy)]) from None

    def warn(self, text: str) -> None:
        """Print to standard error."""
        print(text, end="", file=sys.stderr)

    def progress(self, text: str) -> None:
        """Overwrite one line of a terminal; say nothing to a pipe or a log."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="\r" if not text else "", file=sys.stderr, flush=True)


def _let_go() -> None:
    """Send what is left for standard output nowhere: the interpreter would try again at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser(known: Sequence[Command]) -> ArgumentParser:
    """Return the parser of all commands."""
    top = ArgumentParser(
        prog="tallystick", description="Build leaderboards whose every number is recomputed from the samples."
    )
    top.add_argument("--version", action="version", version=f"tallystick {__version__}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in known:
        command.arguments(subparsers.add_parser(command.name, help=command.summary, description=command.description))
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    gc.set_threshold(YOUNG_AT_MOST, *gc.get_threshold()[1:])
    for stream in filter(None, (sys.stdout, sys.stderr)):  # one that was closed is None, and takes what is printed
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    known = {command.name: command for command in collect(commands, "COMMAND", Command)}
    options = parser(tuple(known.values())).parse_args(arguments)
    console = TerminalConsole()
    try:
        status = known[options.command].run(options, console)
        console.progress("")
    except TallystickError as error:
        from tallystick.messages import printable

        console.progress("")
        console.warn("".join(f"tallystick: {printable(str(problem))}\n" for problem in error.problems))
        return error.exit_status
    except BrokenPipeError:
        _let_go()
        return 0
    except KeyboardInterrupt:
        console.progress("")
        return 130
    except Exception as error:
        import traceback

        console.progress("")
        if problem := memory_exhausted(error, options.command):
            error.__traceback__ = error.__context__ = None  # what filled the memory goes, so that telling has room
            console.warn(f"tallystick: {problem}\n")
            return UsageError.exit_status
        console.warn(f"tallystick: this is our own fault, please report it:\n{traceback.format_exc()}")
        return OUR_FAULT
    return status

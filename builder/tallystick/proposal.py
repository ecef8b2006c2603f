"""What a change to a board repository is and would do: the values that `propose` finds and `messages` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tallystick.board import Comparison, Entry, Standing, Withdrawal
from tallystick.errors import Problem
from tallystick.model import Benchmark

Action = Literal["added", "edited", "removed"]
Kind = Literal["report", "withdrawal", "frozen table", "benchmark", "site", "other"]
"""Whose affair a file is: a contributor's (the first two), or the maintainer's."""

CONTRIBUTED: tuple[Kind, ...] = ("report", "withdrawal")


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A file that differs; `path` is relative to the board repository, and printable as it stands."""

    path: str
    action: Action
    kind: Kind
    benchmark: str = ""


@dataclass(frozen=True, slots=True)
class Rival:
    """The added method compared, on the primary metric, with one that has a role: "baseline", "leader" or both."""

    roles: tuple[str, ...]
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Effect:
    """What one added report would be on its board if it were merged.

    `position` is (place, of how many) by the primary metric, None where there is no full value of it; `standing` is
    None where the method is not ranked, for the reason `unranked`.
    """

    benchmark: Benchmark
    entry: Entry
    position: tuple[int, int] | None
    standing: Standing | None
    unranked: str
    rivals: tuple[Rival, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """All that differs from `commit`, which `ref` names, and what it would do.

    `problems` break the rules of pull requests, or are only worth saying; `unsettled` are the mistakes in settings
    for which nothing could be judged.
    """

    ref: str
    commit: str
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]
    effects: tuple[Effect, ...] = ()
    withdrawn: tuple[tuple[str, Withdrawal], ...] = ()
    unsettled: tuple[Problem, ...] = ()

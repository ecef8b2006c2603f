"""Judge what a change to a board repository would do, as a pull request: its files, the rules, and the effect.

The commit and the merged state are laid out in a workspace, never in the repository, and the same line judges both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from filecmp import cmp
from pathlib import Path

from tallystick import git, pipeline
from tallystick.board import Board, Checked, Docket, Entry, Withdrawal
from tallystick.cache import Cache
from tallystick.compare import compare_pairs
from tallystick.errors import Problem, SettingsError
from tallystick.policy import classified, policy
from tallystick.proposal import Action, Change, Effect, Proposal, Rival
from tallystick.workshop import Workshop

JUDGED = ("results", "content")
"""The folders that verification reads."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal with all that was judged: the commit's state (None where its settings are wrong) and the merged."""

    proposal: Proposal
    base: Checked | None
    merged: Checked


def propose(root: Path, ref: str, now: datetime, workspace: Path, progress: Callable[[str], None]) -> Proposed:
    """Compare the work tree at `root` with what `ref` names, in the empty folder `workspace`.

    The change is what the work tree makes of the commit where the two histories parted; merged, it lies on top of `ref`
    itself. Raises UsageError where git cannot tell.
    """
    repo = git.repository(root)
    commit = git.commit(repo, ref)
    parted = git.fork(repo, commit)
    base_folder, merged_folder = workspace / "base", workspace / "merged"
    (base_folder / JUDGED[0]).mkdir(parents=True)
    git.materialise(repo, commit, JUDGED, base_folder)
    actions = dict(_new(git.changed(repo, parted), repo, base_folder))
    clashes = actions.keys() & git.changed_between(repo, parted, commit).keys()
    shutil.copytree(base_folder, merged_folder, symlinks=True, copy_function=_linked)
    _lay_over(actions, repo, merged_folder)
    workshop = Workshop(Cache())  # what both states hold is judged once
    base, _ = _judged(base_folder, now, progress, workshop)
    merged, mistakes = _judged(merged_folder, now, progress, workshop)
    changes = classified(actions, repo.prefix, base)
    problems = (*policy(changes, base, merged, now), *_clashes(changes, clashes, repo.prefix))
    if base is None:
        remedy = "What was wrong there already is told with what is new."
        expected = f"settings at {commit[:12]} that are right"
        problems += (Problem("base-unusable", "--base", expected, "mistakes in them", remedy, "note"),)
    effects = tuple(_effects(changes, merged, progress, workshop)) if merged else ()
    withdrawn = tuple(_withdrawn(changes, merged)) if merged else ()
    proposal = Proposal(ref, commit, changes, problems, effects, withdrawn, mistakes)
    return Proposed(proposal, base, merged or Checked((), ()))


# --- the merged state -------------------------------------------------------------------------------------------------


def _new(actions: Mapping[str, Action], repo: git.Repository, base_folder: Path) -> Iterator[tuple[str, Action]]:
    """Leave out files that the commit has as the work tree has them, though it came to them by another way."""
    for path, action in actions.items():
        here, there = repo.top / path, base_folder / path.removeprefix(repo.prefix)
        if action == "removed":
            same = path.startswith(f"{repo.prefix}{JUDGED[0]}/") and not os.path.lexists(there)
        else:
            same = not (here.is_symlink() or there.is_symlink()) and here.is_file() and there.is_file()
            same = same and cmp(here, there, shallow=False)
        if not same:
            yield path, action


def _lay_over(actions: Mapping[str, Action], repo: git.Repository, folder: Path) -> None:
    """Make of the commit's files what the work tree made of them; removals first, so that kinds may change."""
    for path, action in sorted(actions.items(), key=lambda item: item[1] != "removed"):
        inner = path.removeprefix(repo.prefix)
        if not path.startswith(repo.prefix) or inner.partition("/")[0] not in JUDGED:
            continue
        place = folder / inner
        _cleared(place)
        if action != "removed" and os.path.lexists(repo.top / path):
            place.parent.mkdir(parents=True, exist_ok=True)
            _placed(repo.top / path, place)
        elif not any(place.parent.iterdir()):
            place.parent.rmdir()


def _cleared(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _placed(source: Path, place: Path) -> None:
    if source.is_symlink():
        place.symlink_to(source.readlink())
    elif source.is_file():
        _linked(source, place)
    else:
        place.mkdir()


def _linked(source: str | Path, place: str | Path) -> None:
    """Give a file another name, or copy it where the file system has no such thing; nothing here writes to files."""
    try:
        os.link(source, place)
    except OSError:
        shutil.copyfile(source, place)


def _judged(
    root: Path, now: datetime, progress: Callable[[str], None], workshop: Workshop
) -> tuple[Checked | None, tuple[Problem, ...]]:
    try:
        return pipeline.check(root, now, progress, workshop), ()
    except SettingsError as error:
        return None, error.problems


def _clashes(changes: Iterable[Change], clashes: Iterable[str], prefix: str) -> Iterator[Problem]:
    paths = {path.removeprefix(prefix) for path in clashes}
    for change in changes:
        if change.path in paths:
            remedy = "Merge or rebase, and check again: the effect shown is that of this version."
            yield Problem(
                "change-clashes", change.path, "a file that only this changes", "one changed there too", remedy
            )


# --- the effect -------------------------------------------------------------------------------------------------------


def _effects(
    changes: Iterable[Change], merged: Checked, progress: Callable[[str], None], workshop: Workshop
) -> Iterator[Effect]:
    added = {change.path for change in changes if change.action == "added"}
    for docket in merged.dockets:
        new = {item.report.method.id for item in docket.judgements if _place(docket, item.report.path) in added}
        if not new:
            continue
        progress(f"computing {docket.benchmark.id}")
        board = pipeline.compute(docket, workshop)
        leaders = _leaders(board, new)
        entries = {entry.method: entry for entry in (*board.entries, *board.diagnostic)}
        for method in sorted(new & entries.keys()):
            yield _effect(entries[method], board, leaders)


def _place(docket: Docket, path: str) -> str:
    return f"results/{docket.benchmark.id}/{path}"


def _leaders(board: Board, new: Collection[str]) -> tuple[str, ...]:
    """Return who is at the top without the new ones: all that share the best full value."""
    sign = board.benchmark.metric(board.benchmark.primary).sign
    values = {
        entry.method: sign * value
        for entry in board.entries
        if entry.method not in new and (value := _value(entry, board)) is not None
    }
    return tuple(sorted(method for method, value in values.items() if value == max(values.values())))


def _value(entry: Entry, board: Board) -> float | None:
    """Return the full value of the primary metric."""
    found = entry.estimates.get(board.benchmark.primary)
    return None if found is None or found.conditional else found.value


def _effect(entry: Entry, board: Board, leaders: tuple[str, ...]) -> Effect:
    unranked = board.ranking.unranked.get(entry.method, "") if board.ranking else "this board has no ranking"
    if entry.outcome == "diagnostic":
        unranked = "it is set aside as no publication evidence"
    standing = board.standings.get(entry.method)
    return Effect(board.benchmark, entry, _position(entry, board), standing, unranked, _rivals(entry, board, leaders))


def _position(entry: Entry, board: Board) -> tuple[int, int] | None:
    sign = board.benchmark.metric(board.benchmark.primary).sign
    mine = _value(entry, board)
    values = [value for other in board.entries if (value := _value(other, board)) is not None]
    if mine is None or entry.outcome != "admitted":
        return None
    return 1 + sum(sign * value > sign * mine for value in values), len(values)


def _rivals(entry: Entry, board: Board, leaders: tuple[str, ...]) -> tuple[Rival, ...]:
    """Compare with the board's baselines and the leaders, in this order, each once."""
    roles: dict[str, list[str]] = {}
    for declared in board.benchmark.comparisons:
        if "baseline" not in roles.setdefault(declared.baseline, []):
            roles[declared.baseline].append("baseline")
    for leader in leaders:
        roles.setdefault(leader, []).append("leader")
    reports = {other.method: other.report for other in board.entries if other.method != entry.method}
    chosen = [method for method in roles if method in reports]
    primary = board.benchmark.metric(board.benchmark.primary)
    found = compare_pairs([(reports[method], entry.report) for method in chosen], board.benchmark, (primary,))
    return tuple(Rival(tuple(roles[method]), one) for method, one in zip(chosen, found, strict=True))


def _withdrawn(changes: Iterable[Change], merged: Checked) -> Iterator[tuple[str, Withdrawal]]:
    added = {change.path for change in changes if change.kind == "withdrawal" and change.action == "added"}
    for docket in merged.dockets:
        for item in docket.withdrawn:
            if f"results/{docket.benchmark.id}/withdrawn/{item.method}.yaml" in added:
                yield docket.benchmark.id, item

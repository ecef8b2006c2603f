"""The rules of pull requests: one adds reports and nothing else, or takes reports back by files with reasons.

What is the maintainer's own (settings, samples, templates, frozen tables, the program) may change by itself: that is
said, and breaks no rule. Who wrote a report cannot be told from its file, so every report that stands counts as
another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from tallystick.board import Checked, Docket, Judgement
from tallystick.errors import Problem
from tallystick.frozen import LEDGER
from tallystick.proposal import CONTRIBUTED, Action, Change, Kind

SHOWN = 3
EARLIEST = timedelta(hours=14)
"""How far the earliest clocks on Earth are ahead of UTC."""


def classified(actions: Mapping[str, Action], prefix: str, base: Checked | None) -> tuple[Change, ...]:
    """Say of each changed file whose affair it is; paths from the top of the work tree become the board's own."""
    dockets = {docket.benchmark.id: docket for docket in base.dockets} if base else {}
    changes = []
    for path, action in actions.items():
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        inner = shown.removeprefix(prefix) if shown.startswith(prefix) else f"../{shown}"
        kind, benchmark = _kind(inner, dockets)
        changes.append(Change(inner, action, kind, benchmark))
    return tuple(sorted(changes))


def policy(
    changes: Sequence[Change], base: Checked | None, merged: Checked | None, now: datetime
) -> tuple[Problem, ...]:
    """Return what breaks the rules, and as notes what only the maintainer may merge; at most fifty.

    `now` bounds the days of new withdrawals.
    """
    found = [
        *_reports(changes, base, merged),
        *_withdrawals(changes, base),
        *_days(changes, merged, now),
        *_frozen(changes, base, merged),
        *_mixture(changes),
        *_displaced(changes, base, merged),
    ]
    return tuple(found[:50])


def _kind(path: str, dockets: Mapping[str, Docket]) -> tuple[Kind, str]:
    parts = PurePosixPath(path).parts
    if parts[0] in ("content", "templates"):
        return "site", ""
    if parts[0] != "results" or len(parts) < 3:
        return ("frozen table" if path == LEDGER else "other"), ""
    docket, inner = dockets.get(parts[1]), "/".join(parts[2:])
    if parts[2] == "frozen":  # whatever else is wrong with the board
        return "frozen table", parts[1]
    if docket is None or inner in _own(docket):
        return "benchmark", parts[1]
    if parts[2] == "withdrawn":
        return "withdrawal", parts[1]
    if any(part.startswith(".") for part in parts) or path.endswith((".py", ".md")):
        return "other", parts[1]
    return "report", parts[1]


def _own(docket: Docket) -> set[str]:
    supplements = docket.benchmark.supplements.values()
    return {"benchmark.yaml", docket.benchmark.samples.path, *(blob.path for blob in supplements)}


# --- reports ----------------------------------------------------------------------------------------------------------


def _reports(changes: Iterable[Change], base: Checked | None, merged: Checked | None) -> Iterator[Problem]:
    methods = _sources(base)
    taken_back = {
        (docket.benchmark.id, item.method) for docket in (merged.dockets if merged else ()) for item in docket.withdrawn
    }
    claimed = _claimed(merged) if merged else None
    for change in changes:
        if change.kind != "report":
            continue
        if change.action == "added":
            if claimed is not None and change.path not in claimed:
                remedy = "Remove it: a report pull request adds reports and nothing else."
                yield Problem("file-without-report", change.path, "a file of a report", "one of none", remedy)
        elif change.action == "edited":
            remedy = "Leave it as it is. Add a new report under an id of its own; withdraw the old one by itself."
            yield Problem("report-edited", change.path, "every report as it was", "an edited one", remedy)
        elif (change.benchmark, methods.get(change.path, "")) not in taken_back:
            place = f"results/{change.benchmark}/withdrawn/{methods.get(change.path, 'METHOD')}.yaml"
            remedy = f"Put it back. A report is withdrawn by a file {place} with a reason and a date."
            yield Problem("report-removed", change.path, "every report as it was", "none", remedy)


def _sources(checked: Checked | None) -> dict[str, str]:
    """Return the method by each file that its report was read from."""
    return {
        f"results/{docket.benchmark.id}/{source.path}": item.report.method.id
        for docket in (checked.dockets if checked else ())
        for item in docket.judgements
        for source in item.report.sources
    }


def _claimed(checked: Checked) -> set[str]:
    """Return the files that belong to a report, or of which it is told why they do not."""
    unread = {f"results/{docket.benchmark.id}/{item.path}" for docket in checked.dockets for item in docket.unread}
    return unread | set(_sources(checked))


def _displaced(changes: Iterable[Change], base: Checked | None, merged: Checked | None) -> Iterator[Problem]:
    """Find reports that nobody touched, and that would no longer be judged as they are."""
    touched = {change.path for change in changes}
    after = {(path, item.report.method.id): item.outcome for path, item in _mains(merged)}
    for path, item in _mains(base):
        method = item.report.method.id
        outcome = after.get((path, method), item.outcome)
        if path not in touched and outcome not in (item.outcome, "withdrawn"):
            remedy = "See why it is judged anew; if that is meant, it is for the maintainer to merge."
            found = f"{outcome} if this is merged"
            yield Problem("report-displaced", path, f"{method} to stay {item.outcome}", found, remedy)


def _mains(checked: Checked | None) -> Iterator[tuple[str, Judgement]]:
    for docket in checked.dockets if checked else ():
        for item in docket.judgements:
            yield f"results/{docket.benchmark.id}/{item.report.path}", item


# --- what is not a report ---------------------------------------------------------------------------------------------


def _withdrawals(changes: Iterable[Change], base: Checked | None) -> Iterator[Problem]:
    known = {
        (docket.benchmark.id, item.report.method.id)
        for docket in (base.dockets if base else ())
        for item in docket.judgements
    }
    for change in changes:
        if change.kind != "withdrawal":
            continue
        if change.action != "added":
            remedy = "Put it back: what was taken back, and why, stays told."
            yield Problem("withdrawal-changed", change.path, "every withdrawal as it was", change.action, remedy)
        elif (change.benchmark, PurePosixPath(change.path).stem) not in known:
            remedy = "Name the file after the method whose report is taken back."
            yield Problem("withdrawal-without-report", change.path, "the id of a method here", "another name", remedy)


def _days(changes: Iterable[Change], merged: Checked | None, now: datetime) -> Iterator[Problem]:
    """Find new withdrawals from a day that has begun nowhere: a build takes back at once, whatever day it is told."""
    today = (now + EARLIEST).date()
    added = {change.path for change in changes if change.kind == "withdrawal" and change.action == "added"}
    for docket in merged.dockets if merged else ():
        for one in docket.withdrawn:
            path = f"results/{docket.benchmark.id}/{one.path}"
            if path in added and one.day > today:
                remedy = "State the day on which it is proposed: it holds as soon as it is merged."
                yield Problem("withdrawal-date", path, f"a day not after {today}", one.day.isoformat(), remedy)


def _frozen(changes: Iterable[Change], base: Checked | None, merged: Checked | None) -> Iterator[Problem]:
    """Hold frozen tables against the commit's: a build knows only what the ledger lists, and both may be cut."""
    remedy = "Restore it: a table that was cited must stay as it was."
    touched = [
        change
        for change in changes
        if change.kind == "frozen table"
        and (change.action == "removed" or (change.action == "edited" and change.path != LEDGER))
    ]
    for change in touched:
        yield Problem("frozen-edited", change.path, "every frozen table as it was", change.action, remedy)
    if touched or base is None or merged is None:
        return
    for benchmark, shelf in base.frozen.items():
        before, after = ([table.digest for table in tables] for tables in (shelf, merged.frozen.get(benchmark, ())))
        if after[: len(before)] != before:
            expected = f"the tables of {benchmark} in the order in which they were frozen, and new ones after them"
            yield Problem("frozen-edited", LEDGER, expected, "another order", remedy)


def _mixture(changes: Sequence[Change]) -> Iterator[Problem]:
    """Say which changes are the maintainer's; that breaks a rule where reports or withdrawals come with them."""
    kinds = {change.kind for change in changes if change.kind in CONTRIBUTED and change.action == "added"}
    own = [change for change in changes if change.kind not in CONTRIBUTED]
    if kinds and own:
        remedy = "Propose them apart from each other: a report pull request adds reports and nothing else."
        for change in own:
            yield Problem("change-mixed", change.path, f"a {min(kinds)} and nothing else", _described(change), remedy)
    elif own:
        shown = ", ".join(change.path for change in own[:SHOWN]) + (", …" if len(own) > SHOWN else "")
        remedy = "It is the maintainer's to merge."
        found = f"{len(own)} other files: {shown}"
        yield Problem("maintainer-change", own[0].path, "reports in a report pull request", found, remedy, "note")
    if len(kinds) == len(CONTRIBUTED):
        withdrawal = next(change for change in changes if change.kind == "withdrawal")
        remedy = "Withdraw in a pull request of its own."
        yield Problem("change-mixed", withdrawal.path, "a report and nothing else", _described(withdrawal), remedy)


def _described(change: Change) -> str:
    return (
        f"an {change.action} file ({change.kind})" if change.action != "removed" else f"a removed file ({change.kind})"
    )

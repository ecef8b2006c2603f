"""A plan in words: what was understood, what the log states, what it cannot show, and what to commit."""

from __future__ import annotations

from collections.abc import Iterator

from tallystick.importing.plan import Plan, Understood
from tallystick.numerals import count, exact

_REPEATED = 12


def told(plan: Plan) -> str:
    """Return the plan as plain text. Names come from logs: whoever prints them must make them printable."""
    return "".join(f"{line}\n" for line in _lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    made = set(plan.made)
    for name in sorted({item.benchmark for item in plan.understood}):
        members = [item for item in plan.understood if item.benchmark == name]
        yield f"{name}: {'a new benchmark' if name in made else 'a benchmark of this board'}, {_some(members)}"
        for component, what in members[0].pinned.items():
            yield f"  {component}: {what}"
        for item in members[:_REPEATED]:
            yield from _run(item)
        if len(members) > _REPEATED:
            yield f"  … and {count(len(members) - _REPEATED)} more methods"
        for text in dict.fromkeys(text for item in members for text in item.unproven):
            yield f"  cannot show: {text}"
        if unaccepted := sorted({one for item in members for one in item.unaccepted}):
            how = " ".join(f"--accept {one}" for one in unaccepted)
            if name not in made:
                how = f"`accepts: [{', '.join(unaccepted)}]` in results/{name}/benchmark.yaml"
            yield f"  refused as it stands; to accept how the format counts: {how}"
        yield ""
    if plan.ignored:
        yield f"Not understood, and left alone: {', '.join(plan.ignored[:8])}{' …' if len(plan.ignored) > 8 else ''}"
    for path in plan.unchanged:
        yield f"Already there, unchanged: {path}"
    if plan.files:
        yield f"To commit ({count(len(plan.files))} file{'s' * (len(plan.files) != 1)}):"
        yield from (f"  {file.path}" for file in plan.files)


def _some(members: list[Understood]) -> str:
    samples = max(item.samples for item in members)
    return f"{count(samples)} sample{'s' * (samples != 1)}, {count(len(members))} method{'s' * (len(members) != 1)}"


def _run(item: Understood) -> Iterator[str]:
    statuses = ", ".join(f"{count(number)} {status}" for status, number in item.statuses.items())
    yield f"  {item.method} ({item.format}): {statuses}"
    for metric, (mean, n) in item.means.items():
        yield f"    {metric}: mean {exact(mean)} over {count(n)}"
    for what, where, value in item.stated:
        yield f"    stated: {what} {exact(value)} at {where}"
    for difference in item.differences:
        yield f"    known difference {difference.name}: {difference.reason}"
    for note in item.notes:
        yield f"    note: {note}"
    for name, digest in item.sources[:3]:
        yield f"    read: {name} sha256 {digest}"

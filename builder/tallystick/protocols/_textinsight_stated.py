"""Every number that an evaluation report states, with what it must follow from: the numbers beneath, as stated.

A report is checked layer by layer: gates from counts, scores from dimensions, qualities from scores, means from
qualities. Each layer takes the one beneath as the report states it, so that a fault is named where it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tallystick.model import Computed, MeanOf, MeanOfValues, Quantity, Stated
from tallystick.protocols._textinsight_records import Finding, Record
from tallystick.protocols._textinsight_scoring import Profile, finding_score, most_restrictive
from tallystick.protocols._textinsight_tasks import AXES, Tasks
from tallystick.strict import Node, pointer


def stated_of_record(record: Record, profile: Profile, path: str) -> Iterator[Stated]:
    """Yield every value of a record that follows from the values beneath it, as the record states those."""
    for finding in record.findings:
        yield from _stated_of_finding(finding, profile, path)
    if record.findings:
        scores = [finding.score for finding in record.findings]
        known = tuple(score for score in scores if score is not None)
        resolved = len(known) == len(scores)
        yield Stated(
            f"{path} {record.at}/quality",
            record.quality,
            MeanOfValues(known) if resolved else Computed(None, "undefined while a finding is unresolved"),
            label=f"quality of {record.task}, the mean of its findings",
        )
        yield Stated(
            f"{path} {record.at}/status",
            record.status,
            Computed("scored" if resolved else "unresolved", "unresolved while a finding is"),
            label=f"status of {record.task}",
        )


def _stated_of_finding(finding: Finding, profile: Profile, path: str) -> Iterator[Stated]:
    if finding.allowed is not None:
        yield Stated(
            f"{path} {finding.at}/evidence_gate/support_cap",
            finding.gate,
            Computed(finding.allowed.support, finding.allowed.rule),
            label=f"evidence gate of {finding.name}, from its counts",
        )
    yield Stated(
        f"{path} {finding.at}/effective_support",
        finding.effective,
        Computed(most_restrictive(finding.support, finding.gate), "the more restrictive of support and gate"),
        label=f"effective support of {finding.name}",
    )
    score = finding_score(profile, finding.effective, finding.dimensions, finding.earns_nothing)
    yield Stated(
        f"{path} {finding.at}/score",
        finding.score,
        Computed(score, finding.earns_nothing or profile.formula),
        label=f"finding score of {finding.name}, from its support and dimensions",
    )


def stated_of_blocks(node: Node, ordered: Sequence[Record], tasks: Tasks) -> Iterator[Stated]:
    """Yield the numbers over all tasks and over each group; note groups that are not those of the task list."""
    yield from _stated_of_block(node, ordered)
    for axis in AXES:
        groups = node.mapping(f"/by_{axis}")
        values = tasks.values(axis)
        if set(groups) != set(values):
            expected = f"by_{axis} of exactly {', '.join(values)}"
            remedy = "Aggregate again over the pinned tasks."
            node.refuse(f"/by_{axis}", "groups", expected, ", ".join(groups) or "none", remedy)
        for value in values:
            if value in groups:
                members = [record for record in ordered if tasks.axis(axis, [record.task]) == (value,)]
                yield from _stated_of_block(node.child(pointer((f"by_{axis}", value))), members, axis, value)


def _stated_of_block(
    block: Node, members: Sequence[Record], axis: str | None = None, value: str | None = None
) -> Iterator[Stated]:
    for key, quantity in _quantities(members, axis, value).items():
        at = f"/{key}"
        found: float | None
        if not key.endswith("_mean"):
            found = block.number(at) if key.endswith("_rate") else block.whole(at)
        elif block.has(at):
            found = block.maybe(at, block.number)
        else:
            found = block.number(at)
        yield Stated(block.place(at), found, quantity, label=key if value is None else f"{key} of {value}")


def _quantities(members: Sequence[Record], axis: str | None, value: str | None) -> Mapping[str, Quantity]:
    total = len(members)
    counts = {status: 0 for status in ("abstained", "pending", "unresolved", "missing", "invalid")}
    for record in members:
        if record.status in counts:
            counts[record.status] += 1
    scored = sum(record.quality is not None for record in members)
    covered = tuple(record.coverage for record in members if record.coverage is not None)
    mean = MeanOf("quality", axis, value)
    return {
        "tasks": Computed(total, "count"),
        "scored_tasks": Computed(scored, "count"),
        "quality_mean": mean if scored == total else Computed(None, "undefined unless every task has a score"),
        "conditional_quality_mean": mean if scored else Computed(None, "undefined without a scored task"),
        "reference_coverage_mean": (
            MeanOfValues(covered) if len(covered) == total else Computed(None, "undefined unless every task has it")
        ),
        "valid_submission_rate": _share(
            total - counts["missing"] - counts["invalid"], total, "neither missing nor invalid / tasks"
        ),
        "abstention_rate": _share(counts["abstained"], total, "abstained / tasks"),
        "pending_tasks": Computed(counts["pending"] + counts["unresolved"], "pending and unresolved"),
        "missing_tasks": Computed(counts["missing"], "count"),
        "invalid_tasks": Computed(counts["invalid"], "count"),
    }


def _share(k: int, n: int, rule: str) -> Computed:
    return Computed(k / n if n else None, rule)


def stated_of_coverage(records: Sequence[Record], path: str) -> Iterator[Stated]:
    """Yield each task's reference coverage: null everywhere unless the report was made with references."""
    matched = [any(finding.reference_match for finding in record.findings) for record in records]
    with_references = any(matched) or any(record.coverage is not None for record in records)
    if not with_references:
        return
    for record in records:
        expected = None
        if record.status == "scored":
            expected = float(
                any(
                    finding.reference_match and finding.effective == "supported" and finding.earns_nothing is None
                    for finding in record.findings
                )
            )
        elif record.status == "abstained":
            expected = 0.0
        yield Stated(
            f"{path} {record.at}/reference_coverage",
            record.coverage,
            Computed(expected, "whether a supported finding matches a reference"),
            label=f"reference coverage of {record.task}",
        )

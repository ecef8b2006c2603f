"""What binds a TextInsight report together: tasks, corpora, references, scoring and reviewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tallystick.digest import compact_unicode, sha256
from tallystick.errors import Problem
from tallystick.protocols._textinsight_records import Record
from tallystick.protocols._textinsight_scoring import PROFILES, Profile
from tallystick.protocols._textinsight_tasks import Tasks, check_digest, disagreements
from tallystick.strict import Node, describe

_STALE = "The review was made for something else: review again, then evaluate."
_ONE_REVIEWER = "Review every task of a report by one method; another judge makes another board."


def binding_problems(document: Node, records: Sequence[Record], tasks: Tasks, profile: Profile) -> tuple[Problem, ...]:
    """Return everything by which the report, its run or its reviews belong to something else than the board."""
    node = Node(document.value, document.where)
    _check_scoring(node, tasks, profile)
    check_digest(node, "/tasks_sha256", tasks)
    if node.get("/run") is not None:
        check_digest(node, "/run/tasks_sha256", tasks)
        _check_run(node, tasks, profile)
    _check_reviewers(node, records)
    _check_references(node, records, tasks)
    return (
        *node.problems,
        *_gates(node, records, profile),
        *_stale(node, records, tasks, profile),
        *_order(node, records, tasks),
    )


def _check_scoring(node: Node, tasks: Tasks, profile: Profile) -> None:
    version, difficulty = node.text("/scoring_version"), node.text("/difficulty")
    if version not in PROFILES:
        expected = f"scoring_version one of {', '.join(PROFILES)}"
        node.refuse("/scoring_version", "scoring-version", expected, describe(version), "Score it again.")
    if difficulty != profile.difficulty:
        expected = f"difficulty {profile.difficulty}, as {profile.scoring_version} scores"
        node.refuse("/difficulty", "difficulty", expected, describe(difficulty), "Score it with its own profile.")
    if strange := [task for task in tasks.rows if not tasks.scored_by(task, profile.difficulty)]:
        expected = f"difficulty of the tasks of {tasks.path}, such as {strange[0]}"
        found = f"scoring_version {profile.scoring_version}, of difficulty {profile.difficulty}"
        node.refuse("/difficulty", "difficulty", expected, found, "Score it with its own profile.")


def _check_run(node: Node, tasks: Tasks, profile: Profile) -> None:
    """Check which tasks the run says that it ran, where the profile takes them as they stand in the file."""
    difficulty = node.maybe("/run/difficulty", node.text) or "standard"
    if difficulty != profile.difficulty:
        expected = f"run.difficulty {profile.difficulty}, as the report states"
        node.refuse("/run/difficulty", "difficulty", expected, describe(difficulty), "Run and score with one profile.")
    effective = node.maybe("/run/effective_tasks_sha256", node.text)
    if effective is None or len(_task_digests(tasks, profile)) < len(tasks.rows):
        return
    expected = sha256(compact_unicode(list(tasks.rows.values())))
    if effective != expected:
        told = f"run.effective_tasks_sha256 {expected}, the digest of the tasks of {tasks.path}"
        remedy = "The run was made on other tasks: run it on the pinned ones."
        node.refuse("/run/effective_tasks_sha256", "tasks-digest", told, effective, remedy)


def _task_digests(tasks: Tasks, profile: Profile) -> Mapping[str, str]:
    """Return each task's digest, of those that the profile takes as they stand in the file."""
    return {
        task: sha256(compact_unicode(row))
        for task, row in tasks.rows.items()
        if row.get("difficulty", "standard") == profile.difficulty
    }


def unverified_tasks(records: Sequence[Record], tasks: Tasks, profile: Profile) -> tuple[str, ...]:
    """Say that `task_sha256` is taken as stated where the profile changes the tasks of the file before a run."""
    bound = any("task_sha256" in record.binding for record in records)
    if not bound or len(_task_digests(tasks, profile)) == len(tasks.rows):
        return ()
    return (f"task_sha256 of each record, since {profile.scoring_version} changes the tasks of the list before a run",)


def _stale(node: Node, records: Sequence[Record], tasks: Tasks, profile: Profile) -> Iterator[Problem]:
    """Yield one problem for each field of the binding that does not match, whatever the number of records."""
    corpora = {task: str(row.get("corpus_sha256")) for task, row in tasks.rows.items()}
    digests = _task_digests(tasks, profile)
    references, version = node.text("/reference_sha256"), node.text("/scoring_version")
    expected: dict[str, tuple[str, Mapping[str, str]]] = {
        "scoring_version": (f"{version}, as the report states", dict.fromkeys(tasks.rows, version)),
        "reference_sha256": (f"{references}, as the report states", dict.fromkeys(tasks.rows, references)),
        "corpus_sha256": (f"of each task's corpus in {tasks.path}", corpora),
        "task_sha256": (f"of each task in {tasks.path}", digests),
    }
    for field, (told, pinned) in expected.items():
        found = {
            record.task: record.binding[field]
            for record in records
            if field in record.binding and record.binding[field] != pinned.get(record.task, record.binding[field])
        }
        at = next((record.at for record in records if record.task in found), "")
        yield from disagreements(f"{node.where} {at}/{field}", field, told, found, _STALE, "review-stale")
    submissions = Counter(record.binding.get("submission_sha256") for record in records)
    for record in records:
        submission = record.binding.get("submission_sha256")
        if submission is not None and submissions[submission] > 1:
            where = f"{node.where} {record.at}/submission_sha256"
            told = f"{record.task}: submission_sha256 of its own, as a submission names its task"
            yield Problem("review-stale", where, told, f"that of another task too, {submission}", _STALE)
        if submission is not None and (len(submission) != 64 or set(submission) - set("0123456789abcdef")):
            where = f"{node.where} {record.at}/submission_sha256"
            told = f"{record.task}: submission_sha256, a SHA-256 in hexadecimal"
            yield Problem("digest-malformed", where, told, describe(submission), _STALE)


def _check_reviewers(node: Node, records: Sequence[Record]) -> None:
    listed = node.texts("/reviewer_methods")
    used = sorted({record.reviewer for record in records if record.reviewer is not None})
    if len(listed) > 1 or len(used) > 1:
        found = f"mixed reviewer methods: {', '.join(sorted({*listed, *used}))}"
        node.refuse("/reviewer_methods", "reviewers-mixed", "one reviewer method", found, _ONE_REVIEWER)
    if unused := sorted(set(listed) - set(used)):
        found = f"{', '.join(unused)}, which no record names as its reviewer_method"
        node.refuse("/reviewer_methods", "reviewer-unused", "reviewers of its records", found, _ONE_REVIEWER)
    if unlisted := sorted(set(used) - set(listed)):
        found = f"a reviewer_method that is not listed, {', '.join(unlisted)}"
        node.refuse("/reviewer_methods", "reviewer-unlisted", "every reviewer of its records", found, _ONE_REVIEWER)


def _check_references(node: Node, records: Sequence[Record], tasks: Tasks) -> None:
    """Hold reference coverages against `reference_sha256`, which tells whether the tasks have references at all."""
    if node.text("/tasks_sha256") != tasks.digest:
        return
    none = tasks.without_references(node.text("/benchmark_version"))
    covered = [record for record in records if record.coverage is not None]
    if node.text("/reference_sha256") == none:
        _check_unreferenced(node, records, covered)
    elif not covered and any(record.status in ("scored", "abstained") for record in records):
        expected = f"reference_sha256 {none}, as no task has a reference_coverage"
        remedy = "Evaluate again, with the references or without."
        node.refuse("/reference_sha256", "reference-absent", expected, node.text("/reference_sha256"), remedy)


def _check_unreferenced(node: Node, records: Sequence[Record], covered: Sequence[Record]) -> None:
    findings = [finding for record in records for finding in record.findings]
    found = {f"{record.at}/reference_coverage": f"{record.task}: {record.coverage}" for record in covered} | {
        f"{finding.at}/reference_match": f"{finding.name}: {describe(finding.reference_match)}"
        for finding in findings
        if finding.reference_match is not None
    }
    for at, told in found.items():
        expected = f"{at.rpartition('/')[2]} null, as reference_sha256 says that no task has a reference"
        remedy = "Without references there is nothing to cover: evaluate again."
        node.refuse(at, "reference-unexpected", expected, told, remedy)


def _gates(node: Node, records: Sequence[Record], profile: Profile) -> Iterator[Problem]:
    """Yield a problem where findings have gates under a profile without: nothing would hold them to their support."""
    findings = [finding for record in records for finding in record.findings]
    with_gate = [finding for finding in findings if node.get(f"{finding.at}/evidence_gate") is not None]
    if profile.gated or not with_gate:
        return
    told = f"null, as scoring_version {profile.scoring_version} has no gates"
    found = {finding.name: "a gate" for finding in with_gate}
    where = f"{node.where} {with_gate[0].at}/evidence_gate"
    yield from disagreements(where, "evidence_gate", told, found, "Evaluate again.", "gate-unexpected")


def _order(node: Node, records: Sequence[Record], tasks: Tasks) -> Iterator[Problem]:
    found = [tasks.place[record.task] for record in records if record.task in tasks.place]
    if found != sorted(found):
        remedy = "Nothing to mend: sums follow the order of the task list."
        yield Problem(
            "task-order", f"{node.where} /task_scores", f"the order of {tasks.path}", "another order", remedy, "note"
        )

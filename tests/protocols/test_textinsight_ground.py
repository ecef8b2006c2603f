"""TextInsight from the ground up: one corruption for each rule, all else hashed anew so that only it is broken."""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import textinsight_ground_made as beneath
import textinsight_made as made
from tallystick.errors import Refusal
from tallystick.model import Benchmark, Blob, PinnedFingerprint, Report
from tallystick.protocols import _textinsight_ground, textinsight
from tallystick.reconcile import problems as differences
from tallystick.reconcile import reconcile
from tallystick.verify import verify
from textinsight_ground_made import Ground

NOW = datetime(2027, 1, 1, tzinfo=UTC)
Change: TypeAlias = Callable[[Ground], object]


@pytest.fixture(scope="module")
def sound() -> Ground:
    """Return made-up tasks without a fault; a test changes a copy."""
    return beneath.ground()


def read(blobs: Sequence[Blob], board: Benchmark) -> Report:
    bundles, _ = textinsight.assemble(tuple(blobs), board)
    return textinsight.read(bundles[0], board)


def told(blobs: Sequence[Blob], board: Benchmark) -> list[str]:
    """Return every refusal, as the line of stages finds them; the board is the one that the report belongs to."""
    _, unread = textinsight.assemble(tuple(blobs), board)
    lines = [str(problem) for one in unread for problem in one.problems]
    try:
        report = read(blobs, board)
    except Refusal as refusal:
        return lines + [str(problem) for problem in refusal.problems]
    board = replace(board, fingerprint=PinnedFingerprint(*astuple(report.fingerprint)))
    (verified,) = verify([report], board, NOW)
    found = (*verified, *differences(reconcile(report, board, ())))
    return lines + [str(problem) for problem in found if problem.effect == "refuse"]


def refusals(sound: Ground, change: Change, **options: str) -> list[str]:
    """Change a copy, hash it anew, and return what is refused."""
    changed = copy.deepcopy(sound)
    change(changed)
    tasks, blobs = beneath.files(changed)
    return told(blobs, replace(made.benchmark(content=tasks), options=options))


# --- sound ------------------------------------------------------------------------------------------------------------


def test_sound_ground_is_verified_down_to_the_texts(sound: Ground) -> None:
    assert refusals(sound, lambda ground: None) == []
    tasks, blobs = beneath.files(sound)
    report = read(blobs, made.benchmark(content=tasks))
    assert report.depth == "texts"
    verdicts = Counter((one.group, one.verdict) for one in reconcile(report, made.benchmark(content=tasks), ()))
    assert {verdict for _, verdict in verdicts} == {"exact"}
    assert verdicts["texts", "exact"] == 66  # 6 counts for 8 conditions, 3 for 6 findings
    assert verdicts["reviews", "exact"] == 6 * 9


def test_what_a_findings_page_needs_is_there(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    record = read(blobs, made.benchmark(content=tasks)).records["locks"]
    submitted = record["findings"][1]["submitted"]
    source = sound.submissions["locks"]["findings"][1]
    assert submitted["claim"] == source["claim"]
    assert submitted["population"]["documents"] == source["statistics"]["population_total_n"]
    assert submitted["statistics"]["lift"] == source["statistics"]["lift"]
    assert submitted["robustness"]["rating"]["strata_n"] == 5
    quote = submitted["quotes"][0]
    text = next(row["text"] for row in sound.corpora["locks"] if row["doc_id"] == quote["document"])
    assert quote["before"] + quote["quote"] + quote["after"] == text
    assert record["depth"] == "texts"


def test_without_corpora_only_the_submissions_are_verified(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    report = read([blob for blob in blobs if not blob.path.startswith("corpora")], made.benchmark(content=tasks))
    assert report.depth == "submissions"
    assert any("a corpus or a review" in missing for missing in report.unverified)
    assert not [problem for problem in report.problems if problem.effect == "refuse"]


def test_without_submissions_the_records_alone_are_verified(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    report = read(blobs[:1], made.benchmark(content=tasks))
    assert report.depth == "records"
    assert any("the submissions are not here" in missing for missing in report.unverified)


def test_an_invalid_submission_keeps_its_fault_for_the_page(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    record = read(blobs, made.benchmark(content=tasks)).records["rails"]
    assert record["faults"]
    assert "group0_total_n" in record["faults"][0]


def test_further_processes_change_nothing(sound: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = copy.deepcopy(sound)
    first(changed)["statistics"]["delta_known_pp"] += 1
    tasks, blobs = beneath.files(changed)
    board = made.benchmark(content=tasks)
    alone = read(blobs, board)
    monkeypatch.setattr(_textinsight_ground, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    together = read(blobs, board)
    assert together.problems == alone.problems
    assert [problem.code for problem in together.problems] == ["statistic-differs"]
    assert together.stated == alone.stated
    assert together.records == alone.records


# --- one corruption for each rule -------------------------------------------------------------------------------------


def first(ground: Ground, task: str = "hinges") -> Any:  # noqa: ANN401 - a JSON object that the caller changes
    return ground.submissions[task]["findings"][0]


def put(task: str, *path: str | int, value: Any) -> Change:  # noqa: ANN401 - any JSON value
    """Return the change that writes a value into the first finding of a task."""

    def change(ground: Ground) -> None:
        parent = first(ground, task)
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = value

    return change


def restate(change: Change, task: str = "hinges") -> Change:
    """Return a change after which the statistics are right again, so that only the rule itself is broken."""

    def both(ground: Ground) -> None:
        change(ground)
        first(ground, task)["statistics"] = beneath.statistics(first(ground, task), ground.corpora[task])

    return both


def moved(task: str, condition: int, source: str, target: str) -> Change:
    """Return the change that moves an unquoted document to another state, keeping it in the old one as well."""

    def change(ground: Ground) -> None:
        assigned = first(ground, task)["assignments"][condition]
        assigned[f"{target}_doc_ids"].append(assigned[f"{source}_doc_ids"][-1])

    return change


def drop_document(ground: Ground) -> None:
    first(ground)["assignments"][0]["unknown_doc_ids"].pop()


def outside_document(ground: Ground) -> None:
    finding = ground.submissions["hinges"]["findings"][1]
    inside = set().union(*(set(finding["assignments"][0][f"{word}_doc_ids"]) for word in beneath.WORDS))
    outside = next(row["doc_id"] for row in ground.corpora["hinges"] if row["doc_id"] not in inside)
    finding["assignments"][0]["unknown_doc_ids"].append(outside)


def abstain_silently(ground: Ground) -> None:
    ground.submissions["knobs"]["abstention_reason"] = " "


def many_findings(ground: Ground) -> None:
    more = copy.deepcopy(ground.submissions["latch"]["findings"])
    for index, item in enumerate(more):
        item["finding_id"] = f"g{index}"
    ground.submissions["latch"]["findings"] += more


def same_finding_twice(ground: Ground) -> None:
    ground.submissions["latch"]["findings"][1]["finding_id"] = "f1"


def quotes(task: str, number: int, role: str) -> Change:
    """Return the change that quotes so many further documents, one letter each."""

    def change(ground: Ground) -> None:
        finding = first(ground, task)
        chosen = sorted(finding["assignments"][0]["positive_doc_ids"])[-number:]
        texts = {row["doc_id"]: row["text"] for row in ground.corpora[task]}
        finding["evidence"] += [
            {"doc_id": name, "start": 0, "end": 3, "quote": texts[name][:3], "role": role} for name in chosen
        ]

    return change


def only(role: str) -> Change:
    """Return the change that keeps the quotes of one role."""

    def change(ground: Ground) -> None:
        first(ground)["evidence"] = [quote for quote in first(ground)["evidence"] if quote["role"] == role]

    return change


def supporting_negative(ground: Ground) -> None:
    finding = first(ground)
    counter = next(quote for quote in finding["evidence"] if quote["role"] == "counterexample")
    finding["evidence"].append({**counter, "start": 0, "end": 4, "quote": "Ein ", "role": "supporting"})


def counter_positive(ground: Ground) -> None:
    finding = first(ground)
    finding["evidence"].append(
        {**finding["evidence"][0], "start": 0, "end": 4, "quote": "Ein ", "role": "counterexample"}
    )


def in_bytes(ground: Ground) -> None:
    """Count the span in UTF-8 bytes, as one must not: the gift is four of them."""
    quote = first(ground)["evidence"][0]
    text = next(row["text"] for row in ground.corpora["hinges"] if row["doc_id"] == quote["doc_id"])
    quote["start"], quote["end"] = len(text[:15].encode()), len(text[:40].encode())


def in_utf16(ground: Ground) -> None:
    """Count the span in UTF-16 units: the gift is two of them."""
    quote = first(ground)["evidence"][0]
    quote["start"], quote["end"] = quote["start"] + 1, quote["end"] + 1


def same_span_twice(ground: Ground) -> None:
    first(ground)["evidence"].append(dict(first(ground)["evidence"][0]))


ONE_RATING = {"field": "rating", "groups": [[1], [5]]}

LOCAL_GATES: list[tuple[str, Change, str, str]] = [
    (
        "submission-fields",
        lambda g: g.submissions["hinges"].update(note="x"),
        "hinges: exactly the fields",
        "also note",
    ),
    ("submission-fields", lambda g: g.submissions["hinges"].pop("abstention_reason"), "hinges", "no abstention_reason"),
    ("submission-task", lambda g: g.submissions["hinges"].update(task_id="doors"), "task_id hinges", '"doors"'),
    ("abstention-reason", abstain_silently, "knobs: an abstention_reason", "none"),
    ("findings-many", many_findings, "latch: at most 3", "found 4"),
    ("finding-doubled", same_finding_twice, "latch: each finding once", "found f1"),
    ("submission-fields", lambda g: first(g).update(extra=1), "hinges/f1", "also extra"),
    ("submission-fields", lambda g: first(g).pop("population"), "hinges/f1", "no population"),
    ("finding-kind", put("hinges", "kind", value="temporal_change"), "hinges/f1: group_difference", "temporal_change"),
    ("finding-text", put("hinges", "claim", value=" "), "hinges/f1: a claim", "none"),
    ("finding-text", put("hinges", "limitations", value=[]), "hinges/f1: at least one limitation", "0 limitations"),
    # population
    (
        "population-filters",
        put("hinges", "population", "filters", value=[{"field": "rating", "op": "gte", "value": 1}] * 4),
        "hinges/f1: at most 3 filters",
        "found 4",
    ),
    (
        "population-field",
        put("hinges", "population", "filters", value=[{"field": "text", "op": "eq", "value": "x"}]),
        "hinges/f1: a field of entity_id, rating",
        '"text"',
    ),
    (
        "population-operation",
        put("hinges", "population", "filters", value=[{"field": "rating", "op": "ne", "value": 1}]),
        "hinges/f1: an op of eq, in, gte, lte",
        '"ne"',
    ),
    (
        "population-value",
        put("hinges", "population", "filters", value=[{"field": "rating", "op": "in", "value": list(range(21))}]),
        "hinges/f1: 1 to 20 finite scalars",
        "an array of 21",
    ),
    (
        "population-value",
        put("hinges", "population", "filters", value=[{"field": "rating", "op": "eq", "value": True}]),
        "hinges/f1: a finite scalar",
        "true",
    ),
    (
        "population-small",
        put("hinges", "population", "filters", value=[{"field": "rating", "op": "eq", "value": 1}]),
        "hinges/f1: a population of at least 40",
        "found",
    ),
    # comparison
    ("comparison-unexpected", put("locks", "comparison", value=ONE_RATING), "locks/f1: comparison null", "an object"),
    (
        "comparison-field",
        put("hinges", "comparison", value={"field": "timestamp", "groups": [["a"], ["b"]]}),
        "hinges/f1: a field of entity_id, rating, report_year",
        '"timestamp"',
    ),
    (
        "comparison-groups",
        put("hinges", "comparison", "groups", value=[[1, 2], [2, 5]]),
        "hinges/f1: distinct values, and none in both groups",
        "[1, 2] and [2, 5]",
    ),
    (
        "comparison-groups",
        put("hinges", "comparison", "groups", value=[[1, 1], [5]]),
        "hinges/f1: distinct values",
        "[1, 1]",
    ),
    ("comparison-groups", put("hinges", "comparison", "groups", value=[[1], []]), "two lists of 1 to 20", "array of 2"),
    ("comparison-cutoff", put("doors", "comparison", "cutoff", value="2020-1-1"), "doors/f1: a cutoff", '"2020-1-1"'),
    (
        "comparison-field",
        put("doors", "comparison", "field", value="rating"),
        "doors/f1: the field timestamp",
        "rating",
    ),
    ("arm-small", put("doors", "comparison", "cutoff", value="2018-01-05"), "doors/f1: arms of at least 10", "and"),
    # partition
    (
        "conditions-number",
        lambda g: first(g)["definitions"].append({"condition_id": "x", "inclusion": "a", "exclusion": "b"}),
        "hinges/f1: definitions of 1 condition",
        "found 2",
    ),
    (
        "condition-doubled",
        put("locks", "definitions", 1, "condition_id", value="broken"),
        "locks/f1: each condition once",
        "broken, broken",
    ),
    (
        "condition-unassigned",
        put("hinges", "definitions", 0, "condition_id", value="bent"),
        "hinges/f1: assignments of the condition bent",
        "none",
    ),
    (
        "partition-overlap",
        moved("hinges", 0, "negative", "unknown"),
        "hinges/f1, broken: each document in one",
        "1 more",
    ),
    ("partition-overlap", moved("locks", 1, "negative", "negative"), "locks/f1, returned: each document", "1 more"),
    ("partition-incomplete", drop_document, "hinges/f1, broken: every document of the population", "1 in no state: d"),
    ("partition-outside", outside_document, "hinges/f2, broken: documents of the population only", "1 outside it: d"),
    (
        "partition-strange",
        lambda g: first(g)["assignments"][0]["unknown_doc_ids"].append("x1"),
        "hinges/f1, broken: documents of the corpus",
        "1 unknown: x1",
    ),
    # evidence
    ("evidence-unsupported", only("counterexample"), "hinges/f1: a supporting quote", "none"),
    ("evidence-many", quotes("hinges", 11, "context"), "hinges/f1: at most 15 quotes", "found 16"),
    ("evidence-doubled", same_span_twice, "[15:40]: each span once", "the same span again"),
    ("evidence-quote", in_bytes, "[18:45]", "which stands there"),
    ("evidence-quote", in_utf16, "[16:41]", "which stands there"),
    ("evidence-quote", put("hinges", "evidence", 0, "quote", value="Elsewhere."), "[15:40]", '"Elsewhere."'),
    ("evidence-span", put("hinges", "evidence", 0, "end", value=4000), "a span within the", "15 to 4000"),
    ("evidence-document", put("hinges", "evidence", 0, "doc_id", value="x1"), "x1 [15:40]: a document", "none there"),
    ("evidence-role", put("hinges", "evidence", 0, "role", value="proof"), "hinges/f1: a role of", '"proof"'),
    ("evidence-few", lambda g: first(g)["evidence"].__delitem__(slice(0, 2)), "from at least 3 distinct", "found 2"),
    ("evidence-not-positive", supporting_negative, "a supporting document that is positive", "another state"),
    ("counterexample-wrong", counter_positive, "a counterexample that is known negative", "another state"),
    ("counterexample-absent", only("supporting"), "hinges/f1: a counterexample, as", "none"),
]


@pytest.mark.parametrize(
    ("code", "change", "expected", "found"),
    LOCAL_GATES,
    ids=[f"{index:02}-{case[0]}" for index, case in enumerate(LOCAL_GATES)],
)
def test_each_local_gate(sound: Ground, code: str, change: Change, expected: str, found: str) -> None:
    lines = [line for line in refusals(sound, change) if line.endswith(f"[{code}]")]
    assert lines, f"no {code}"
    assert expected in lines[0]
    assert found in lines[0]
    assert "reports/made/submissions/" in lines[0]


STATISTICS = {
    task: sorted(beneath.finding("f1", kind, beneath.corpus(150, 1), 1)["statistics"])
    for task, kind in (("hinges", "group_difference"), ("doors", "temporal_change"), ("locks", "compound_association"))
}


@pytest.mark.parametrize("task", sorted(STATISTICS))
def test_each_statistic_is_recomputed(sound: Ground, task: str) -> None:
    changed = copy.deepcopy(sound)
    stated = first(changed, task)["statistics"]
    for key, value in stated.items():
        stated[key] = 0.5 if value is None else value + 2e-6
    tasks, blobs = beneath.files(changed)
    problems = read(blobs, made.benchmark(content=tasks)).problems
    named = {problem.where.rpartition("/")[2] for problem in problems if problem.code == "statistic-differs"}
    assert named == set(STATISTICS[task])


def test_statistics_are_exactly_those_of_the_kind(sound: Ground) -> None:
    extra = refusals(sound, put("hinges", "statistics", "p_value", value=0.01))
    assert any("[statistic-unexpected]" in line and "p_value" in line for line in extra)
    absent = refusals(sound, lambda ground: first(ground)["statistics"].pop("delta_known_pp"))
    assert any("[statistic-absent]" in line and "delta_known_pp" in line for line in absent)


def test_a_statistic_within_a_millionth_is_right(sound: Ground) -> None:
    value = first(sound)["statistics"]["delta_known_pp"]
    lines = refusals(sound, put("hinges", "statistics", "delta_known_pp", value=value + 5e-7))
    assert lines == []


# --- report against submissions ---------------------------------------------------------------------------------------


def test_a_valid_submission_that_the_report_calls_invalid(sound: Ground) -> None:
    def mend(ground: Ground) -> None:
        first(ground, "rails")["statistics"]["group0_total_n"] -= 1

    (line,) = refusals(sound, mend)
    assert "submissions/rails.json: expected rails: a rule that the submission breaks" in line


def test_a_submission_where_the_report_says_missing(sound: Ground) -> None:
    def hand_in(ground: Ground) -> None:
        ground.submissions["bolts"] = {"task_id": "bolts", "findings": [], "abstention_reason": "None."}

    assert any("[submission-present]" in line for line in refusals(sound, hand_in))


def test_a_review_of_a_task_that_the_report_calls_pending(sound: Ground) -> None:
    def review_it(ground: Ground) -> None:
        ground.reviews["latch"] = beneath.review("latch", ground.submissions["latch"], ground.corpora["latch"])

    (line,) = refusals(sound, review_it)
    assert "reviews/latch.json: expected latch: no review, as the report calls it pending_review" in line


def test_an_abstention_with_findings(sound: Ground) -> None:
    def find(ground: Ground) -> None:
        ground.submissions["knobs"]["findings"] = [
            beneath.finding("f1", "group_difference", ground.corpora["knobs"], 3)
        ]

    assert any("[abstention]" in line and "knobs: no findings" in line for line in refusals(sound, find))


def test_another_submission_than_the_reviewed_one(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    other = copy.deepcopy(sound.submissions["hinges"])
    other["findings"][0]["claim"] = "Another claim."
    swapped = [made.blob(other, blob.path) if blob.path.endswith("submissions/hinges.json") else blob for blob in blobs]
    lines = told(swapped, made.benchmark(content=tasks))
    assert ["[submission-digest]" in line and "hinges: submission_sha256" in line for line in lines] == [True]


def test_a_finding_that_was_not_assessed(sound: Ground) -> None:
    lines = refusals(sound, lambda ground: ground.records["doors"]["findings"].pop())
    assert any("doors: every submitted finding assessed, in order (f1, f2)" in line for line in lines)


def test_a_corpus_that_is_another(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    rows = [{**row, "text": row["text"] + "!"} for row in sound.corpora["hinges"]]
    swapped = [
        made.blob(beneath.packed_corpus(rows), blob.path) if blob.path == "corpora/hinges.jsonl.gz" else blob
        for blob in blobs
    ]
    lines = told(swapped, made.benchmark(content=tasks))
    assert ["corpora/hinges.jsonl.gz: expected the corpus of hinges" in line for line in lines] == [True]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b'{"doc_id": "a"}\n{"doc_id": "a"}', mtime=0), "each doc_id once"),
        (gzip.compress(b'{"doc_id": 1}', mtime=0), "one object with a doc_id a line"),
        (gzip.compress(b"[]", mtime=0)[:-9], "cut off"),
        (b"\x1f\x8bno", "gzip data"),
        (gzip.compress(b"{", mtime=0), "JSON Lines"),
        (gzip.compress(b'{"doc_id": "a", "rating": NaN}', mtime=0), "JSON Lines"),
        (gzip.compress(b'{"doc_id": "a", "text": "\\ud800"}', mtime=0), "JSON Lines"),
    ],
)
def test_a_corpus_that_cannot_be_read(sound: Ground, content: bytes, words: str) -> None:
    tasks, blobs = beneath.files(sound)
    corpus = made.blob(content, "corpora/hinges.jsonl.gz")
    rows = [{**row, "corpus_sha256": corpus.digest} if row["task_id"] == "hinges" else row for row in json.loads(tasks)]
    others = [blob for blob in blobs if blob.path != corpus.path]
    lines = told([*others, corpus], made.benchmark(content=json.dumps(rows).encode()))
    assert any(words in line and "corpora/hinges.jsonl.gz" in line for line in lines)


def test_a_corpus_larger_than_the_maintainer_allows(sound: Ground) -> None:
    tasks, blobs = beneath.files(sound)
    board = made.benchmark(content=tasks)
    rows = [{"doc_id": f"{number}", "text": "x" * 1000} for number in range(2000)]
    corpus = made.blob(beneath.packed_corpus(rows), "corpora/hinges.jsonl.gz")
    tasks = json.dumps(
        [{**row, "corpus_sha256": corpus.digest} if row["task_id"] == "hinges" else row for row in json.loads(tasks)]
    ).encode()
    board = replace(made.benchmark(content=tasks), limits=replace(board.limits, total_mb=1))
    lines = told([*[blob for blob in blobs if blob.path != corpus.path], corpus], board)
    assert any("within the limits of benchmark.yaml" in line and "more than 1 MB" in line for line in lines)


def with_corpus(sound: Ground, content: bytes, **task: object) -> list[str]:
    """Return what is refused where the first task pins another corpus file, or says something else of it."""
    changed = copy.deepcopy(sound)
    changed.tasks[0].update(task)
    changed.statuses["hinges"] = "pending_review"
    del changed.reviews["hinges"]
    corpus = made.blob(content, "corpora/hinges.jsonl.gz")
    tasks, blobs = beneath.files(changed)
    rows = [row | ({"corpus_sha256": corpus.digest} if row["task_id"] == "hinges" else {}) for row in json.loads(tasks)]
    records = [beneath.record(row, changed, made.references(rows, made.blob(rows).content)) for row in rows]
    document = made.report_of(rows, records, made.blob(rows).content)
    others = [blob for blob in blobs if blob.path not in (corpus.path, f"{beneath.FOLDER}/report.json")]
    reviews = [blob for blob in others if "/reviews/" in blob.path]
    rebound = [
        made.blob(json.loads(blob.content) | {"reference_sha256": document["reference_sha256"]}, blob.path)
        for blob in reviews
    ]
    files = [made.blob(document), corpus, *rebound, *(blob for blob in others if blob not in reviews)]
    return told(files, made.benchmark(content=made.blob(rows).content))


def test_a_corpus_is_whatever_gzip_unpacks(sound: Ground) -> None:
    content = gzip.decompress(beneath.packed_corpus(sound.corpora["hinges"]))
    middle = len(content) // 2
    members = gzip.compress(content[:middle]) + gzip.compress(content[middle:])
    for same in (content, members, gzip.compress(content) + bytes(512), gzip.compress(content.replace(b"\n", b"\r\n"))):
        assert with_corpus(sound, same) == []
    assert "[corpus-unreadable]" in with_corpus(sound, gzip.compress(content) + b"more")[0]


def test_a_corpus_is_unicode_and_has_as_many_documents_as_its_task_says(sound: Ground) -> None:
    content = gzip.decompress(beneath.packed_corpus(sound.corpora["hinges"]))
    halves = content.replace(b"Ein", b"\xed\xa0\x80", 1)
    for wrong in (halves, b"", content[:1] + b"\x00" + content[1:]):
        assert "corpora/hinges.jsonl.gz" in with_corpus(sound, gzip.compress(wrong))[0]
    (line,) = with_corpus(sound, gzip.compress(content), n_documents=151)
    assert "hinges: n_documents 151, as the task list says, found 150 documents" in line


# --- reviews and their blind checks -----------------------------------------------------------------------------------


def review(ground: Ground) -> Any:  # noqa: ANN401 - a JSON object that the caller changes
    return ground.reviews["hinges"]


def check(ground: Ground) -> Any:  # noqa: ANN401 - a JSON object that the caller changes
    return review(ground)["blind_check"]


def positive(ground: Ground) -> Any:  # noqa: ANN401 - a JSON object that the caller changes
    return next(row for row in check(ground)["annotations"] if "positive" in row["states"])


def flip(ground: Ground) -> None:
    row = next(row for row in check(ground)["annotations"] if row["states"] == ["negative", "negative"])
    row["states"][0] = "unknown"


REVIEWS: list[tuple[str, Change, str, str]] = [
    ("review-stale", lambda g: review(g).update(reference_sha256="0" * 64), "hinges: reference_sha256", "0000"),
    ("review-stale", lambda g: review(g).update(submission_sha256="0" * 64), "hinges: submission_sha256", "0000"),
    ("review-stale", lambda g: review(g).update(corpus_sha256="0" * 64), "hinges: corpus_sha256", "0000"),
    ("review-stale", lambda g: review(g).update(task_sha256="0" * 64), "hinges: task_sha256", "0000"),
    ("review-stale", lambda g: review(g).update(scoring_version="older"), "hinges: scoring_version", "older"),
    ("review-stale", lambda g: review(g).update(reviewer_method="another"), "hinges: reviewer_method", "another"),
    ("findings-assessed", lambda g: review(g)["findings"].pop(), "hinges: each submitted finding assessed", "found f2"),
    ("review-fields", lambda g: review(g)["findings"][0].update(score=80), "hinges/f2: exactly", "score"),
    ("audit-budget", lambda g: check(g).update(budget=59), "hinges: a budget of 60 to 2000", "found 59"),
    ("audit-budget", lambda g: check(g).update(budget=2001), "hinges: a budget of 60 to 2000", "found 2001"),
    ("audit-sample", lambda g: check(g).update(budget=61), "hinges: exactly the 61 documents", "1 absent"),
    ("audit-sample", lambda g: check(g).update(seed="another"), "hinges: exactly the 60 documents", "too many"),
    ("audit-sample", lambda g: check(g)["annotations"].pop(), "hinges: exactly the 60 documents", "1 absent: d"),
    (
        "audit-doubled",
        lambda g: check(g)["annotations"].append(check(g)["annotations"][0]),
        "annotated once",
        "a second time",
    ),
    ("audit-fields", lambda g: positive(g)["states"].pop(), "a state and a quote for 2 conditions", "1 states"),
    ("audit-fields", lambda g: positive(g).update(note="x"), "exactly doc_id, states and quotes", "note"),
    ("audit-state", lambda g: positive(g).update(states=["yes", "no"]), "one of positive, negative", '"yes"'),
    ("audit-quote", lambda g: positive(g).update(quotes=["", ""]), "a quote for the positive state of", "none"),
    ("audit-quote", lambda g: positive(g).update(quotes=["Elsewhere."] * 2), "a quote from the text", "Elsewhere"),
    ("audit-told", lambda g: review(g)["semantic_audit"].update(sample_documents=59), "sample_documents 60", "59"),
    ("stated-differs", flip, "checker_unknown of hinges/f1, broken", "stated value differs"),
    (
        "stated-differs",
        lambda g: review(g)["findings"][0].update(calibration=0.25),
        "calibration of hinges/f2: 0.25",
        "stated value differs",
    ),
    (
        "stated-differs",
        lambda g: review(g)["findings"][1].update(support="partial"),
        "support of hinges/f1: partial",
        "stated value differs",
    ),
]


@pytest.mark.parametrize(
    ("code", "change", "expected", "found"),
    REVIEWS,
    ids=[f"{index:02}-{case[0]}" for index, case in enumerate(REVIEWS)],
)
def test_each_rule_of_a_review(sound: Ground, code: str, change: Change, expected: str, found: str) -> None:
    lines = [line for line in refusals(sound, change) if line.endswith(f"[{code}]") and expected in line]
    assert lines, f"no {code} about {expected}"
    assert found in lines[0]


def test_quoted_documents_fill_at_most_half_of_the_audit(sound: Ground) -> None:
    lines = refusals(sound, quotes("doors", 10, "context"))
    assert not any("audit-evidence" in line for line in lines)

    def many(ground: Ground) -> None:
        third = beneath.finding("f3", "temporal_change", ground.corpora["doors"], 77)
        ground.submissions["doors"]["findings"].append(third)
        for item in ground.submissions["doors"]["findings"]:
            chosen = sorted(set(item["assignments"][0]["negative_doc_ids"]))
            start = 10 * int(item["finding_id"][1])
            chosen = chosen[start : start + 10]
            texts = {row["doc_id"]: row["text"] for row in ground.corpora["doors"]}
            item["evidence"] += [
                {"doc_id": name, "start": 0, "end": 3, "quote": texts[name][:3], "role": "context"} for name in chosen
            ]

    assert any("doors: quoted documents within half of the 60" in line for line in refusals(sound, many))


def test_the_pinned_protocol_of_the_check(sound: Ground) -> None:
    assert refusals(sound, lambda ground: None, evidence_protocol_sha256=beneath.PROTOCOL) == []
    lines = refusals(sound, lambda ground: None, evidence_protocol_sha256="0" * 64)
    assert all("[audit-protocol]" in line for line in lines)
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("settings", "code"),
    [({"audit_seed": "another"}, "audit-seed"), ({"audit_documents": 61}, "audit-budget"), ({}, "")],
)
def test_the_judges_own_seed_and_budget(sound: Ground, settings: dict[str, Any], code: str) -> None:
    tasks, blobs = beneath.files(sound)
    judge = {"model": "judge-1", "base_url": "https://judge.example", "audit_seed": beneath.SEED, "audit_documents": 60}
    lines = told(
        [*blobs, made.blob(judge | settings, f"{beneath.FOLDER}/judge_config.json")], made.benchmark(content=tasks)
    )
    assert {line.rpartition("[")[2].rstrip("]") for line in lines} == ({code} if code else set())


def test_a_real_audit_of_another_size(sound: Ground) -> None:
    def larger(ground: Ground) -> None:
        for task in ("hinges", "doors", "locks"):
            submission, rows = ground.submissions[task], ground.corpora[task]
            ground.reviews[task] = beneath.review(task, submission, rows, budget=97)
            for index, item in enumerate(ground.records[task]["findings"]):
                item["evidence_gate"] = beneath.gate(submission, index, ground.reviews[task])

    assert refusals(sound, larger) == []


JUNK = (None, True, -1, 1e300, "junk", [], {}, [[]], [None], {"junk": 1})


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything inside a value; of long lists the first item only."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


@pytest.mark.parametrize("layer", ["submissions", "reviews"])
def test_junk_of_another_type_is_refused_wherever_it_stands(sound: Ground, layer: str) -> None:
    task = "locks"
    one = beneath.ground(findings=1, names={task: beneath.NAMES[task]})
    whole: Any = getattr(one, layer)[task]
    draw = random.Random(7)
    for path in places(whole):
        parent = whole
        for key in path[:-1]:
            parent = parent[key]
        old = parent[path[-1]]
        junk = draw.choice([item for item in JUNK if type(item) is not type(old)])
        if {"population", "comparison", "statistics", "reference_match", "duplicate_of"} & set(path) and old is None:
            continue
        parent[path[-1]] = junk
        tasks, blobs = beneath.files(one)
        assert told(blobs, made.benchmark(content=tasks)), f"{path} = {junk!r}"
        parent[path[-1]] = old


# --- real reports -----------------------------------------------------------------------------------------------------


def unpacked(shared: Path, method: str, bench: str) -> tuple[bytes, list[Blob]]:
    """Return a real report with its corpora, submissions and reviews, as they lie in a benchmark's folder."""
    oracle = shared / "oracle_textinsight"
    folder = oracle / "methods" / method
    blobs = [
        made.blob((folder / name).read_bytes(), f"reports/{method}/{name}")
        for name in ("report.json", "judge_config.json")
    ]
    with tarfile.open(folder / "inputs.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                blobs.append(made.blob(stream.read(), f"reports/{method}/{member.name.removeprefix('./')}"))
    blobs += [
        made.blob(path.read_bytes(), f"corpora/{path.name}") for path in sorted((oracle / bench / "corpora").iterdir())
    ]
    return (oracle / bench / "tasks.json").read_bytes(), blobs


@pytest.mark.parametrize(
    ("method", "bench", "counts"),
    [
        ("atlas", "bench", 1002),
        ("borealis", "bench", 624),
        ("dorado", "bench", 930),
        ("standard_indus", "bench_standard", 0),
    ],
)
def test_real_reports_are_verified_down_to_the_texts(shared: Path, method: str, bench: str, counts: int) -> None:
    tasks, blobs = unpacked(shared, method, bench)
    board = made.benchmark(content=tasks)
    assert told(blobs, board) == []
    report = read(blobs, board)
    assert report.depth == "texts"
    assert report.unverified == ()
    verdicts = Counter((one.group, one.verdict) for one in reconcile(report, board, ()))
    assert {verdict for _, verdict in verdicts} == {"exact"}
    assert verdicts["texts", "exact"] == counts
    invalid = [record for record in report.records.values() if record["status"] == "invalid"]
    assert all(record["faults"] for record in invalid)


def test_a_removed_finding_is_seen_from_the_submission(shared: Path) -> None:
    tasks, blobs = unpacked(shared, "atlas", "bench")
    fault = (shared / "oracle_textinsight_faults/finding_removed/report.json").read_bytes()
    swapped = [made.blob(fault, blob.path) if blob.path.endswith("/report.json") else blob for blob in blobs]
    lines = told(swapped, made.benchmark(content=tasks))
    expected = "amazon_beauty_group_difference_durability_tradeoffs: every submitted finding assessed, in order"
    assert any(expected in line for line in lines)

"""Made-up TextInsight tasks from the ground up: corpora, submissions, reviews, and the report that follows from them.

Everything is computed here a second time with plain sets and loops, so that what the program finds in it was not put
there by the program. A test changes one thing of a `Ground`, hashes it anew with `files`, and breaks one rule.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeAlias

import textinsight_made as made
from tallystick.model import Blob

Json: TypeAlias = dict[str, Any]

SEED = "a seed of the audit"
BUDGET = 60
PROTOCOL = made.digest("the checker's protocol")
FIELDS = ("entity_id", "rating", "timestamp", "report_year")
AXES = ("entity_id", "rating", "report_year")
WORDS = ("positive", "negative", "unknown")
BROKE = "The hinge broke."
HELD = "The hinge held."
CONDITIONS = {"broken": ("It broke.", "It might break."), "returned": ("It went back.", "It was kept.")}


@dataclass
class Ground:
    """Everything that a report stands on, still unhashed."""

    tasks: list[Json]
    corpora: dict[str, list[Json]]
    submissions: dict[str, Json]
    reviews: dict[str, Json]
    statuses: dict[str, str]
    records: dict[str, Json] = field(default_factory=dict)


# --- corpora ----------------------------------------------------------------------------------------------------------


def corpus(documents: int, seed: int, padding: int = 0) -> list[Json]:
    """Return documents with metadata, some of it missing or unreadable, and texts beyond ASCII.

    `padding` makes each text so many characters longer.
    """
    draw = random.Random(seed)
    rows = []
    for number in range(documents):
        day = date(2018, 1, 1) + timedelta(days=draw.randrange(1500))
        rows.append(
            {
                "doc_id": f"d{number:05}",
                "text": f"Ein Geschenk 🎁 für Zoë. {draw.choice((BROKE, HELD))} Zurück am {day.isoformat()}."
                + "".join(draw.choices("abcdefghij klmnop ", k=padding)),
                "entity_id": f"e{min(draw.randrange(9), draw.randrange(9))}",
                "rating": draw.choice((1, 2, 3, 4, 5, 5, None)),
                "timestamp": draw.choice((day.isoformat(), day.isoformat() + "T10:00:00", "soon", None))
                if draw.random() < 0.1
                else day.isoformat(),
            }
        )
    return rows


def year(row: Mapping[str, Any]) -> int | None:
    """Return the year of a document."""
    try:
        return date.fromisoformat(row["timestamp"][:10]).year
    except (TypeError, ValueError):
        return None


# --- submissions ------------------------------------------------------------------------------------------------------


def task(name: str, kind: str, documents: int) -> Json:
    """Return a task, without the digest of its corpus."""
    return {
        "task_id": name,
        "source": "letters" if len(name) % 2 else "diaries",
        "kind": kind,
        "difficulty": "discovery",
        "discovery_mode": "agent_selected",
        "max_findings": 3,
        "allowed_metadata_fields": list(FIELDS),
        "min_population_n": 40,
        "min_group_n": 10,
        "n_documents": documents,
        "corpus_path": f"corpora/{name}.jsonl.gz",
    }


def population(finding: Mapping[str, Any], rows: Iterable[Json]) -> list[Json]:
    """Return the documents that a finding speaks of (made-up findings filter by time only)."""
    start = finding["population"]["filters"][0]["value"] if finding["population"]["filters"] else ""
    return [row for row in rows if not start or (row["timestamp"] is not None and row["timestamp"] >= start)]


def arms(finding: Mapping[str, Any], rows: Sequence[Json]) -> list[set[str]]:
    """Return the ids of the documents in each arm."""
    comparison = finding["comparison"]
    if comparison["field"] == "timestamp":
        dated = [(row["doc_id"], date.fromisoformat(row["timestamp"][:10])) for row in rows if year(row) is not None]
        cutoff = date.fromisoformat(comparison["cutoff"])
        return [{name for name, day in dated if day < cutoff}, {name for name, day in dated if day >= cutoff}]
    return [{row["doc_id"] for row in rows if row[comparison["field"]] in group} for group in comparison["groups"]]


def finding(name: str, kind: str, rows: Sequence[Json], seed: int) -> Json:
    """Return a valid finding over a corpus."""
    draw = random.Random(seed)
    comparisons = {
        "group_difference": {"field": "rating", "groups": [[1, 2], [4, 5]]},
        "temporal_change": {"field": "timestamp", "cutoff": "2020-01-01"},
        "compound_association": None,
    }
    conditions = list(CONDITIONS)[: 2 if kind == "compound_association" else 1]
    filters = [{"field": "timestamp", "op": "gte", "value": "2018-06-01"}] if seed % 2 else []
    result: Json = {
        "finding_id": name,
        "claim": "Hinges break more often there.",
        "kind": kind,
        "scope": "The corpus as given.",
        "population": {"filters": filters},
        "comparison": comparisons[kind],
        "definitions": [
            {"condition_id": key, "inclusion": CONDITIONS[key][0], "exclusion": CONDITIONS[key][1]}
            for key in conditions
        ],
        "assignments": [],
        "limitations": ["One corpus only."],
    }
    chosen = population(result, rows)
    for condition in conditions:
        states: dict[str, list[str]] = {word: [] for word in WORDS}
        for row in chosen:
            guess = "positive" if BROKE in row["text"] else "negative"
            states[guess if draw.random() < 0.9 else draw.choice(WORDS)].append(row["doc_id"])
        result["assignments"].append({"condition_id": condition, **{f"{word}_doc_ids": states[word] for word in WORDS}})
    result["statistics"] = statistics(result, rows)
    result["evidence"] = evidence(result, rows)
    return result


def sets(finding_: Mapping[str, Any]) -> list[dict[str, set[str]]]:
    """Return the documents of each state, by condition."""
    return [{word: set(item[f"{word}_doc_ids"]) for word in WORDS} for item in finding_["assignments"]]


def evidence(finding_: Mapping[str, Any], rows: Sequence[Json]) -> list[Json]:
    """Return four supporting quotes and a counterexample."""
    states = sets(finding_)
    support = sorted(set.intersection(*(state["positive"] for state in states)))
    counter = sorted(
        states[0]["negative"]
        if len(states) == 1
        else (states[0]["positive"] & states[1]["negative"]) | (states[0]["negative"] & states[1]["positive"])
    )
    texts = {row["doc_id"]: row["text"] for row in rows}
    chosen = [(name, "supporting") for name in support[:4]] + [(name, "counterexample") for name in counter[:1]]
    return [
        {"doc_id": name, "start": 15, "end": 40, "quote": texts[name][15:40], "role": role} for name, role in chosen
    ]


# --- statistics, with sets --------------------------------------------------------------------------------------------


def statistics(finding_: Mapping[str, Any], rows: Sequence[Json]) -> Json:
    """Return every statistic that a discovery finding must state."""
    chosen = population(finding_, rows)
    states = sets(finding_)
    result = (
        joint(states, len(chosen)) if len(states) == 2 else contrast(arms(finding_, chosen), states[0], len(chosen))
    )
    result |= {
        "corpus_total_n": len(rows),
        "population_total_n": len(chosen),
        "population_coverage": len(chosen) / len(rows),
    }
    if len(states) == 2:
        known = states[1]["positive"] | states[1]["negative"]
        first, second, outcome = states[0]["negative"] & known, states[0]["positive"] & known, states[1]["positive"]
    else:
        first, second = (arm - states[0]["unknown"] for arm in arms(finding_, chosen))
        outcome = states[0]["positive"]
    result |= {"robustness_known_arm0_n": len(first), "robustness_known_arm1_n": len(second)}
    for axis in AXES:
        result |= robustness(axis, chosen, first, second, outcome)
    return result


def rate(part: int, whole: int) -> float | None:
    """Return a share, or nothing of nothing."""
    return part / whole if whole else None


def difference(first: set[str], second: set[str], outcome: set[str]) -> float:
    """Return the contrast of two arms in percentage points."""
    return 100 * (len(second & outcome) / len(second) - len(first & outcome) / len(first))


def contrast(members: Sequence[set[str]], states: Mapping[str, set[str]], total: int) -> Json:
    """Return the statistics of two arms."""
    result: Json = {}
    for number, arm in enumerate(members):
        known = arm - states["unknown"]
        result[f"group{number}_total_n"] = len(arm)
        result[f"group{number}_known_n"] = len(known)
        result[f"group{number}_positive_n"] = len(arm & states["positive"])
        result[f"group{number}_unknown_n"] = len(arm & states["unknown"])
        result[f"group{number}_rate_known"] = rate(len(arm & states["positive"]), len(known))
    lows = [len(arm & states["positive"]) / len(arm) for arm in members]
    highs = [len(arm & (states["positive"] | states["unknown"])) / len(arm) for arm in members]
    result["excluded_metadata_n"] = total - len(members[0] | members[1])
    result["delta_known_pp"] = 100 * (result["group1_rate_known"] - result["group0_rate_known"])
    result["delta_identification_lower_pp"] = 100 * (lows[1] - highs[0])
    result["delta_identification_upper_pp"] = 100 * (highs[1] - lows[0])
    return result


def joint(states: Sequence[Mapping[str, set[str]]], total: int) -> Json:
    """Return the statistics of two conditions."""
    a, b = states
    n11, n10 = len(a["positive"] & b["positive"]), len(a["positive"] & b["negative"])
    n01, n00 = len(a["negative"] & b["positive"]), len(a["negative"] & b["negative"])
    known = n11 + n10 + n01 + n00
    given, otherwise = n11 / (n11 + n10), n01 / (n01 + n00)
    return {
        "known_joint_n": known,
        "unknown_joint_n": total - known,
        "n11": n11,
        "n10": n10,
        "n01": n01,
        "n00": n00,
        "p_b_given_a": given,
        "p_b_given_not_a": otherwise,
        "conditional_difference_pp": 100 * (given - otherwise),
        "lift": n11 * known / ((n11 + n10) * (n11 + n01)),
    }


def robustness(axis: str, rows: Sequence[Json], first: set[str], second: set[str], outcome: set[str]) -> Json:
    """Return the statistics of one axis."""
    strata: dict[str, set[str]] = {}
    missing = set()
    for row in rows:
        value = year(row) if axis == "report_year" else row[axis]
        if value is None or not str(value).strip():
            missing.add(row["doc_id"])
        else:
            strata.setdefault(str(value), set()).add(row["doc_id"])
    pairs = [(first & members, second & members) for members in strata.values()]
    pairs = [pair for pair in pairs if min(map(len, pair)) >= 5]
    effects = [difference(*pair, outcome) for pair in pairs]
    sizes = [len(one) + len(other) for one, other in pairs]
    covered = set().union(*(one | other for one, other in pairs))
    largest = min(strata, key=lambda name: (-len(strata[name]), name))
    kept = [arm - strata[largest] - missing for arm in (first, second)]
    support = outcome & (first | second)
    most = max(len(members & support) for members in strata.values())
    found = {
        "strata_n": len(strata),
        "missing_metadata_n": len(missing),
        "eligible_strata_n": len(pairs),
        "covered_known_n": sum(sizes),
        "excluded_known_n": len(first | second) - sum(sizes),
        "standardized_delta_pp": sum(n * e for n, e in zip(sizes, effects, strict=True)) / sum(sizes)
        if pairs
        else None,
        "covered_crude_delta_pp": difference(first & covered, second & covered, outcome) if pairs else None,
        "min_stratum_delta_pp": min(effects, default=None),
        "max_stratum_delta_pp": max(effects, default=None),
        "drop_largest_n": len(strata[largest]),
        "drop_largest_arm0_n": len(kept[0]),
        "drop_largest_arm1_n": len(kept[1]),
        "drop_largest_delta_pp": difference(kept[0], kept[1], outcome) if min(map(len, kept)) >= 5 else None,
        "support_missing_metadata_n": len(support & missing),
        "max_support_share": rate(most, len(support - missing)),
    }
    return {f"robustness_{axis}_{key}": value for key, value in found.items()}


# --- reviews ----------------------------------------------------------------------------------------------------------


def rank(key: str, document: str) -> bytes:
    """Return what the audit sample is ordered by."""
    return hashlib.sha256("\0".join((SEED, key, document)).encode()).digest()


def drawn(name: str, submission: Mapping[str, Any], rows: Sequence[Json], budget: int = BUDGET) -> list[str]:
    """Return the documents of the audit sample, in the order of the corpus."""
    chosen = {quote["doc_id"] for item in submission["findings"] for quote in item["evidence"]}
    room = budget - len(chosen)
    cells = {
        f"{item['finding_id']}/{assigned['condition_id']}/{word}": assigned[f"{word}_doc_ids"]
        for item in submission["findings"]
        for assigned in item["assignments"]
        for word in WORDS
        if assigned[f"{word}_doc_ids"]
    }
    for key, members in cells.items():
        ranked = sorted((rank(key, document), document) for document in members)
        chosen |= {document for _, document in ranked[: max(1, room // (2 * len(cells)))]}
    rest = sorted((row["doc_id"] for row in rows if row["doc_id"] not in chosen), key=lambda other: rank(name, other))
    chosen |= set(rest[: max(0, budget - len(chosen))])
    return [row["doc_id"] for row in rows if row["doc_id"] in chosen]


def review(name: str, submission: Mapping[str, Any], rows: Sequence[Json], budget: int = BUDGET) -> Json:
    """Return a review whose checker agrees with most of the assignments."""
    states = [state for item in submission["findings"] for state in sets(item)]
    texts = {row["doc_id"]: row["text"] for row in rows}
    annotations = []
    for number, document in enumerate(drawn(name, submission, rows, budget)):
        seen = [next((word for word in WORDS if document in state[word]), "negative") for state in states]
        if number % 20 == 7:
            seen = ["unknown" for _ in seen]
        quotes = [texts[document][10:30] if word == "positive" else "" for word in seen]
        annotations.append({"doc_id": document, "states": seen, "quotes": quotes})
    quoted = {quote["doc_id"] for item in submission["findings"] for quote in item["evidence"]}
    return {
        "task_id": name,
        "scoring_version": made.VERSION,
        "reviewer_method": made.REVIEWER,
        "findings": [assessment(item["finding_id"]) for item in reversed(submission["findings"])],
        "blind_check": {"protocol_sha256": PROTOCOL, "seed": SEED, "budget": budget, "annotations": annotations},
        "semantic_audit": {
            "corpus_documents": len(rows),
            "sample_documents": len(annotations),
            "participant_evidence_documents": len(quoted),
            "document_ids": [item["doc_id"] for item in annotations],
        },
    }


def assessment(name: str) -> Json:
    """Return a reviewer's judgement of a finding."""
    whole = made.finding(name)
    return {key: value for key, value in whole.items() if key not in ("score", "effective_support", "evidence_gate")}


def gate(submission: Mapping[str, Any], number: int, review_: Mapping[str, Any]) -> Json:
    """Return the evidence gate of a finding, counted document by document."""
    item = submission["findings"][number]
    offset = sum(len(other["definitions"]) for other in submission["findings"][:number])
    seen = {row["doc_id"]: row["states"][offset:] for row in review_["blind_check"]["annotations"]}
    conditions = []
    for column, state in enumerate(sets(item)):
        counts = dict.fromkeys(made.condition(), 0)
        for document, states in seen.items():
            claimed = next((word for word in WORDS if document in state[word]), None)
            if claimed is None:
                continue
            actual = states[column]
            counts["checked"] += 1
            counts["checker_unknown"] += actual == "unknown"
            counts["claimed_positive_checked"] += claimed == "positive"
            counts["positive_contradictions"] += claimed == "positive" and actual == "negative"
            if "unknown" not in (claimed, actual):
                counts["known_compared"] += 1
                counts["disagreements"] += claimed != actual
        conditions.append({**counts, "condition_id": item["definitions"][column]["condition_id"]})
    supporting = {quote["doc_id"] for quote in item["evidence"] if quote["role"] == "supporting"}
    width = len(item["definitions"])
    confirmed = sum(all(word == "positive" for word in seen[document][:width]) for document in supporting)
    contradicted = sum("negative" in seen[document][:width] for document in supporting)
    return made.gate("supported", *conditions, supporting=(len(supporting), confirmed, contradicted))


# --- the whole --------------------------------------------------------------------------------------------------------

NAMES = {
    "hinges": ("group_difference", "scored"),
    "doors": ("temporal_change", "scored"),
    "locks": ("compound_association", "scored"),
    "knobs": ("group_difference", "abstained"),
    "rails": ("group_difference", "invalid"),
    "bolts": ("temporal_change", "missing"),
    "latch": ("temporal_change", "pending_review"),
}


def ground(
    documents: int = 150, findings: int = 2, names: Mapping[str, tuple[str, str]] = NAMES, padding: int = 0
) -> Ground:
    """Return tasks of every kind and status, with all that lies beneath them, and no fault."""
    result = Ground([], {}, {}, {}, {name: status for name, (_, status) in names.items()})
    for number, (name, (kind, status)) in enumerate(names.items()):
        rows = result.corpora[name] = corpus(documents, number, padding)
        result.tasks.append(task(name, kind, documents))
        made_up = [finding(f"f{index + 1}", kind, rows, 10 * number + index) for index in range(findings)]
        submission = {"task_id": name, "findings": made_up, "abstention_reason": ""}
        if status == "abstained":
            submission |= {"findings": [], "abstention_reason": "Nothing that holds."}
        if status == "invalid":
            made_up[0]["statistics"]["group0_total_n"] += 1
        if status != "missing":
            result.submissions[name] = submission
        if status == "scored":
            result.reviews[name] = review(name, submission, rows)
            result.records[name] = {
                "findings": [
                    made.finding(item["finding_id"], evidence=gate(submission, index, result.reviews[name]))
                    for index, item in enumerate(made_up)
                ]
            }
    return result


FOLDER = "reports/made"
BOUND = ("submission_sha256", "corpus_sha256", "reference_sha256", "task_sha256")


def files(made_up: Ground) -> tuple[bytes, list[Blob]]:
    """Return `tasks.json` and all files of a board, with every digest as it must be."""
    packed = {name: packed_corpus(rows) for name, rows in made_up.corpora.items()}
    rows = [{**row, "corpus_sha256": hashlib.sha256(packed[row["task_id"]]).hexdigest()} for row in made_up.tasks]
    tasks_file = json.dumps(rows).encode()
    references = made.references(rows, tasks_file)
    records = [record(row, made_up, references) for row in rows]
    blobs = [made.blob(made.report_of(rows, records, tasks_file), f"{FOLDER}/report.json")]
    blobs += [made.blob(packed[name], f"corpora/{name}.jsonl.gz") for name in packed]
    blobs += [made.blob(item, f"{FOLDER}/submissions/{name}.json") for name, item in made_up.submissions.items()]
    bindings = {item["task_id"]: item for item in records}
    for name, item in made_up.reviews.items():
        bound = {key: bindings[name].get(key) for key in BOUND}
        blobs.append(made.blob({**bound, **item}, f"{FOLDER}/reviews/{name}.json"))
    return tasks_file, blobs


def packed_corpus(rows: Sequence[Json]) -> bytes:
    """Return a corpus as it lies on disk."""
    return gzip.compress("\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode(), 1, mtime=0)


def record(row: Mapping[str, Any], made_up: Ground, references: str) -> Json:
    """Return a task's record, bound to what lies beneath it now."""
    name = row["task_id"]
    status = made_up.statuses[name]
    plain: Json = {"task_id": name, "quality": None, "reference_coverage": None, "status": status}
    if status != "scored":
        return plain
    found = made_up.records[name]["findings"]
    return {
        **plain,
        "submission_sha256": made.compact(made_up.submissions[name]),
        "corpus_sha256": row["corpus_sha256"],
        "reference_sha256": references,
        "scoring_version": made.VERSION,
        "task_sha256": made.compact(row),
        "findings": found,
        "quality": sum(item["score"] for item in found) / len(found),
        "reviewer_method": made.REVIEWER,
    }

"""What a protocol hands on of each sample, finding by finding: the judgement, the gate, and the words and texts behind.

A record is a mapping of plain values (see `Report.records`); whatever of it is absent is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick import numerals
from tallystick.board import Board, Entry
from tallystick.pages._frame import method_path
from tallystick.pages._samples import sample_paths
from tallystick.pages._slugs import slugs
from tallystick.table import Cell, Column, Row, Table

DECIMALS = 2
DEPTHS = {
    "records": "the report's own records: what follows from them was recomputed, the records themselves are its word",
    "submissions": "the submissions and reviews: digests, findings and judgements were held against them",
    "texts": "the texts: partitions, statistics, quotes and the checked sample were recomputed from the corpus",
}
BOUND = "identification"
BOUNDS_NOTE = "Identification bounds are not confidence intervals: they say what the unknown documents could do."
ROBUSTNESS_NOTE = "Sensitivity within one corpus, no causal adjustment."


@dataclass(frozen=True, slots=True)
class Grid:
    """A small table inside a record: texts only, the first of each row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a document, with what stands before and after it."""

    document: str
    role: str
    place: str
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: `facts` are (what, value) pairs of its judgement, `told` those of its own words."""

    id: str
    score: str
    claim: str
    facts: tuple[tuple[str, str], ...]
    rationale: str
    told: tuple[tuple[str, str], ...]
    grids: tuple[Grid, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One sample with findings, or with a reason why it has none; `page` leads to the sample."""

    anchor: str
    sample: str
    page: str
    summary: str
    depth: str
    error: str
    faults: tuple[str, ...]
    findings: tuple[Finding, ...]


def anchors(board: Board) -> Mapping[str, str]:
    """Return the anchor of each sample's record on the page of a method."""
    return {sample: f"record-{name}" for sample, name in slugs(board.benchmark.samples.ids).items()}


def findings_table(
    found: Iterable[tuple[str, str, Mapping[str, Any]]], heading: str, caption: str, id_: str = "findings"
) -> Table | None:
    """Tabulate the findings of records, given as (title, href, record): support, gate, dimensions and score."""
    listed = [(title, href, finding) for title, href, record in found for finding in record.get("findings", ())]
    if not listed:
        return None
    dimensions = tuple(dict.fromkeys(name for _, _, finding in listed for name in finding.get("dimensions", {})))
    columns = (
        Column("owner", heading, "header"),
        Column("finding", "Finding", "text"),
        Column("support", "Judged", "text", group="Support", facet="value"),
        Column("gate", "Gate allows", "text", group="Support"),
        Column("effective", "Effective", "text", group="Support", facet="value"),
        Column("capped", "Capped because", "text", group="Support"),
        *(Column(name, name.replace("_", " ").capitalize(), group="Dimensions, 0 to 1") for name in dimensions),
        Column("score", "Score"),
    )
    rows = tuple(Row("", _row(title, href, finding, dimensions)) for title, href, finding in listed)
    note = "The effective support is the more restrictive of the judge's and of what the gate's counts allow."
    return Table(id_, caption, columns, rows, (note,))


def _row(title: str, href: str, finding: Mapping[str, Any], dimensions: Sequence[str]) -> tuple[Cell, ...]:
    gate, score = finding.get("gate"), finding.get("score")
    allowed, capped = (gate["cap"], gate["rule"] if gate["capped"] else "") if gate else (numerals.UNDEFINED, "")
    values = [finding.get("dimensions", {}).get(name) for name in dimensions]
    return (
        Cell(title, title, href=href or None),
        Cell(str(finding.get("id", "")), detail=_key(finding.get("earns_nothing") or "")),
        Cell(str(finding.get("support", ""))),
        Cell(allowed),
        Cell(str(finding.get("effective_support", ""))),
        Cell(capped, tone="wide" if capped else ""),
        *(Cell(numerals.number(value, DECIMALS), value) for value in values),
        Cell(
            numerals.number(score, DECIMALS),
            score,
            note="" if score is not None else "unresolved: support is uncertain",
        ),
    )


def method_findings(board: Board, entry: Entry) -> Table | None:
    """Tabulate all findings of a method."""
    path, places = method_path(board, entry.method), anchors(board)
    records = entry.report.records
    found = [(sample, f"{path}#{places[sample]}", records[sample]) for sample in records if sample in places]
    return findings_table(found, "Sample", "Every finding, as judged")


def records(board: Board, entry: Entry) -> tuple[Record, ...]:
    """Return the records of a method that say more than how a sample ended."""
    if not entry.report.records:
        return ()
    paths, places = sample_paths(board), anchors(board)
    return tuple(
        _record(places[sample], sample, record, paths.get(sample, ""))
        for sample, record in entry.report.records.items()
        if sample in places and any(record.get(key) for key in ("findings", "error", "faults"))
    )


def depth_words(entry: Entry) -> str:
    """Say how deep a report with findings was verified; nothing for others."""
    if not any(record.get("findings") for record in entry.report.records.values()):
        return ""
    return DEPTHS.get(entry.report.depth, "")


def _record(anchor: str, sample: str, record: Mapping[str, Any], path: str) -> Record:
    findings = tuple(map(_finding, record.get("findings", ())))
    counted = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}" if findings else ""
    quality = record.get("quality")
    parts = (str(record.get("status", "")), numerals.number(quality, DECIMALS) if quality is not None else "", counted)
    return Record(
        anchor=anchor,
        sample=sample,
        page=path,
        summary=" · ".join(filter(None, parts)),
        depth=DEPTHS.get(record.get("depth", ""), ""),
        error=str(record.get("error") or ""),
        faults=tuple(map(str, record.get("faults", ()))),
        findings=findings,
    )


def _finding(finding: Mapping[str, Any]) -> Finding:
    told: Mapping[str, Any] = finding.get("submitted") or {}
    gate: Mapping[str, Any] | None = finding.get("gate")
    facts = [("Support, by the judge", finding.get("support")), ("Effective support", finding.get("effective_support"))]
    if gate is not None:
        facts.insert(1, ("The gate allows", f"{gate['cap']} ({gate['rule']})"))
    if finding.get("earns_nothing"):
        facts.append(("Earns nothing", _key(finding["earns_nothing"])))
    facts += [
        (name.replace("_", " ").capitalize(), numerals.number(value, DECIMALS))
        for name, value in finding.get("dimensions", {}).items()
    ]
    return Finding(
        id=str(finding.get("id", "")),
        score=numerals.number(finding.get("score"), DECIMALS),
        claim=str(told.get("claim", "")),
        facts=tuple((what, str(value)) for what, value in facts if value is not None),
        rationale=str(finding.get("rationale", "")),
        told=tuple(_told(told)),
        grids=tuple(grid for grid in (_gate(gate), *_grids(told)) if grid is not None),
        quotes=tuple(map(_quote, told.get("quotes", ()))),
    )


def _told(told: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Return a finding's own words: what it speaks of, and its limits."""
    population = told.get("population")
    if population:
        size = f"{numerals.count(population['documents'])} of {numerals.count(population['corpus'])} documents"
        filters = [f"{one.get('field')} {one.get('op')} {_words(one.get('value'))}" for one in population["filters"]]
        yield "Population", f"{size}, where {' and '.join(filters)}" if filters else f"{size}, without a filter"
    if told.get("comparison"):
        yield (
            "Comparison",
            "; ".join(f"{key.replace('_', ' ')}: {_words(value)}" for key, value in told["comparison"].items()),
        )
    if told.get("scope"):
        yield "Scope", str(told["scope"])
    for condition in told.get("conditions", ()):
        yield f"Condition {condition['condition']}", f"{condition['inclusion']} Not: {condition['exclusion']}"
    if told.get("limitations"):
        yield "Limitations", " ".join(map(str, told["limitations"]))


def _words(value: object) -> str:
    """Write a value of a submission: items of a list apart, lists of a list against each other."""
    if isinstance(value, tuple | list):
        apart = " against " if any(isinstance(item, tuple | list) for item in value) else ", "
        return apart.join(map(_words, value))
    return numerals.single(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _gate(gate: Mapping[str, Any] | None) -> Grid | None:
    """Return the counts by which the gate decides."""
    if gate is None:
        return None
    conditions = gate["conditions"]
    keys = [key for key in conditions[0] if key != "condition"] if conditions else []
    rows = [(key.replace("_", " "), *(numerals.count(one[key]) for one in conditions)) for key in keys]
    note = (
        f"Supporting documents: {numerals.count(gate['supporting_documents'])}, of them"
        f" {numerals.count(gate['confirmed_documents'])} confirmed and"
        f" {numerals.count(gate['contradicted_documents'])} contradicted."
    )
    return Grid("The gate's counts", ("Count", *(str(one["condition"]) for one in conditions)), tuple(rows), note)


def _grids(told: Mapping[str, Any]) -> Iterable[Grid]:
    conditions = told.get("conditions", ())
    if conditions:
        rows = tuple(
            (word, *(numerals.count(one[word]) for one in conditions)) for word in ("positive", "negative", "unknown")
        )
        yield Grid("Documents of the population", ("State", *(str(one["condition"]) for one in conditions)), rows)
    statistics = told.get("statistics", {})
    plain = tuple((_key(key), _number(value)) for key, value in statistics.items() if BOUND not in key)
    bounds = tuple((_key(key), _number(value)) for key, value in statistics.items() if BOUND in key)
    if plain:
        yield Grid("Statistics", ("Statistic", "Value"), plain)
    if bounds:
        yield Grid("Identification bounds", ("Bound", "Value"), bounds, BOUNDS_NOTE)
    robustness = told.get("robustness", {})
    if robustness:
        keys = dict.fromkeys(key for own in robustness.values() for key in own)
        rows = tuple((_key(key), *(_number(own.get(key)) for own in robustness.values())) for key in keys)
        yield Grid("Robustness", ("Statistic", *(_key(axis) for axis in robustness)), rows, ROBUSTNESS_NOTE)


def _key(key: str) -> str:
    return key.replace("_", " ")


def _number(value: float | None) -> str:
    if value is None:
        return numerals.UNDEFINED
    return numerals.count(value) if isinstance(value, int) else numerals.number(value, 3)


def _quote(quote: Mapping[str, Any]) -> Quote:
    return Quote(
        document=str(quote["document"]),
        role=str(quote["role"]),
        place=f"characters {numerals.count(quote['start'])} to {numerals.count(quote['end'])}",
        before=("…" if quote["cut_before"] else "") + str(quote["before"]),
        quote=str(quote["quote"]),
        after=str(quote["after"]) + ("…" if quote["cut_after"] else ""),
    )

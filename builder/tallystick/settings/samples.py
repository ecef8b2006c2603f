"""Read a benchmark's own samples: pinned by digest, each with an id, its axes, stratum and cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.model import Blob, SampleSet
from tallystick.settings.schema import BenchmarkShape, SamplesShape
from tallystick.strict import capped, csv_rows, describe, json_document, json_lines
from tallystick.strict.names import hidden_characters

Row = Mapping[str, Any]
WHOLE = "all"
"""The one stratum of a benchmark that declares none."""


def sample_set(blob: Blob, shape: BenchmarkShape, where: str) -> SampleSet:
    """Join the sample file with what benchmark.yaml says of it; raise Refusal with every mistake in the file.

    `where` names the file. Samples come sorted by id; `positions` keeps their order in the file.
    """
    settings = shape.samples
    parsed = _rows(blob, where)
    chosen = [(index, row) for index, row in enumerate(parsed) if _selected(row, settings)]
    if not chosen:
        expected = "samples" if not settings.select else f"samples with {settings.select}"
        raise Refusal([Problem("samples-none", where, expected, f"none of {len(parsed)} rows", "Mend the selection.")])
    problems = [*_id_problems((row for _, row in chosen), settings.id, where)]
    names = {*shape.axes, *filter(None, (shape.stratum, shape.cluster))}
    for name in sorted(names):
        problems += _field_problems(chosen, name, shape, where)
    if problems:
        raise Refusal(capped(problems))
    chosen.sort(key=lambda pair: str(pair[1][settings.id]))
    rows = tuple(row for _, row in chosen)
    values = {name: tuple(_text(row, name) for row in rows) for name in names}
    strata = values[shape.stratum] if shape.stratum else (WHOLE,) * len(rows)
    return SampleSet(
        ids=tuple(row[settings.id] for row in rows),
        axes={axis: values[axis] for axis in shape.axes},
        strata=tuple(str(stratum) for stratum in strata),
        clusters=values[shape.cluster] if shape.cluster else None,
        rows=rows,
        digest=blob.digest,
        path=blob.path,
        positions=tuple(index for index, _ in chosen),
    )


def value_at(row: Row, field: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return a field of a row, None where it is absent; dots reach into objects where no such key exists."""
    if field in row:
        return row[field]
    head, dot, rest = field.partition(".")
    inner = row.get(head) if dot else None
    return value_at(inner, rest) if isinstance(inner, Mapping) else None


def _rows(blob: Blob, where: str) -> tuple[Row, ...]:
    suffix = blob.path.rpartition(".")[2]
    if suffix == "csv":
        return csv_rows(blob.content, where)
    if suffix == "jsonl":
        return json_lines(blob.content, where)
    if suffix != "json":
        remedy = "Write the samples in one of these, named by its ending."
        raise Refusal([Problem("samples-format", where, "a .jsonl, .json or .csv file", f".{suffix}", remedy)])
    rows = json_document(blob.content, where)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        remedy = "Write one array of objects, or JSON Lines."
        raise Refusal([Problem("wrong-type", where, "an array of objects", describe(rows), remedy)])
    return tuple(rows)


def _selected(row: Row, settings: SamplesShape) -> bool:
    for field, wanted in settings.select.items():
        found = value_at(row, field)
        if type(found) is not type(wanted) or found != wanted:
            return False
    return True


def _text(row: Row, field: str) -> str | None:
    value = value_at(row, field)
    return value if isinstance(value, str) and value else None


def _id_problems(rows: Iterable[Row], field: str, where: str) -> Iterator[Problem]:
    counts: Counter[str] = Counter()
    for row in rows:
        name = row.get(field)
        if isinstance(name, str) and name and not hidden_characters(name):
            counts[name] += 1
        else:
            expected = f"visible text in `{field}` of every sample"
            found = describe(name) if name is not None else "none"
            yield Problem("sample-id", where, expected, found, "Name every sample; say which field does it in `id`.")
    for name in sorted(name for name, count in counts.items() if count > 1):
        yield Problem("sample-id", where, "each id once", f"{name!r} {counts[name]} times", "Keep one sample an id.")


def _field_problems(chosen: list[tuple[int, Row]], field: str, shape: BenchmarkShape, where: str) -> Iterator[Problem]:
    values = [(row.get(shape.samples.id), value_at(row, field)) for _, row in chosen]
    for name, value in values:
        if value is not None and not isinstance(value, str):
            found = f"{describe(value)} in {name!r}"
            yield Problem("sample-axis", where, f"text or null in `{field}`", found, "Write the value as text.")
    if all(value is None for _, value in values):
        remedy = "Mend the name in benchmark.yaml, or add the field."
        yield Problem("sample-axis", where, f"the field `{field}`", "no sample with it", remedy)
    elif field == shape.stratum:
        without = [str(name) for name, value in values if value in (None, "")]
        if without:
            found = f"{len(without)} without: {', '.join(without[:5])}"
            remedy = "Give every sample a stratum, or choose another field."
            yield Problem("sample-axis", where, f"a stratum in `{field}` of every sample", found, remedy)

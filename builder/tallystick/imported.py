"""What an importer makes of foreign logs, before it is sealed: one value per run, and the importer itself.

An importer never decides what counts: it says how each sample ended, what the log states, and what the log cannot
prove. `importing` turns a run into a sealed report and, on first use, into a benchmark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tallystick.digest import sha256
from tallystick.logs import LogFile
from tallystick.model import Direction, Fingerprint, Method, Status

_ID_LENGTH = 63
IDS_ALONE = "sample ids alone: the log has no hash of what was asked"


def identifier(name: str) -> str:
    """Turn any name into an id of lower-case ASCII letters, digits, `.`, `_`, `-`; `/` becomes `__`.

    The same name always gives the same id; a name that is cut, or that holds nothing usable, gets part of its digest.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("/", "__")
    kept = re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")
    if kept and len(kept) <= _ID_LENGTH:
        return kept
    return f"{kept[: _ID_LENGTH - 9].rstrip('-._') or 'x'}-{sha256(name.encode('utf-8', 'replace'))[:8]}"


@dataclass(frozen=True, slots=True)
class ImportedMetric:
    """A per-sample number that a log holds; `lower` and `upper` bound one sample's value, None is unbounded.

    `id` is the log's own name; `importing` makes a proper id of it. `optional` says that a scored sample may lack it;
    importers leave that to the benchmark that is made.
    """

    id: str
    title: str
    direction: Direction = "higher"
    lower: float | None = 0.0
    upper: float | None = 1.0
    binary: bool = False
    optional: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class ImportedSample:
    """How one sample ended. `values` are by metric id: a scored sample has at least one, any other has none.

    `content` is a hash or version of what was asked, as the log states it; None where the log states none.
    """

    id: str
    status: Status
    values: Mapping[str, float] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    content: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedStatement:
    """A number that the log states of a metric, over all samples or over those of one axis value.

    `where` is the log's file and JSON pointer. "count" is the number of samples that the log says it speaks of. `under`
    names the difference that explains why the samples may give another number.
    """

    where: str
    metric: str
    value: float
    part: Literal["estimate", "standard_error", "count"] = "estimate"
    axis: str | None = None
    axis_value: str | None = None
    under: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A known way in which a format's own numbers part from its samples; a maintainer accepts it by name."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """One method's outcomes on one benchmark, as a log tells them.

    `benchmark` is the id that the log suggests. The benchmark component of `fingerprint` is None where the log pins
    nothing: it is then derived from the samples, whose `content` was made of `content_from`. `unproven` says in plain
    words what the log cannot show, `notes` what a reader should know. `aggregate_only` is the reason why its units are
    no samples; None where they are.
    """

    format: str
    method: Method
    benchmark: str
    title: str
    metrics: tuple[ImportedMetric, ...]
    samples: tuple[ImportedSample, ...]
    fingerprint: Fingerprint
    sources: tuple[LogFile, ...]
    finished: datetime | None = None
    complete: bool = True
    stated: tuple[ImportedStatement, ...] = ()
    differences: tuple[Difference, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)
    unproven: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    content_from: str = IDS_ALONE
    aggregate_only: str | None = None


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file of which exactly one importer said what it is: `role` is that importer's word for it."""

    file: LogFile
    role: str


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the person at the terminal settled: a method id, and the importer's own options by name.

    `known` are the sample ids of the benchmark that the logs are added to, None on first use.
    """

    method: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Importer:
    """A foreign log format.

    `recognises(file)` looks at content alone and returns the file's role, or None. `read(files, options)` joins the
    recognised files and returns the runs in them, or raises Refusal with every problem found. `options` says what each
    option means. `forced(file)` returns a file's role where the person named this format and content alone would not
    tell; None means that content always tells.
    """

    id: str
    title: str
    recognises: Callable[[LogFile], str | None]
    read: Callable[[tuple[Recognised, ...], ImportOptions], tuple[ImportedRun, ...]]
    options: Mapping[str, str] = field(default_factory=dict)
    forced: Callable[[LogFile], str | None] | None = None

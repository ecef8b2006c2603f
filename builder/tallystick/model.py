"""Every value that passes between stages, up to the verified report; frozen, and never holding NaN.

`board.py` holds what is computed from them. An undefined value is None. Arrays are read-only float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tallystick.errors import Problem

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]

Status = Literal["scored", "abstained", "unresolved", "pending", "missing", "invalid"]
STATUSES: tuple[Status, ...] = ("scored", "abstained", "unresolved", "pending", "missing", "invalid")
Direction = Literal["higher", "lower"]
Over = Literal["scored", "all"]


# --- what the maintainer settled ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a board: `kind` names a plug-in of `metrics/`, `fields` maps its statistics to fields of a sample.

    `over` says which samples it speaks of: "scored" (undefined on others) or "all" (each sample must state a value,
    whatever its status). `lower` and `upper` bound one sample's value; None is unbounded. `optional` allows a scored
    sample of a native report to be without a value: leaving failures out must not raise a mean.
    """

    id: str
    title: str
    kind: str
    fields: Mapping[str, str]
    direction: Direction = "higher"
    lower: float | None = 0.0
    upper: float | None = 1.0
    over: Over = "scored"
    binary: bool = False
    description: str = ""
    optional: bool = False

    @property
    def sign(self) -> int:
        """+1 where larger is better, −1 where smaller is."""
        return 1 if self.direction == "higher" else -1


@dataclass(frozen=True, slots=True)
class Varying:
    """A fingerprint component that the maintainer declared to vary by method, with the reason that the site prints."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The four hashes that make two reports comparable; None where a report's format has no such hash."""

    benchmark: str | None
    corpus: str | None
    configuration: str | None
    implementation: str | None


COMPONENTS: tuple[str, ...] = ("benchmark", "corpus", "configuration", "implementation")


@dataclass(frozen=True, slots=True)
class PinnedFingerprint:
    """What a board accepts for each component: a value, a declared variation, or None where the format has none."""

    benchmark: str | Varying | None
    corpus: str | Varying | None
    configuration: str | Varying | None
    implementation: str | Varying | None


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The benchmark's own samples, sorted by id; every sequence is aligned with `ids`.

    `axes[name][i]` is None where a sample has no value. `clusters` is None where the benchmark declares none, and
    holds None for a sample outside every cluster. `rows` are the rows as parsed, for rescoring against gold.
    """

    ids: tuple[str, ...]
    axes: Mapping[str, tuple[str | None, ...]]
    strata: tuple[str, ...]
    clusters: tuple[str | None, ...] | None
    rows: tuple[Mapping[str, Any], ...]
    digest: str
    path: str
    positions: tuple[int, ...] = ()
    """The place of each id in the file, for formats whose sums follow it; empty where nobody recorded it."""


@dataclass(frozen=True, slots=True)
class DeclaredComparison:
    """A comparison that the board declares: each of `candidates` against `baseline`, forming one family of tests."""

    baseline: str
    candidates: tuple[str, ...]
    family: str

    @property
    def all(self) -> bool:
        """Whether every other method is a candidate."""
        return self.candidates == ("*",)


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """How intervals are drawn; the defaults are the contract's."""

    resamples: int = 2000
    seed: int = 1729
    confidence: float = 0.95


MOST_RESAMPLES = 10_000
"""More than this is drawn only where the board asks for it: a stated number must not cost hours to check."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a benchmark's folder is read: size of one file and of all, in MB of 2^20 bytes."""

    file_mb: int = 20
    total_mb: int = 1024


@dataclass(frozen=True, slots=True)
class Showing:
    """How much of a board gets pages of its own, and from where on a comparison is said to rest on little.

    Samples have pages where there are at most `sample_pages`, with the text of their field `sample_title`; every two
    methods are compared where there are at most `pair_pages`. `small_overlap` is a share of the benchmark's samples.
    """

    sample_pages: int = 100
    sample_title: str = "title"
    pair_pages: int = 20
    small_overlap: float = 0.5


@dataclass(frozen=True, slots=True)
class Blob:
    """A file as it was read once: `content` are the bytes that `digest` (SHA-256, hex) was taken of.

    `path` is relative to the benchmark's folder, with forward slashes.
    """

    path: str
    digest: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark's settings joined with its sample set: all that a report is held against.

    `diagnostic` is the maintainer's reason why this board is no publication evidence; None on a board of evidence.
    `supplements` are further files that the maintainer pinned by digest (a gold manifest, corpora), by name.
    `accepts` names known differences of a foreign format that the maintainer accepts. `ranked` are the metrics beside
    the primary one by which methods are ranked.
    """

    id: str
    title: str
    description: str
    protocol: str
    fingerprint: PinnedFingerprint
    samples: SampleSet
    axes: tuple[str, ...]
    stratum: str | None
    cluster: str | None
    metrics: tuple[Metric, ...]
    primary: str
    comparisons: tuple[DeclaredComparison, ...]
    bootstrap: BootstrapSettings
    diagnostic: str | None
    created: datetime | None
    supplements: Mapping[str, Blob]
    options: Mapping[str, Any]
    accepts: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    showing: Showing = Showing()
    ranked: tuple[str, ...] = ()

    def metric(self, metric_id: str) -> Metric:
        """Return the metric with that id; KeyError if the board has none."""
        for metric in self.metrics:
            if metric.id == metric_id:
                return metric
        raise KeyError(metric_id)


# --- what a report says ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A file that a report was read from."""

    path: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of one report, joined by digest: `parts` by role ("report", "scores", "predictions", …).

    `path` is the main file's, and is how a report that could not be read is named on the audit page. `member` says
    which of them it is where one file holds the runs of several methods.
    """

    path: str
    parts: Mapping[str, Blob]
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """The thing under test, as its report names it. `kind` is free text such as "baseline" or "ablation"."""

    id: str
    title: str
    url: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """What a report says of the run behind it."""

    finished: datetime | None
    complete: bool
    partial: bool
    demo: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A metric's per-sample statistics in the report's own row order: `statistics` (n, k), `defined` (n,).

    Rows that are not defined hold zeros. k and the meaning of each statistic are the metric kind's; `kind` names it
    for metrics that a report holds and the board does not declare.
    """

    statistics: FloatArray
    defined: BoolArray
    kind: str = "mean"


Summation = Literal["correctly rounded", "plain", "compensated"]


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that the protocol recomputed itself while reading, with the rule that gave it."""

    value: float | int | str | bool | None
    rule: str


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The metric on the report's own rows (those of one axis value, if given).

    `empty` is what the format states where no row has a value; `form` picks among algebraic forms of the score whose
    last bits differ ("score" is the metric kind's own; "precision-recall" is 2PR / (P + R)).
    """

    metric: str
    axis: str | None = None
    axis_value: str | None = None
    empty: float | None = None
    form: Literal["score", "precision-recall"] = "score"
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class MeanOfValues:
    """The mean of numbers that are no column of a report (the scores of one task's findings), in this order."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SumOf:
    """The sum of one statistic of a metric over the rows where it is defined (a count, when it is whole)."""

    metric: str
    statistic: str


@dataclass(frozen=True, slots=True)
class CountOf:
    """How many rows: all, of one status, of one axis value, or with the metric defined."""

    status: Status | None = None
    axis: str | None = None
    axis_value: str | None = None
    metric: str | None = None


@dataclass(frozen=True, slots=True)
class IntervalOf:
    """One field of a bootstrap interval of this report, drawn as the report says it was drawn.

    `scheme` "stratified" draws rows in file order within strata; "cluster" draws clusters by sorted name.
    `clustered_rows_only` says whether a cluster estimate leaves out rows outside every cluster. `rows` says which are
    drawn: FAR draws its nonlinear metrics from all rows, the undefined ones adding nothing.
    """

    metric: str
    part: Literal["estimate", "lower", "upper", "clusters"]
    scheme: Literal["stratified", "cluster"]
    resamples: int
    seed: int
    confidence: float
    clustered_rows_only: bool = True
    rows: Literal["defined", "all"] = "defined"


@dataclass(frozen=True, slots=True)
class PairedOf:
    """One field of a paired comparison with the report whose scores file has the digest `baseline_digest`.

    `pairs_of_all_rows` draws and counts every aligned row as a pair, as FAR does for its nonlinear metrics. `better` is
    the direction in which the probability counts.
    """

    metric: str
    part: Literal["difference", "lower", "upper", "probability", "pairs"]
    baseline: str
    baseline_digest: str
    resamples: int
    seed: int
    confidence: float
    pairs_of_all_rows: bool = False
    better: Direction = "higher"


@dataclass(frozen=True, slots=True)
class McNemarOf:
    """One field of an exact McNemar test; `undefined_fails` treats undefined outcomes as failures, as the seed does."""

    metric: str
    part: Literal["baseline_only", "candidate_only", "discordant", "p_value"]
    baseline: str
    baseline_digest: str
    undefined_fails: bool = False


Quantity: TypeAlias = Computed | MeanOf | MeanOfValues | SumOf | CountOf | IntervalOf | PairedOf | McNemarOf


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that a report states: where (file and JSON pointer), what value, and what it must follow from.

    `group` keeps tallies apart: "report" for the report's own statements, "rows" for rows rescored from predictions.
    `label` says in words what it is where the pointer does not ("finding score of task-7/f1").
    """

    where: str
    value: float | int | str | bool | None
    quantity: Quantity
    group: str = "report"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One method's outcomes as read: rows in file order, aligned with `ids`.

    `axes` and `clusters` are what the report itself says of its rows (empty where its format says nothing); `verify`
    holds them against the benchmark. `provenance` is shown label by label, hashes whole. `problems` are those found
    while reading that did not stop it. `records` holds per-sample detail, by sample id: a record may have an `error`
    text, `findings` and the `depth` to which they were verified. `beside` must be shown next to its scores, label by
    label, and `notes` are sentences that hold for them.
    """

    method: Method
    protocol: str
    fingerprint: Fingerprint
    sources: tuple[Source, ...]
    scores_digest: str
    run: Run
    ids: tuple[str, ...]
    statuses: tuple[Status, ...]
    columns: Mapping[str, Column]
    axes: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    clusters: tuple[str | None, ...] | None = None
    stated: tuple[Stated, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    unverified: tuple[str, ...] = ()
    records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    depth: str = "records"
    origin: str = ""
    """The digest of everything it was read from, settings included; empty where nobody took it."""
    outputs: str = ""
    """The digest of what the method put out, without its name; empty where the format does not bring it."""
    beside: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The main file."""
        return self.sources[0].path


@dataclass(frozen=True, slots=True)
class Unread:
    """A report, or a file that should have belonged to one, that could not be read: listed on the audit page."""

    path: str
    method: str | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """A file that may belong to a report: its path relative to the benchmark's folder, and its size when found."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class BenchmarkFolder:
    """A folder of `results/` that holds a benchmark.yaml, with its candidates sorted by path.

    `unread` are the files that must not even be opened.
    """

    id: str
    folder: Path
    candidates: tuple[Candidate, ...]
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every benchmark below a root, sorted by id; `problems` are those of folders that are no benchmark."""

    root: Path
    folders: tuple[BenchmarkFolder, ...]
    problems: tuple[Problem, ...] = ()


Verdict = Literal["exact", "agrees", "differs", "unverified"]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A stated number held against the recomputed one; `rule` names the summation rule that matched."""

    where: str
    stated: float | int | str | bool | None
    recomputed: float | int | str | bool | None
    verdict: Verdict
    rule: str
    group: str
    note: str = ""
    label: str = ""


# --- plug-ins ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MetricKind:
    """A kind of metric: the names of its per-sample statistics and the score of their sums.

    `score(sums (..., k), n (...)) → (...)`, NaN where undefined (callers turn that into None); `n` is the number of
    samples that were summed. `linear` says that the score is sums[..., 0] / n, so that paired differences may be taken
    per sample. `whole` says that every statistic is an integer. `check` looks at one sample's statistics and returns
    what is wrong with them, or None. `from_status(status, fields)` gives them where a sample's status alone decides;
    None where they are read from the sample's fields.
    """

    id: str
    statistics: tuple[str, ...]
    score: Callable[[FloatArray, FloatArray], FloatArray]
    linear: bool
    whole: bool
    check: Callable[[tuple[float, ...]], str | None]
    description: str
    from_status: Callable[[Status, Mapping[str, str]], tuple[float, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Protocol:
    """A kind of evaluation report.

    `globs` say where in a benchmark's folder its main files lie. `recognises(document)` looks only at a declared
    schema. `assemble(files)` joins files into bundles by digest and returns problems for files that belong nowhere.
    `read(bundle, benchmark)` returns a Report or raises Refusal with every problem of the bundle. `check(report,
    benchmark, peers)` returns the protocol's own problems that need the other reports of the board. `defaults` are
    benchmark settings that the protocol brings, in the shape of benchmark.yaml.
    """

    id: str
    title: str
    globs: tuple[str, ...]
    recognises: Callable[[Mapping[str, Any]], bool]
    assemble: Callable[[tuple[Blob, ...], Benchmark], tuple[tuple[Bundle, ...], tuple[Unread, ...]]]
    read: Callable[[Bundle, Benchmark], Report]
    check: Callable[[Report, Benchmark, tuple[Report, ...]], tuple[Problem, ...]]
    defaults: Mapping[str, Any]

"""Every value computed from verified reports, up to the board and the documents made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from tallystick.errors import Problem
from tallystick.model import Benchmark, Reconciliation, Report, Status, Unread

Outcome = Literal["admitted", "diagnostic", "refused", "withdrawn"]
FigureFormat = Literal["pdf", "png"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What verification and reconciliation made of one report, before anything is computed from it."""

    report: Report
    outcome: Outcome
    problems: tuple[Problem, ...]
    reconciliations: tuple[Reconciliation, ...]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A report that was taken back, by a file of the maintainer's: the method, why, and on which day.

    `title` names the method where its report is no longer there.
    """

    method: str
    reason: str
    day: date
    title: str

    @property
    def path(self) -> str:
        """The file that says so."""
        return f"withdrawn/{self.method}.yaml"

    def problem(self, where: str) -> Problem:
        """Return what stands on the audit page instead of the report."""
        found = f"one that was withdrawn on {self.day.isoformat()}: {self.reason}"
        remedy = "Nothing is to be done: it stays listed, with the reason."
        return Problem("withdrawn", where, "a report that stands", found, remedy, "note")


@dataclass(frozen=True, slots=True)
class FrozenTable:
    """A table that can be cited: `content` are the bytes whose `digest` names it, `document` is what they say.

    `current` says whether the live board still says the same.
    """

    digest: str
    benchmark: str
    content: bytes = field(repr=False)
    document: Mapping[str, Any] = field(repr=False)
    current: bool = False


@dataclass(frozen=True, slots=True)
class Docket:
    """A benchmark's reports as judged, in order of precedence, and what could not even be read."""

    benchmark: Benchmark
    judgements: tuple[Judgement, ...]
    unread: tuple[Unread, ...]
    withdrawn: tuple[Withdrawal, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """Every benchmark's docket, the problems of folders that belong to no benchmark, and the frozen tables of each."""

    dockets: tuple[Docket, ...]
    problems: tuple[Problem, ...]
    frozen: Mapping[str, tuple[FrozenTable, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, never a half-width."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class ClusterEstimate:
    """Dependency sensitivity: the metric with clusters drawn whole; `left_out` samples lie outside every cluster."""

    value: float | None
    interval: Interval | None
    clusters: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric of one report on some samples: `n` of `total` samples have a value.

    `conditional` is true where a sample that should have been scored was not; then `value` speaks of the scored ones
    only and `bounds` are its worst and best case (Manski bounds: not a confidence interval). `note` says why `value`
    or `interval` is None. `wilson` is a score interval, where outcomes are 0 or 1 and alike in every stratum:
    resamples of them cannot differ, but other samples could.
    """

    metric: str
    value: float | None
    interval: Interval | None
    n: int
    total: int
    conditional: bool
    bounds: Interval | None = None
    cluster: ClusterEstimate | None = None
    standard_error: float | None = None
    note: str = ""
    wilson: Interval | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """k of n, with its Wilson score interval; `value` is None where n is 0."""

    k: int
    n: int
    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Ledger:
    """How every sample ended. Rates have all samples in the denominator."""

    total: int
    counts: Mapping[Status, int]
    scored: Rate
    abstention: Rate
    valid: Rate


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One report on the samples of one axis value."""

    axis: str
    value: str
    ledger: Ledger
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Estimated:
    """All that is estimated from one report: `estimates` by metric, on all samples and by axis value."""

    ledger: Ledger
    estimates: Mapping[str, Estimate]
    breakdowns: tuple[Breakdown, ...]


@dataclass(frozen=True, slots=True)
class McNemar:
    """Exact two-sided test on discordant pairs; `holm` is the p-value adjusted within `family`."""

    baseline_only: int
    candidate_only: int
    both: int
    neither: int
    p: float
    holm: float | None = None
    family: str = ""
    family_size: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate − baseline on the samples where both have a value.

    `probability` is the share of replicates strictly better for the candidate in the metric's direction.
    `left_out` counts samples with a value in only one of the two. `overlap` is pairs / samples of the benchmark.
    """

    metric: str
    baseline: str
    candidate: str
    baseline_digest: str
    difference: float | None
    interval: Interval | None
    probability: float | None
    pairs: int
    left_out: int
    overlap: float
    test: McNemar | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the data can order: ranks `lower`..`upper` jointly with the others at the stated confidence.

    `letters` is the compact letter display; `best` says whether the method is in the set of possible bests;
    `probability_best` is the share of resamples in which it has the best value (ties share). `marginal` is the range
    of ranks that holds for this method alone, for its own page.
    """

    method: str
    lower: int
    upper: int
    letters: str
    best: bool
    probability_best: float | None = None
    marginal: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Leader:
    """The top value, which was picked for being high, and what is left of it without the `optimism` of picking.

    `value` and `adjusted` are the metric's own; `optimism` is never negative, and is taken off the value where larger
    is better, put onto it where smaller is.
    """

    methods: tuple[str, ...]
    value: float
    optimism: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a benchmark can tell apart: the smallest `difference` that a test at `confidence` finds with `power`.

    It rests on the median `deviation` (of one sample's paired difference) of `pairs` neighbouring methods. `needed` is
    how many samples a difference of `gap`, one hundredth of the metric's range, would take; None without a range.
    """

    power: float
    confidence: float
    samples: int
    pairs: int
    deviation: float
    difference: float
    gap: float | None
    needed: int | None


@dataclass(frozen=True, slots=True)
class RecordStep:
    """A day on which the top was first set, or replaced: by `methods`, whose `value` beat the one before by `gain`.

    `p` tests the new top against the one it `replaced`, `holm` is adjusted over all steps, and `real` is its verdict;
    all three are None on the first step. `gain` is positive in the metric's own direction.
    """

    day: date
    methods: tuple[str, ...]
    value: float
    replaced: tuple[str, ...] = ()
    gain: float | None = None
    p: float | None = None
    holm: float | None = None
    real: bool | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """All that a board says of one metric's order, by method; `unranked` gives each other method's reason.

    `sentence` states rule, confidence and correction. `exact_letters` is false where a display of hundreds of letters
    was simplified: two methods with a common letter may then be separated all the same. `test` names the test of
    `records`; `undated` are ranked methods that do not say when they finished.
    """

    metric: str
    samples: int
    standings: Mapping[str, Standing]
    unranked: Mapping[str, str]
    sentence: str
    exact_letters: bool = True
    leader: Leader | None = None
    resolution: Resolution | None = None
    test: str = ""
    records: tuple[RecordStep, ...] = ()
    undated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One report's way through the line: what was read, how it was judged, what was computed from it."""

    report: Report
    outcome: Outcome
    problems: tuple[Problem, ...]
    reconciliations: tuple[Reconciliation, ...]
    ledger: Ledger
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    breakdowns: tuple[Breakdown, ...] = ()
    complete: bool = False

    @property
    def method(self) -> str:
        """The method's id."""
        return self.report.method.id


@dataclass(frozen=True, slots=True)
class Board:
    """A benchmark with everything verified and computed for it.

    `entries` are those shown and compared, in order of the primary metric; `diagnostic` and `refused` stand apart with
    their reasons; `unread` could not even be read. `comparisons` are those that the board declares, `pairs` those of
    every two other methods, as far as they were compared. `ranking` is by the primary metric, `rankings` are by the
    others that the board asks for.
    """

    benchmark: Benchmark
    entries: tuple[Entry, ...]
    diagnostic: tuple[Entry, ...]
    refused: tuple[Entry, ...]
    unread: tuple[Unread, ...]
    comparisons: tuple[Comparison, ...]
    standings: Mapping[str, Standing] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ranking: Ranking | None = None
    frozen: tuple[FrozenTable, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()
    pairs: tuple[Comparison, ...] = ()
    rankings: Mapping[str, Ranking] = field(default_factory=dict)

    def entry(self, method: str) -> Entry:
        """Return the shown entry of a method; KeyError if there is none."""
        for entry in self.entries:
            if entry.method == method:
                return entry
        raise KeyError(method)


@dataclass(frozen=True, slots=True)
class Link:
    """A navigation link; `href` is a site path (`far/index.html`) or an https address."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A page of `content/` as the maintainer wrote it: Markdown with front matter."""

    slug: str
    title: str
    description: str
    markdown: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """`content/site.yaml`. `base_url` is where the site will live (https, no trailing slash), or None.

    `figures` are the formats in which figures are offered besides SVG.
    """

    title: str
    description: str
    base_url: str | None
    footer: str
    links: tuple[Link, ...]
    figures: tuple[FigureFormat, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """All that pages are made of."""

    settings: SiteSettings
    boards: tuple[Board, ...]
    prose: tuple[Prose, ...]


class Deferred(Mapping[str, Any]):
    """A mapping that is made when it is first looked into: a page that nobody asks for costs nothing."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make = make
        self._made: Mapping[str, Any] | None = None

    def _whole(self) -> Mapping[str, Any]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as any mapping of contexts
        return self._whole()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())


@dataclass(frozen=True, slots=True)
class Document:
    """A page before rendering: where it goes, which template, with what."""

    path: str
    template: str
    context: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site: path with forward slashes, and bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Data:
    """A file that is written without a template, when it is asked for."""

    path: str
    write: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Plate:
    """A figure for print: a document that is an SVG, turned into another format once it is rendered."""

    path: str
    drawing: Document
    format: FigureFormat


@dataclass(frozen=True, slots=True)
class PageType:
    """A page type: `documents(site)` makes all of its pages, and the data files that they offer."""

    id: str
    description: str
    documents: Callable[[Site], tuple[Document | File | Data, ...]]

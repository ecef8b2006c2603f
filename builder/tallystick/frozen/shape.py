"""The shape of `tallystick-frozen/1`; the documented JSON Schema comes from here."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from tallystick.strict.names import ID, url_problem
from tallystick.strict.paths import reference_problem


def _plain_path(text: str) -> str:
    if reference_problem(text, ""):
        raise ValueError("a plain relative path")
    return text


def _id(text: str) -> str:
    if not ID.fullmatch(text):
        raise ValueError("an id")
    return text


def _https(text: str) -> str:
    if url_problem(text, ""):
        raise ValueError("an https address")
    return text


def _day(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError("a date, YYYY-MM-DD")
    return text


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Path = Annotated[str, AfterValidator(_plain_path)]
Id = Annotated[str, AfterValidator(_id)]
Ends = Annotated[list[float], Field(min_length=2, max_length=2)]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class FileShape(_Part):
    """A file by its path in the benchmark's folder, and the SHA-256 of its bytes."""

    path: Path
    sha256: Digest


class SamplesShape(FileShape):
    """The benchmark's samples file."""

    count: Count


class VariesShape(_Part):
    """A component of the fingerprint that the board lets vary, with the reason."""

    varies: str


class FingerprintShape(_Part):
    """What the board accepts."""

    benchmark: str | VariesShape | None
    corpus: str | VariesShape | None
    configuration: str | VariesShape | None
    implementation: str | VariesShape | None


class BenchmarkShape(_Part):
    """What was measured; `diagnostic` is why it is no publication evidence, or null."""

    id: Id
    title: str
    diagnostic: str | None
    protocol: str
    fingerprint: FingerprintShape
    samples: SamplesShape
    supplements: list[FileShape]


class RecipeShape(_Part):
    """How the numbers were computed; `ranking` is empty where no ranks are shown."""

    resamples: Count
    seed: int
    confidence: float
    stratum: str | None
    cluster: str | None
    primary: str
    ranking: str


class MetricShape(_Part):
    """A metric; `decimals` is how many are shown."""

    id: str
    title: str
    kind: str
    direction: Literal["higher", "lower"]
    lower: float | None
    upper: float | None
    over: Literal["scored", "all"]
    decimals: Annotated[int, Field(ge=0, le=17)]


class ClusterShape(_Part):
    """The estimate with clusters drawn whole."""

    value: float | None
    interval: Ends | None
    clusters: Count
    left_out: Count


class ValueShape(_Part):
    """An estimate: on `n` of `total` samples; `bounds` are worst and best case; `note` says why one is null."""

    value: float | None
    interval: Ends | None
    n: Count
    total: Count
    conditional: bool
    bounds: Ends | None
    standard_error: float | None
    cluster: ClusterShape | None
    note: str


class RankShape(_Part):
    """The range of ranks that the data allow, and the letters of its group."""

    lower: int
    upper: int
    group: str


class CountsShape(_Part):
    """How every sample ended."""

    total: Count
    scored: Count
    abstained: Count
    unresolved: Count
    pending: Count
    missing: Count
    invalid: Count


class ReportShape(_Part):
    """The report behind a row: all of its files, and the digest of its scores."""

    path: Path
    scores: str
    files: list[FileShape]


class RowShape(_Part):
    """A method."""

    method: Id
    title: str
    kind: str | None
    url: str | None
    complete: bool
    rank: RankShape | None
    samples: CountsShape
    values: dict[str, ValueShape]
    report: ReportShape


class TableShape(_Part):
    """The table: every number of every method, and the rules behind them."""

    benchmark: BenchmarkShape
    recipe: RecipeShape
    metrics: list[MetricShape]
    rows: list[RowShape]


class SiteShape(_Part):
    """The site that froze the table."""

    title: str
    url: Annotated[str, AfterValidator(_https)] | None


class FrozenShape(_Part):
    """A frozen table. `settings` is the benchmark.yaml it was made with; `previous` the table of the board before."""

    format: Literal["tallystick-frozen/1"]
    frozen: Annotated[str, AfterValidator(_day)]
    note: str
    previous: Digest | None
    settings: str
    site: SiteShape
    table: TableShape
    tool: str

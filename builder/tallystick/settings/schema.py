"""The shapes of site.yaml, benchmark.yaml and the front matter of prose; the published JSON Schemas come from here."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from tallystick.board import FigureFormat
from tallystick.strict.names import ID, url_problem


def _https(url: str) -> str:
    if url_problem(url, ""):
        raise ValueError("an https address with a host")
    return url


def _iso_date(text: str) -> str:
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise ValueError("a date, YYYY-MM-DD")


def _known_id(text: str) -> str:
    if not ID.fullmatch(text):
        raise ValueError("an id of lower-case letters, digits, dots, dashes and underscores, 63 at most")
    return text


def _link(href: str) -> str:
    """Allow what a maintainer may link to: https, or a plain path of the site."""
    if "://" in href or href.startswith(("/", "\\")) or ":" in href.split("/", 1)[0]:
        return _https(href)
    if ".." in href.replace("\\", "/").split("/"):
        raise ValueError("an https address, or a path inside the site")
    return href


def _each_once(names: list[FigureFormat]) -> list[FigureFormat]:
    if len(set(names)) < len(names):
        raise ValueError("each format once")
    return names


def _base(url: str) -> str:
    if "?" in url or "#" in url:
        raise ValueError("an https address without ? and #, as paths are put after it")
    return _https(url)


Text = Annotated[str, Field(min_length=1)]
# What a validator asks for stands once more for the JSON Schema, as far as a pattern can say it.
Id = Annotated[str, AfterValidator(_known_id), WithJsonSchema({"type": "string", "pattern": f"^{ID.pattern}$"})]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Url = Annotated[str, AfterValidator(_https), WithJsonSchema({"type": "string", "pattern": "^https://[^ \\\\]+$"})]
BaseUrl = Annotated[str, AfterValidator(_base), WithJsonSchema({"type": "string", "pattern": "^https://[^ \\\\?#]+$"})]
Day = Annotated[
    str, AfterValidator(_iso_date), WithJsonSchema({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})
]
Href = Annotated[
    str,
    AfterValidator(_link),
    WithJsonSchema({"type": "string", "pattern": "^(https://[^ ]+|(?![/\\\\])[^:/]*(/(?!.*://).*)?)$"}),
]


class Shape(BaseModel):
    """Strict types, and no key but these."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class LinkShape(Shape):
    """A link in the site's navigation."""

    text: Text = Field(description="What the link says.")
    href: Href = Field(description="An https address, or a path of the site.")


class SiteShape(Shape):
    """`content/site.yaml`."""

    title: Text = Field(description="The site's name.")
    description: str = Field("", description="One sentence on what the site holds.")
    base_url: BaseUrl | None = Field(None, description="Where the site will live; needed for feeds and citations only.")
    footer: str = Field("", description="A line of Markdown at the foot of every page.")
    links: list[LinkShape] = Field(default_factory=list, description="Links in the navigation, in order.")
    figures: Annotated[list[FigureFormat], AfterValidator(_each_once)] = Field(
        default_factory=list,
        description="The formats in which figures are offered besides SVG; it takes the extra `figures`.",
        json_schema_extra={"uniqueItems": True},
    )


class ProseShape(Shape):
    """The front matter of a page in `content/`."""

    title: Text = Field(description="The page's title.")
    description: str = Field("", description="One sentence for search engines and link previews.")
    order: int = Field(0, description="Where the page stands in the navigation; smaller comes first.")


class VariesShape(Shape):
    """A fingerprint component that varies by method: shown, not compared."""

    varies: Text = Field(description="Why; the site prints it.")


class FingerprintShape(Shape):
    """The four hashes that a report must have to be compared here."""

    benchmark: Text | VariesShape | None = Field(None, description="Hash of the benchmark.")
    corpus: Text | VariesShape | None = Field(None, description="Hash of the corpus the methods work on.")
    configuration: Text | VariesShape | None = Field(None, description="Hash of the run's configuration.")
    implementation: Text | VariesShape | None = Field(None, description="Hash of the harness's code.")


class SamplesShape(Shape):
    """The benchmark's own samples."""

    path: Text = Field(description="The file, beside benchmark.yaml: JSON Lines, a JSON array, or CSV.")
    sha256: Digest = Field(description="SHA-256 of the file's bytes.")
    select: dict[str, str | int | bool | None] = Field(
        default_factory=dict, description="Keep only the samples whose fields have these values."
    )
    id: Text = Field("id", description="The field that names a sample.")


class MetricShape(Shape):
    """A metric of the board."""

    id: Id = Field(description="Its name in files and addresses.")
    title: Text = Field(description="Its name on pages.")
    kind: Text = Field("mean", description="How samples become a score: a kind of metric, such as mean or micro_f1.")
    fields: dict[str, Text] = Field(
        default_factory=dict,
        description="The sample field of each statistic of the kind; the metric's id where the kind has only one.",
    )
    direction: Literal["higher", "lower"] = Field("higher", description="Which way is better.")
    lower: float | None = Field(0.0, description="The least value a sample can have; null where there is none.")
    upper: float | None = Field(1.0, description="The greatest value a sample can have; null where there is none.")
    over: Literal["scored", "all"] = Field("scored", description="Which samples it speaks of.")
    binary: bool = Field(False, description="Whether a sample's value is 0 or 1, so that exact tests apply.")
    description: str = Field("", description="What it measures, in a sentence.")
    optional: bool = Field(
        False,
        description="Whether a scored sample may have null instead of a value, because the metric says nothing of it.",
    )


class ComparisonShape(Shape):
    """A family of comparisons with one baseline."""

    baseline: Text = Field(description="The method that the others are compared with.")
    candidates: list[Text] | Literal["all"] = Field(description="Their ids, or `all` other methods.")
    family: Text = Field(description="The name of the family within which p-values are adjusted.")


class BootstrapShape(Shape):
    """How intervals are drawn."""

    resamples: int = Field(2000, ge=100, le=1_000_000, description="How many resamples.")
    seed: int = Field(1729, ge=0, description="The seed of the stream.")
    confidence: float = Field(0.95, gt=0.5, lt=1.0, description="The nominal coverage of intervals.")


class SupplementShape(Shape):
    """A further file that the protocol uses, pinned by digest."""

    path: Text = Field(description="The file, beside benchmark.yaml.")
    sha256: Digest = Field(description="SHA-256 of the file's bytes.")


class LimitsShape(Shape):
    """How much of the benchmark's folder is read."""

    file_mb: int = Field(20, ge=1, le=4096, description="The largest file, in MB.")
    total_mb: int = Field(1024, ge=1, le=65536, description="All files together, in MB.")


class OptionsShape(Shape):
    """How the board is shown, and the protocol's own settings, which only it knows."""

    model_config = ConfigDict(extra="allow")

    sample_pages: int = Field(100, ge=0, description="The most samples that get a page each.")
    sample_title: Text = Field("title", description="The field of a sample that its page may show.")
    pair_pages: int = Field(20, ge=0, description="The most methods of which every two are compared.")
    small_overlap: float = Field(
        0.5, ge=0.0, le=1.0, description="The share of samples below which a comparison carries a warning."
    )


class BenchmarkShape(Shape):
    """`results/<benchmark>/benchmark.yaml`."""

    title: Text = Field(description="The benchmark's name.")
    description: str = Field("", description="What it measures, in a sentence or two of Markdown.")
    protocol: Text = Field("native", description="The kind of evaluation report that the folder holds.")
    fingerprint: FingerprintShape = Field(default_factory=FingerprintShape, description="What reports must match.")
    samples: SamplesShape = Field(description="The benchmark's own samples.")
    axes: list[Text] = Field(default_factory=list, description="Sample fields that split tables; dots reach inside.")
    stratum: Text | None = Field(None, description="The sample field whose groups resamples keep at their size.")
    cluster: Text | None = Field(None, description="The sample field whose groups depend on each other.")
    metrics: list[MetricShape] = Field(min_length=1, description="The metrics, in the order of their columns.")
    primary: Text | None = Field(None, description="The metric that orders the board; the first where absent.")
    ranked: list[Text] = Field(default_factory=list, description="Further metrics whose pages rank methods, too.")
    comparisons: list[ComparisonShape] = Field(default_factory=list, description="The comparisons that are tested.")
    bootstrap: BootstrapShape = Field(default_factory=BootstrapShape, description="How intervals are drawn.")
    diagnostic: Text | None = Field(None, description="Why this board is no publication evidence; absent if it is.")
    created: Day | None = Field(None, description="The day the benchmark was made; no run can have finished before.")
    supplements: dict[str, SupplementShape] = Field(default_factory=dict, description="Further pinned files, by name.")
    options: OptionsShape = Field(
        default_factory=OptionsShape, description="How the board is shown, and the protocol's own settings."
    )
    accepts: list[Text] = Field(default_factory=list, description="Known differences of the format that are accepted.")
    links: dict[str, Url] = Field(default_factory=dict, description="Addresses by the text that links there.")
    limits: LimitsShape = Field(default_factory=LimitsShape, description="How much of the folder is read.")

"""The shape of a native report (`tallystick-report/1`); its published JSON Schema comes from here."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from tallystick.model import STATUSES, Status
from tallystick.strict.moments import instant
from tallystick.strict.names import ID, TITLE_LENGTH, hidden_characters, id_problem, title_problem, url_problem

FORMAT = "tallystick-report/1"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
_PROSE_LENGTH = 500


def moment(text: str) -> datetime:
    """Return a date and time with its zone; raise ValueError where the text is no such thing."""
    if not _MOMENT.fullmatch(text):
        raise ValueError("a date and time with its zone, such as 2026-11-30T12:00:00Z")
    try:
        return instant(text)
    except ValueError:
        raise ValueError("a date and time that exist") from None


def _moment(text: str) -> str:
    moment(text)
    return text


def _id(text: str) -> str:
    if problem := id_problem(text, ""):
        raise ValueError(f"{problem.expected} (here: {problem.found})")
    return text


def _title(text: str) -> str:
    if problem := title_problem(text, ""):
        raise ValueError(f"a name of at most 80 visible characters (here: {problem.found})")
    return text


def _url(text: str) -> str:
    if problem := url_problem(text, ""):
        raise ValueError(problem.expected)
    return text


def _prose(text: str) -> str:
    if len(text) > _PROSE_LENGTH or hidden_characters(text):
        raise ValueError(f"at most {_PROSE_LENGTH} visible characters in one line")
    return text


# What a validator asks for stands once more for the JSON Schema, as far as a pattern can say it.
Id = Annotated[str, AfterValidator(_id), WithJsonSchema({"type": "string", "pattern": f"^{ID.pattern}$"})]
Title = Annotated[
    str,
    AfterValidator(_title),
    WithJsonSchema({"type": "string", "pattern": "\\S", "maxLength": TITLE_LENGTH}),
]
Url = Annotated[str, AfterValidator(_url), WithJsonSchema({"type": "string", "pattern": "^https://[^ \\\\]+$"})]
Moment = Annotated[str, AfterValidator(_moment), WithJsonSchema({"type": "string", "pattern": f"^{_MOMENT.pattern}$"})]
Hash = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_prose)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Prose = Annotated[
    str,
    AfterValidator(_prose),
    WithJsonSchema({"type": "string", "pattern": "^[^\\r\\n]*$", "maxLength": _PROSE_LENGTH}),
]
Count = Annotated[int, Field(ge=0)]
Sample = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "required": ["id", "status"],
            "properties": {
                "id": {"type": "string", "description": "The sample's id, as in the benchmark's sample file."},
                "status": {"enum": list(STATUSES), "description": "How it ended."},
            },
            "additionalProperties": {"type": ["number", "null"]},
        }
    ),
]


class Shape(BaseModel):
    """Strict types, and no field but these."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class MethodShape(Shape):
    """The thing under test."""

    id: Id = Field(description="Its id; the file is named after it.")
    title: Title = Field(description="Its name for people, with its version.")
    url: Url | None = Field(None, description="Where it comes from, https.")
    kind: Title | None = Field(None, description="What it is on this board, such as baseline or ablation.")


class FingerprintShape(Shape):
    """The four hashes that make two reports comparable; null where there is nothing to hash."""

    benchmark: Hash | None = Field(None, description="Hash of the benchmark.")
    corpus: Hash | None = Field(None, description="Hash of the corpus.")
    configuration: Hash | None = Field(None, description="Hash of the run's configuration.")
    implementation: Hash | None = Field(None, description="Hash of the harness's code.")


class RunShape(Shape):
    """The run behind the report."""

    finished: Moment | None = Field(
        description="When it finished, with time zone; null where the report comes from a log that does not say."
    )
    complete: bool = Field(description="Whether every sample was run.")
    demo: bool = Field(False, description="Whether it is a demonstration, never evidence.")


class SampleFileShape(Shape):
    """The samples in a file of their own, one a line."""

    path: Annotated[str, Field(min_length=1)] = Field(description="A JSON Lines file beside the report.")
    sha256: Digest = Field(description="SHA-256 of its bytes.")


class PartShape(Shape):
    """What the report says of one metric on the samples of one axis value."""

    estimate: float | None = Field(None, description="The metric over those samples that have a value.")
    standard_error: float | None = Field(None, description="The sample standard deviation over the root of n.")
    n: Count | None = Field(None, description="How many of those samples have a value.")
    under: str | None = Field(None, description="The known difference under which it is stated, see `differences`.")


class StatedShape(Shape):
    """What the report says of one metric; recomputed and reconciled."""

    estimate: float | None = Field(None, description="The metric over all samples that have a value.")
    standard_error: float | None = Field(None, description="The sample standard deviation over the root of n.")
    lower: float | None = Field(None, description="The lower end of its interval.")
    upper: float | None = Field(None, description="The upper end of its interval.")
    n: Count | None = Field(None, description="How many samples have a value.")
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] | None = Field(None, description="Resamples drawn.")
    seed: Count | None = Field(None, description="The seed of the stream.")
    confidence: Annotated[float, Field(gt=0.5, lt=1)] | None = Field(None, description="The nominal coverage.")
    by: dict[str, dict[str, PartShape]] = Field(default_factory=dict, description="The same by axis and its value.")
    under: str | None = Field(None, description="The known difference under which it is stated, see `differences`.")


class ReportShape(Shape):
    """One method's report."""

    schema_: str | None = Field(None, alias="$schema", description="The JSON Schema's address, for editors.")
    format: Literal["tallystick-report/1"] = Field(description="What this file is.")
    benchmark: str = Field(description="The benchmark's id: the name of its folder.")
    method: MethodShape = Field(description="The thing under test.")
    fingerprint: FingerprintShape = Field(description="What it was measured on and with.")
    run: RunShape = Field(description="The run behind the report.")
    samples: SampleFileShape | list[Sample] = Field(
        description="How every sample ended: `id`, `status`, and the fields of the benchmark's metrics."
    )
    stated: dict[str, StatedShape] = Field(default_factory=dict, description="What it says, by metric id.")
    counts: dict[Status, Count] = Field(default_factory=dict, description="How many samples it says ended how.")
    provenance: dict[Title, Prose] = Field(default_factory=dict, description="Where it comes from, label by label.")
    differences: dict[Title, Prose] = Field(
        default_factory=dict,
        description="Known ways in which its origin's numbers part from the samples; the benchmark must accept each.",
    )
    unverified: list[Prose] = Field(default_factory=list, description="What its origin could not prove.")
    seal: Digest = Field(description="SHA-256 of the RFC 8785 form of the report without this field.")

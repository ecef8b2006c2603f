"""The methods: one small adapter per parser, returning an aware datetime, or None where the parser declines.

An adapter turns exactly those exceptions into None that the parser documents. It never repairs an answer: a naive
datetime or any other exception is passed on, and counts as a broken contract.
"""

from __future__ import annotations

import email.utils
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any

Parse = Callable[[str], object]
BASE = datetime(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Method:
    """A method: `load(**options)` imports the parser and returns its adapter.

    `requires` pins packages ("name==version"). `first` measures only so many samples: a partial run. `scoring` is the
    harness file that the method is measured with.
    """

    id: str
    title: str
    url: str
    kind: str
    load: Callable[..., Parse]
    options: Mapping[str, Any] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    first: int | None = None
    scoring: str = "scoring.py"


def declining(parse: Parse, *documented: type[Exception]) -> Parse:
    """Return `parse` with its documented exceptions turned into None."""

    def adapter(text: str) -> object:
        try:
            return parse(text)
        except documented:
            return None

    return adapter


def nothing() -> Parse:
    """Decline everything: the floor below which a parser does more harm than good."""
    return lambda text: None


def fromisoformat() -> Parse:
    """`datetime.fromisoformat` raises ValueError."""
    return declining(datetime.fromisoformat, ValueError)


def email_utils() -> Parse:
    """`email.utils.parsedate_to_datetime` raises ValueError."""
    return declining(email.utils.parsedate_to_datetime, ValueError)


def standard_library() -> Parse:
    """Ask `fromisoformat`, then `email.utils` where that declined."""
    first, second = fromisoformat(), email_utils()
    return lambda text: first(text) or second(text)


def dateutil(**options: object) -> Parse:
    """`dateutil.parser.parse` raises ParserError, and OverflowError for numbers beyond a C integer."""
    from dateutil import parser

    return declining(lambda text: parser.parse(text, **{"default": BASE, **options}), parser.ParserError, OverflowError)


def dateparser(languages: tuple[str, ...] | None = None, **settings: object) -> Parse:
    """`dateparser.parse` returns None."""
    import dateparser as library

    return lambda text: library.parse(text, languages=languages, settings={"RELATIVE_BASE": BASE, **settings})


def pendulum(**options: object) -> Parse:
    """`pendulum.parse` raises ParserError."""
    import pendulum as library
    from pendulum.parsing.exceptions import ParserError

    now = library.instance(BASE, tz="UTC")
    return declining(lambda text: library.parse(text, now=now, **options), ParserError)


def arrow() -> Parse:
    """`arrow.get` raises ParserError and returns an Arrow, which holds the datetime."""
    import arrow as library
    from arrow.parser import ParserError

    return declining(lambda text: library.get(text).datetime, ParserError)


def ciso8601() -> Parse:
    """`ciso8601.parse_datetime` raises ValueError."""
    import ciso8601 as library

    return declining(library.parse_datetime, ValueError)


def iso8601(default: tzinfo | None = UTC) -> Parse:
    """`iso8601.parse_date` raises ParseError."""
    import iso8601 as library

    return declining(lambda text: library.parse_date(text, default_timezone=default), library.ParseError)


def aniso8601() -> Parse:
    """`aniso8601.parse_datetime` raises its ISOFormatError or another ValueError."""
    import aniso8601 as library

    return declining(library.parse_datetime, ValueError)


def pandas(**options: object) -> Parse:
    """`pandas.to_datetime` raises ValueError (its parsing and range errors are such) and returns NaT for nothing."""
    import pandas as library

    def parse(text: str) -> object:
        found = library.to_datetime(text, **options)
        return None if found is library.NaT else found

    return declining(parse, ValueError)


def whenever() -> Parse:
    """`Instant.parse_iso`, then `Instant.parse_rfc2822`, each raising ValueError."""
    from whenever import Instant

    first = declining(lambda text: Instant.parse_iso(text).to_stdlib(), ValueError)
    second = declining(lambda text: Instant.parse_rfc2822(text).to_stdlib(), ValueError)
    return lambda text: first(text) or second(text)


def parsedatetime() -> Parse:
    """`Calendar.parseDT` returns the flag 0 when it found nothing; it must be told a zone."""
    import parsedatetime as library

    calendar = library.Calendar(version=library.VERSION_FLAG_STYLE)

    def parse(text: str) -> object:
        found, flag = calendar.parseDT(text, sourceTime=BASE, tzinfo=UTC)
        return found if flag else None

    return parse


def dateparser_search(languages: tuple[str, ...], **settings: object) -> Parse:
    """`search_dates` returns every date it finds in a text, or None: exactly one is an answer."""
    from dateparser.search import search_dates

    def parse(text: str) -> object:
        found = search_dates(text, languages=list(languages), settings={"RELATIVE_BASE": BASE, **settings}) or []
        return found[0][1] if len(found) == 1 else None

    return parse


def pydantic() -> Parse:
    """A field of type `AwareDatetime` raises ValidationError."""
    import pydantic as library

    return declining(library.TypeAdapter(library.AwareDatetime).validate_python, library.ValidationError)


def msgspec() -> Parse:
    """A field of type `datetime` with `tz=True` raises ValidationError."""
    from typing import Annotated

    import msgspec as library

    aware = Annotated[datetime, library.Meta(tz=True)]
    return declining(lambda text: library.convert(text, aware), library.ValidationError)


PYTHON = "https://docs.python.org/3/library/"
STRICT: Mapping[str, Any] = {
    "languages": ("en",),
    "STRICT_PARSING": True,
    "REQUIRE_PARTS": ["day", "month", "year"],
    "PARSERS": ["timestamp", "absolute-time"],
}


def standard(method: str, title: str, page: str, kind: str, load: Callable[..., Parse]) -> Method:
    """Return a method that needs nothing but Python."""
    return Method(method, f"{title} (Python 3.11)", f"{PYTHON}{page}", kind, load)


@dataclass(frozen=True, slots=True)
class Package:
    """A pinned package ("name==version") and the adapter of its parser."""

    requirement: str
    url: str
    load: Callable[..., Parse]

    def parser(self, method: str, variant: str = "", **rest: Any) -> Method:  # noqa: ANN401 - fields of Method
        """Return the parser itself, titled by its package's name and version."""
        title = self.requirement.replace("==", " ") + (f", {variant}" if variant else "")
        return Method(
            method, title, self.url, rest.pop("kind", "parser"), self.load, requires=(self.requirement,), **rest
        )

    def ablation(self, method: str, variant: str, **options: object) -> Method:
        """Return the same parser with options taken away or turned off."""
        return self.parser(method, variant, kind="ablation", options=options)

    def variant(self, method: str, variant: str, **options: object) -> Method:
        """Return the same parser with options added."""
        return self.parser(method, variant, kind="variant", options=options)


def lacking(*names: str) -> Mapping[str, Any]:
    """Return dateparser's full options without some."""
    return {name: value for name, value in STRICT.items() if name not in names}


DATEUTIL = Package("python-dateutil==4.0.0", "https://github.com/dateutil/dateutil", dateutil)
DATEPARSER = Package("dateparser==1.5.0", "https://github.com/scrapinghub/dateparser", dateparser)
PENDULUM = Package("pendulum==3.3.0", "https://github.com/python-pendulum/pendulum", pendulum)
ARROW = Package("arrow==1.4.0", "https://github.com/arrow-py/arrow", arrow)
CISO8601 = Package("ciso8601==2.4.1", "https://github.com/closeio/ciso8601", ciso8601)
ISO8601 = Package("iso8601==2.1.0", "https://github.com/micktwomey/pyiso8601", iso8601)
ANISO8601 = Package("aniso8601==10.0.1", "https://codeberg.org/nielsenb-jf/aniso8601", aniso8601)
PANDAS = Package("pandas==3.1.1", "https://github.com/pandas-dev/pandas", pandas)
WHENEVER = Package("whenever==0.11.0", "https://github.com/ariebovenberg/whenever", whenever)
PARSEDATETIME = Package("parsedatetime==2.6", "https://github.com/bear/parsedatetime", parsedatetime)
PYDANTIC = Package("pydantic==2.14.4", "https://github.com/pydantic/pydantic", pydantic)
MSGSPEC = Package("msgspec==0.23.0", "https://github.com/msgspec/msgspec", msgspec)
SEARCH = Package("dateparser==1.5.0", "https://github.com/scrapinghub/dateparser", dateparser_search)

METHODS: tuple[Method, ...] = (
    standard("decline", "Decline everything", "datetime.html", "floor", nothing),
    standard("fromisoformat", "datetime.fromisoformat", "datetime.html", "baseline", fromisoformat),
    standard("email-utils", "email.utils.parsedate_to_datetime", "email.utils.html", "baseline", email_utils),
    standard("stdlib", "Standard library: ISO, then e-mail", "", "baseline", standard_library),
    DATEUTIL.parser("dateutil"),
    DATEUTIL.variant("dateutil-fuzzy", "fuzzy", fuzzy=True),
    DATEUTIL.variant("dateutil-dayfirst", "day first", dayfirst=True),
    DATEUTIL.variant("dateutil-utc", "UTC by default", default=BASE.replace(tzinfo=UTC)),
    DATEPARSER.parser("dateparser", "strict, English, absolute", options=STRICT),
    DATEPARSER.ablation("dateparser-lenient", "English, absolute", **lacking("STRICT_PARSING", "REQUIRE_PARTS")),
    DATEPARSER.ablation("dateparser-languages", "strict, absolute", **lacking("languages")),
    DATEPARSER.ablation("dateparser-default", "no settings"),
    DATEPARSER.variant("dateparser-aware", "strict, UTC by default", **STRICT, RETURN_AS_TIMEZONE_AWARE=True),
    PENDULUM.parser("pendulum"),
    PENDULUM.ablation("pendulum-lenient", "strict off", strict=False),
    ARROW.parser("arrow"),
    CISO8601.parser("ciso8601"),
    ISO8601.parser("iso8601"),
    ISO8601.ablation("iso8601-no-default", "no default zone", default=None),
    PANDAS.parser("pandas"),
    PANDAS.variant("pandas-utc", "UTC by default", utc=True),
    WHENEVER.parser("whenever", "Instant"),
    PARSEDATETIME.parser("parsedatetime"),
    PYDANTIC.parser("pydantic", "AwareDatetime"),
    MSGSPEC.parser("msgspec", "aware datetime"),
    SEARCH.parser("dateparser-search", "search", options=STRICT, first=200),
    ANISO8601.parser("aniso8601", scoring="older/scoring.py"),
)

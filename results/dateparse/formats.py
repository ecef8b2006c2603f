"""Every way in which this benchmark writes an instant: one `Format` per way, with its source and its family.

Gold is known by construction: a format writes a known instant, and says itself when its text has no single reading.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Zone:
    """A place's offset in minutes, its abbreviation and the name that browsers print."""

    minutes: int
    abbreviation: str
    name: str

    @property
    def plain(self) -> str:
        """Return `+0530`."""
        return f"{'-' if self.minutes < 0 else '+'}{abs(self.minutes) // 60:02}{abs(self.minutes) % 60:02}"

    @property
    def colon(self) -> str:
        """Return `+05:30`."""
        return f"{self.plain[:3]}:{self.plain[3:]}"

    @property
    def short(self) -> str:
        """Return `+01`, or `+05:30` where the minutes are not zero (PostgreSQL's way)."""
        return self.plain[:3] if self.minutes % 60 == 0 else self.colon


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant in UTC and the zone of whoever wrote it down; `u` and `t` are the wall clocks in UTC and there."""

    instant: str
    u: datetime
    zone: Zone

    @property
    def t(self) -> datetime:
        """Return the wall clock in the writer's zone."""
        return self.u.replace(tzinfo=None) + timedelta(minutes=self.zone.minutes)

    @property
    def seconds(self) -> int:
        """Return whole seconds since 1970."""
        return (self.u - EPOCH) // timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write an instant.

    `unit` is the finest part written: the gold is the instant cut there. `reason(moment)` says why the text has no
    single reading, or None. `fits(moment)` leaves out instants that the format cannot write.
    """

    name: str
    source: str
    family: str
    count: int
    write: Callable[[Moment], str]
    unit: str = "s"
    reason: Callable[[Moment], str | None] = lambda moment: None
    fits: Callable[[Moment], bool] = lambda moment: True


def because(reason: str) -> Callable[[Moment], str | None]:
    """Return a rule that gives the same reason for every moment."""
    return lambda moment: reason


def day_month_order(m: Moment) -> str | None:
    """Say whether day and month, in UTC, could be exchanged for another valid date."""
    return "day-month-order" if m.u.day <= 12 and m.u.day != m.u.month else None


def unknown_abbreviation(m: Moment) -> str | None:
    """Say whether the zone's abbreviation is used by several zones (IST: India, Israel, Ireland)."""
    return "zone-abbreviation" if m.zone.abbreviation == "IST" else None


def whole_hour(m: Moment) -> bool:
    """Say whether the writer's offset has no minutes."""
    return m.zone.minutes % 60 == 0


def ten_digits(m: Moment) -> bool:
    """Say whether the seconds since 1970 have ten digits, as they do from September 2001."""
    return m.seconds >= 10**9


def midnight(m: Moment) -> bool:
    """Say whether the moment is midnight in UTC."""
    return m.u.hour == m.u.minute == m.u.second == 0


def american(m: Moment) -> bool:
    """Say whether RFC 5322 defines the zone's abbreviation."""
    return m.zone.abbreviation in ("EST", "EDT", "PST", "PDT")


def wd(t: datetime) -> str:
    """Return `Thu`."""
    return DAYS[t.weekday()][:3]


def mon(t: datetime) -> str:
    """Return `Mar`."""
    return MONTHS[t.month - 1][:3]


def ymd(t: datetime) -> str:
    """Return `2021-03-04`."""
    return f"{t.year:04}-{t.month:02}-{t.day:02}"


def hms(t: datetime) -> str:
    """Return `05:06:07`."""
    return f"{t.hour:02}:{t.minute:02}:{t.second:02}"


def ms(t: datetime) -> str:
    """Return the milliseconds, three digits."""
    return f"{t.microsecond // 1000:03}"


def us(t: datetime) -> str:
    """Return the microseconds, six digits."""
    return f"{t.microsecond:06}"


def squeezed(t: datetime) -> str:
    """Return `20210304050607`."""
    return (ymd(t) + hms(t)).replace("-", "").replace(":", "")


def twelve(t: datetime) -> str:
    """Return the hour of a twelve-hour clock."""
    return str((t.hour + 11) % 12 + 1)


def half(t: datetime) -> str:
    """Return `AM` or `PM`."""
    return "AM" if t.hour < 12 else "PM"


def ordinal(day: int) -> str:
    """Return `4th`."""
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def week(t: datetime) -> str:
    """Return the ISO week date, `2021-W09-4`."""
    year, number, day = t.isocalendar()
    return f"{year:04}-W{number:02}-{day}"


def serial(t: datetime) -> str:
    """Return a spreadsheet's day number with its fraction."""
    days = (t - datetime(1899, 12, 30)) / timedelta(days=1)
    return f"{days:.5f}"


def en(t: datetime) -> str:
    """Return `March 4, 2021`."""
    return f"{MONTHS[t.month - 1]} {t.day}, {t.year}"


ISO = (
    Format("iso-z", "iso", "iso-extended", 22, lambda m: f"{ymd(m.u)}T{hms(m.u)}Z"),
    Format("iso-offset", "iso", "iso-extended", 14, lambda m: f"{ymd(m.t)}T{hms(m.t)}{m.zone.colon}"),
    Format("iso-offset-plain", "iso", "iso-extended", 8, lambda m: f"{ymd(m.t)}T{hms(m.t)}{m.zone.plain}"),
    Format(
        "iso-offset-hour", "iso", "iso-extended", 6, lambda m: f"{ymd(m.t)}T{hms(m.t)}{m.zone.short}", fits=whole_hour
    ),
    Format("iso-comma", "iso", "iso-extended", 6, lambda m: f"{ymd(m.u)}T{hms(m.u)},{ms(m.u)}Z", "ms"),
    Format("iso-minute", "iso", "iso-extended", 6, lambda m: f"{ymd(m.u)}T{hms(m.u)[:5]}Z", "min"),
    Format("iso-lower", "iso", "iso-extended", 5, lambda m: f"{ymd(m.u)}t{hms(m.u)}z"),
    Format("iso-space", "iso", "iso-extended", 7, lambda m: f"{ymd(m.u)} {hms(m.u)}Z"),
    Format("iso-micro", "iso", "iso-extended", 8, lambda m: f"{ymd(m.u)}T{hms(m.u)}.{us(m.u)}Z", "us"),
    Format("iso-24", "iso", "iso-extended", 4, lambda m: f"{ymd(m.u - timedelta(days=1))}T24:00:00Z", fits=midnight),
    Format("iso-no-zone", "iso", "iso-extended", 9, lambda m: f"{ymd(m.t)}T{hms(m.t)}", reason=because("no-zone")),
    Format("iso-date", "iso", "iso-extended", 6, lambda m: ymd(m.t), reason=because("no-time")),
    Format(
        *("iso-impossible", "iso", "iso-extended", 5),
        lambda m: f"{m.u.year}-02-30T{hms(m.u)}Z",
        reason=because("impossible"),
    ),
    Format("git-strict", "git", "iso-extended", 10, lambda m: f"{ymd(m.t)}T{hms(m.t)}{m.zone.colon}"),
    Format("js-iso", "javascript", "iso-extended", 16, lambda m: f"{ymd(m.u)}T{hms(m.u)}.{ms(m.u)}Z", "ms"),
    Format(
        "syslog-5424", "syslog", "iso-extended", 12, lambda m: f"{ymd(m.t)}T{hms(m.t)}.{us(m.t)}{m.zone.colon}", "us"
    ),
    Format(
        "container-nano", "container logs", "iso-extended", 8, lambda m: f"{ymd(m.u)}T{hms(m.u)}.{us(m.u)}000Z", "us"
    ),
    Format("file-basic", "file names", "iso-basic", 12, lambda m: f"{ymd(m.u).replace('-', '')}T{squeezed(m.u)[8:]}Z"),
    Format(
        "iso-basic-offset", "iso", "iso-basic", 8, lambda m: f"{squeezed(m.t)[:8]}T{squeezed(m.t)[8:]}{m.zone.plain}"
    ),
    Format(
        *("file-camera", "file names", "iso-basic", 7),
        lambda m: f"{squeezed(m.t)[:8]}_{squeezed(m.t)[8:]}",
        reason=because("no-zone"),
    ),
    Format("file-dashes", "file names", "file-stamp", 7, lambda m: f"{ymd(m.u)}T{hms(m.u).replace(':', '-')}Z"),
    Format("file-utc", "file names", "file-stamp", 6, lambda m: f"{ymd(m.u)}_{hms(m.u).replace(':', '-')}_UTC"),
    Format("iso-week", "iso", "iso-week", 7, lambda m: f"{week(m.u)}T{hms(m.u)}Z"),
    Format("iso-ordinal", "iso", "iso-week", 6, lambda m: f"{m.u.year}-{m.u.timetuple().tm_yday:03}T{hms(m.u)}Z"),
)

MAIL_AND_WEB = (
    Format(
        "mail",
        "e-mail",
        "rfc5322",
        26,
        lambda m: f"{wd(m.t)}, {m.t.day} {mon(m.t)} {m.t.year} {hms(m.t)} {m.zone.plain}",
    ),
    Format(
        *("mail-comment", "e-mail", "rfc5322", 12),
        lambda m: f"{wd(m.t)}, {m.t.day:02} {mon(m.t)} {m.t.year} {hms(m.t)} {m.zone.plain} ({m.zone.abbreviation})",
    ),
    Format("mail-bare", "e-mail", "rfc5322", 8, lambda m: f"{m.t.day} {mon(m.t)} {m.t.year} {hms(m.t)} {m.zone.plain}"),
    Format(
        *("mail-minute", "e-mail", "rfc5322", 6),
        lambda m: f"{wd(m.t)}, {m.t.day} {mon(m.t)} {m.t.year} {hms(m.t)[:5]} {m.zone.plain}",
        "min",
    ),
    Format(
        *("mail-american", "e-mail", "rfc5322", 7),
        lambda m: f"{wd(m.t)}, {m.t.day} {mon(m.t)} {m.t.year} {hms(m.t)} {m.zone.abbreviation}",
        fits=american,
    ),
    Format(
        "mail-minus-zero",
        "e-mail",
        "rfc5322",
        6,
        lambda m: f"{wd(m.u)}, {m.u.day} {mon(m.u)} {m.u.year} {hms(m.u)} -0000",
    ),
    Format(
        "git-rfc",
        "git",
        "rfc5322",
        8,
        lambda m: f"{wd(m.t)}, {m.t.day} {mon(m.t)} {m.t.year} {hms(m.t)} {m.zone.plain}",
    ),
    Format(
        "http",
        "http headers",
        "http-date",
        24,
        lambda m: f"{wd(m.u)}, {m.u.day:02} {mon(m.u)} {m.u.year} {hms(m.u)} GMT",
    ),
    Format(
        "js-utc",
        "javascript",
        "http-date",
        8,
        lambda m: f"{wd(m.u)}, {m.u.day:02} {mon(m.u)} {m.u.year} {hms(m.u)} GMT",
    ),
    Format(
        "cookie",
        "http headers",
        "http-date",
        8,
        lambda m: f"{wd(m.u)}, {m.u.day:02}-{mon(m.u)}-{m.u.year} {hms(m.u)} GMT",
    ),
    Format(
        *("http-850", "http headers", "http-date", 8),
        lambda m: f"{DAYS[m.u.weekday()]}, {m.u.day:02}-{mon(m.u)}-{m.u.year % 100:02} {hms(m.u)} GMT",
    ),
    Format(
        *("http-asctime", "http headers", "asctime", 7),
        lambda m: f"{wd(m.u)} {mon(m.u)} {m.u.day:2} {hms(m.u)} {m.u.year}",
        reason=because("no-zone"),
    ),
    Format(
        *("clf", "web server logs", "common-log", 20),
        lambda m: f"{m.t.day:02}/{mon(m.t)}/{m.t.year}:{hms(m.t)} {m.zone.plain}",
    ),
    Format(
        *("clf-brackets", "web server logs", "common-log", 7),
        lambda m: f"[{m.t.day:02}/{mon(m.t)}/{m.t.year}:{hms(m.t)} {m.zone.plain}]",
    ),
    Format(
        *("nginx-error", "web server logs", "common-log", 7),
        lambda m: f"{ymd(m.t).replace('-', '/')} {hms(m.t)}",
        reason=because("no-zone"),
    ),
    Format("nginx-msec", "web server logs", "epoch", 8, lambda m: f"{m.seconds}.{ms(m.u)}", "ms", fits=ten_digits),
)

MACHINES = (
    Format(
        "git-default",
        "git",
        "asctime",
        18,
        lambda m: f"{wd(m.t)} {mon(m.t)} {m.t.day} {hms(m.t)} {m.t.year} {m.zone.plain}",
    ),
    Format(
        *("unix-date", "shell", "asctime", 16),
        lambda m: f"{wd(m.t)} {mon(m.t)} {m.t.day:2} {hms(m.t)} {m.zone.abbreviation} {m.t.year}",
        reason=unknown_abbreviation,
    ),
    Format("openssl", "certificates", "asctime", 9, lambda m: f"{mon(m.u)} {m.u.day:2} {hms(m.u)} {m.u.year} GMT"),
    Format("journal", "syslog", "asctime", 7, lambda m: f"{wd(m.u)} {ymd(m.u)} {hms(m.u)} UTC"),
    Format(
        *("syslog-3164", "syslog", "bsd-syslog", 13),
        lambda m: f"{mon(m.t)} {m.t.day:2} {hms(m.t)}",
        reason=because("no-year"),
        fits=lambda m: m.t.day <= 28,
    ),
    Format("git-iso", "git", "sql-timestamp", 12, lambda m: f"{ymd(m.t)} {hms(m.t)} {m.zone.plain}"),
    Format("postgres", "databases", "sql-timestamp", 13, lambda m: f"{ymd(m.u)} {hms(m.u)}.{us(m.u)}+00", "us"),
    Format("postgres-offset", "databases", "sql-timestamp", 11, lambda m: f"{ymd(m.t)} {hms(m.t)}{m.zone.short}"),
    Format(
        "sqlserver", "databases", "sql-timestamp", 9, lambda m: f"{ymd(m.t)} {hms(m.t)}.{us(m.t)}0 {m.zone.colon}", "us"
    ),
    Format("mysql", "databases", "sql-timestamp", 11, lambda m: f"{ymd(m.t)} {hms(m.t)}", reason=because("no-zone")),
    Format(
        *("oracle", "databases", "oracle", 6),
        lambda m: (
            f"{m.t.day:02}-{mon(m.t).upper()}-{m.t.year % 100:02} "
            f"{int(twelve(m.t)):02}.{m.t.minute:02}.{m.t.second:02}.{us(m.t)} {half(m.t)} {m.zone.colon}"
        ),
        "us",
    ),
    Format("epoch", "databases", "epoch", 9, lambda m: str(m.seconds), fits=ten_digits),
    Format("epoch-at", "shell", "epoch", 6, lambda m: f"@{m.seconds}", fits=ten_digits),
    Format("js-now", "javascript", "epoch", 11, lambda m: f"{m.seconds}{ms(m.u)}", "ms", fits=ten_digits),
    Format("git-raw", "git", "epoch", 9, lambda m: f"{m.seconds} {m.zone.plain}", fits=ten_digits),
    Format("asn1-generalized", "certificates", "asn1", 8, lambda m: f"{squeezed(m.u)}Z"),
    Format("asn1-utctime", "certificates", "asn1", 6, lambda m: f"{squeezed(m.u)[2:]}Z"),
    Format("pdf", "documents", "media", 6, lambda m: f"D:{squeezed(m.t)}{m.zone.plain[:3]}'{m.zone.plain[3:]}'"),
    Format("exif", "documents", "media", 6, lambda m: f"{ymd(m.t).replace('-', ':')} {hms(m.t)}{m.zone.colon}"),
    Format(
        *("exif-no-zone", "documents", "media", 6),
        lambda m: f"{ymd(m.t).replace('-', ':')} {hms(m.t)}",
        reason=because("no-zone"),
    ),
    Format(
        *("js-string", "javascript", "js-string", 14),
        lambda m: f"{wd(m.t)} {mon(m.t)} {m.t.day:02} {m.t.year} {hms(m.t)} GMT{m.zone.plain} ({m.zone.name})",
    ),
)

PEOPLE = (
    Format(
        *("sheet-american", "spreadsheets", "numeric", 11),
        lambda m: f"{m.t.month}/{m.t.day}/{m.t.year} {twelve(m.t)}:{hms(m.t)[3:]} {half(m.t)}",
        reason=because("no-zone"),
    ),
    Format(
        *("sheet-slashes", "spreadsheets", "numeric", 24),
        lambda m: f"{m.u.month:02}/{m.u.day:02}/{m.u.year} {hms(m.u)} UTC",
        reason=day_month_order,
    ),
    Format(
        *("sheet-day-first", "spreadsheets", "numeric", 18),
        lambda m: f"{m.u.day:02}/{m.u.month:02}/{m.u.year} {hms(m.u)} UTC",
        reason=day_month_order,
    ),
    Format(
        "sheet-dots", "spreadsheets", "numeric", 10, lambda m: f"{m.u.day:02}.{m.u.month:02}.{m.u.year} {hms(m.u)} UTC"
    ),
    Format(
        "sheet-year-first", "spreadsheets", "numeric", 8, lambda m: f"{ymd(m.u).replace('-', '/')} {hms(m.u)} +00:00"
    ),
    Format("sheet-serial", "spreadsheets", "numeric", 6, lambda m: serial(m.t), reason=because("serial-number")),
    Format(
        *("js-locale", "javascript", "numeric", 7),
        lambda m: f"{m.t.month}/{m.t.day}/{m.t.year}, {twelve(m.t)}:{hms(m.t)[3:]} {half(m.t)}",
        reason=because("no-zone"),
    ),
    Format(
        *("prose-american", "people", "prose", 13),
        lambda m: f"{en(m.u)} at {twelve(m.u)}:{m.u.minute:02} {half(m.u)} UTC",
        "min",
    ),
    Format(
        *("prose-british", "people", "prose", 10),
        lambda m: f"{m.u.day} {MONTHS[m.u.month - 1]} {m.u.year}, {hms(m.u)[:5]} UTC",
        "min",
    ),
    Format(
        *("prose-ordinal", "people", "prose", 8),
        lambda m: f"{DAYS[m.u.weekday()]}, {ordinal(m.u.day)} {MONTHS[m.u.month - 1]} {m.u.year} {hms(m.u)} GMT",
    ),
    Format(
        *("prose-offset", "people", "prose", 8),
        lambda m: (
            f"{m.t.day} {mon(m.t)} {m.t.year} {twelve(m.t)}:{m.t.minute:02}{half(m.t).lower()} "
            f"UTC{m.zone.minutes // 60:+d}"
        ),
        "min",
        fits=lambda m: whole_hour(m) and m.zone.minutes != 0,
    ),
    Format("prose-date", "people", "prose", 6, lambda m: en(m.t), reason=because("no-time")),
)

FORMATS: tuple[Format, ...] = (*ISO, *MAIL_AND_WEB, *MACHINES, *PEOPLE)

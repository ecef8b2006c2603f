"""What every importer does to a value of a log: ids, finite scores, moments, metrics as far as values tell."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from tallystick.digest import canonical, sha256
from tallystick.errors import Problem, Refusal
from tallystick.imported import ImportedMetric, ImportOptions, identifier
from tallystick.model import Direction, Method
from tallystick.strict import capped, describe

_SAMPLE_ID_LENGTH = 200
_LARGEST = sys.float_info.max  # NaN is not below it, nor is an integer that no float can hold


def method(options: ImportOptions, name: str, *, title: str | None = None, kind: str | None = None) -> Method:
    """Return the method under the id that the person gave, or under one made of its name in the log."""
    return Method(options.method or identifier(name), (title or name)[:80], None, kind)


def given_name(value: object, where: str, what: str, problems: list[Problem]) -> str:
    """Return the name of `what` as text; note a problem where there is none: null is nobody called None."""
    if value is None or not str(value).strip():
        code = "method-unknown" if what == "method" else "name-absent"
        remedy = "Name it in the log, or give --method." if what == "method" else "Name it in the log."
        problems.append(Problem(code, where, f"the name of a {what}", "none", remedy))
        return "unnamed"
    return str(value)


def sample_id(value: object, where: str, problems: list[Problem]) -> str:
    """Return a sample's id as text; note a problem where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip() and len(value) <= _SAMPLE_ID_LENGTH and value.isprintable():
        return value
    expected = f"a sample id of 1 to {_SAMPLE_ID_LENGTH} printable characters"
    problems.append(Problem("sample-id", where, expected, describe(value), "Give each sample a short id."))
    return ""


def score(value: object, where: str, problems: list[Problem]) -> float | None:
    """Return a finite number; None for null; note a problem, and return None, for anything else."""
    if value is None:
        return None
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, int | float) and abs(value) <= _LARGEST:
        return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)
    found = "NaN or an infinity" if isinstance(value, float) else describe(value)[:80]
    remedy = "Log one finite number per sample, or null where it was not scored."
    problems.append(Problem("score-not-a-number", where, "a finite number", found, remedy))
    return None


def number(text: str, where: str, problems: list[Problem]) -> float | None:
    """Return the number that a cell holds, None for an empty cell; note a problem for anything else."""
    if not text.strip():
        return None
    words = {"true": 1, "false": 0}
    try:
        return score(words[text.lower()] if text.lower() in words else float(text), where, problems)
    except ValueError:
        return score(text, where, problems)


def metric(
    name: str, values: Iterable[float], direction: Direction = "higher", title: str | None = None
) -> ImportedMetric:
    """Describe a metric of which a log gives no bounds, by its values: 0 and 1 only, within [0, 1], or unbounded."""
    seen = set(values)
    binary = seen <= {0, 1}
    unit = binary or all(0 <= value <= 1 for value in seen)
    return ImportedMetric(
        id=name,
        title=title or name,
        direction=direction,
        lower=0.0 if unit else None,
        upper=1.0 if unit else None,
        binary=binary,
    )


def moment(value: object) -> datetime | None:
    """Return the moment that a Unix time or an ISO 8601 text names, in UTC to the second; None where it names none."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC).replace(microsecond=0)
        if isinstance(value, str):
            try:
                return datetime.fromtimestamp(float(value), UTC).replace(microsecond=0)
            except ValueError:
                parsed = datetime.fromisoformat(value)
            aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
            return aware.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def fingerprint_of(value: object) -> str:
    """Return the digest of a JSON value's canonical form; numbers that have none are written as text first."""
    return sha256(canonical(_plain(value)))


def several(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{number} {noun}{'s' * (number != 1)}"


def settle(problems: Iterable[Problem]) -> None:
    """Raise Refusal if there are problems."""
    found = capped(problems)
    if found:
        raise Refusal(found)


def _plain(value: object) -> object:
    """Make any parsed JSON canonicalisable; memory addresses that leaked into a log are taken out."""
    match value:
        case dict():
            return {_text(str(key)): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case str():
            return _text(re.sub(r" at 0x[0-9a-f]+", "", value))
        case float() if not math.isfinite(value):
            return repr(value)
        case int() if abs(value) > 2**53 - 1:
            return str(value)
    return value


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")

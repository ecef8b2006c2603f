"""Make samples.jsonl: known instants, each written down in several formats; the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from formats import FORMATS, Format, Moment, Zone

HERE = Path(__file__).resolve().parent
INSTANTS = 110
FIRST = datetime(1996, 1, 1, tzinfo=UTC)
LAST = datetime(2033, 1, 1, tzinfo=UTC)

UTC_ZONE = Zone(0, "UTC", "Coordinated Universal Time")
ALL_YEAR = (UTC_ZONE, Zone(540, "JST", "Japan Standard Time"), Zone(330, "IST", "India Standard Time"))
SUMMER = (
    Zone(120, "CEST", "Central European Summer Time"),
    Zone(-240, "EDT", "Eastern Daylight Time"),
    Zone(-420, "PDT", "Pacific Daylight Time"),
)
WINTER = (
    Zone(60, "CET", "Central European Standard Time"),
    Zone(-300, "EST", "Eastern Standard Time"),
    Zone(-480, "PST", "Pacific Standard Time"),
)
CUT = {"us": timedelta(microseconds=1), "ms": timedelta(milliseconds=1), "s": timedelta(seconds=1)}
CUT["min"] = timedelta(minutes=1)


def draw(text: str) -> int:
    """Return a number that depends on the text alone: no generator whose stream could change between versions."""
    return int.from_bytes(hashlib.sha256(f"tallystick dateparse {text}".encode()).digest()[:8], "big")


def zones(u: datetime) -> tuple[Zone, ...]:
    """Return the zones that may write a moment: in March and October, when clocks change, those whose clocks do not."""
    if 4 <= u.month <= 9:
        return ALL_YEAR + SUMMER
    return ALL_YEAR if u.month in (3, 10) else ALL_YEAR + WINTER


def moment(number: int) -> Moment:
    """Return the instant of that number; every 24th is midnight in UTC."""
    name = f"i{number:04}"
    u = FIRST + timedelta(microseconds=draw(f"{name} time") % ((LAST - FIRST) // timedelta(microseconds=1)))
    if number % 24 == 0:
        u = u.replace(hour=0, minute=0, second=0, microsecond=0)
    choices = zones(u)
    return Moment(name, u, choices[draw(f"{name} zone") % len(choices)])


def gold(m: Moment, form: Format) -> str | None:
    """Return the instant that the text denotes, cut where the format stops writing; None without a single reading."""
    if form.reason(m) is not None:
        return None
    return (m.u - (m.u - FIRST) % CUT[form.unit]).isoformat(timespec="microseconds").replace("+00:00", "Z")


def rows() -> list[dict[str, object]]:
    """Return every sample, sorted by id; no text occurs twice, and no instant only once."""
    moments = [moment(number) for number in range(1, INSTANTS + 1)]
    seen: set[str] = set()
    used: Counter[str] = Counter()
    found: list[dict[str, object]] = []
    for form in FORMATS:
        taken = 0
        for m in sorted(moments, key=lambda m: (used[m.instant] >= 2, draw(f"{form.name} {m.instant}"))):
            if taken == form.count or not form.fits(m) or form.write(m) in seen:
                continue
            taken += 1
            seen.add(form.write(m))
            used[m.instant] += 1
            reason = form.reason(m)
            found.append(
                {
                    "id": f"{m.instant}-{form.name}",
                    "text": form.write(m),
                    "source": form.source,
                    "family": form.family,
                    "instant": m.instant,
                    "gold": gold(m, form),
                    "ambiguous": reason is not None,
                    "reason": reason,
                }
            )
    return sorted(found, key=lambda row: str(row["id"]))


def content() -> bytes:
    """Return the bytes of samples.jsonl."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows()).encode()


if __name__ == "__main__":
    (HERE / "samples.jsonl").write_bytes(content())
    print(f"samples.jsonl: {len(rows())} samples, sha256 {hashlib.sha256(content()).hexdigest()}")

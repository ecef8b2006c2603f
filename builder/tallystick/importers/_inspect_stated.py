"""What an Inspect log states of its scores, and where that parts from its samples."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from tallystick.imported import Difference, ImportedSample, ImportedStatement
from tallystick.importers._values import several

MEANS = {"accuracy", "mean"}
_REFUSALS = "inspect-refusal-is-zero"
_UNEVEN = "inspect-epochs-uneven"
_MEAN_REDUCERS = {None, "mean"}


def metric_name(scorer: str, key: str = "", reducer: str | None = None) -> str:
    """Return the name of a scorer's metric: of one part of its score, and of one reduction where there are several."""
    return f"{scorer}{f'.{key}' if key else ''}{f' {reducer}' if reducer else ''}"


def reducers(reductions: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the reducers by which each scorer was reduced, in the log's order."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in reductions:
        found[str(entry.get("scorer"))].append(str(entry.get("reducer")))
    return found


def differences_in(rows: Sequence[ImportedSample]) -> tuple[Difference, ...]:
    """Say where the log's own means count otherwise; `rows` are its samples before any reduction."""
    found = []
    refused = sum(row.status == "abstained" for row in rows)
    if refused:
        reason = f"the log's accuracy counts {several(refused, 'refusal')} (N) as 0; here a refusal is an abstention"
        found.append(Difference(_REFUSALS, reason))
    uneven = _uneven(rows)
    if uneven:
        reason = (
            f"the log's accuracy is over samples, of which {uneven} {'has' if uneven == 1 else 'have'} epochs that "
            "were not scored and are left out of that sample's own mean; here no epoch counts for another"
        )
        found.append(Difference(_UNEVEN, reason))
    return tuple(found)


def _uneven(rows: Sequence[ImportedSample]) -> int:
    """Count samples of which the log's means count some epochs and leave out others."""
    ended: dict[str | None, Counter[bool]] = defaultdict(Counter)
    for row in rows:
        ended[row.cluster][row.status in {"scored", "abstained"}] += 1
    return sum(len(counts) == 2 for counts in ended.values())


def stated_in(
    where: str, log: Mapping[str, Any], rows: Sequence[ImportedSample], under: str | None, reduced: dict[str, list[str]]
) -> Iterator[ImportedStatement]:
    """Read accuracies, standard errors and counts.

    `reduced` is empty where epochs are kept apart: then only what is a plain mean over all of them is read.
    """
    seen = Counter(name for row in rows for name in row.values)
    kept = any(row.cluster for row in rows)
    for index, entry in enumerate((log.get("results") or {}).get("scores") or ()):
        if kept and entry.get("reducer") not in _MEAN_REDUCERS:
            continue
        name = next((name for name in _names(entry, reduced) if name in seen), None)
        if name is None:
            continue
        place = f"{where} /results/scores/{index}"
        for key, given in (entry.get("metrics") or {}).items():
            value, part = given.get("value"), _part(key, kept, seen[name])
            if part and isinstance(value, int | float) and math.isfinite(value):
                yield ImportedStatement(f"{place}/metrics/{key}/value", name, value, part, under=under)
        if isinstance(entry.get("scored_samples"), int) and not kept:  # it counts samples, not their epochs
            count = entry["scored_samples"]
            yield ImportedStatement(f"{place}/scored_samples", name, count, "count", under=under)


def _names(entry: Mapping[str, Any], reduced: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return what the metric may be called: of a score of several parts, an entry's name is that of one part."""
    name = str(entry.get("name"))
    scorer = str(entry.get("scorer") or name)
    reducer = str(entry.get("reducer")) if len(reduced.get(scorer, ())) > 1 else None
    return metric_name(scorer, name, reducer), metric_name(name, "", reducer)


def _part(key: str, kept: bool, number: int) -> Literal["estimate", "standard_error"] | None:
    if key in MEANS:
        return "estimate"
    # Of one sample the log states an error of 0, and there is none.
    return "standard_error" if key == "stderr" and not kept and number > 1 else None

"""The data files of a frozen table, made from it alone: CSV, LaTeX and BibTeX of `tallystick-frozen/1`.

Nothing here may ever change: the files of every table that was cited depend on it. A new format gets new writers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tallystick.inert import NAMED_CHARACTER, csv_lines, for_bibtex, for_csv, for_latex, plain

Document = Mapping[str, Any]
UNDEFINED = "—"
STATUSES = ("scored", "abstained", "unresolved", "pending", "missing", "invalid")
MARK = "Diagnostic, no publication evidence: "


def value_text(value: float | None, decimals: int) -> str:
    """Write a number as it is shown."""
    if value is None:
        return UNDEFINED
    text = f"{value:.{decimals}f}"
    if text.startswith("-"):
        return "−" + text[1:] if text.strip("-0.") else text[1:]
    return text


def interval_text(ends: Sequence[float] | None, decimals: int) -> str:
    """Write an interval as it is shown."""
    if ends is None:
        return UNDEFINED
    lower, upper = (value_text(end, decimals) for end in ends)
    return f"{lower} to {upper}" if "−" in lower + upper else f"{lower}–{upper}"


def as_csv(document: Document) -> bytes:
    """Return a row for each method: exact values, their ends and counts, what is shown, and reasons."""
    table = document["table"]
    head = ["method", "title", "kind", "complete", "rank_lower", "rank_upper", "group", "samples", *STATUSES]
    for metric in table["metrics"]:
        name = for_csv(metric["id"])
        parts = ("lower", "upper", "n", "shown", "worst", "best", "conditional", "note")
        head += [name, *(f"{name}_{part}" for part in parts)]
    head += ["report_sha256", "diagnostic"]
    return csv_lines([head, *(_csv_row(table, row) for row in table["rows"])])


def _csv_row(table: Document, row: Document) -> list[str]:
    rank = row["rank"] or {"lower": None, "upper": None, "group": ""}
    cells = [row["method"], for_csv(row["title"]), for_csv(row["kind"] or ""), _flag(row["complete"])]
    cells += [_exact(rank["lower"]), _exact(rank["upper"]), for_csv(rank["group"])]
    cells += [_exact(row["samples"][name]) for name in ("total", *STATUSES)]
    for metric in table["metrics"]:
        cells += _csv_value(row["values"].get(metric["id"]), metric["decimals"])
    return [*cells, row["report"]["files"][0]["sha256"], for_csv(table["benchmark"]["diagnostic"] or "")]


def _csv_value(found: Document | None, decimals: int) -> list[str]:
    if found is None:
        return [""] * 9
    lower, upper = found["interval"] or (None, None)
    worst, best = found["bounds"] or (None, None)
    shown = f"{value_text(found['value'], decimals)} [{interval_text(found['interval'], decimals)}]"
    return [
        *map(_exact, (found["value"], lower, upper, found["n"])),
        for_csv(shown),
        *map(_exact, (worst, best)),
        _flag(found["conditional"]),
        for_csv(found["note"]),
    ]


def _exact(value: float | int | None) -> str:
    return "" if value is None else repr(value)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def as_latex(document: Document, digest: str) -> bytes:
    """Return a tabular with booktabs rules: complete methods, then the incomplete ones apart, unranked."""
    table = document["table"]
    metrics, ranked = table["metrics"], any(row["rank"] for row in table["rows"])
    first = ["Rank", "Method"] if ranked else ["Method"]
    width = len(first) + len(metrics) + 1
    lines = [
        *_heads(document, digest),
        rf"\begin{{tabular}}{{@{{}}{'l' * len(first)}{'r' * (len(metrics) + 1)}@{{}}}}",
        r"\toprule",
        " & ".join([*first, *(for_latex(metric["title"]) for metric in metrics), "Scored"]) + r" \\",
        r"\midrule",
        *(_latex_row(row, metrics, ranked) for row in table["rows"] if row["complete"]),
    ]
    apart = [_latex_row(row, metrics, ranked) for row in table["rows"] if not row["complete"]]
    if apart:
        words = "Incomplete: over scored samples only, in no order with the others"
        lines += [r"\midrule", _across(width, words), *apart]
    lines.append(r"\bottomrule")
    if table["benchmark"]["diagnostic"]:
        lines.append(_across(width, MARK + table["benchmark"]["diagnostic"]))
    text = "\n".join([*lines, r"\end{tabular}", ""])
    return (f"{NAMED_CHARACTER}\n{text}" if r"\tallychar" in text else text).encode("utf-8")


def _heads(document: Document, digest: str) -> list[str]:
    said = [document["table"]["benchmark"]["title"], f"Frozen on {document['frozen']}, SHA-256 {digest}"]
    said += [address(document, digest) or "", "Needs \\usepackage{booktabs}.", document["table"]["recipe"]["ranking"]]
    return ["% " + plain(line).encode("ascii", "backslashreplace").decode("ascii") for line in said if line]


def _across(width: int, words: str) -> str:
    return rf"\multicolumn{{{width}}}{{@{{}}p{{\linewidth}}@{{}}}}{{\footnotesize {for_latex(words)}}} \\"


def _latex_row(row: Document, metrics: Iterable[Document], ranked: bool) -> str:
    cells = [_rank(row["rank"])] if ranked else []
    cells.append(for_latex(row["title"]))
    for metric in metrics:
        found, decimals = row["values"].get(metric["id"]), metric["decimals"]
        if found is None or found["value"] is None:
            cells.append(for_latex(UNDEFINED))
        else:
            interval = for_latex(interval_text(found["interval"], decimals))
            cells.append(rf"{for_latex(value_text(found['value'], decimals))} {{\footnotesize {interval}}}")
    return " & ".join([*cells, f"{row['samples']['scored']}/{row['samples']['total']}"]) + r" \\"


def _rank(rank: Document | None) -> str:
    if rank is None:
        return for_latex(UNDEFINED)
    span = str(rank["lower"]) if rank["lower"] == rank["upper"] else f"{rank['lower']}–{rank['upper']}"
    return for_latex(f"{span} {rank['group']}".strip())


def as_bibtex(document: Document, digest: str) -> bytes:
    """Return an entry for the permanent link; the digest makes sure of what is cited even where the site is gone."""
    benchmark = document["table"]["benchmark"]
    mark = MARK + benchmark["diagnostic"] + ". " if benchmark["diagnostic"] else ""
    url = address(document, digest)
    fields = [
        ("title", f"{{{for_bibtex(benchmark['title'])}}}"),
        ("author", f"{{{for_bibtex(document['site']['title'])}}}"),
        ("year", document["frozen"][:4]),
        ("month", document["frozen"][5:7]),
        *([("url", url)] if url else []),
        ("note", for_bibtex(f"{mark}Table frozen on {document['frozen']}, SHA-256 {digest}")),
    ]
    lines = [f"  {name} = {{{value}}}," for name, value in fields]
    return "\n".join([f"@misc{{{benchmark['id']}-{digest[:12]},", *lines, "}", ""]).encode("utf-8")


def address(document: Document, digest: str) -> str | None:
    """Return the permanent address of a table, as the site that froze it had one."""
    base = document["site"]["url"]
    return f"{base}/t/{digest}/" if base else None

"""Where a report comes from: what it says of its run, the hashes that make it comparable, and its files."""

from __future__ import annotations

from tallystick import numerals
from tallystick.board import Board, Entry
from tallystick.model import COMPONENTS, Varying
from tallystick.table import Cell, Column, Row, Table


def provenance(entry: Entry) -> Table:
    """Tabulate what the report says of its origin, hashes whole."""
    run = entry.report.run
    said = dict(entry.report.provenance)
    flags = [
        word for word, is_so in (("complete", run.complete), ("partial", run.partial), ("demo", run.demo)) if is_so
    ]
    rows = [("Finished", run.finished.isoformat() if run.finished else numerals.UNDEFINED)]
    rows += [("Run", ", ".join(flags) or "not complete"), ("Digest of the scores", entry.report.scores_digest)]
    rows += [("Protocol", entry.report.protocol), ("Verified down to", entry.report.depth), *said.items()]
    return Table(
        "provenance",
        "Provenance",
        (Column("what", "What", "header"), Column("value", "Value", "code")),
        tuple(Row("", (Cell(what[:1].upper() + what[1:], what), Cell(value, value))) for what, value in rows),
    )


def fingerprint(board: Board, entry: Entry) -> Table:
    """Tabulate the four hashes that make reports comparable, beside what the board accepts."""
    rows = []
    for component in COMPONENTS:
        value, pinned = getattr(entry.report.fingerprint, component), getattr(board.benchmark.fingerprint, component)
        if isinstance(pinned, Varying):
            accepted = Cell("varies by method, shown, not compared", detail=pinned.reason)
        elif pinned is None:
            accepted = Cell("none: the format has no such hash")
        else:
            accepted = Cell("this value" if pinned == value else pinned)
        rows.append(
            Row("", (Cell(component.capitalize(), component), Cell(value or numerals.UNDEFINED, value), accepted))
        )
    return Table(
        "fingerprint",
        "Fingerprint",
        (
            Column("component", "Component", "header"),
            Column("value", "This report", "code"),
            Column("accepted", "The board accepts", "text"),
        ),
        tuple(rows),
    )


def files(entry: Entry) -> Table:
    """Tabulate the files that the report was read from, with their digests."""
    return Table(
        "files",
        "Files, with the SHA-256 of their bytes",
        (Column("path", "File", "header"), Column("size", "Size"), Column("digest", "Digest", "code")),
        tuple(
            Row(
                "",
                (
                    Cell(source.path, source.path),
                    Cell(numerals.size(source.size), source.size),
                    Cell(source.digest, source.digest),
                ),
            )
            for source in entry.report.sources
        ),
    )

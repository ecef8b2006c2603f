"""`tallystick freeze`: make a table that can be cited."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("board", metavar="BOARD", help="the board whose table is frozen")
    parser.add_argument("--note", default="", metavar="TEXT", help="what the table was frozen for, shown with it")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import freeze, pipeline
    from tallystick.errors import Problem, UsageError
    from tallystick.settings import load_site

    now = present_time()
    site = load_site(options.root)
    checked = pipeline.check(options.root, now, console.progress)
    docket = next((one for one in checked.dockets if one.benchmark.id == options.board), None)
    if docket is None:
        known = ", ".join(one.benchmark.id for one in checked.dockets) or "no board"
        raise UsageError([Problem("board-unknown", options.board, known, "another name", "Name one of these.")])
    shelf = checked.frozen.get(options.board, ())
    table, new = freeze.freeze(options.root, pipeline.compute(docket), shelf, site, now, options.note)
    path = f"results/{table.benchmark}/frozen/{table.digest}.json"
    console.say(f"{table.digest}  {path}\n")
    if not new:
        console.warn("This table is frozen already: nothing was written.\n")
    elif site.base_url is None:
        console.warn("The site has no base_url: the BibTeX entry of this table will have no address.\n")
    return 0


COMMAND = Command(
    "freeze",
    "make a table that can be cited",
    "Write the table of a board, with the digests of all that it follows from, as one file that is named by its own "
    "digest. Each build makes the same page /t/DIGEST/ from it, and fails if the file changed or vanished.",
    _arguments,
    _run,
)

"""`tallystick build`: verify every report and write the site."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the site goes (default: ROOT/site)")
    parser.add_argument("--base-url", metavar="URL", help="where the site will live (default: base_url of site.yaml)")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a report was refused")
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="where results are remembered (default: the user's cache folder)"
    )
    parser.add_argument("--no-cache", action="store_true", help="compute everything, and remember nothing")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_count, default=1, metavar="N", help="spread reports over N processes")
    where.add_argument("--scheduler", metavar="URL", help="spread reports over a Dask cluster, as tcp://host:8786")
    parser.add_argument("--json", action="store_true", help="say what was found as JSON")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 1024):
        raise ArgumentTypeError(f"a whole number from 1 to 1024 is expected, not {text!r}")
    return int(text)


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages, pipeline, workshop
    from tallystick.cache import Cache, default_folder
    from tallystick.errors import UsageError
    from tallystick.strict.names import url_problem

    if options.base_url and (problem := url_problem(options.base_url, "--base-url")):
        raise UsageError([problem])
    out = options.out or options.root / "site"
    cache = None if options.no_cache else Cache(options.cache or default_folder())
    cluster = workshop.cluster(options.scheduler, cache) if options.scheduler else workshop.local(options.jobs, cache)
    with cluster as place:
        built = pipeline.build(options.root, out, present_time(), console.progress, options.base_url, place)
    verdicts, hosting = built.receipt.verdicts, built.receipt.hosting
    console.say(messages.FORMATS["json"](verdicts, None, 0) if options.json else messages.brief(verdicts))
    if not options.json:
        size = f"{hosting.size / 1e6:.1f} MB"
        place_name = messages.printable(str(out))
        console.say(f"{built.receipt.files} files, {size}, in {place_name}, {len(built.changed)} changed\n")
    for problem in hosting.problems:
        console.warn(f"note: {messages.printable(str(problem))}\n")
    status = messages.exit_status(verdicts)
    return status if options.strict or status == 3 else 0


COMMAND = Command(
    "build",
    "verify every report and write the site",
    "Verify every report below ROOT/results, recompute every number, and write the site. Refused reports stand on the "
    "audit pages with their reasons and never stop the others.",
    _arguments,
    _run,
)

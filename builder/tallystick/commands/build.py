"""`tallystick build`: verify every report and write the site."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the site goes (default: ROOT/site)")
    parser.add_argument("--base-url", metavar="URL", help="where the site will live (default: base_url of site.yaml)")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a report was refused")
    parser.add_argument("--json", action="store_true", help="say what was found as JSON")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages, pipeline
    from tallystick.errors import UsageError
    from tallystick.strict.names import url_problem

    if options.base_url and (problem := url_problem(options.base_url, "--base-url")):
        raise UsageError([problem])
    out = options.out or options.root / "site"
    built = pipeline.build(options.root, out, present_time(), console.progress, options.base_url)
    verdicts = messages.verdicts(built.checked)
    console.say(messages.FORMATS["json" if options.json else "text"](verdicts))
    if not options.json:
        size = f"{built.hosting.size / 1e6:.1f} MB"
        place = messages.printable(str(out))
        console.say(f"{built.files} files, {size}, in {place}, {len(built.changed)} changed\n")
    for problem in built.hosting.problems:
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

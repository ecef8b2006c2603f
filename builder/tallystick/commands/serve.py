"""`tallystick serve`: preview the site while it is being written."""

from __future__ import annotations

import ipaddress
import re
import time
from argparse import ArgumentParser, Namespace

from tallystick.command import Command, Console, add_root, present_time
from tallystick.errors import Problem, UsageError


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument(
        "--host",
        action="append",
        metavar="ADDRESS",
        help="an address to serve on, instead of this machine only; 0.0.0.0 lets everyone in the network look",
    )
    parser.add_argument("--port", type=_port, metavar="N", help="the port (default: the first free one from 8000 on)")
    parser.add_argument(
        "--base-path", default="/", metavar="/PATH/", help="serve below this path, as a project's Pages would"
    )


def _run(options: Namespace, console: Console) -> int:
    from tallystick import serve
    from tallystick.messages import printable
    from tallystick.preview import Preview

    base, addresses = _base(options.base_path), _addresses(options.host)
    servers = serve.listen(addresses, options.port)
    port = int(servers[0].server_address[1])
    if options.port is None and port != serve.DEFAULT_PORT:
        console.warn(f"port {serve.DEFAULT_PORT} is taken: serving on {port} instead\n")
    if options.host:
        console.warn("whoever reaches this address can read the site that you are writing\n")
    name = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    url = f"http://{name}:{port}{base}"

    def tell(text: str) -> None:
        console.progress("")
        console.warn("".join(f"{printable(line)}\n" for line in text.splitlines()))

    preview = Preview(options.root, url, present_time, lambda found: tell("\n".join(map(str, found))))
    session = serve.Session(preview.site, tell)
    watching = serve.Watching(preview.folders, session.change, tell)
    serving = serve.Serving(servers, session, base)
    serving.start()
    console.warn(f"{url} shows the site as it is written; Ctrl-C ends it\nbuilding …\n")
    watching.start()
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        watching.stop()
        serving.stop()


def _base(path: str) -> str:
    """Return the path of the site with a slash at both ends."""
    if not re.fullmatch(r"/?([A-Za-z0-9_~][A-Za-z0-9._~-]*/?)*", path):
        expected = "a path of letters, digits, dots, dashes and underscores"
        raise UsageError([Problem("base-path", "--base-path", expected, path, "Write it like /repository/.")])
    return f"/{path.strip('/')}/".replace("//", "/")


def _addresses(given: list[str] | None) -> tuple[str, ...]:
    """Return the addresses to serve on; an address in digits each, for a name may come to mean another machine."""
    from tallystick.serve import LOOPBACK

    for address in given or ():
        try:
            ipaddress.ip_address(address)
        except ValueError:
            remedy = "Leave it out to serve on this machine only."
            problem = Problem("host-unusable", "--host", "an address in digits, such as 192.168.1.5", address, remedy)
            raise UsageError([problem]) from None
    return tuple(dict.fromkeys(given)) if given else LOOPBACK


def _port(text: str) -> int:
    """Read a port; ValueError, which argparse explains, where it is none."""
    port = int(text)
    if not 0 <= port < 65536:
        raise ValueError
    return port


COMMAND = Command(
    "serve",
    "preview the site while it is being written",
    "Serve the site on this machine as it would be built, and reload it in the browser when content, templates, "
    "settings or reports change. Nothing is written.",
    _arguments,
    _run,
)

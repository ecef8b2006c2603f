"""Listen on chosen addresses and serve a session there, from memory, to whoever may ask."""

from __future__ import annotations

import errno
import os
import socket
import socketserver
import threading
from collections.abc import Sequence
from http.server import ThreadingHTTPServer

from tallystick.errors import Problem, UsageError
from tallystick.serve.answering import STREAMS, Answering, House
from tallystick.serve.hosts import Hosts
from tallystick.serve.session import Session

LOOPBACK = ("127.0.0.1", "::1")
DEFAULT_PORT = 8000
TRIED = 100
"""Ports after the default one that are tried."""

ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)


class Server(ThreadingHTTPServer):
    """Listens on one address."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name != "nt"  # there it would share the port with a stranger
    request_queue_size = 128

    def __init__(self, address: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), Answering)

    def server_bind(self) -> None:
        """Bind without asking for the host's name, which may take seconds."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a browser hang up when it likes."""


class Serving:
    """A session served on some sockets that are open already."""

    def __init__(self, servers: Sequence[Server], session: Session, base: str) -> None:
        """`base` is the path at which the site lives, with a slash at both ends."""
        addresses = [str(server.server_address[0]) for server in servers]
        port = int(servers[0].server_address[1])
        house = House(session, Hosts.of(addresses, port), base, threading.BoundedSemaphore(STREAMS))
        self._session = session
        self._servers = servers
        for server in servers:
            server.RequestHandlerClass = type("AnsweringHere", (Answering,), {"house": house})
        self._threads = [threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True) for server in servers]

    def start(self) -> None:
        """Answer requests from now on."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Close every socket and every stream of events."""
        self._session.close()
        for server in self._servers:
            server.shutdown()
            server.server_close()


def listen(addresses: Sequence[str], port: int | None) -> tuple[Server, ...]:
    """Open sockets on all addresses at one port: the one given, or else the first that is free after the default.

    An address that this machine does not have is left out, unless it is the only one. Raises UsageError.
    """
    tried = range(DEFAULT_PORT, DEFAULT_PORT + TRIED) if port is None else (port,)
    for number in tried:
        try:
            return _opened(addresses, number)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or number == tried[-1]:
                raise UsageError([_unusable(addresses, number, error)]) from error
    raise AssertionError


def _opened(addresses: Sequence[str], port: int) -> tuple[Server, ...]:
    servers: list[Server] = []
    try:
        for address in addresses:
            try:
                servers.append(Server(address, port))
            except OSError as error:
                if error.errno not in ABSENT or (address == addresses[-1] and not servers):
                    raise
            else:
                port = int(servers[0].server_address[1])
    except OSError:
        for server in servers:
            server.server_close()
        raise
    return tuple(servers)


def _unusable(addresses: Sequence[str], port: int, error: OSError) -> Problem:
    where = f"{' and '.join(addresses)} port {port}"
    reason = (error.strerror or type(error).__name__).lower()
    return Problem("address-unusable", where, "an address to serve on", reason, "Choose another with --port or --host.")

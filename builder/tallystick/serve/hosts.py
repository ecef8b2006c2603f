"""Which names a request may give this server: other sites can make theirs lead here, too (DNS rebinding)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hosts:
    """The exact values of a Host header that are answered.

    With `any_address`, which listening on all interfaces needs, every address in digits is: no name can be one.
    """

    names: frozenset[str]
    port: int
    any_address: bool = False

    @classmethod
    def of(cls, addresses: Iterable[str], port: int) -> Hosts:
        """Allow what listens on these addresses to be called by them, and by `localhost`."""
        known = tuple(addresses)
        names = {_bracketed(address) for address in known} | {"localhost"}
        everywhere = any(ipaddress.ip_address(address).is_unspecified for address in known)
        return cls(frozenset(names), port, everywhere)

    def allows(self, host: str | None) -> bool:
        """Say whether a Host header, of which there must be one, names this server."""
        if host is None:
            return False
        name, colon, port = host.lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host.lower(), "80"
        return port == str(self.port) and (name in self.names or (self.any_address and _is_address(name)))

    def allows_origin(self, origin: str) -> bool:
        """Say whether an Origin header is that of a page which this server sent."""
        return origin.startswith("http://") and self.allows(origin.removeprefix("http://"))


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _is_address(name: str) -> bool:
    try:
        return _bracketed(str(ipaddress.ip_address(name.strip("[]")))) == name
    except ValueError:
        return False

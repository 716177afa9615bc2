"""The client's own address, and whether its request came over TLS, also behind proxies.

A proxy writes the address of its client into X-Forwarded-For and the client's scheme into X-Forwarded-Proto. Any client
can send these headers too. They are believed only as far as trusted proxies wrote them (TRUSTED_PROXIES). From any
other peer they are ignored.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

UNIX = "unix"
NONE = "none"
BY_DEFAULT = "127.0.0.1,::1,unix"
"""A proxy on the web server's own machine, over TCP or a unix socket."""
THIS_MACHINE = "127.0.0.1"
"""The address of a client on a unix socket that no header names. It has no IP address and is on this machine."""
MOST_HOPS = 10
SAME_CLIENT_BITS = 64
"""Leading bits of an IPv6 address that belong to one client."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Proxies:
    """The trusted proxies: those in these networks, those on a unix socket, or a number of hops with any address."""

    networks: tuple[Network, ...] = ()
    unix: bool = False
    hops: int = 0

    @classmethod
    def read(cls, text: str) -> Proxies:
        """Parses the setting: addresses, networks and `unix` with commas, or a number of hops, or `none`.

        Raises: ValueError when a part is none of these. The message names the part.
        """
        text = text.strip() or BY_DEFAULT
        if text.lower() == NONE:
            return cls()
        if text.isascii() and text.isdigit():
            if not 1 <= int(text[:4]) <= MOST_HOPS:
                raise ValueError(f"{text!r} is no number of proxies from 1 to {MOST_HOPS}")
            return cls(hops=int(text))
        parts = [part.strip() for part in text.split(",")]
        networks = tuple(_network(part) for part in parts if part.lower() != UNIX)
        return cls(networks=networks, unix=any(part.lower() == UNIX for part in parts))

    def trusts(self, peer: Address | None) -> bool:
        """Whether a peer with that address is one of the named proxies. None means a unix socket."""
        if peer is None:
            return self.unix
        return any(peer.version == network.version and peer in network for network in self.networks)

    def includes(self, peer: str) -> bool:
        """Whether the peer that holds the connection (empty for a unix socket) is one of the proxies."""
        return bool(self.hops) or self.trusts(read_address(peer))

    def client(self, peer: str, forwarded: str) -> str:
        """The client's own address.

        peer: the address that holds the connection, empty for a unix socket. forwarded: X-Forwarded-For as it came.
        """
        nearest = read_address(peer)
        chain = [part.strip() for part in forwarded.split(",")] if forwarded.strip() else []
        found = self._by_hops(nearest, chain) if self.hops else self._by_networks(nearest, chain)
        return str(found) if found else THIS_MACHINE

    def _by_hops(self, nearest: Address | None, chain: list[str]) -> Address | None:
        """The entry that the farthest of the counted proxies wrote. Entries before it may be forged."""
        if not chain:
            return nearest
        return read_address(chain[-min(self.hops, len(chain))]) or nearest

    def _by_networks(self, nearest: Address | None, chain: list[str]) -> Address | None:
        """The farthest entry that a trusted proxy wrote, going back along the chain."""
        while self.trusts(nearest) and chain:
            before = read_address(chain.pop())
            if before is None:  # a proxy that hides its client, or a client that sends nonsense
                break
            nearest = before
        return nearest


def _network(part: str) -> Network:
    try:
        network = ipaddress.ip_network(part)
    except ValueError:
        raise ValueError(f"{part!r} is neither an address nor a network") from None
    if network.prefixlen == 0:
        raise ValueError(f"{part!r} would trust everybody")
    return network


def read_address(text: str) -> Address | None:
    """Parses an IP address, with or without brackets, port or zone. Returns None for anything else."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=8)
def _proxies(text: str) -> Proxies:
    return Proxies.read(text)


def of(meta: Mapping[str, Any]) -> str:
    """The client's own address, from the WSGI environment of a request. It is always a valid address."""
    return _trusted().client(_peer(meta), str(meta.get("HTTP_X_FORWARDED_FOR") or ""))


def network_of(meta: Mapping[str, Any]) -> str:
    """The key by which rate limits count a client: its IPv4 address, or the /64 network of its IPv6 address.

    A provider gives each customer at least a /64 network, so other addresses in it belong to the same client.
    """
    address = of(meta)
    if ":" not in address:
        return address
    return str(ipaddress.IPv6Network((address, SAME_CLIENT_BITS), strict=False).network_address)


def comes_from_a_proxy(meta: Mapping[str, Any]) -> bool:
    """Whether a trusted proxy holds the connection, from the WSGI environment of a request."""
    return _trusted().includes(_peer(meta))


def _trusted() -> Proxies:
    from django.conf import settings

    return _proxies(settings.TRUSTED_PROXIES)


def _peer(meta: Mapping[str, Any]) -> str:
    return str(meta.get("REMOTE_ADDR") or "")


class ClientAddressMiddleware:
    """Puts the client's own address into REMOTE_ADDR, which all other code reads, gunicorn's access log too.

    Removes X-Forwarded-For, so that no later code (for example the throttles of the REST framework) believes it again.
    Keeps X-Forwarded-Proto only from a trusted proxy: otherwise any client could pass plain HTTP off as HTTPS. The same
    applies to X-Request-ID (tracing.py).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not comes_from_a_proxy(request.META):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
            request.META.pop("HTTP_X_REQUEST_ID", None)
        request.META["REMOTE_ADDR"] = of(request.META)
        request.META.pop("HTTP_X_FORWARDED_FOR", None)
        return self.get_response(request)

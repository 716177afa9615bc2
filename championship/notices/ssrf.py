"""Checks the addresses to which the service may send requests: only public ones, so that nobody can make it send
requests into its own network (SSRF).

Somebody may have typed any text as a webhook's address. The name is resolved once, here. All its IP addresses must be
public. outbound_http.py connects to exactly the address that was checked, so that a name which resolves differently a
moment later (DNS rebinding) gains nothing.
"""

import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

PORTS = {"http": 80, "https": 443}
MORE_PORTS = frozenset({8080, 8443})
LONGEST = 500
RESOLVE_SECONDS = 5
PAGE_RESOLVE_SECONDS = 2

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]

FORBIDDEN = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
        "168.63.129.16/32",  # the metadata service of Azure, at a public address
        # IPv6: every network that wraps an IPv4 address (mapped, 6to4, Teredo, NAT64), or is not global unicast
        *("::/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "4000::/2", "8000::/1"),
    )
)
"""IANA's special-purpose registries (RFC 6890), and IPv6 networks that represent IPv4 addresses."""


class Refusal(ValueError):
    """The service does not send there. The message says why, in the active language."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A checked address to connect to: `addresses` in the order to try them, `host` for the certificate."""

    scheme: str
    host: str
    port: int
    target: str
    addresses: tuple[str, ...]


def resolve(host: str, port: int) -> Sequence[str]:
    """All addresses of a host, from the machine's resolver.

    Raises: OSError when there is none, or none in time.
    """
    return _resolve(host, port, RESOLVE_SECONDS)


def resolve_briefly(host: str, port: int) -> Sequence[str]:
    """The same with a shorter time limit, for a page."""
    return _resolve(host, port, min(PAGE_RESOLVE_SECONDS, RESOLVE_SECONDS))


def _resolve(host: str, port: int, seconds: float) -> Sequence[str]:
    answers: Queue[list[Any] | OSError] = Queue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP))
        except (OSError, UnicodeError) as error:
            answers.put(error if isinstance(error, OSError) else OSError(str(error)))

    # The resolver has no time limit, so a thread that takes too long is abandoned.
    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answers.get(timeout=seconds)
    except Empty as late:
        raise OSError(f"no name server told the address of {host} within {seconds} seconds") from late
    if isinstance(found, OSError):
        raise found
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def destination(url: str, *, resolver: Resolver = resolve) -> Destination:
    """The destination of that address. Its host is resolved once.

    Raises: Refusal when the service does not send to it.
    Raises: OSError when the name cannot be resolved at the moment.
    """
    scheme, host, port, target = split_address(url)
    addresses = tuple(resolver(host, port))
    if not addresses:
        raise OSError(f"{host} has no address")
    for address in addresses:
        if not (is_public(address) and port_allowed(scheme, port)) and not _allowed_here(address, port):
            raise Refusal(_("We do not send to %(host)s: it is not a public address.") % {"host": host})
    return Destination(scheme, host, port, target, addresses)


def split_address(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port, and path with query.

    Raises: Refusal when it is not a plain web address.
    """
    if len(url) > LONGEST or any(ord(sign) <= 32 or sign in '\\"<>^`{|}' or ord(sign) == 127 for sign in url):
        raise Refusal(_("That is not an address on the web."))
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii").rstrip(".").lower()
        path = parts.path.encode("ascii").decode()
    except (ValueError, UnicodeError) as error:
        raise Refusal(_("That is not an address on the web.")) from error
    if parts.scheme not in PORTS:
        raise Refusal(_("The address must begin with https:// or http://."))
    if not host or parts.username is not None or parts.password is not None or "%" in host:
        raise Refusal(_("That is not an address on the web."))
    port = port or PORTS[parts.scheme]
    if not port_allowed(parts.scheme, port) and not any(entry.endswith(f":{port}") for entry in allowed()):
        raise Refusal(_("We do not send to port %(port)d.") % {"port": port})
    return parts.scheme, host, port, (path or "/") + (f"?{parts.query}" if parts.query else "")


def port_allowed(scheme: str, port: int) -> bool:
    return port in MORE_PORTS or port == PORTS[scheme]


def is_public(address: str) -> bool:
    """Whether a numeric IP address is public, that is, any host on the Internet may have it."""
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    return number.is_global and not number.is_multicast and not any(number in network for network in FORBIDDEN)


def allowed() -> Sequence[str]:
    """Addresses with ports, such as "127.0.0.1:8900", to which a demo or a test may send although not public."""
    return settings.WEBHOOK_ALLOWED_ADDRESSES


def _allowed_here(address: str, port: int) -> bool:
    return f"{address}:{port}" in allowed()

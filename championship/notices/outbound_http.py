"""Posts to an address that somebody typed: after a check, once, with a time limit, and without following redirects."""

from __future__ import annotations

import math
import re
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import certifi
import urllib3
from django.conf import settings
from django.utils.http import parse_http_date_safe
from django.utils.translation import gettext as _
from urllib3.connection import HTTPConnection, HTTPSConnection

from championship.notices import ssrf
from championship.platform import clock

CONNECT_SECONDS = 3
TOTAL_SECONDS = 10
MOST_READ = 4096
"""Bytes of a response that are read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """status: the HTTP status. text: the beginning of the body. after: seconds of Retry-After, if any."""

    status: int
    text: str
    after: int | None = None


class Unreachable(OSError):
    """Nothing was sent: the name has no address now, or no server listens there."""

    @property
    def words(self) -> str:
        """The text for the owner of the address, in the active language; str() is for the operator."""
        return _("Nobody could be reached there.")


class NoAnswer(OSError):
    """The request was sent, at least in part, and no complete response came in time. `late`: the time was over.
    `unproven`: the server had no valid certificate for its name.
    """

    def __init__(self, reason: str, *, late: bool = False, unproven: bool = False) -> None:
        super().__init__(reason)
        self.late, self.unproven = late, unproven

    @property
    def words(self) -> str:
        """The text for the owner of the address, in the active language; str() is for the operator."""
        if self.late:
            return _("No answer came within %(seconds)d seconds.") % {"seconds": TOTAL_SECONDS}
        return _("The certificate there is not valid.") if self.unproven else _("The connection broke off.")


def post(url: str, *, body: bytes, headers: Mapping[str, str], resolver: ssrf.Resolver = ssrf.resolve) -> Answer:
    """Post `body` and return the beginning of the response, with any status. A redirect is not followed.

    Connects only to an address that was checked. Once connected, everything takes at most TOTAL_SECONDS.

    Raises: ssrf.Refusal when the service does not send to the address.
    Raises: Unreachable when nothing was sent.
    Raises: NoAnswer when the request was sent and no complete response came.
    """
    try:
        where = ssrf.destination(url, resolver=resolver)
    except OSError as error:
        raise Unreachable(str(error)) from error
    failure: Exception | None = None
    for address in where.addresses[:3]:
        try:
            return _post_to(address, where, body, headers)
        except urllib3.exceptions.ConnectTimeoutError as error:
            failure = error
        except urllib3.exceptions.NewConnectionError as error:
            failure = error
    raise Unreachable(f"nobody listens at {where.host}:{where.port}: {failure}")


def _post_to(address: str, where: ssrf.Destination, body: bytes, headers: Mapping[str, str]) -> Answer:
    limit = _Limit()
    pool = _pool(address, where, limit)
    host = f"[{where.host}]" if ":" in where.host else where.host
    named = host if where.port == ssrf.PORTS[where.scheme] else f"{host}:{where.port}"
    try:
        answer = pool.urlopen(
            "POST",
            where.target,
            body=body,
            headers={**headers, "Host": named, "Connection": "close", "Accept-Encoding": "identity"},
            retries=False,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
        )
        text = answer.read(MOST_READ, decode_content=False).decode("utf-8", "replace")
        after = seconds_of(answer.headers.get("Retry-After", ""))
        answer.close()
        return Answer(answer.status, " ".join(text.split()), after)
    except (urllib3.exceptions.ConnectTimeoutError, urllib3.exceptions.NewConnectionError):
        raise
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        if limit.reached:
            raise NoAnswer(f"no answer within {TOTAL_SECONDS} seconds", late=True) from error
        unproven = isinstance(error, urllib3.exceptions.SSLError)
        raise NoAnswer(f"{type(error).__name__}: {error}", unproven=unproven) from error
    finally:
        limit.lift()
        pool.close()


def seconds_of(retry_after: str) -> int | None:
    """The seconds that a Retry-After header asks to wait, rounded up. It holds seconds, which Discord writes with a
    fraction, or an HTTP date (RFC 9110, 10.2.3). None when it is neither, and for a date that is over.
    """
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", retry_after):
        return math.ceil(float(retry_after))
    date = parse_http_date_safe(retry_after)
    left = None if date is None else date - math.floor(clock.now().timestamp())
    return left if left is not None and left > 0 else None


class _Limit:
    """Cuts a connection after TOTAL_SECONDS in all, even if data still arrives slowly: handshake, headers, and body."""

    def __init__(self) -> None:
        self.reached = False
        self._line: socket.socket | None = None
        self._timer: threading.Timer | None = None

    def watch(self, line: socket.socket) -> None:
        self._line = line.dup()  # a duplicate, because the socket itself is wrapped in TLS later
        self._timer = threading.Timer(TOTAL_SECONDS, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def lift(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._line is not None:
            self._line.close()

    def _cut(self) -> None:
        self.reached = True
        if self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)


Kind = TypeVar("Kind", bound=HTTPConnection)


def _pool(address: str, where: ssrf.Destination, limit: _Limit) -> urllib3.HTTPConnectionPool:
    """A pool with one connection to exactly that address. With TLS, the certificate must match the host name."""
    times = urllib3.Timeout(connect=CONNECT_SECONDS, read=TOTAL_SECONDS)

    def watched(kind: type[Kind]) -> type[Kind]:
        class Watched(kind):  # type: ignore[valid-type, misc]  # the base is known only at run time
            def _new_conn(self) -> socket.socket:
                line: socket.socket = super()._new_conn()
                limit.watch(line)
                return line

        return Watched

    if where.scheme == "http":
        pool = urllib3.HTTPConnectionPool(address, where.port, timeout=times, maxsize=1)
        pool.ConnectionCls = watched(HTTPConnection)
        return pool
    encrypted = urllib3.HTTPSConnectionPool(
        address,
        where.port,
        timeout=times,
        maxsize=1,
        server_hostname=where.host,
        assert_hostname=where.host,
        cert_reqs="CERT_REQUIRED",
        ca_certs=settings.WEBHOOK_CA_FILE or certifi.where(),
    )
    encrypted.ConnectionCls = watched(HTTPSConnection)
    return encrypted

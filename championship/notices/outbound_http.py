"""Posting to an address that somebody typed: checked, once, briefly, and without following where it points."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import certifi
import urllib3
from django.conf import settings
from django.utils.translation import gettext as _
from urllib3.connection import HTTPConnection, HTTPSConnection

from championship.notices import ssrf

CONNECT_SECONDS = 3
TOTAL_SECONDS = 10
MOST_READ = 4096
"""Bytes of an answer that are looked at."""


@dataclass(frozen=True, slots=True)
class Answer:
    """status: the HTTP status. text: the answer's beginning. after: seconds it asks us to wait, if any."""

    status: int
    text: str
    after: int | None = None


class Unreachable(OSError):
    """Nothing was sent: the name has no address now, or nobody listens there."""

    @property
    def words(self) -> str:
        """What to tell whose address it is, in the active language; str() is for the operator."""
        return _("Nobody could be reached there.")


class NoAnswer(OSError):
    """It was sent, or begun to be, and no whole answer came in time. `late`: the time was over; `unproven`: it could
    not prove by a certificate to be who it should.
    """

    def __init__(self, reason: str, *, late: bool = False, unproven: bool = False) -> None:
        super().__init__(reason)
        self.late, self.unproven = late, unproven

    @property
    def words(self) -> str:
        """What to tell whose address it is, in the active language; str() is for the operator."""
        if self.late:
            return _("No answer came within %(seconds)d seconds.") % {"seconds": TOTAL_SECONDS}
        return _("The certificate there is not valid.") if self.unproven else _("The connection broke off.")


def post(url: str, *, body: bytes, headers: Mapping[str, str], resolver: ssrf.Resolver = ssrf.resolve) -> Answer:
    """Post `body` and read the beginning of the answer, whatever its status; a redirect is an answer too.

    Connects to exactly an address that was checked, in at most TOTAL_SECONDS for everything once connected.

    Raises: ssrf.Refusal, Unreachable, or NoAnswer.
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
        after = answer.headers.get("Retry-After", "")
        answer.close()
        return Answer(answer.status, " ".join(text.split()), int(after) if after.isdecimal() else None)
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


class _Limit:
    """Cuts a connection that takes longer in all, however it drips: handshake, headers, and body."""

    def __init__(self) -> None:
        self.reached = False
        self._line: socket.socket | None = None
        self._timer: threading.Timer | None = None

    def watch(self, line: socket.socket) -> None:
        self._line = line.dup()  # the line itself is wrapped in TLS later
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
    """One connection to that very address; by TLS its certificate must be the name's."""
    times = urllib3.Timeout(connect=CONNECT_SECONDS, read=TOTAL_SECONDS)

    def watched(kind: type[Kind]) -> type[Kind]:
        class Watched(kind):  # type: ignore[valid-type, misc]  # a base that is known when it runs
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

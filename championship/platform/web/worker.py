"""gunicorn's worker with threads, which slow clients cannot hold.

gunicorn's own worker reads a request in the thread that answers it, and waits for its bytes without a limit. Eight
clients that send a byte a second would hold all threads of an installation. Proxies read requests first
(deploy/Caddyfile, deploy/nginx.conf). This worker does not depend on them: READERS threads read requests, within a
limit, and hand each complete one to the few threads that answer. Only those have connections to the database, and the
one that watches for the streams of open pages, whose sockets are parked (live_streams.py).
"""

from __future__ import annotations

import errno
import io
import socket
import time
from concurrent import futures
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import ThreadWorker

from championship.platform.web import live_streams

READERS = 64
"""Threads that read requests. One that waits costs little memory and no processor time."""
PATIENCE = 15.0
"""Seconds in which a request must have arrived, plus the time for what has arrived at the speed SLOWEST."""
SLOWEST = 20_000
"""Bytes a second."""
READ_FIRST = 5 * 1024 * 1024
"""Bytes of the longest body that is read before the request is answered. Only archives of clubs are longer."""


class SlowClient(ConnectionResetError):
    """The client has not sent its request in time. gunicorn closes the connection without an entry in the log."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "the request did not arrive in time")


class TimedSocket:
    """A client's socket that must bring each request in time. Everything but `recv` is the socket's own."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.parked: live_streams.Parking | None = None
        self.begin()

    def begin(self) -> None:
        """A request begins now."""
        self._since, self._received, self.is_late = time.monotonic(), 0, False

    def recv(self, size: int) -> bytes:
        """Read what has arrived, or wait for it.

        Raises: SlowClient when the time of this request is over and nothing more is there.
        """
        own = self._sock.gettimeout()
        left = max(0.0, self._since + PATIENCE + self._received / SLOWEST - time.monotonic())
        self._sock.settimeout(left if own is None else min(own, left))
        try:
            data = self._sock.recv(size)
        except (TimeoutError, BlockingIOError):
            self.is_late = True
            raise SlowClient from None
        finally:
            self._sock.settimeout(own)
        self._received += len(data)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def _close_nothing(graceful: bool = False) -> None:
    """Replaces the method `close` of a connection that is closed already."""


class Worker(ThreadWorker):  # type: ignore[misc]
    """For gunicorn's setting worker_class. The setting threads is the number of threads that answer."""

    def init_process(self) -> None:
        self.answering = futures.ThreadPoolExecutor(self.cfg.threads, thread_name_prefix="answer")
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi: Any = live_streams.parking(self.wsgi)

    def get_thread_pool(self) -> futures.ThreadPoolExecutor:
        return futures.ThreadPoolExecutor(READERS, thread_name_prefix="read")

    def handle(self, conn: Any) -> Any:
        """Read a request and have it answered. Runs in a thread that reads."""
        if self.cfg.is_ssl:  # gunicorn replaces the socket itself
            return super().handle(conn)
        own = conn.sock
        timed = getattr(conn, "timed", None) or TimedSocket(own)  # the parser keeps the first one
        timed.begin()
        conn.timed = conn.sock = timed
        try:
            outcome = super().handle(conn)
        finally:
            conn.sock = own
        if outcome is False and timed.parked:
            live_streams.streams.park(timed.parked, own)
            own.close()
            conn.close = _close_nothing
        elif outcome is False:  # the connection is over
            # gunicorn would wait up to two seconds for the client to close it, in its only thread that accepts others.
            (util.close if timed.is_late else util.close_graceful)(own)
            conn.close = _close_nothing
        return outcome

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Read the body, then let a thread that answers call the service, and wait for it."""
        headers = dict(req.headers)
        length = headers.get("CONTENT-LENGTH", "")
        # A client that expects "100 Continue" sends its body only once the service asks for it.
        if "EXPECT" not in headers and length.isdigit() and 0 < int(length) <= READ_FIRST:
            req.body = io.BytesIO(req.body.read())
        return self.answering.submit(super().handle_request, req, conn).result()

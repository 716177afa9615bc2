"""Streams that tell open pages within a second that something has changed, and nothing else (server-sent events).

A view returns a `Followed` response with topics, such as "run KEY". gunicorn's worker (worker.py) sends its head and
then parks the socket here: a parked socket holds no thread. One thread in each web process asks for the versions of all
its topics at once, and writes "changed" to the sockets of those that have moved. The page then asks for its news as it
always does, and its own validator decides what it gets. Without a parked socket there is no such thread.

What a reader returns must be what a spectator may see. A version that moved with sealed things would tell of them.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.translation import gettext as _

from championship.platform.web import client_address

logger = logging.getLogger(__name__)

PARKS = "parc_ferme.parks"
"""The key in a request's environment that says that its server can park sockets."""
EVERY = 0.3
"""Seconds between two looks at the versions of all topics."""
HEARTBEAT = 15.0
"""Seconds after which something is written to every socket, so that proxies keep it and closed ones are found."""
AFTER_FAILURE = 2.0
"""Seconds to wait when the database did not answer."""
MOST = 400
"""The most sockets of one process. Pages beyond that poll."""
MOST_OF_ADDRESS = 100
"""The most sockets of one process for one address (`client_address.network_of`): a club house has one address."""
MOST_OF_PERSON = 12
"""The most sockets of one process for one person who is signed in."""
CHANGED, NOTHING = b"data: changed\n\n", b":\n\n"

Versions = Callable[[Sequence[str]], Mapping[str, Any]]
_readers: list[Versions] = []


def register(versions: Versions) -> None:
    """Register what returns the versions of those topics that it knows, by topic, in one query. Any value will do that
    changes with what a spectator may see.
    """
    _readers.append(versions)


class Follower(NamedTuple):
    """Whose socket it is: the address of the client, and the id of a person who is signed in."""

    address: str = ""
    person: int | None = None


class Parking(NamedTuple):
    """That a socket is to be parked: what it hears of, and whose it is."""

    topics: tuple[str, ...]
    of: Follower = Follower()


class Followed(StreamingHttpResponse):
    """The head of a stream. It has no length, since more follows."""

    def __init__(self, parking: Parking) -> None:
        super().__init__([b"retry: 1000\n\n"], content_type="text/event-stream")
        self.parking = parking
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Accel-Buffering"] = "no"


def followed(request: HttpRequest, *topics: str) -> HttpResponseBase:
    """Return a stream on these topics; 204 where the server cannot park sockets, which makes a page poll. So does 429,
    for an address or a person with too many streams; it says so.
    """
    if not request.META.get(PARKS) or not streams.has_room():
        return HttpResponse(status=204)
    user = getattr(request, "user", None)
    parking = Parking(topics, Follower(client_address.network_of(request.META), user and user.pk))
    if too_many := streams.too_many_of(parking.of):
        return HttpResponse(too_many, status=429, content_type="text/plain; charset=utf-8")
    return Followed(parking)


class CompressionMiddleware(GZipMiddleware):
    """Compresses answers for browsers that understand it, with random padding that protects secrets. It leaves streams
    alone: what follows their head is written to the socket as it is.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if isinstance(response, Followed) else super().process_response(request, response)


class Parked(ConnectionResetError):
    """The head of a stream is written and its socket is to be parked. gunicorn closes its own copy without a word."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "the socket is parked")


class _Head:
    """The body of a stream for gunicorn: what is there, and then `Parked`."""

    def __init__(self, answer: Followed, sock: Any) -> None:
        self._answer, self._sock = answer, sock

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer
        self._sock.parked = self._answer.parking
        raise Parked

    def close(self) -> None:
        self._answer.close()


def parking(application: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a WSGI application so that its streams are parked."""

    def call(environ: dict[str, Any], start_response: Any) -> Any:
        environ[PARKS] = environ.get("SERVER_PROTOCOL") == "HTTP/1.1"
        answer = application(environ, start_response)
        return _Head(answer, environ["gunicorn.socket"]) if isinstance(answer, Followed) else answer

    return call


class Streams:
    """The parked sockets of this process, by topic. `thread` watches as long as there are any. `looks` counts how often
    it has looked, and `looked` is set each time.
    """

    def __init__(self) -> None:
        self.looks, self.looked = 0, threading.Event()
        self._sockets: dict[socket.socket, Parking] = {}
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self._ended = threading.Event()

    def has_room(self) -> bool:
        """Whether another socket may be parked."""
        return len(self._sockets) < MOST

    def too_many_of(self, follower: Follower) -> str:
        """Say why this follower gets no other stream now; "" where one more is welcome."""
        with self._lock:
            return self._too_many(follower)

    def _too_many(self, follower: Follower) -> str:
        of_person, of_address = self._counts(follower)
        if of_person >= MOST_OF_PERSON or of_address >= MOST_OF_ADDRESS:
            for sock in [sock for sock in self._sockets if _is_closed(sock)]:  # pages that were left just now
                del self._sockets[sock]
                sock.close()
            of_person, of_address = self._counts(follower)
        if of_person >= MOST_OF_PERSON:
            says = _("You have %(n)d pages open that hear of changes at once. This one asks for news each second.")
            return says % {"n": MOST_OF_PERSON}
        if of_address >= MOST_OF_ADDRESS:
            says = _("%(n)d pages of your network hear of changes at once. This one asks for news each second.")
            return says % {"n": MOST_OF_ADDRESS}
        return ""

    def _counts(self, follower: Follower) -> tuple[int, int]:
        """How many sockets the person and the address have."""
        found = [parking.of for parking in self._sockets.values()]
        same = [] if follower.person is None else [of for of in found if of.person == follower.person]
        return len(same), sum(of.address == follower.address for of in found)

    def park(self, parking: Parking, sock: socket.socket) -> bool:
        """Keep a copy of this socket, and write to it whenever its topic changes. The caller closes its own.

        Returns False when the follower has too many by now: many may have asked at once. The page then asks again.
        """
        with self._lock:
            if len(self._sockets) >= MOST or self._too_many(parking.of):
                return False
            copy = socket.socket(fileno=os.dup(sock.fileno()))
            copy.setblocking(False)
            self._sockets[copy] = parking
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="live streams", daemon=True)
                self.thread.start()
        return True

    def end(self) -> None:
        """Close all sockets, and wait until the thread is over."""
        with self._lock:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()
            thread = self.thread
        self._ended.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        seen: dict[str, Any] = {}
        written = time.monotonic()
        while True:
            with self._lock:
                if not self._sockets:
                    self.thread = None
                    break
                topics = sorted({topic for parking in self._sockets.values() for topic in parking.topics})
            try:
                present = _present(topics)
            except Exception:
                logger.warning("live streams could not look for changes", exc_info=True)
                connection.close()
                present = {}
            # A topic that is new counts as moved: it may have moved between the page's own question and this look.
            moved = {topic for topic, value in present.items() if seen.get(topic) != value}
            seen |= present
            beat = time.monotonic() - written >= HEARTBEAT
            written = time.monotonic() if beat else written
            self._write(moved, beat=beat)
            self.looks += 1
            self.looked.set()
            self._ended.wait(EVERY if present else AFTER_FAILURE)
        connection.close()

    def _write(self, moved: set[str], *, beat: bool) -> None:
        with self._lock:
            all_sockets = list(self._sockets.items())
        for sock, (topics, _of) in all_sockets:
            has_moved = not moved.isdisjoint(topics)
            if not (has_moved or beat):
                continue
            try:
                sock.sendall(_chunk(CHANGED if has_moved else NOTHING))
            except OSError:  # closed by its page, or it takes nothing more
                with self._lock:
                    self._sockets.pop(sock, None)
                sock.close()


def _present(topics: Sequence[str]) -> dict[str, Any]:
    """The versions of these topics, from all readers."""
    found: dict[str, list[Any]] = {topic: [] for topic in topics}
    for reader in _readers:
        answers = reader(topics)
        for topic in topics:
            found[topic].append(answers.get(topic))
    return found


def _is_closed(sock: socket.socket) -> bool:
    """Whether the page has closed its end. Pages send nothing on a stream."""
    try:
        return sock.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _chunk(data: bytes) -> bytes:
    """A chunk of a response of HTTP/1.1 without a length."""
    return b"%x\r\n%s\r\n" % (len(data), data)


streams = Streams()

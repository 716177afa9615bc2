"""Broken servers: a port on which nobody listens, a server that accepts connections and never answers, and one that
falls silent in the middle of a connection.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from celery import current_app

from championship.platform import broker, task_dispatch

HOST = "127.0.0.1"
PAGE_SECONDS = 3
"""The most seconds that any page may take, whatever is broken behind it."""
BUSY_SECONDS = 3 * PAGE_SECONDS
"""The same on a machine that is busy with other tests. A page that waits for each of ten messages, or forever, takes
longer.
"""


@dataclass
class Stopwatch:
    """Measures how many seconds something took."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Stopwatch]:
    watch, begun = Stopwatch(), time.monotonic()
    yield watch
    watch.seconds = time.monotonic() - begun


@contextmanager
def dead_port() -> Iterator[int]:
    """Yield a port that is reserved, so that no other process gets it, but on which nobody listens."""
    with socket.socket() as door:
        door.bind((HOST, 0))
        yield door.getsockname()[1]


@contextmanager
def silent_server() -> Iterator[int]:
    """Yield the port of a server that accepts all connections, and never reads or writes."""
    with socket.socket() as door:
        door.bind((HOST, 0))
        door.listen(64)
        yield door.getsockname()[1]


class Relay:
    """A relay in front of a real server. It passes everything on, both ways, until it is frozen."""

    def __init__(self, port: int) -> None:
        self._beyond = port
        self._frozen = threading.Event()
        self._over = threading.Event()
        self._door = socket.create_server((HOST, 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._open, daemon=True).start()

    def freeze(self) -> None:
        """Stop passing anything on. Connections stay open."""
        self._frozen.set()

    def thaw(self) -> None:
        self._frozen.clear()

    def close(self) -> None:
        self._over.set()
        self._door.close()

    def _open(self) -> None:
        while not self._over.is_set():
            with suppress(OSError):
                near, _address = self._door.accept()
                far = socket.create_connection((HOST, self._beyond))
                threading.Thread(target=self._pass_on, args=(near, far), daemon=True).start()

    def _pass_on(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, suppress(OSError):
            while not self._over.is_set():
                if self._frozen.is_set():
                    self._over.wait(0.02)
                    continue
                ready, _write, _error = select.select([near, far], [], [], 0.05)
                for end in ready if not self._frozen.is_set() else []:
                    said = end.recv(65536)
                    if not said:
                        return
                    (far if end is near else near).sendall(said)


@contextmanager
def sent_to(url: str, *, seconds: float = 1.0) -> Iterator[None]:
    """Send tasks to the broker at this address, as a server does, instead of running them immediately."""
    app = current_app._get_current_object()
    kept = {name: app.conf[name] for name in ("broker_url", "broker_transport_options", "broker_connection_timeout")}
    options = broker.transport_options(url, folder=Path("unused"), seconds=seconds)
    named = os.environ.pop("CELERY_BROKER_URL", None)  # Celery prefers the environment to its settings
    task_dispatch.resume_sending()
    app.conf.update(
        broker_url=url, broker_transport_options=options, broker_connection_timeout=seconds, task_always_eager=False
    )
    app._after_fork()  # closes earlier connections to a broker
    try:
        yield
    finally:
        if named is not None:
            os.environ["CELERY_BROKER_URL"] = named
        app.conf.update(**kept, task_always_eager=True)
        app._after_fork()
        task_dispatch.resume_sending()

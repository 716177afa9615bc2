"""A network connection of one phone that can be cut.

A browser that is told to be off line may forget it for a moment in a new document. What goes over this wire arrives
when the wire is whole, and never else.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Thread
from urllib.parse import urlsplit

PIECE = 65_536  # bytes that are carried at once


class Wire:
    """Carries connections from a port of this machine to a server."""

    def __init__(self, server: str) -> None:
        """``server`` is an address like "http://localhost:8000"; ``url`` is the one that leads there over the wire."""
        target = urlsplit(server)
        assert target.hostname and target.port
        self.target = (target.hostname, target.port)
        self.whole = True
        self.lock = Lock()
        self.ends: list[socket.socket] = []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self.door.getsockname()[1]}"
        Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and every new one as soon as it is made."""
        with self.lock:
            self.whole = False
            ends, self.ends = self.ends, []
        for end in ends:
            _end(end)

    def mend(self) -> None:
        """Carry new connections again."""
        with self.lock:
            self.whole = True

    def close(self) -> None:
        """Take the wire away."""
        self.cut()
        self.door.close()

    def _serve(self) -> None:
        with suppress(OSError):  # the door is closed
            while True:
                here, _address = self.door.accept()
                self._join(here)

    def _join(self, here: socket.socket) -> None:
        try:
            there = socket.create_connection(self.target)
        except OSError:
            _end(here)
            return
        with self.lock:
            if self.whole:
                self.ends += [here, there]
                Thread(target=_carry, args=(here, there), daemon=True).start()
                Thread(target=_carry, args=(there, here), daemon=True).start()
                return
        _end(here)
        _end(there)


def _carry(source: socket.socket, goal: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            goal.sendall(piece)
    _end(source)
    _end(goal)


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()

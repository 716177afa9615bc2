"""Circuit breakers: when a server does not answer, one thread waits for it and all others fail at once.

Without this, each thread of a process would wait for the silent server until its own time limit, and nothing else would
be served meanwhile.
"""

from __future__ import annotations

import threading
import time


class Breaker:
    """Records whether a server answers. It is shared by the threads of one process.

    After `failed` nobody may ask the server for `pause` seconds. Then one caller in each `pause` may try, until
    `answered` is called.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._until: float | None = None

    def is_open(self) -> bool:
        """Whether the server did not answer the last time."""
        return self._until is not None

    def may_ask(self) -> bool:
        """Whether the caller may ask the server now. The caller then reports the outcome."""
        if self._until is None:
            return True
        with self._lock:
            now = time.monotonic()
            if self._until is not None and now < self._until:
                return False
            if self._until is not None:
                self._until = now + self._pause
            return True

    def failed(self) -> None:
        """The server did not answer in time."""
        with self._lock:
            self._until = time.monotonic() + self._pause

    def answered(self) -> None:
        """The server answered."""
        if self._until is not None:
            with self._lock:
                self._until = None

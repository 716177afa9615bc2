"""Several people at once: real threads, each with its own connection to the same PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

from django.db import connection

from championship.platform.refusals import Refusal

PATIENCE = 30
"""Seconds after which a thread no longer waits for the others."""


class _Gate:
    """Stops a thread right before its first statement with `word` in it, until all threads have come to theirs."""

    def __init__(self, together: Barrier, word: str) -> None:
        self.together, self.word, self.passed = together, word, False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.word in sql and not self.passed:
            self.passed = True
            with suppress(BrokenBarrierError):  # another thread ended before it came to its gate
                self.together.wait(PATIENCE)
        return execute(sql, params, many, context)


def lose_patience() -> None:
    """Set a lock timeout on this connection, so that a lock that is never granted is an error, not an endless test."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{PATIENCE}s'")


def at_once(*acts: Callable[[], Any], before: str = "FOR UPDATE") -> list[Any]:
    """Run the acts in threads. Returns the result of each act, or the refusal that it raised.

    All acts read what they read before the first lock is taken. So what an act does not read again under the lock is
    out of date for all acts but one. They wait for each other before the first statement with the word `before`.
    """
    together = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        gate = _Gate(together, before)
        try:
            lose_patience()
            with connection.execute_wrapper(gate):
                return act()
        except Refusal as refusal:
            return refusal
        finally:
            if not gate.passed:
                together.abort()
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return [future.result() for future in [threads.submit(run, act) for act in acts]]

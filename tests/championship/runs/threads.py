"""Several people at once: real threads, each with a connection of its own to the same PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

from django.db import connection

from championship.refusals import Refused

PATIENCE = 30
"""Seconds after which a thread no longer waits for the others."""


class _Gate:
    """Stops a thread right before its first statement with `word` in it, until all threads stand there."""

    def __init__(self, together: Barrier, word: str) -> None:
        self.together, self.word, self.passed = together, word, False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.word in sql and not self.passed:
            self.passed = True
            with suppress(BrokenBarrierError):  # where another thread was done without coming here
                self.together.wait(PATIENCE)
        return execute(sql, params, many, context)


def lose_patience() -> None:
    """From now on a lock that never comes is an error on this connection, not a test that never ends."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{PATIENCE}s'")


def at_once(*acts: Callable[[], Any], before: str = "FOR UPDATE") -> list[Any]:
    """What each act gave, or the refusal it raised.

    All have read whatever they read before they take their first lock: what is not looked at again under the
    lock is out of date for all but one. `before` is the word at which they wait for each other.
    """
    together = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        gate = _Gate(together, before)
        try:
            lose_patience()
            with connection.execute_wrapper(gate):
                return act()
        except Refused as refusal:
            return refusal
        finally:
            if not gate.passed:
                together.abort()
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return [future.result() for future in [threads.submit(run, act) for act in acts]]

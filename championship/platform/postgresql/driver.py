"""psycopg, with connections that do not wait forever for a silent server. A module of the Python Database API.

PostgreSQL's own limits (statement_timeout and others) need a PostgreSQL that runs. When its processes are stopped or
its machine hangs, the kernel there may still acknowledge what we send, so limits of TCP do not help either. Therefore
the client measures how long it has received nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import *  # noqa: F403
from psycopg.abc import PQGen
from psycopg.waiting import Ready

INTERVAL = 0.1
"""Seconds between two looks at the clock while the server sends nothing."""


class Silent(psycopg.OperationalError):
    """The server sent nothing for longer than `answer_limit`. The connection is closed; the outcome of a statement that
    was under way is unknown.
    """


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that gives up on a silent server.

    answer_limit: seconds for which the server may send nothing while a statement waits; None means no limit.
    on_silence: called when the connection gives up.
    """

    answer_limit: float | None = None
    on_silence: Callable[[], None] | None = None

    def wait(self, gen: PQGen[Any], interval: float = INTERVAL, timeout: float | None = None) -> Any:
        """Run a conversation with the server to its end and return its result.

        Raises: Silent when the server sends nothing for `answer_limit` seconds.
        """
        if self.answer_limit is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(_limited(gen, self.answer_limit), min(interval, INTERVAL), timeout)
        except Silent:
            # It is not known which answers are still to come. A closed connection is never used again.
            self.pgconn.finish()
            if self.on_silence is not None:
                self.on_silence()
            raise


def _limited(conversation: PQGen[Any], seconds: float) -> PQGen[Any]:
    """The same conversation, which ends with Silent when the server sends nothing for so many seconds."""
    until = time.monotonic() + seconds
    try:
        waits_for = next(conversation)
        while True:
            ready = yield waits_for
            now = time.monotonic()
            if ready != Ready.NONE:
                until = now + seconds
            elif now > until:
                raise Silent(f"the database has sent nothing for {seconds:g} seconds")
            waits_for = conversation.send(ready)
    except StopIteration as end:
        return end.value


connect = LimitedConnection.connect

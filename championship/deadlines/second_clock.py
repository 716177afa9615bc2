"""The process of the second clock: it ticks each second while any deadline is kept in seconds, and else hardly at all.

While it has nothing to tick for, a small program takes its place (waiting_clock.py), so that it needs little memory.

    python -m championship.platform.background seconds

Any number of them may run, on any machine. It needs the database, and no broker.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from typing import Any

from django.db import close_old_connections, connection
from django.db.utils import Error as DatabaseError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from championship.deadlines import waiting_clock
from championship.deadlines.services import brisk
from championship.lineage.services import was_set_back
from championship.platform import clock, database_timeouts

logger = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two ticks."""
IDLE = waiting_clock.IDLE
"""Seconds between two looks while nothing is kept in seconds."""


class SecondClock:
    """One process's ticks. `idle`: nothing was kept in seconds at the last look."""

    def __init__(self, *, idle: bool = False) -> None:
        self.idle = idle
        self._looked = 0.0

    def beat(self) -> float:
        """Tick once, or look whether there is anything to tick for. Returns the seconds until the next time."""
        if was_set_back():
            return IDLE
        began, now = time.monotonic(), clock.now()
        if self.idle or began - self._looked >= IDLE:
            self._looked = began
            if not brisk.anything_brisk(now=now):
                self.idle = True
                return IDLE
            if self.idle:
                brisk.rest(now=now)
                self.idle = False
        brisk.tick(now=now)
        return max(0.0, EVERY - (time.monotonic() - began))


def run(stop: threading.Event | None = None) -> int:
    """Run until a signal ends the process, or `stop` is set. An error is logged, and the next second tries again.
    Without `stop` the process is the second clock's own, and waits in less memory while there is nothing to tick for.
    """
    database_timeouts.process = database_timeouts.WEB  # a tick waits as short as a page
    own_process = stop is None
    if stop is None:
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_signal: stop.set())
    ticking = SecondClock(idle=own_process and waiting_clock.ASKS in os.environ)
    while not stop.is_set():
        try:
            close_old_connections()
            wait = ticking.beat()
            if own_process and ticking.idle and not stop.is_set():
                _wait_in_less_memory()
        except DatabaseError as error:
            logger.warning("the second clock could not tick: %s", error)
            connection.close()
            wait = EVERY
        except Exception:
            logger.exception("the second clock could not tick")
            wait = EVERY
        stop.wait(wait)
    connection.close()
    return 0


def _wait_in_less_memory() -> None:
    """Replace this process with the program that waits."""
    connection.ensure_connection()
    info = connection.connection.info
    how: dict[str, Any] = {**conninfo_to_dict(info.dsn), "password": info.password or None}
    how.pop("hostaddr", None)  # the address behind the name may change
    asks = {
        "database": make_conninfo(**how),
        "queries": brisk.queries(),
        "again": sys.orig_argv[1:],
    }
    connection.close()
    os.environ[waiting_clock.ASKS] = json.dumps(asks)
    os.execv(sys.executable, [sys.executable, "-P", waiting_clock.__file__])  # noqa: S606

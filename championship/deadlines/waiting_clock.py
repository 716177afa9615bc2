"""The second clock while nothing is kept in seconds: a program of twenty megabytes that looks every ten seconds.

The process of the second clock (second_clock.py) replaces itself with this program, and this program replaces itself
with the second clock once there is something to tick for. It is run as a file and imports nothing of the service, whose
modules take four times as much memory. What it asks is in the environment variable ASKS, as JSON:

    {"database": how to connect, "queries": SQL, each with one truth as its answer, "again": the command line to run}
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

import psycopg

ASKS = "PARC_FERME_WAITING_CLOCK"
IDLE = 10.0
"""Seconds between two looks: less than the shortest time of a turn."""
PATIENCE = 5
"""Seconds after which a database that does not answer is asked again."""


def found(database: str, queries: list[str]) -> bool:
    """Return whether any of the queries says yes.

    Raises: psycopg.Error when the database cannot be asked, TimeoutError when it does not answer.
    """
    signal.alarm(PATIENCE)
    try:
        with psycopg.connect(database, autocommit=True) as connection:
            return any(connection.execute(query.encode()).fetchone() for query in queries)
    finally:
        signal.alarm(0)


def _ends(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _gives_up(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise TimeoutError("the database does not answer")


def main() -> None:
    """Wait until there is something to tick for, or a signal ends the process."""
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, _ends)
    signal.signal(signal.SIGALRM, _gives_up)
    asks = json.loads(os.environ[ASKS])
    while True:
        time.sleep(IDLE)
        try:
            if found(asks["database"], asks["queries"]):
                break
        except (psycopg.Error, TimeoutError) as error:
            sys.stderr.write(f"the second clock waits and could not look: {error}\n")
    os.execv(sys.executable, [sys.executable, *asks["again"]])  # noqa: S606


if __name__ == "__main__":
    main()

"""Notes when a driver last had the page of a run open, so that the mail of a turn that is seen there can wait.

An open page polls every few seconds. A process remembers what it has noted and writes once a minute for each page. The
statement changes no row that another process has written in the same minute, and it waits for no lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta

from django.db import connection

from championship.runs.watch.present_runs import OPEN_FOR as OPEN_FOR

EVERY = timedelta(minutes=1)
"""How often an open page is noted at most."""
REMEMBERED = 5000
"""How many open pages a process remembers."""

_noted: OrderedDict[tuple[str, int], datetime] = OrderedDict()
_lock = threading.Lock()


_NOTE = """
UPDATE runs_seat SET seen_open_at = %(now)s WHERE id = (
    SELECT seat.id FROM runs_seat seat
    JOIN runs_run run ON run.id = seat.run_id
    JOIN rallies_entry entry ON entry.id = seat.entry_id
    JOIN rallies_rally rally ON rally.id = entry.rally_id
    WHERE run.key = %(key)s AND run.status = 'running' AND entry.driver_id = %(person)s AND NOT rally.practice
      AND (seat.seen_open_at IS NULL OR seat.seen_open_at <= %(before)s)
    FOR UPDATE OF seat SKIP LOCKED
)
"""


def note_open_page(*, key: str, person_id: int, now: datetime) -> None:
    """Note that this person has the page of the run with this key open. Does nothing where the person does not drive in
    it, in practice, and when it was noted within the last minute. One query once a minute, otherwise none.
    """
    if _is_noted((key, person_id), now):
        return
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, {"now": now, "before": now - EVERY, "key": key, "person": person_id})


def _is_noted(page: tuple[str, int], now: datetime) -> bool:
    """Return whether this process has noted the page within EVERY; remember it when not."""
    with _lock:
        before = _noted.get(page)
        if before is not None and before <= now < before + EVERY:
            return True
        _noted[page] = now
        _noted.move_to_end(page)
        if len(_noted) > REMEMBERED:
            _noted.popitem(last=False)
    return False

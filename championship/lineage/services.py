"""Detects a database that was set back in time, by facts that a restore cannot keep.

A backup contains the row of `Lineage`, but not the identity that the row names. Loading a dump creates new tables,
mostly in a new database or on a new server. A recovery from archived WAL begins a new timeline, and so does a standby
that takes over. A disk that was set back as a whole keeps the identity. A number outside the database shows this case:
the highest number of a post that this machine has seen. docs/decisions/0006-restored-databases.md explains why.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from championship import embedded
from championship.lineage.models import Lineage

logger = logging.getLogger(__name__)

WHOLE = "turns"
"""The name of the one row."""
POSTS = "runs_post"
"""The table that shows what a restore loses. Its rows are only added, and their numbers grow."""
HIGHEST = "highest-post"
"""The file in the service's own folder. It holds the database's identity and then the highest number seen in it."""
_TABLES_EXIST = "SELECT to_regclass('lineage_lineage') IS NOT NULL AND to_regclass(%s) IS NOT NULL"
_FACTS = """
SELECT concat_ws('/',
    (pg_control_system()).system_identifier,
    CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass(%s)::oid),
  (SELECT identity FROM lineage_lineage WHERE name = %s),
  (SELECT max(id) FROM runs_post)
"""
_write_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """The result of one check of the database: its current `identity`, the identity in its own row (`known`, "" without
    one), and the `highest` number of a post, 0 without posts.
    """

    identity: str
    known: str
    highest: int

    @property
    def set_back(self) -> bool:
        """Whether this is not the database that the service knew, or an earlier state of it."""
        return bool(self.known) and (self.identity != self.known or self.highest < _highest_seen(self.identity))


def check_database() -> DatabaseState | None:
    """Check the database: two queries. Returns None before its tables exist."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES_EXIST, [POSTS])
        if cursor.fetchone() != (True,):
            return None
        cursor.execute(_FACTS, [POSTS, WHOLE])
        identity, known, highest = cursor.fetchone()
    return DatabaseState(identity, known or "", highest or 0)


def check_connections() -> None:
    """Check each new connection from now on. A process that works on a restored database has a new connection."""
    connection_created.connect(_check_connection, dispatch_uid="championship.lineage")


def _check_connection(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if connection.alias != DEFAULT_DB_ALIAS:
        return
    connection.was_set_back = False  # type: ignore[attr-defined]
    try:
        found = check_database()
    except DatabaseError:
        logger.exception("it is unknown whether this database was set back in time")
    else:
        connection.was_set_back = found is not None and found.set_back  # type: ignore[attr-defined]


def was_set_back() -> bool:
    """Whether the database was set back and nobody has handled it yet. No query on a connection that was found intact;
    two on one that was not, since somebody may have handled it meanwhile.
    """
    connection.ensure_connection()
    if getattr(connection, "was_set_back", False):
        _check_connection(connection=connection)
    return bool(getattr(connection, "was_set_back", False))


def remember(*, now: datetime) -> None:
    """Store the highest post that this machine has seen, and the identity of a database that has none stored: two
    queries, more the first time. Does nothing for a database that was set back.
    """
    found = check_database()
    if found is None or found.set_back:
        return
    if not found.known:
        Lineage.objects.get_or_create(name=WHOLE, defaults={"identity": found.identity, "known_since": now})
    _note(found)


@transaction.atomic
def accept_current_state(*, now: datetime) -> None:
    """Accept the current state of the database as the valid one from now on."""
    found = check_database()
    if found is None:
        return
    Lineage.objects.update_or_create(name=WHOLE, defaults={"identity": found.identity, "known_since": now})
    transaction.on_commit(lambda: _note(found, lower=True))


def _highest_seen(identity: str) -> int:
    """The highest post number seen in that database. 0 where none is stored: on another machine, or before the first
    sweep.
    """
    with suppress(OSError, ValueError):
        noted, _blank, number = (embedded.VAR_DIR / HIGHEST).read_text(encoding="ascii").partition(" ")
        return int(number) if noted == identity else 0
    return 0


def _note(found: DatabaseState, *, lower: bool = False) -> None:
    """Store the number of the highest post. Only `lower` allows a lower number than the stored one. A folder that is
    full or not writable does not stop the clock.
    """
    file: Path = embedded.VAR_DIR / HIGHEST
    with _write_lock, suppress(OSError):
        seen = _highest_seen(found.identity)
        if found.highest > seen or (lower and found.highest != seen):
            unfinished = file.with_name(f"{HIGHEST}.{os.getpid()}")
            unfinished.write_text(f"{found.identity} {found.highest}", encoding="ascii")
            unfinished.replace(file)

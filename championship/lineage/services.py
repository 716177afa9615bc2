"""Detects a database that was set back in time, by facts that a restore cannot keep.

A backup contains the row of `Lineage`, but not the identity that the row names. Loading a dump creates new tables,
mostly in a new database or on a new server. A recovery from archived WAL begins a new timeline, and so does a standby
that takes over. A disk that was set back as a whole keeps the identity. A number outside the database shows this case:
the highest number of a post that this machine has seen. Every machine that takes turns keeps it, whatever else it runs:
each process writes it after a post, and when it connects. The first machine that notices a change marks it in the
database, so that the others know too. docs/decisions/0006-restored-databases.md explains why.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from championship.lineage.models import Lineage
from championship.platform import embedded

logger = logging.getLogger(__name__)

WHOLE = "turns"
"""The name of the one row."""
POSTS = "runs_post"
"""The table that shows what a restore loses. Its rows are only added, and their numbers grow."""
HIGHEST = "highest-post"
"""The file in the service's own folder. It holds the database's identity, the highest number seen in it, and since when
that database is the known one, in seconds since 1970. Files of older releases lack the last value.
"""
NOTICED = "set back"
"""In place of the identity of a database that a machine has found set back."""
_TABLES_EXIST = "SELECT to_regclass('lineage_lineage') IS NOT NULL AND to_regclass(%s) IS NOT NULL"
_FACTS = """
SELECT concat_ws('/',
    (pg_control_system()).system_identifier,
    CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass(%s)::oid),
  known.identity, extract(epoch FROM known.known_since)::float,
  (SELECT max(id) FROM runs_post)
FROM (SELECT) AS always LEFT JOIN lineage_lineage AS known ON known.name = %s
"""
_write_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Seen:
    """What this machine has seen of a database: the content of the file HIGHEST."""

    identity: str
    highest: int
    known_since: float | None


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """The result of one check of the database: its current `identity`, the identity in its own row (`known`, "" without
    one) and since when it is there, and the `highest` number of a post, 0 without posts. `seen`: what this machine had
    seen of that database before the check.
    """

    identity: str
    known: str
    known_since: float
    highest: int
    seen: Seen | None

    @property
    def is_another(self) -> bool:
        """Whether this is not the database that the service knew, or a machine has noticed that it was set back."""
        return bool(self.known) and self.identity != self.known

    @property
    def is_earlier(self) -> bool:
        """Whether this machine has seen a later state of this database."""
        seen = self.seen
        if not self.known or seen is None:
            return False
        since = self.known_since if seen.known_since is None else seen.known_since
        if since < self.known_since:
            return False  # seen before somebody accepted the present state
        return since > self.known_since or self.highest < seen.highest

    @property
    def set_back(self) -> bool:
        """Whether this is not the database that the service knew, or an earlier state of it."""
        return self.is_another or self.is_earlier


@dataclass(frozen=True, slots=True)
class ConnectionCheck:
    """What was found when a connection was opened: that its database was set back, or the state of an intact one. None
    of both before its tables exist, and where the check failed.
    """

    was_set_back: bool = False
    intact: DatabaseState | None = None


checked: WeakKeyDictionary[BaseDatabaseWrapper, ConnectionCheck] = WeakKeyDictionary()
"""The check of each connection of this process. A connection that is opened again is checked again."""


def check_database() -> DatabaseState | None:
    """Check the database: two queries. Returns None before its tables exist."""
    # First the file, then the database. A number is in the file only after its post was committed, so an intact
    # database has it. The other way round, a post between the two would make every database look set back.
    seen = _read_seen()
    with connection.cursor() as cursor:
        cursor.execute(_TABLES_EXIST, [POSTS])
        if cursor.fetchone() != (True,):
            return None
        cursor.execute(_FACTS, [POSTS, WHOLE])
        identity, known, known_since, highest = cursor.fetchone()
    seen = seen if seen and seen.identity == identity else None
    return DatabaseState(identity, known or "", known_since or 0.0, highest or 0, seen)


def check_connections() -> None:
    """Check each new connection from now on. A process that works on a restored database has a new connection."""
    connection_created.connect(_check_connection, dispatch_uid="championship.lineage")


def _check_connection(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if connection.alias != DEFAULT_DB_ALIAS:
        return
    checked[connection] = ConnectionCheck()
    try:
        found = check_database()
    except DatabaseError:
        logger.exception("it is unknown whether this database was set back in time")
        return
    if found is None:
        return
    if found.set_back:
        checked[connection] = ConnectionCheck(was_set_back=True)
        _let_others_know(found)
        return
    checked[connection] = ConnectionCheck(intact=found)
    _note(found)


def _check_of_this_connection() -> ConnectionCheck:
    return checked.get(connections[DEFAULT_DB_ALIAS], ConnectionCheck())


def _let_others_know(found: DatabaseState) -> None:
    """Write into the database that it was set back: a machine that has seen none of its posts cannot notice it."""
    if found.is_another:
        return
    logger.error("the database was set back: this machine has seen later posts than it has")
    with suppress(DatabaseError):  # a standby cannot be written; each machine that has the file still refuses turns
        Lineage.objects.filter(name=WHOLE, identity=found.identity).update(identity=NOTICED)


def was_set_back() -> bool:
    """Whether the database was set back and nobody has handled it yet. No query on a connection that was found intact;
    two on one that was not, since somebody may have handled it meanwhile.
    """
    connection.ensure_connection()
    if _check_of_this_connection().was_set_back:
        _check_connection(connection=connections[DEFAULT_DB_ALIAS])
    return _check_of_this_connection().was_set_back


def remember(*, now: datetime) -> None:
    """Store the highest post that this machine has seen, and the identity of a database that has none stored: two
    queries, more the first time. Does nothing for a database that was set back.
    """
    found = check_database()
    if found is None:
        return
    if found.set_back:
        _let_others_know(found)
        return
    if not found.known:
        Lineage.objects.get_or_create(name=WHOLE, defaults={"identity": found.identity, "known_since": now})
    _note(found)


def note_after_commit(number: int) -> None:
    """Store, once the transaction is committed, that this machine has seen the post of that number. No query: the
    identity of the database is known since the connection was opened.
    """
    found = _check_of_this_connection().intact
    if found is not None:
        seen = replace(found, highest=number)
        transaction.on_commit(lambda: _note(seen), robust=True)


@transaction.atomic
def accept_current_state(*, now: datetime) -> None:
    """Accept the current state of the database as the valid one from now on."""
    found = check_database()
    if found is None:
        return
    seen_since = (found.seen.known_since if found.seen else None) or 0.0
    # Later than all that this machine knows, even if its clock was set back.
    since = max(now.timestamp(), found.known_since + 1, seen_since + 1)
    known_since = datetime.fromtimestamp(since, tz=UTC)
    Lineage.objects.update_or_create(name=WHOLE, defaults={"identity": found.identity, "known_since": known_since})
    accepted = replace(found, known_since=known_since.timestamp())
    transaction.on_commit(lambda: _note(accepted))


def _read_seen() -> Seen | None:
    """What this machine has seen. None on a new machine."""
    with suppress(OSError, ValueError):
        identity, number, *since = (embedded.VAR_DIR / HIGHEST).read_text(encoding="ascii").split(" ")
        return Seen(identity, int(number), float(since[0]) if since else None)
    return None


def _note(found: DatabaseState) -> None:
    """Store the number of the highest post, unless a higher one is stored that was seen in the same state of the
    database, or a later state. A folder that is full or not writable does not stop the clock.
    """
    file: Path = embedded.VAR_DIR / HIGHEST
    with _write_lock, suppress(OSError), _locked(file.parent):
        seen = _read_seen()
        if (
            seen is None
            or seen.identity != found.identity
            or (found.known_since, found.highest) > (seen.known_since or 0.0, seen.highest)
        ):
            unfinished = file.with_name(f"{HIGHEST}.{os.getpid()}")
            unfinished.write_text(f"{found.identity} {found.highest} {found.known_since}", encoding="ascii")
            unfinished.replace(file)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder among the processes of this machine. A file for the lock could belong to another
    user, such as root, who ran a command once.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

"""The age of backups: the last base backup, the last archived WAL, and the last copy on another machine. The free space
on the disks of this machine: PostgreSQL stops when its disk is full.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from championship.health.models import FinishedBackup

BASE, COPY = "base", "copy"
BACKUP_LATE = timedelta(hours=36)
"""A base backup comes each night. After this time one was missed."""
COPY_LATE = timedelta(hours=6)
"""WAL is copied to another machine every five minutes, if one is set up."""
ARCHIVE_LATE = timedelta(minutes=15)
"""WAL is archived each minute, because each sweep of the deadlines writes rows."""

_ARCHIVER = """
SELECT current_setting('archive_mode') <> 'off' AND NOT pg_is_in_recovery(),
    extract(epoch FROM clock_timestamp() - greatest(last_archived_time, pg_postmaster_start_time()))::float,
    failed_count,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
FROM pg_stat_archiver
"""
LEAST_FREE = 2_000_000_000
"""Bytes. WAL that cannot be archived takes 16 MB each minute: this is enough for two hours."""


@dataclass(frozen=True, slots=True)
class Archiver:
    """What the server archives: whether it is set up to, the seconds since the last file or since its start, the failed
    tries since its statistics began, and whether the last try failed.
    """

    enabled: bool
    age: float
    failures: int
    fails: bool

    @property
    def late(self) -> bool:
        return self.enabled and self.age > ARCHIVE_LATE.total_seconds()


def archiver() -> Archiver:
    """Return the state of the WAL archive, by the database server's own clock. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_ARCHIVER)
        enabled, age, failures, fails = cursor.fetchone()
    return Archiver(enabled, max(0.0, age), failures, fails)


def ages(now: datetime) -> dict[str, timedelta]:
    """Return the time since the last base backup (BASE) and the last copy on another machine (COPY), where there was
    one. One query.
    """
    return {row.what: max(now - row.finished_at, timedelta(0)) for row in FinishedBackup.objects.order_by("what")}


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk of a folder: its size and the space that is free for other users than root, in bytes."""

    folder: str
    size: int
    free: int

    @property
    def nearly_full(self) -> bool:
        return self.free < LEAST_FREE


def disks() -> Iterator[Disk]:
    """Yield the disk of each folder in DISK_FOLDERS that exists on this machine."""
    for folder in settings.DISK_FOLDERS:
        with suppress(OSError):  # the folder is on another machine
            found = os.statvfs(folder)
            yield Disk(str(folder), found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)

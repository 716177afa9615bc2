"""The free space on the disks of this machine. PostgreSQL stops when its disk is full."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

LEAST_FREE = 2_000_000_000
"""Bytes. WAL that cannot be archived takes 16 MB each minute: this is enough for two hours."""


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

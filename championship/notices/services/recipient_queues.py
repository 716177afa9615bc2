"""Queues: all notices to one reader over one channel, and the lock of the process that works on them (delivery.py)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from django.db import Error, connection
from django.db.models import Q, QuerySet

from championship.notices.models import Notice


@dataclass(frozen=True, slots=True)
class RecipientQueue:
    """All notices to one person or club over one channel."""

    channel: str
    person_id: int | None
    club_id: int | None

    def rows(self) -> QuerySet[Notice]:
        return Notice.objects.filter(self.condition())

    def condition(self) -> Q:
        """The filter for the queue's rows. Rows of a club have no person."""
        if self.club_id is not None:
            return Q(channel=self.channel, club_id=self.club_id)
        return Q(channel=self.channel, recipient_id=self.person_id)

    @property
    def key(self) -> str:
        """The queue's name among failures."""
        return f"{self.channel} {'person' if self.club_id is None else 'club'} {self.club_id or self.person_id}"

    @classmethod
    def of_key(cls, key: str) -> RecipientQueue:
        """The queue with this `key`."""
        channel, whose, number = key.rsplit(" ", 2)
        return cls(channel, int(number), None) if whose == "person" else cls(channel, None, int(number))

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Try to hold the queue's advisory lock while the block runs. Yields False when another process holds it."""
        name = f"notices {self.channel} {self.person_id} {self.club_id}"
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        ours = bool(_ask("SELECT pg_try_advisory_lock(%s)", number))
        try:
            yield ours
        finally:
            if ours:
                with suppress(Error):  # then the lock was released with its connection
                    _ask("SELECT pg_advisory_unlock(%s)", number)


def _ask(sql: str, number: int) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, [number])
        row = cursor.fetchone()
    return row[0] if row else None

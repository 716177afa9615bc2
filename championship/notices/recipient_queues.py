"""Queues: all that goes to one reader over one channel, and who works on it at the moment (see delivery.py)."""

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
    """All that goes to one person or club over one channel."""

    channel: str
    person_id: int | None
    club_id: int | None

    def rows(self) -> QuerySet[Notice]:
        return Notice.objects.filter(self.condition())

    def condition(self) -> Q:
        """True of the queue's rows; of the two, a club's rows have no person."""
        if self.club_id is not None:
            return Q(channel=self.channel, club_id=self.club_id)
        return Q(channel=self.channel, recipient_id=self.person_id)

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether the queue is ours while the block runs: False when another process works on it."""
        name = f"notices {self.channel} {self.person_id} {self.club_id}"
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        ours = bool(_ask("SELECT pg_try_advisory_lock(%s)", number))
        try:
            yield ours
        finally:
            if ours:
                with suppress(Error):  # gone with its connection, then
                    _ask("SELECT pg_advisory_unlock(%s)", number)


def _ask(sql: str, number: int) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, [number])
        row = cursor.fetchone()
    return row[0] if row else None

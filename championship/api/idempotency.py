"""Answers kept for a day under the sender's Idempotency-Key, so that a request sent twice is carried out once.

The row of a key is committed first, so that the same request beside it finds it. Then one transaction locks the row,
carries the request out and writes the answer into the row: a crash undoes all of that or nothing. So a row that has no
answer and that nobody has locked stands for a request that did nothing. It may be sent again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet

from championship import clock
from championship.api.models import LONGEST_KEY, KeptAnswer, Token
from championship.api.problems import Problem

KEPT_FOR = timedelta(days=1)
IN_FLIGHT = timedelta(minutes=1)
"""Within this time a request locks its row, or it died on its way. Its row then goes to who sends the same again."""


@dataclass(slots=True)
class Kept:
    """A key that this request holds. `status` is None until it was answered, now or before."""

    row: KeptAnswer
    status: int | None = None
    body: Any = None

    def keep(self, status: int, body: Any) -> None:
        """Keep the answer. What failed for a moment is not kept: it may be tried again under the same key."""
        self.status, self.body = status, body


class _LetGo(Exception):
    """The answer is not to be kept: whatever was done is undone."""


@contextmanager
def claimed(token: Token, key: str, digest: str) -> Iterator[Kept]:
    """Hold a key while its request is carried out. What is done inside is committed with the answer, or not at all.

    Raises: Problem for a key that is none (422), that came with another request (422), or whose request is being
    carried out (409).
    """
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise Problem("invalid", field="Idempotency-Key", detail=f"A key has 1 to {LONGEST_KEY} printable characters.")
    kept = _of(_claim(token, key, digest))
    if kept.status is not None:
        yield kept
        return
    try:
        with transaction.atomic():
            _hold(kept.row)
            yield kept
            _settle(kept)
    except _LetGo:
        _let_go(kept.row)
    except Exception:
        _let_go(kept.row)
        raise


def _of(row: KeptAnswer) -> Kept:
    return Kept(row, row.status, row.body)


def _hold(row: KeptAnswer) -> None:
    """Lock the row until the transaction ends, before anything else is locked.

    Raises: Problem (409) where another request has taken it over, because this one took so long to come here.
    """
    ours = KeptAnswer.objects.select_for_update(of=("self",)).filter(pk=row.pk, asked_at=row.asked_at, status=None)
    if ours.first() is None:
        raise _in_flight()


def _settle(kept: Kept) -> None:
    """Write the answer down.

    Raises: _LetGo where it is not to be kept.
    """
    status = kept.status
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
        raise _LetGo
    kept.row.status, kept.row.body = status, json.loads(json.dumps(kept.body, cls=DjangoJSONEncoder))
    kept.row.save(update_fields=["status", "body"])


def _let_go(row: KeptAnswer) -> None:
    """Forget the key, if it is still ours and has no answer. Where the database is away the row waits for IN_FLIGHT."""
    with suppress(DatabaseError), transaction.atomic():
        KeptAnswer.objects.filter(pk=row.pk, asked_at=row.asked_at, status=None).delete()


def _claim(token: Token, key: str, digest: str) -> KeptAnswer:
    """The row of a key: a new one, one left by a request that died, or an answered one of the same request."""
    now = clock.now()
    with suppress(IntegrityError), transaction.atomic():
        return KeptAnswer.objects.create(token=token, key=key, digest=digest, asked_at=now)
    rows = KeptAnswer.objects.filter(token=token, key=key)
    row = rows.first()
    if row is None or _is_over(row, now):
        return _take_over(rows, digest, now)
    if row.digest != digest:
        raise Problem("key-reused")
    if row.status is None:
        raise _in_flight()
    return row


@transaction.atomic
def _take_over(rows: QuerySet[KeptAnswer], digest: str, now: datetime) -> KeptAnswer:
    """The row for this request. One that somebody has locked is being carried out, however long that takes."""
    row = rows.select_for_update(skip_locked=True, of=("self",)).first()
    if row is None or not _is_over(row, now):
        raise _in_flight()
    row.digest, row.asked_at, row.status, row.body = digest, now, None, None
    row.save(update_fields=["digest", "asked_at", "status", "body"])
    return row


def _is_over(row: KeptAnswer, now: datetime) -> bool:
    return now - row.asked_at >= (KEPT_FOR if row.status is not None else IN_FLIGHT)


def _in_flight() -> Problem:
    return Problem("in-flight", headers={"Retry-After": "1"})

"""Answers kept for a day under the sender's Idempotency-Key, so that a request sent twice is carried out once.

The row of a key is committed first, so that a concurrent duplicate finds it. Then one transaction locks the row,
carries the request out and writes the answer into the row; a crash undoes either all of this or nothing. So a row
without an answer that is not locked belongs to a request that changed nothing. That request may be sent again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet

from championship.api.models import LONGEST_KEY, KeptAnswer, Token
from championship.api.problems import Problem
from championship.platform import clock
from championship.platform.refusals import NotCarriedOut

KEPT_FOR = timedelta(days=settings.RETENTION_DAYS["kept answers"])
IN_FLIGHT = timedelta(minutes=1)
"""A request locks its row within this time, or it has died. After this time the next request with the key takes the row
over.
"""


@dataclass(slots=True)
class Kept:
    """A key that this request holds. `status` is None until the request is answered, by this process or by an earlier
    one. `lasting`: what the request has written stays, although its answer is not stored.
    """

    row: KeptAnswer
    status: int | None = None
    body: Any = None
    lasting: bool = False

    def keep(self, status: int, body: Any) -> None:
        """Set the answer. An answer for a temporary failure is not stored, so the request may be sent again under the
        same key.
        """
        self.status, self.body = status, body


class _Rollback(Exception):
    """Raised to roll back the request because its answer must not be stored."""


@contextmanager
def claimed(token: Token, key: str, digest: str) -> Iterator[Kept]:
    """Hold a key while its request is carried out. The work inside the block is committed together with the answer, or
    not at all.

    Raises: Problem when the key is not valid (422), came with another request (422), or is that of a request being
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
            _lock(kept.row)
            yield kept
            _store_answer(kept)
    except _Rollback:
        _release(kept.row)
    except Exception:
        _release(kept.row)
        raise


@contextmanager
def work(kept: Kept) -> Iterator[None]:
    """Carry a request out. A refused request leaves nothing in the database but its answer. The one exception is
    NotCarriedOut, which holds a seat to its orders: that stays.
    """
    failure = None
    with transaction.atomic():
        try:
            yield
        except NotCarriedOut as error:
            failure, kept.lasting = error, True
    if failure is not None:
        raise failure


def refusal_of(operation: Callable[[], Any]) -> Exception | None:
    """Carry an operation out and undo it. Returns what it raises, or None."""
    try:
        with transaction.atomic():
            operation()
            transaction.set_rollback(True)
    except Exception as error:
        return error
    return None


def _of(row: KeptAnswer) -> Kept:
    return Kept(row, row.status, row.body)


def _lock(row: KeptAnswer) -> None:
    """Lock the row until the transaction ends, before anything else is locked.

    Raises: Problem (409) when another request has taken the row over, because this one took too long to come here.
    """
    ours = KeptAnswer.objects.select_for_update(of=("self",)).filter(pk=row.pk, asked_at=row.asked_at, status=None)
    if ours.first() is None:
        raise _in_flight()


def _store_answer(kept: Kept) -> None:
    """Store the answer.

    Raises: _Rollback when neither the answer nor what the request has written may be stored.
    """
    status = kept.status
    if kept.lasting:
        kept.row.delete()
        return
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
        raise _Rollback
    kept.row.status, kept.row.body = status, json.loads(json.dumps(kept.body, cls=DjangoJSONEncoder))
    kept.row.save(update_fields=["status", "body"])


def _release(row: KeptAnswer) -> None:
    """Delete the key if it is still ours and has no answer. If the database does not answer, the row stays until
    IN_FLIGHT is over.
    """
    with suppress(DatabaseError), transaction.atomic():
        KeptAnswer.objects.filter(pk=row.pk, asked_at=row.asked_at, status=None).delete()


def _claim(token: Token, key: str, digest: str) -> KeptAnswer:
    """Return the row of a key: a new one, one left by a request that died, or the answered one of the same request."""
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
    """Assign an expired row to this request. A locked row belongs to a request that is being carried out, however long
    that takes.

    Raises: Problem (409) when the row is locked or was taken over just before.
    """
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

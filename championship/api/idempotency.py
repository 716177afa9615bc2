"""Answers kept for a day under the sender's Idempotency-Key, so that a request sent twice is carried out once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction

from championship import clock
from championship.api.models import LONGEST_KEY, KeptAnswer, Token
from championship.api.problems import Problem

KEPT_FOR = timedelta(days=1)
IN_FLIGHT = timedelta(minutes=1)
"""A request that has no answer after so long died on its way: the same one may be sent again."""


@dataclass(slots=True)
class Kept:
    """A key that this request holds. `status` is None until it was answered, now or before."""

    row: KeptAnswer
    status: int | None = None
    body: Any = None

    def keep(self, status: int, body: Any) -> None:
        """Keep the answer. What failed for a moment is not kept: it may be tried again under the same key."""
        self.status, self.body = status, body


@contextmanager
def claimed(token: Token, key: str, digest: str) -> Iterator[Kept]:
    """Hold a key while its request is carried out.

    Raises: Problem for a key that is none (422), that came with another request (422), or whose request is being
    carried out (409).
    """
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise Problem("invalid", field="Idempotency-Key", detail=f"A key has 1 to {LONGEST_KEY} printable characters.")
    row = _claim(token, key, digest)
    kept = Kept(row, row.status, row.body)
    if kept.status is not None:
        yield kept
        return
    try:
        yield kept
    finally:
        _settle(kept)


def _settle(kept: Kept) -> None:
    """Write the answer down, or let the key go."""
    status = kept.status
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
        kept.row.delete()
        return
    kept.row.status, kept.row.body = status, json.loads(json.dumps(kept.body, cls=DjangoJSONEncoder))
    kept.row.save(update_fields=["status", "body"])


def _claim(token: Token, key: str, digest: str) -> KeptAnswer:
    """The row of a key: a new one, or an answered one of the same request."""
    now = clock.now()
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(token=token, key=key, digest=digest, asked_at=now)
    except IntegrityError:
        pass
    with transaction.atomic():
        row = KeptAnswer.objects.select_for_update().filter(token=token, key=key).first()
        if row is None:  # the request that held it failed for a moment
            return KeptAnswer.objects.create(token=token, key=key, digest=digest, asked_at=now)
        old = now - row.asked_at >= (KEPT_FOR if row.status is not None else IN_FLIGHT)
        if old:
            row.digest, row.asked_at, row.status, row.body = digest, now, None, None
            row.save(update_fields=["digest", "asked_at", "status", "body"])
        elif row.digest != digest:
            raise Problem("key-reused")
        elif row.status is None:
            raise Problem("in-flight", headers={"Retry-After": "1"})
        return row

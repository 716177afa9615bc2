"""The log. A record is added in the transaction of the act that it records. Nothing else writes to the log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import models, transaction
from django.db.models import QuerySet

from championship.accounts.models import User
from championship.accounts.text import shortened
from championship.audit.models import Record
from championship.platform import clock

_token: ContextVar[str] = ContextVar("the token by which a program acts", default="")


@contextmanager
def by_token(name: str) -> Iterator[None]:
    """Context manager: mark records that are added inside as acts of a program with the token of that name."""
    before = _token.set(name)
    try:
        yield
    finally:
        _token.reset(before)


def record(
    *,
    actor: User | None,
    action: str,
    subject: models.Model,
    club_id: int | None,
    details: Mapping[str, Any] | None = None,
) -> Record:
    """Add an act to the log: `actor` (None: the clock) did `action` to `subject`. `details` are plain JSON values.

    Raises: TransactionManagementError when called outside a transaction: an act and its record commit together.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("An act is recorded in the transaction that does it.")
    return Record.objects.create(
        at=clock.now(),
        actor=actor,
        action=action,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        subject_label=shortened(str(subject), 200),
        club_id=club_id,
        details={**(details or {}), **({"token": token} if (token := _token.get()) else {})},
    )


def of_club(club_id: int) -> QuerySet[Record]:
    """Everything recorded for the club, newest first, with who did it: one query for a page of it."""
    return Record.objects.filter(club_id=club_id).select_related("actor").order_by("-id")

"""Deletes old notices, and empties the text of those that need no more work."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from championship.failures.batches import by_batches
from championship.notices.models import Notice, SentMail
from championship.platform import retention


def empty_texts(before: datetime) -> int:
    """Empty the text of notices that were sent or dropped. The row stays, so that nothing is sent twice."""
    said = _settled(before).exclude(context={}, link="", error="")
    return by_batches(said, lambda rows: rows.update(context={}, link="", error=""))


def delete_notices(before: datetime) -> int:
    """Delete notices that were sent or dropped. Returns their number."""
    return by_batches(_settled(before))


def delete_kept_mail(before: datetime) -> int:
    """Delete mail that was kept instead of sent. Returns its number."""
    return by_batches(SentMail.objects.filter(at__lt=before))


def register() -> None:
    """Register these rules for the nightly deletion."""
    retention.register("words of letters", empty_texts)
    retention.register("letters", delete_notices)
    retention.register("kept mail", delete_kept_mail)


def _settled(before: datetime) -> QuerySet[Notice]:
    """Old notices that need no more work. Dead and held notices still wait for the operator."""
    return Notice.objects.filter(status__in=[Notice.Status.SENT, Notice.Status.DROPPED], created_at__lt=before).filter(
        Q(sent_at=None) | Q(sent_at__lt=before)
    )

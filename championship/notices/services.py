"""Writing notices, dropping them, and switching kinds of them on and off."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from championship.accounts.models import User
from championship.notices import kinds, tasks
from championship.notices.delivery import deliver_due
from championship.notices.models import Channel, Mute, Notice

__all__ = ["deliver_due", "drop", "enqueue", "set_switches"]


@transaction.atomic
def enqueue(*, recipient: User, kind: str, subject_key: str, context: Mapping[str, Any], link: str) -> Notice | None:
    """Write what `recipient` is to be told; it is sent after the commit.

    `subject_key` says what it is about, such as "run 7 turn 12": the same thing is never said twice.
    `context` feeds the kind's words (JSON-plain, and datetimes); `link` is a path. Returns None when it is
    written already or the person has switched that kind off. LookupError for an unknown kind.
    """
    kinds.get(kind)
    if Mute.objects.filter(person=recipient, channel=Channel.MAIL, kind=kind).exists():
        return None
    notice = Notice(recipient=recipient, kind=kind, subject_key=subject_key, context=dict(context), link=link)
    Notice.objects.bulk_create([notice], ignore_conflicts=True)
    if not Notice.objects.filter(pk=notice.pk).exists():
        return None
    # A broker that is down must not undo what is committed: beat delivers each minute anyway.
    transaction.on_commit(tasks.deliver.delay, robust=True)
    return notice


@transaction.atomic
def drop(*, kind: str, subject_key: str) -> int:
    """Withdraw what is still queued about that subject, to whomever; how many notices that were.

    A notice that is being sent at this moment is not waited for: it is asked whether it is still wanted.
    """
    queued = (
        Notice.objects.select_for_update(skip_locked=True)
        .filter(kind=kind, subject_key=subject_key, status=Notice.Status.QUEUED)
        .values("pk")
    )
    return Notice.objects.filter(pk__in=[row["pk"] for row in queued]).update(status=Notice.Status.DROPPED)


@transaction.atomic
def set_switches(*, person: User, on: Iterable[str]) -> None:
    """Let exactly the kinds named in `on` reach the person, of those that can be switched off."""
    wanted = set(on)
    for kind in kinds.switchable():
        if kind.name in wanted:
            Mute.objects.filter(person=person, kind=kind.name).delete()
        else:
            Mute.objects.get_or_create(person=person, channel=Channel.MAIL, kind=kind.name)

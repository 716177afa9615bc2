"""Many notices at once, for the clock: as `services.enqueue` and `drop`, in a few queries for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from championship import clock
from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.channels import Channel
from championship.notices.models import Notice, Preferences, PushSubscription, Switch, Webhook
from championship.notices.services import first_try, offer_to_workers


@dataclass(frozen=True, slots=True)
class Letter:
    """What `enqueue` takes, for one recipient."""

    recipient: User
    kind: str
    subject_key: str
    context: Mapping[str, Any]
    link: str
    thread: str = ""


@transaction.atomic
def enqueue_many(letters: Sequence[Letter]) -> None:
    """Write what these people are to be told, each as `enqueue` does: five queries, however many they are."""
    now = clock.now()
    people = {letter.recipient.pk for letter in letters}
    pushed = set(PushSubscription.objects.filter(person__in=people).values_list("person_id", flat=True))
    hooked = set(Webhook.objects.filter(person__in=people, off_because="").values_list("person_id", flat=True))
    switched = {
        (person, channel, kind): on
        for person, channel, kind, on in Switch.objects.filter(person__in=people).values_list(
            "person_id", "channel", "kind", "on"
        )
    }
    preferred = {each.person_id: each for each in Preferences.objects.filter(person__in=people)}
    notices = []
    for letter in letters:
        kind, person = kinds.get(letter.kind), letter.recipient
        reached = {
            Channel.MAIL: kind.switch is None or not person.takes_no_mail,
            Channel.PUSH: kind.switch is not None and person.pk in pushed,
            Channel.WEBHOOK: kind.switch is not None and person.pk in hooked,
        }
        preferences = preferred.get(person.pk) or Preferences(person=person)
        for channel, open_to in reached.items():
            on = switched.get((person.pk, channel, kind.name))
            wanted = kind.switch is None or (kind.on_by_default(channel) if on is None else on)
            if open_to and wanted:
                notices.append(
                    Notice(
                        recipient=person,
                        channel=channel,
                        kind=kind.name,
                        subject_key=letter.subject_key,
                        thread=letter.thread,
                        context=dict(letter.context),
                        link=letter.link,
                        created_at=now,
                        next_try_at=first_try(preferences, kind, channel, time_zone=person.time_zone, now=now),
                    )
                )
    if notices:
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
        offer_to_workers(notice.channel for notice in notices)


@transaction.atomic
def drop_many(*, kinds: Iterable[str], subject_keys: Iterable[str]) -> int:
    """Withdraw what is still queued of these kinds about these subjects, as `drop` does; how many notices that were."""
    queued = (
        Notice.objects.select_for_update(skip_locked=True)
        .filter(kind__in=list(kinds), subject_key__in=list(subject_keys), status=Notice.Status.QUEUED)
        .values_list("pk", flat=True)
    )
    found = list(queued)
    if not found:
        return 0
    return Notice.objects.filter(pk__in=found).update(status=Notice.Status.DROPPED)

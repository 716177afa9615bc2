"""Reads people's choices, the state of the outbox, and the demo's mailbox."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.channels import Channel
from championship.notices.models import Notice, Preferences, PushSubscription, SentMail, Switch, Webhook
from championship.platform.prepared_queries import any_of, prepared, run_together

PATIENCE = timedelta(minutes=5)
"""How long a notice may be due, or its sending may take, before something must be wrong."""


def channels_for(
    person: User,
    kind: kinds.Kind,
    reached: Mapping[int, Collection[str]],
    chosen: Mapping[tuple[int, str, str], bool],
) -> tuple[str, ...]:
    """The channels over which the person gets notices of that kind: those that are set up and wanted; no query.
    `reached` and `chosen` are `channels` and `switched` of the result of the function `reached`.

    A kind that nobody can switch off goes by mail.
    """
    if kind.switch is None:
        return (Channel.MAIL,)
    return tuple(
        channel
        for channel in Channel
        if channel in reached[person.pk] and kind.wanted(channel, chosen=chosen.get((person.pk, kind.name, channel)))
    )


@dataclass(frozen=True, slots=True)
class Reached:
    """What people have set up and chosen, by their ids: webhooks that are on; channels that reach them now; their
    switches, by (person, kind, channel); the preferences of people who have stored any.
    """

    webhooks: dict[int, list[Webhook]]
    channels: dict[int, frozenset[str]]
    switched: dict[tuple[int, str, str], bool]
    preferences: dict[int, Preferences]


def reached(people: Iterable[User]) -> Reached:
    """How these people are reached, read in one round trip to the database, however many they are."""
    wanted = {person.pk: person for person in people}
    asked = (_webhooks_on, _pushed, _switched, _preferences)
    hooks, pushes, switches, preferences = run_together(*(each.bind(people=list(wanted)) for each in asked))
    hooked: dict[int, list[Webhook]] = {}
    for webhook in hooks:
        hooked.setdefault(webhook.person_id or 0, []).append(webhook)
    pushed = {person for (person,) in pushes}
    channels: dict[int, frozenset[str]] = {
        pk: frozenset(
            channel
            for channel, reaches in (
                (Channel.MAIL, not person.takes_no_mail),
                (Channel.PUSH, pk in pushed),
                (Channel.WEBHOOK, pk in hooked),
            )
            if reaches
        )
        for pk, person in wanted.items()
    }
    chosen = {(person, kind, channel): on for person, kind, channel, on in switches}
    return Reached(hooked, channels, chosen, {each.person_id: each for each in preferences})


@prepared
def _webhooks_on(people: Any) -> QuerySet[Webhook]:
    return Webhook.objects.filter(person__in=any_of(people), off_because="").order_by("pk")


@prepared
def _pushed(people: Any) -> QuerySet[PushSubscription, tuple[Any, ...]]:
    return PushSubscription.objects.filter(person__in=any_of(people)).order_by().values_list("person_id")


@prepared
def _switched(people: Any) -> QuerySet[Switch, tuple[Any, ...]]:
    rows = Switch.objects.filter(person__in=any_of(people)).order_by()
    return rows.values_list("person_id", "kind", "channel", "on")


@prepared
def _preferences(people: Any) -> QuerySet[Preferences]:
    return Preferences.objects.filter(person__in=any_of(people))


def switches_of(person: User) -> Mapping[tuple[str, str], bool]:
    """Whether each kind that can be switched reaches the person over each channel, by (kind, channel): one query."""
    chosen = {
        (kind, channel): on
        for kind, channel, on in Switch.objects.filter(person=person).values_list("kind", "channel", "on")
    }
    return {
        (kind.name, channel.value): chosen.get((kind.name, channel.value), kind.on_by_default(channel))
        for kind in kinds.switchable()
        for channel in Channel
    }


def preferences_of(person: User) -> Preferences:
    """The person's stored preferences, or the defaults, which are not stored by this."""
    return Preferences.objects.filter(person=person).first() or Preferences(person=person)


def reminder_lead(person: User) -> timedelta | None:
    """How long before a deadline the person wants to be reminded; None for the rally's setting."""
    hours = Preferences.objects.filter(person=person).values_list("reminder_hours", flat=True).first()
    return None if hours is None else timedelta(hours=hours)


def reminder_leads(people: Iterable[int]) -> dict[int, timedelta]:
    """The same for many people by their ids, without people who have chosen nothing: one query."""
    rows = _leads(people=list(people))
    return {person: timedelta(hours=hours) for person, hours in rows if hours is not None}


@prepared
def _leads(people: Any) -> QuerySet[Preferences, tuple[Any, ...]]:
    chosen = Preferences.objects.filter(person__in=any_of(people)).exclude(reminder_hours=None)
    return chosen.values_list("person_id", "reminder_hours")


def webhooks_of_club(club_id: int) -> list[Webhook]:
    """The webhooks of a club that are switched on; none of a closed club: one query."""
    return list(Webhook.objects.filter(club_id=club_id, club__closed_at=None, off_because="").order_by("pk"))


def posts_of(webhook: Webhook) -> QuerySet[Notice]:
    """The notices that were or will be posted to a webhook, the newest first."""
    return Notice.objects.filter(webhook=webhook).order_by("-created_at", "-pk")


def club_listens(club_id: int) -> bool:
    """Whether the club is open and has a webhook that is on: one query."""
    return Webhook.objects.filter(club_id=club_id, club__closed_at=None, off_because="").exists()


def due_count(now: datetime) -> int:
    """The number of notices that are due, or overdue."""
    return Notice.objects.filter(status=Notice.Status.QUEUED, next_try_at__lte=now).count()


def overdue(now: datetime) -> QuerySet[Notice]:
    """Notices that have been due for longer than PATIENCE: no worker delivers them."""
    return Notice.objects.filter(status=Notice.Status.QUEUED, next_try_at__lte=now - PATIENCE).order_by("next_try_at")


def stuck(now: datetime) -> QuerySet[Notice]:
    """Notices whose sending began more than PATIENCE ago: their sender died, and no sweep has run since."""
    return Notice.objects.filter(status=Notice.Status.SENDING, claimed_at__lte=now - PATIENCE).order_by("claimed_at")


def dead_count() -> int:
    """The number of dead and unsure notices: all that wait for the operator."""
    return _dead_or_unsure().count()


def for_the_operator() -> QuerySet[Notice]:
    """Dead and unsure notices with their readers, the newest first: one query."""
    return _dead_or_unsure().select_related("recipient", "club").order_by("-created_at")


def _dead_or_unsure() -> QuerySet[Notice]:
    """Dead and unsure notices, without those of a person's own webhook: their owner sees and handles these."""
    odd = Notice.objects.filter(status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    return odd.exclude(channel=Channel.WEBHOOK, recipient__isnull=False)


def people_without_mail() -> QuerySet[User]:
    """People whose mail has bounced permanently."""
    return User.objects.filter(is_active=True).exclude(refused_address="").order_by("name")


def sent_mails() -> QuerySet[SentMail]:
    """All mails that the mailbox backend stores, newest first."""
    return SentMail.objects.order_by("-id")

"""Reading what people have chosen, how the outbox stands, and the demo's mailbox."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.channels import Channel
from championship.notices.models import Notice, Preferences, SentMail, Switch, Webhook

PATIENCE = timedelta(minutes=5)
"""How long a notice may be due, or be on its way, before something must be wrong."""


def channels_for(person: User, kind: kinds.Kind) -> tuple[str, ...]:
    """The channels over which the person gets notices of that kind: set up, and wanted; three queries.

    What nobody can switch off goes by mail.
    """
    if kind.switch is None:
        return (Channel.MAIL,)
    chosen = dict(Switch.objects.filter(person=person, kind=kind.name).values_list("channel", "on"))
    return tuple(channel for channel in channels_of(person) if kind.wanted(channel, chosen=chosen.get(channel)))


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
    """What the person has chosen, or the defaults, which then are not kept."""
    return Preferences.objects.filter(person=person).first() or Preferences(person=person)


def reminder_lead(person: User) -> timedelta | None:
    """How long before a deadline the person wants to be reminded; None for as long as the rally says."""
    hours = Preferences.objects.filter(person=person).values_list("reminder_hours", flat=True).first()
    return None if hours is None else timedelta(hours=hours)


def reminder_leads(people: Iterable[int]) -> dict[int, timedelta]:
    """The same for many people by their ids, without those who wish nothing: one query."""
    chosen = Preferences.objects.filter(person__in=people).exclude(reminder_hours=None)
    rows = chosen.values_list("person_id", "reminder_hours")
    return {person: timedelta(hours=hours) for person, hours in rows if hours is not None}


def channels_of(person: User) -> tuple[str, ...]:
    """The channels by which the person can be reached now."""
    channels: list[str] = [] if person.takes_no_mail else [Channel.MAIL]
    if person.push_subscriptions.exists():
        channels.append(Channel.PUSH)
    if Webhook.objects.filter(person=person, off_because="").exists():
        channels.append(Channel.WEBHOOK)
    return tuple(channels)


def club_listens(club_id: int) -> bool:
    """Whether the club has a webhook that is on: one query."""
    return Webhook.objects.filter(club_id=club_id, off_because="").exists()


def due_count(now: datetime) -> int:
    """Notices that should go out now, or should have."""
    return Notice.objects.filter(status=Notice.Status.QUEUED, next_try_at__lte=now).count()


def overdue(now: datetime) -> QuerySet[Notice]:
    """Notices that have been due for longer than PATIENCE: nobody delivers."""
    return Notice.objects.filter(status=Notice.Status.QUEUED, next_try_at__lte=now - PATIENCE).order_by("next_try_at")


def stuck(now: datetime) -> QuerySet[Notice]:
    """Notices that have been on their way for longer than PATIENCE: their sender died, and no sweep has come since."""
    return Notice.objects.filter(status=Notice.Status.SENDING, claimed_at__lte=now - PATIENCE).order_by("claimed_at")


def dead_count() -> int:
    """Dead letters, and those that nobody knows about: all that waits for the operator."""
    return _odd().count()


def for_the_operator() -> QuerySet[Notice]:
    """Dead and unsure notices with their readers, the newest first: one query."""
    return _odd().select_related("recipient", "club").order_by("-created_at")


def _odd() -> QuerySet[Notice]:
    """What goes wrong at somebody's own webhook is its owner's matter, and shown to them: it is not among these."""
    odd = Notice.objects.filter(status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    return odd.exclude(channel=Channel.WEBHOOK, recipient__isnull=False)


def people_without_mail() -> QuerySet[User]:
    """People whose mail has come back for good."""
    return User.objects.filter(is_active=True).exclude(refused_address="").order_by("name")


def sent_mails() -> QuerySet[SentMail]:
    """Everything the mailbox backend keeps, newest first."""
    return SentMail.objects.order_by("-id")

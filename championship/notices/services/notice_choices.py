"""Stores people's choices: which kinds over which channels, when, and in which browsers. Webhooks: webhooks.py."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from datetime import time

from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from championship.accounts.followers import timing_followers
from championship.accounts.models import User
from championship.notices import kinds, ssrf
from championship.notices.channels import Channel
from championship.notices.models import (
    Notice,
    Preferences,
    PushSubscription,
    Switch,
    new_secret,
)
from championship.notices.services.letters import first_try
from championship.platform import clock
from championship.platform.refusals import Refused

MOST_BROWSERS = 10
BROWSER_HERE = "push_browser"
"""Session key of the id of this browser's subscription."""


@transaction.atomic
def set_switches(*, person: User, on: Iterable[tuple[str, str]], channels: Iterable[str] = Channel.values) -> None:
    """Switch on exactly these (kind, channel) and switch off all others, for switchable kinds and these channels."""
    wanted = set(on)
    ways = [(kind.name, channel) for kind in kinds.switchable() for channel in channels]
    _switch(person, {way: way in wanted for way in ways})


def _switch(person: User, on: Mapping[tuple[str, str], bool]) -> None:
    """Store these choices by (kind, channel): one query, in a fixed order, so that two at once do not deadlock."""
    Switch.objects.bulk_create(
        [Switch(person=person, kind=kind, channel=channel, on=on[kind, channel]) for kind, channel in sorted(on)],
        update_conflicts=True,
        unique_fields=["person", "channel", "kind"],
        update_fields=["on"],
    )


@transaction.atomic
def switch_mail_off(*, person: User, names: Iterable[str]) -> None:
    """Switch off mail of these kinds. Kinds that cannot be switched off stay on."""
    known = {kind.name for kind in kinds.switchable()}
    _switch(person, {(name, Channel.MAIL.value): False for name in known & set(names)})


@transaction.atomic
def set_times(*, person: User, rhythm: str, daily_at: time, reminder_hours: int | None) -> Preferences:
    """Set when the person wants to get notices. Notices that wait for the next letter move to the new time.

    Raises: Refused when a field is not valid. The exception names the field.
    """
    preferences = locked_preferences(person)
    hours = preferences.reminder_hours
    preferences.rhythm, preferences.daily_at, preferences.reminder_hours = rhythm, daily_at, reminder_hours
    try:
        preferences.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Refused(messages[0], field=None if field == "__all__" else field) from error
    preferences.save()
    if hours != preferences.reminder_hours:
        for follower in timing_followers:
            follower.person_timed(person)
    now = clock.now()
    waiting = Notice.objects.select_for_update(skip_locked=True).filter(
        recipient=person, channel=Channel.MAIL, status=Notice.Status.QUEUED, attempts=0
    )
    for notice in waiting.exclude(kind__in=kinds.urgent_names()):
        if notice.kind in {kind.name for kind in kinds.switchable()}:
            kind = kinds.get(notice.kind)
            notice.next_try_at = first_try(preferences, kind, Channel.MAIL, time_zone=person.time_zone, now=now)
            notice.save(update_fields=["next_try_at"])
    return preferences


def locked_preferences(person: User) -> Preferences:
    """The person's choices, created if needed, and locked."""
    Preferences.objects.get_or_create(person=person)
    return Preferences.objects.select_for_update().get(person=person)


@transaction.atomic
def renew_calendar(*, person: User) -> str:
    """Replace the secret in the address of the person's calendar. The old address no longer works."""
    preferences = locked_preferences(person)
    preferences.calendar_key = new_secret()
    preferences.save(update_fields=["calendar_key"])
    return preferences.calendar_key


def add_browser(*, person: User, endpoint: str, p256dh: str, auth: str, browser: str = "") -> PushSubscription:
    """Let a browser show the person's notices. It no longer shows those of another person.

    Raises: Refused when a key is not valid, or the service does not send to the endpoint.
    """
    _check_subscription(endpoint, p256dh, auth)
    return _keep_browser(person=person, endpoint=endpoint, p256dh=p256dh, auth=auth, browser=browser)


def renew_browser(*, old_endpoint: str, old_auth: str, endpoint: str, p256dh: str, auth: str) -> None:
    """Replace a browser's subscription, since the browser has renewed it. Its person stays the same.

    Only the browser itself knows the secret `old_auth` of the old subscription: its push service does not.

    Raises: Http404 when there is no old subscription with this secret.
    Raises: Refused when a key is not valid, or the service does not send to the endpoint.
    """
    old = _subscription_of(PushSubscription.objects.all(), old_endpoint, old_auth)
    _check_subscription(endpoint, p256dh, auth)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=old.person_id)  # serialises two tabs of one person
        old = _subscription_of(PushSubscription.objects.select_for_update(), old_endpoint, old_auth)
        if PushSubscription.objects.filter(endpoint=endpoint).exclude(pk=old.pk).exists():
            old.delete()  # a page of the same browser was faster
            return
        old.endpoint, old.p256dh, old.auth, old.refusals = endpoint, p256dh, auth, 0
        old.save(update_fields=["endpoint", "p256dh", "auth", "refusals"])


def _subscription_of(among: QuerySet[PushSubscription], endpoint: str, auth: str) -> PushSubscription:
    readable = (endpoint + auth).isascii() and "\x00" not in endpoint
    found = among.filter(endpoint=endpoint).first() if readable else None
    if found is None or not constant_time_compare(found.auth, auth):
        raise Http404
    return found


def _check_subscription(endpoint: str, p256dh: str, auth: str) -> None:
    _check_keys(p256dh, auth)
    try:
        scheme, *_rest = ssrf.split_address(endpoint) if len(endpoint) <= ssrf.LONGEST else ("",)
        ssrf.destination(endpoint, resolver=ssrf.resolve_briefly)
    except (ssrf.Refusal, OSError) as error:
        raise Refused(_("This browser's push service cannot be reached."), field="endpoint") from error
    if scheme != "https" and not _for_tests(endpoint):
        raise Refused(_("This browser's push service cannot be reached."), field="endpoint")


@transaction.atomic
def _keep_browser(*, person: User, endpoint: str, p256dh: str, auth: str, browser: str) -> PushSubscription:
    User.objects.select_for_update(no_key=True).get(pk=person.pk)  # serialises two tabs of one person
    subscription, _made = PushSubscription.objects.update_or_create(
        endpoint=endpoint, defaults={"person": person, "p256dh": p256dh, "auth": auth, "browser": browser[:80]}
    )
    surplus = (
        PushSubscription.objects.filter(person=person).order_by("-pk").values_list("pk", flat=True)[MOST_BROWSERS:]
    )
    PushSubscription.objects.filter(pk__in=list(surplus)).delete()
    return subscription


def _for_tests(endpoint: str) -> bool:
    _scheme, host, port, _target = ssrf.split_address(endpoint)
    return f"{host}:{port}" in ssrf.allowed()


def _check_keys(p256dh: str, auth: str) -> None:
    try:
        point = base64.urlsafe_b64decode(p256dh + "=" * (-len(p256dh) % 4))
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        secret = base64.urlsafe_b64decode(auth + "=" * (-len(auth) % 4))
    except (ValueError, binascii.Error) as error:
        raise Refused(_("That is not a browser's key."), field="p256dh") from error
    if len(point) != 65 or len(secret) != 16 or len(p256dh) > 100 or len(auth) > 30:
        raise Refused(_("That is not a browser's key."), field="p256dh")


@transaction.atomic
def remove_browser(*, person: User, pk: int) -> None:
    """Stop showing the person's notices in the browser. Does nothing if the browser was removed before.

    Raises: Http404 when the browser is somebody else's.
    """
    removed, _rows = PushSubscription.objects.filter(person=person, pk=pk).delete()
    if not removed and PushSubscription.objects.filter(pk=pk).exists():
        raise Http404


@transaction.atomic
def forget_browser(*, person: User, pk: int | None, endpoint: str) -> None:
    """Stop showing the person's notices in the browser with this id or endpoint. Other people's browsers stay."""
    PushSubscription.objects.filter(Q(pk=pk) | Q(endpoint=endpoint.replace("\x00", "")), person=person).delete()


def calendar_key_of(*, person: User) -> str:
    """The secret in the address of the person's calendar; created at the first call."""
    kept = Preferences.objects.filter(person=person).values_list("calendar_key", flat=True).first()
    return kept or locked_key(person)


@transaction.atomic
def locked_key(person: User) -> str:
    return locked_preferences(person).calendar_key

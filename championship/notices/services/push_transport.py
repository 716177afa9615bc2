"""The transport for web push (RFC 8030, 8291, 8292): encrypted for one browser, signed with this installation's key.

The address of a push service comes from a browser, so the same rule applies as for webhooks: public addresses only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.urls import reverse
from py_vapid import Vapid02, b64urlencode

from championship.notices import kinds, notice_text, outbound_http, ssrf
from championship.notices.channels import Channel
from championship.notices.delivery_errors import NoRecipient, PermanentFailure, TemporaryFailure
from championship.notices.models import Keypair, Notice, PushSubscription
from championship.platform import clock

KEEP_SECONDS = 60 * 60 * 24
"""How long a push service keeps a push for a phone that is switched off."""
SIGNATURE_SECONDS = 60 * 60 * 12
LONGEST_FOR_ONE = 15
"""Seconds after which no further browser of one person is tried. The next try begins with another browser."""
LONGEST_TEXT = 1500
"""Characters; a push service takes 4 kB."""
GONE = (404, 410)
REFUSED = (400, 401, 403)
"""The push service does not accept pushes for this browser, for example since it subscribed with an older key."""
MOST_REFUSALS = 5
"""Refusals in a row after which a browser is removed."""


@dataclass(frozen=True, slots=True)
class Parcel:
    data: bytes
    urgency: str


class PushTransport:
    """Sends a notice to each browser of its reader. `Notice.reached` stores which browsers have taken it already."""

    combines_notices = False

    def arrived(self, notices: Sequence[Notice]) -> bool | None:
        return None

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """A copy has the same tag, so it replaces the first one on the screen."""
        return True

    def pack(self, notices: Sequence[Notice]) -> Parcel:
        notice = notices[0]
        reader = notice.recipient
        if reader is None or not reader.push_subscriptions.exists():
            raise NoRecipient("no browser shows notices")
        with notice_text.for_reader(reader.language, reader.time_zone):
            words = notice_text.in_words(notice)
        shown = {
            "title": words.subject,
            "body": words.sentence[:LONGEST_TEXT],
            "path": notice.link,
            "tag": str(notice.pk),
            "lang": reader.language,
        }
        urgency = "high" if kinds.get(notice.kind).urgent else "normal"
        return Parcel(json.dumps(shown, ensure_ascii=False).encode(), urgency)

    def send(self, parcel: Parcel, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        """Send the push to every browser that has not taken it. Browsers that no longer want our pushes are deleted.

        Raises: TemporaryFailure when a browser could not be reached.
        Raises: PermanentFailure when no browser has taken it, and the service does not send to a browser's address.
        Raises: NoRecipient when no browser is left.
        """
        notice = notices[0]
        point_of_no_return()
        failures: list[Exception] = []
        left = [
            browser
            for browser in PushSubscription.objects.filter(person_id=notice.recipient_id)
            if browser.pk not in notice.reached
        ]
        first = max(notice.attempts - 1, 0) % len(left) if left else 0  # a slow one delays the others only once
        end = time.monotonic() + LONGEST_FOR_ONE
        for browser in left[first:] + left[:first]:
            if time.monotonic() >= end:
                failures.append(TemporaryFailure("there was no time left for the other browsers"))
                break
            try:
                if push_to(browser, parcel.data, urgency=parcel.urgency):
                    notice.reached = [*notice.reached, browser.pk]
            except (TemporaryFailure, PermanentFailure) as trouble:
                failures.append(trouble)
        later = next((failure for failure in failures if isinstance(failure, TemporaryFailure)), None)
        if later is not None:
            raise later
        if not notice.reached:
            raise failures[0] if failures else NoRecipient("no browser shows notices any more")

    def close(self) -> None:
        pass


def push_to(browser: PushSubscription, data: bytes, *, urgency: str, resolver: ssrf.Resolver = ssrf.resolve) -> bool:
    """Whether the browser's push service took it. False when the subscription no longer exists, or the service has
    refused MOST_REFUSALS pushes in a row; it is deleted then.

    Raises: TemporaryFailure when the push service cannot be reached, or refuses the push.
    Raises: PermanentFailure when the service does not send to this address.
    """
    from pywebpush import WebPusher  # it takes 11 MB, which only processes that push need

    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    body = WebPusher({"endpoint": browser.endpoint, "keys": keys}).encode(data)["body"]
    headers = {
        **signed_for(browser.endpoint),
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": str(KEEP_SECONDS),
        "Urgency": urgency,
    }
    try:
        answer = outbound_http.post(browser.endpoint, body=body, headers=headers, resolver=resolver)
    except ssrf.Refusal as refusal:
        raise PermanentFailure(str(refusal)) from refusal
    except OSError as error:
        raise TemporaryFailure(str(error)) from error
    if answer.status in GONE:
        PushSubscription.objects.filter(pk=browser.pk).delete()
        return False
    if answer.status in REFUSED and _remove_if_refused_often(browser):
        return False
    if not 200 <= answer.status < 300:
        raise TemporaryFailure(f"the push service answered {answer.status} {answer.text}"[:500])
    if browser.refusals:
        PushSubscription.objects.filter(pk=browser.pk).update(refusals=0)
    return True


@transaction.atomic
def _remove_if_refused_often(browser: PushSubscription) -> bool:
    """Count a refusal. After MOST_REFUSALS in a row remove the browser and write a letter to the person, who may let
    the browser subscribe again. Returns whether it is removed.
    """
    kept = PushSubscription.objects.select_for_update().filter(pk=browser.pk).first()
    if kept is None:
        return True
    kept.refusals += 1
    if kept.refusals < MOST_REFUSALS:
        kept.save(update_fields=["refusals"])
        return False
    kept.delete()
    now = clock.now()
    Notice.objects.create(
        recipient_id=browser.person_id,
        channel=Channel.MAIL,
        kind="push off",
        subject_key=f"push {browser.pk}",
        context={"browser": browser.browser},
        link=reverse("notices:settings"),
        created_at=now,
        next_try_at=now,
    )
    return True


def signed_for(endpoint: str) -> dict[str, str]:
    """The header by which a push service identifies this installation (RFC 8292)."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(clock.now().timestamp()) + SIGNATURE_SECONDS,
        "sub": settings.PUSH_CONTACT,
    }
    return {"Authorization": _key().sign(claims)["Authorization"]}


def public_key() -> str:
    """The public key that a browser needs to accept our pushes, in URL-safe base 64."""
    number = _key().public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return str(b64urlencode(number))


def _key() -> Vapid02:
    """This installation's key: VAPID_PRIVATE_KEY if set, else one that is created once and stored in the database."""
    if settings.VAPID_PRIVATE_KEY:
        return _from_text(settings.VAPID_PRIVATE_KEY)
    kept = Keypair.objects.filter(name="push").first()
    if kept is None:
        fresh = Vapid02()
        fresh.generate_keys()
        kept, _made = Keypair.objects.get_or_create(name="push", defaults={"private_pem": fresh.private_pem().decode()})
    return _from_text(kept.private_pem)


@cache
def _from_text(text: str) -> Vapid02:
    """Parses a key in PEM, or its number in base 64, as push tools write it."""
    try:
        return Vapid02.from_pem(text.encode()) if "-----BEGIN" in text else Vapid02.from_string(text)
    except Exception as error:
        raise ImproperlyConfigured("VAPID_PRIVATE_KEY is not a private key on P-256.") from error

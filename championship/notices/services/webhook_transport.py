"""The transport for webhooks: what is posted, in which shape, how it is signed, and what a response means.

Posts are signed according to Standard Webhooks, so that receivers can use an existing library: `webhook-id`, the same
for every try, `webhook-timestamp`, and `webhook-signature: v1,` with the HMAC-SHA-256, in base 64, of id, timestamp and
body with full stops between. The key is in base 64 after `whsec_` in the secret.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from championship.notices import notice_text, outbound_http, ssrf
from championship.notices.channels import Channel
from championship.notices.delivery_errors import NoRecipient, PermanentFailure, TemporaryFailure, UnknownOutcome
from championship.notices.models import SECRET_PREFIX, Notice, Webhook
from championship.platform import clock

LONGEST_WAIT = timedelta(hours=1)
"""The longest wait that a receiver may ask for."""
GONE = 410
DISCORD_MARKUP = frozenset("\\`*_~|[](){}<>#-:@")
"""Characters that begin markup, a link or a mention in Discord."""
MOST_FAILURES = 20
FAILING_FOR = timedelta(days=3)
"""A webhook is switched off after MOST_FAILURES failures in a row over at least FAILING_FOR, and its owner is notified.
"""


@dataclass(frozen=True, slots=True)
class Parcel:
    webhook: Webhook
    body: bytes
    delivery: str
    language: str


class WebhookTransport:
    """Posts notices one by one."""

    combines_notices = False

    def arrived(self, notices: Sequence[Notice]) -> bool | None:
        return None

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """Whether all receivers take plain JSON: they recognise a copy by its delivery. People in a chat would not."""
        return all(hook is None or hook.shape == Webhook.Shape.JSON for hook in map(webhook_of, notices))

    def pack(self, notices: Sequence[Notice]) -> Parcel:
        notice = notices[0]
        webhook = webhook_of(notice)
        if webhook is None or webhook.off_because:
            raise NoRecipient("there is no webhook")
        reader = notice.recipient
        language = reader.language if reader else webhook.language
        with notice_text.for_reader(language, reader.time_zone if reader else webhook.time_zone):
            words = notice_text.in_words(notice)
        facts: dict[str, Any] = {
            "id": str(notice.pk),
            "kind": notice.kind,
            "about": notice.subject_key,
            "language": language,
        }
        if notice.context.get("promises"):
            facts["promises"] = [_with_address(each) for each in notice.context["promises"]]
        return Parcel(webhook, body_of(webhook.shape, words, facts), str(notice.pk), language)

    def send(self, parcel: Parcel, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        point_of_no_return()
        with override(parcel.language):  # errors are shown to the webhook's owner
            self._post(parcel)

    def _post(self, parcel: Parcel) -> None:
        try:
            answer = outbound_http.post(
                parcel.webhook.url,
                body=parcel.body,
                headers=headers_of(parcel.webhook, parcel.body, parcel.delivery),
            )
        except ssrf.Refusal as refusal:
            _note_failure(parcel, str(refusal))
            raise PermanentFailure(str(refusal)) from refusal
        except outbound_http.Unreachable as error:
            _note_failure(parcel, error.words)
            raise TemporaryFailure(str(error)) from error
        except outbound_http.NoAnswer as error:
            _note_failure(parcel, error.words)
            raise UnknownOutcome(str(error)) from error
        record_response(answer, parcel)

    def close(self) -> None:
        pass


def _with_address(promised: Mapping[str, Any]) -> dict[str, Any]:
    """The promise of a stage with the absolute address of its page."""
    return {**promised, "page": notice_text.absolute_url(promised["page"])}


def webhook_of(notice: Notice) -> Webhook | None:
    """The webhook of this notice; None when it no longer exists."""
    return Webhook.objects.filter(pk=notice.webhook_id).first() if notice.webhook_id is not None else None


def record_response(answer: outbound_http.Answer, parcel: Parcel) -> None:
    """Record the response. Returns for 2xx. A 410 switches the webhook off; any other status is retried later.

    Raises: PermanentFailure when the status is 410.
    Raises: TemporaryFailure when it is any other status than 2xx.
    """
    if is_success(answer):
        _note_answer(parcel.webhook, answer)
        _note_in_log(parcel, f"{answer.status} {answer.text}")
        return
    said = f"answered {answer.status} {answer.text}"[:500]
    _note_failure(parcel, f"{answer.status} {answer.text}", gone=answer.status == GONE)
    if answer.status == GONE:
        raise PermanentFailure(said)
    after = min(timedelta(seconds=answer.after), LONGEST_WAIT) if answer.after else None
    raise TemporaryFailure(said, after=after)


def headers_of(webhook: Webhook, body: bytes, delivery: str) -> dict[str, str]:
    """The headers of a post: its type, and its signatures; by two secrets while its owner changes them."""
    now = clock.now()
    timestamp, secrets = str(int(now.timestamp())), webhook.secrets(now)
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "Parc-Ferme",
        "webhook-id": delivery,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signature(secret, delivery, timestamp, body) for secret in secrets),
    }


def signature(secret: str, delivery: str, timestamp: str, body: bytes) -> str:
    """`v1,` and the HMAC-SHA-256 in base 64 over delivery, timestamp and body, with full stops between."""
    proved = b".".join((delivery.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.digest(signing_key(secret), proved, "sha256")).decode()


def signing_key(secret: str) -> bytes:
    """The bytes of the secret `whsec_...`."""
    return base64.b64decode(secret.removeprefix(SECRET_PREFIX))


def body_of(shape: str, words: notice_text.NoticeText, facts: dict[str, Any]) -> bytes:
    """The body of the post in the shape that its receiver understands."""
    if shape == Webhook.Shape.DISCORD:
        shaped: dict[str, Any] = {
            "content": "",
            "allowed_mentions": {"parse": []},  # a rally called @everyone must notify nobody
            "embeds": [
                _without_empty(
                    title=_for_discord(words.subject, 256),
                    description=_for_discord(words.sentence, 4000),
                    url=words.link,
                )
            ],
        }
    elif shape == Webhook.Shape.SLACK:
        title = _for_slack(words.subject)
        head = f"<{words.link}|{title}>" if words.link else f"*{title}*"
        shaped = {"text": f"{head}\n{_for_slack(words.sentence)}"[:4000], "unfurl_links": False}
    else:
        shaped = {**facts, "title": words.subject, "text": words.sentence, "link": words.link}
    return json.dumps(shaped, ensure_ascii=False, separators=(",", ":")).encode()


def send_test(webhook: Webhook, *, resolver: ssrf.Resolver = ssrf.resolve) -> outbound_http.Answer:
    """Post a test now and return the response. It raises the same errors as `outbound_http.post`."""
    with notice_text.for_reader(webhook.language, webhook.time_zone):
        words = notice_text.NoticeText(
            subject=_("A test of your webhook"), text=_("It works."), action="", link=notice_text.absolute_url("/")
        )
    facts = {"id": "test", "kind": "test", "about": "test", "language": webhook.language}
    body = body_of(webhook.shape, words, facts)
    answer = outbound_http.post(webhook.url, body=body, headers=headers_of(webhook, body, "test"), resolver=resolver)
    _note_answer(webhook, answer)
    return answer


def is_success(answer: outbound_http.Answer) -> bool:
    return 200 <= answer.status < 300


def _note_answer(webhook: Webhook, answer: outbound_http.Answer) -> None:
    """Store the response for the webhook's owner. A 2xx response resets the count of failures."""
    noted: dict[str, Any] = {"last_at": clock.now(), "last_answer": _short(f"{answer.status} {answer.text}")}
    if is_success(answer):
        noted |= {"failures": 0, "failing_since": None}
    Webhook.objects.filter(pk=webhook.pk, url=webhook.url).update(**noted)


def _note_in_log(parcel: Parcel, answer: str) -> None:
    """Store the response with the notice that was posted."""
    Notice.objects.filter(pk=parcel.delivery).update(answer=_short(answer))


@transaction.atomic
def _note_failure(parcel: Parcel, reason: str, *, gone: bool = False) -> None:
    """Store the failure. Switch the webhook off after too many failures, or when the receiver responds with 410."""
    webhook = parcel.webhook
    _note_in_log(parcel, reason)
    kept = Webhook.objects.select_for_update().filter(pk=webhook.pk, url=webhook.url).first()
    if kept is None:  # removed, or given another address meanwhile
        return
    now = clock.now()
    kept.last_at, kept.last_answer = now, _short(reason)
    kept.failures += 1
    kept.failing_since = kept.failing_since or now
    too_many = kept.failures >= MOST_FAILURES and now - kept.failing_since >= FAILING_FOR
    if (gone or too_many) and not kept.off_because:
        kept.off_because = _short("410 Gone" if gone else reason)
        _notify_owner(kept)
    kept.save(update_fields=["last_at", "last_answer", "failures", "failing_since", "off_because"])


def _notify_owner(webhook: Webhook) -> None:
    """Write a letter to the person who set it up. Only the row is written: beat's next delivery sends it."""
    reader = webhook.person or webhook.set_by
    if reader is None:
        return
    now = clock.now()
    club = webhook.club
    Notice.objects.create(
        recipient=reader,
        channel=Channel.MAIL,
        kind="webhook off",
        subject_key=f"webhook {webhook.pk} {now:%Y%m%dT%H%M%S%f}",
        context={"club": str(club) if club else "", "reason": webhook.off_because, "failures": webhook.failures},
        link=address_of(webhook),
        created_at=now,
        next_try_at=now,
    )


def address_of(webhook: Webhook) -> str:
    """The path of the page about a webhook."""
    if webhook.club is not None:
        return reverse("clubs:one_webhook", args=[webhook.club.slug, webhook.pk])
    return reverse("notices:one_webhook", args=[webhook.pk])


def _short(answer: str) -> str:
    return answer.replace("\x00", "")[:200]


def _without_empty(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _for_discord(text: str, most: int) -> str:
    """The text with a backslash before each character that Discord reads as markup: a member's name shows no link of
    its own. Cut to `most` characters, never within an escape.
    """
    escaped, length = [], 0
    for sign in text:
        sign = f"\\{sign}" if sign in DISCORD_MARKUP else sign
        length += len(sign)
        if length > most:
            break
        escaped.append(sign)
    return "".join(escaped)

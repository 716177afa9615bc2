"""Letters about signing in. They are stored as rows and sent by a worker, so that no page waits for a mail server.

A letter is retried until its content expires: an expired code is not sent. When a worker dies while it sends, the
letter is sent again with the same Message-ID: the same code twice does no harm.
"""

from __future__ import annotations

import logging
import smtplib
import time
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import QuerySet

from championship.accounts.models import EntranceLetter
from championship.accounts.services import mail_server
from championship.failures.batches import by_batches
from championship.failures.services import Attempts
from championship.platform import clock, task_dispatch

logger = logging.getLogger(__name__)

CLAIM = timedelta(seconds=90)
"""How long a letter is left to the worker that has claimed it."""
MOST_AT_ONCE = 50
"""Letters that are looked at to find one that no other worker has claimed."""
FIRST_WAIT = timedelta(seconds=20)
LONGEST_WAIT = timedelta(minutes=2)
HOLDS = {
    "account/email/login_code": lambda: settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT,
    "account/email/fresh_code": lambda: settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT,
    "account/email/email_confirmation": lambda: settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT,
    "account/email/email_confirmation_signup": lambda: settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT,
}
"""By the letter's template: for how many seconds its code is valid."""
NEWS_HOLDS = 24 * 60 * 60
"""Seconds in which a letter without a code is worth sending."""

LONGEST_HOST = 80
"""Characters of the host name in a Message-ID; the column has room for these and the unique part."""

Outcome = EntranceLetter.Outcome


def write(letter: EmailMessage, *, template: str) -> None:
    """Store the letter, to be sent after the commit, as long as its content is valid."""
    now = clock.now()
    seconds = HOLDS[template]() if template in HOLDS else NEWS_HOLDS
    with transaction.atomic():
        EntranceLetter.objects.create(
            message_id=_new_message_id(),
            to=letter.to[0],
            subject=str(letter.subject),
            body=str(letter.body),
            asked_at=now,
            expires_at=now + timedelta(seconds=seconds),
            next_try_at=now,
        )
        task_dispatch.after_commit(task_dispatch.named("championship.accounts.tasks.send_entrance_letters"))


def _new_message_id() -> str:
    """A Message-ID under the name of this site: spam filters distrust one without a full host name."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return f"<{uuid.uuid4().hex}@{host[-LONGEST_HOST:].lstrip('.-')}>"


def send_due(*, until: float | None = None) -> int:
    """Send the due letters. Returns how many were sent. None is begun after `until`, a moment of time.monotonic().

    If the mail server is not reachable, the rest waits for the next sweep.
    """
    tries = Attempts("letter about signing in", now=clock.now())
    expire(now=clock.now())
    connection: Any = get_connection()
    sent = 0
    try:
        while until is None or time.monotonic() < until:
            letter = _next_letter(tries, clock.now())
            if letter is None:
                break
            try:
                connection.open()
                connection.send_messages([_as_mail(letter)])
            except Exception as error:
                with suppress(Exception):
                    connection.close()
                connection = get_connection()
                if not _record_failure(letter, error):
                    break
            else:
                _settle(letter, Outcome.SENT)
                mail_server.record_sent(now=clock.now())
                sent += 1
    finally:
        with suppress(Exception):
            connection.close()
    return sent


def waiting_text(*, address: str, now: datetime) -> str | None:
    """Return the text of the newest letter to that address that is not sent yet and still valid; None without one."""
    waiting = EntranceLetter.objects.filter(outcome=Outcome.WAITS, expires_at__gt=now, to__iexact=address.strip())
    return waiting.order_by("-asked_at", "-pk").values_list("body", flat=True).first()


def expire(*, now: datetime) -> int:
    """Mark letters that are too late as expired, and delete their text. Returns how many."""
    late, said = EntranceLetter.objects.filter(outcome=Outcome.WAITS, expires_at__lte=now), {"to": "", "subject": ""}
    ids = list(late.values_list("pk", flat=True))
    if not ids:
        return 0
    expired = Attempts("letter about signing in that expires", now=now).attempt_together(
        ids, lambda some: late.filter(pk__in=some).update(outcome=Outcome.EXPIRED, settled_at=now, body="", **said)
    )
    mail_server.record_expired(len(expired))
    return len(expired)


def _due(now: datetime) -> QuerySet[EntranceLetter]:
    return EntranceLetter.objects.filter(outcome=Outcome.WAITS, next_try_at__lte=now, expires_at__gt=now)


def _next_letter(tries: Attempts, now: datetime) -> EntranceLetter | None:
    """The next due letter, claimed; None when there is none. A row that cannot be claimed is put off."""
    due = _due(now).exclude(pk__in=tries.put_off()).order_by("next_try_at")
    for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        letter = tries.attempt(pk, partial(_claimed, pk, now))
        if letter is not None:
            return letter
    return None


@transaction.atomic
def _claimed(pk: int, now: datetime) -> EntranceLetter | None:
    letter = _due(now).select_for_update(skip_locked=True).filter(pk=pk).first()
    if letter is not None:
        letter.attempts += 1
        letter.next_try_at = now + CLAIM
        letter.save(update_fields=["attempts", "next_try_at"])
    return letter


def _as_mail(letter: EntranceLetter) -> EmailMessage:
    headers = {"Message-ID": letter.message_id, "Auto-Submitted": "auto-generated"}
    return EmailMessage(letter.subject, letter.body, to=[letter.to], headers=headers)


def _record_failure(letter: EntranceLetter, error: Exception) -> bool:
    """Store the error. Returns whether the mail server is reachable, so that it makes sense to try other letters."""
    reason = f"{type(error).__name__}: {error}".replace("\x00", "")[:300]
    answer, for_everybody = mail_server.answer(error), mail_server.fails_for_everybody(error)
    mail_server.record_failure(now=clock.now(), reason=answer, for_everybody=for_everybody)
    if _is_final(error):
        logger.warning("a letter about signing in was refused: %s", answer)
        _settle(letter, Outcome.REFUSED, reason)
        return True
    wait = min(FIRST_WAIT * 2 ** (letter.attempts - 1), LONGEST_WAIT)
    EntranceLetter.objects.filter(pk=letter.pk, outcome=Outcome.WAITS).update(
        next_try_at=clock.now() + wait, error=reason
    )
    return isinstance(error, smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused)


def _is_final(error: Exception) -> bool:
    """Whether the mail server has refused this letter permanently (RFC 5321, 4.2.1: 5yz)."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _said in error.recipients.values())
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= 500


def _settle(letter: EntranceLetter, outcome: str, reason: str = "") -> None:
    EntranceLetter.objects.filter(pk=letter.pk).update(
        outcome=outcome, settled_at=clock.now(), to="", subject="", body="", error=reason
    )


def delete_old(before: datetime) -> int:
    """Delete letters about signing in that were settled before that moment. Returns their number."""
    expire(now=clock.now())
    return by_batches(EntranceLetter.objects.filter(settled_at__lt=before))

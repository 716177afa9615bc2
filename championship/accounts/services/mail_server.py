"""What the last tries say about the mail server: whether it takes letters, since when not, and what it answered.

Both kinds of letters write here: those about signing in (sign_in_mail.py), and notices. So a mail server that is down
is visible at once, although every letter is retried for a long time and none is lost.
"""

from __future__ import annotations

import logging
import re
import smtplib
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce

from championship.accounts.models import MailServer

logger = logging.getLogger(__name__)

NAME = "mail"
"""The name of the one row."""
LONGEST_ANSWER = 200
_ADDRESS = re.compile(r"[^\s<>()\"']+@[^\s<>()\"',;]+")


def answer(error: Exception) -> str:
    """Return what the mail server answered, or how the connection failed: one line, without addresses and passwords."""
    if isinstance(error, smtplib.SMTPRecipientsRefused) and error.recipients:
        code, reply = next(iter(error.recipients.values()))
        text = f"{code} {_decoded(reply)}"
    elif isinstance(error, smtplib.SMTPResponseException):
        text = f"{error.smtp_code} {_decoded(error.smtp_error)}"
    else:
        text = f"{type(error).__name__}: {error}"
    password = settings.EMAIL_HOST_PASSWORD
    if password:
        text = text.replace(password, "(password)")
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return _ADDRESS.sub("(address)", " ".join(printable.split()))[:LONGEST_ANSWER]


def fails_for_everybody(error: Exception) -> bool:
    """Whether no other letter would have been taken either: the server does not answer, refuses us or our password. An
    answer about one recipient or one letter says nothing about the others.
    """
    return not isinstance(error, smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError)


def record_sent(*, now: datetime) -> None:
    """Record that the server took a letter. One query, two more the first time."""
    _update(sent=F("sent") + 1, last_sent_at=now, failing_since=None)


def record_failure(*, now: datetime, reason: str, for_everybody: bool) -> None:
    """Record that the server did not take a letter, and log a warning. `reason` comes from `answer`."""
    logger.warning("the mail server did not take a letter: %s", reason)
    fields: dict[str, Any] = {"failures": F("failures") + 1, "last_failed_at": now, "last_answer": reason}
    if for_everybody:
        fields["failing_since"] = Coalesce("failing_since", now)
    _update(**fields)


def record_expired(count: int) -> None:
    """Record that so many letters about signing in were too late."""
    if count:
        _update(expired=F("expired") + count)


def record_answering() -> None:
    """Record that the server answers again, although no letter waits for it."""
    MailServer.objects.filter(name=NAME, failing_since__isnull=False).update(failing_since=None)


def state() -> MailServer:
    """Return what is known; an unsaved row before the first letter. One query."""
    return MailServer.objects.filter(name=NAME).first() or MailServer(name=NAME)


def _update(**fields: Any) -> None:
    row = MailServer.objects.filter(name=NAME)
    if not row.update(**fields):
        MailServer.objects.get_or_create(name=NAME)
        row.update(**fields)


def _decoded(reply: bytes | str) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else str(reply)

"""A mail backend that keeps mail in the database: for the demo and the tests.

Sending is a row in the same transaction as the outbox's own bookkeeping, so a killed process leaves either
both or neither. A real mail server cannot promise that (smtp.py).
"""

from collections.abc import Sequence
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage, make_msgid

from championship.notices.models import SentMail


class Backend(BaseEmailBackend):
    """Stores each message as a SentMail; IntegrityError when one with its Message-ID is there already."""

    keeps_books_with_us = True
    """A message is sent when the transaction is: the outbox needs no mark of its own (delivery.py)."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            SentMail.objects.create(
                message_id=message.extra_headers.get("Message-ID") or make_msgid(),
                to=", ".join(message.recipients()),
                subject=str(message.subject),
                body=str(message.body),
                html=_html_of(message),
                headers={name: str(value) for name, value in message.extra_headers.items()},
            )
        return len(email_messages)


def _html_of(message: Any) -> str:
    alternatives = getattr(message, "alternatives", ())
    return next((str(content) for content, mimetype in alternatives if mimetype == "text/html"), "")

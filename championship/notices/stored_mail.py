"""A mail backend that stores mail in the database, for the demo and the tests.

A mail server cannot be asked whether it has taken a message. This backend can, so the outcome is known even when a
process was killed in between (delivery.py).
"""

from collections.abc import Sequence
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage, make_msgid

from championship.notices.models import SentMail


class Backend(BaseEmailBackend):
    """Stores each message as a SentMail, once for each Message-ID."""

    def has_taken(self, message_id: str) -> bool:
        """Whether a message with this Message-ID is stored."""
        return SentMail.objects.filter(message_id=message_id).exists()

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            SentMail.objects.get_or_create(
                message_id=message.extra_headers.get("Message-ID") or make_msgid(),
                defaults={
                    "to": ", ".join(message.recipients()),
                    "subject": str(message.subject),
                    "body": str(message.body),
                    "html": _html_of(message),
                    "headers": {name: str(value) for name, value in message.extra_headers.items()},
                },
            )
        return len(email_messages)


def _html_of(message: Any) -> str:
    alternatives = getattr(message, "alternatives", ())
    return next((str(content) for content, mimetype in alternatives if mimetype == "text/html"), "")

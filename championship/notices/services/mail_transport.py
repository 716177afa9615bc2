"""The transport for mail: what a mail server's refusal means, and one connection for many letters."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction

from championship.accounts.models import User
from championship.accounts.services import mail_server
from championship.notices.delivery_errors import (
    DeliveryError,
    NoRecipient,
    PermanentFailure,
    TemporaryFailure,
    UnknownOutcome,
)
from championship.notices.mail_content import message_id, write_letter
from championship.notices.models import Notice
from championship.notices.smtp import Unanswered

NO_SUCH_MAILBOX = ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1")
"""Enhanced codes (RFC 3463, RFC 7505) of an address that does not exist, or is closed. Other codes of 5.1 may be about
the sender.
"""
SAYS_SO = re.compile(
    r"\b(unknown|no such|invalid|non-?existent) (local )?(user|recipient|mailbox|address|account|person)\b"
    r"|\bno mailbox here\b"
    r"|\b(user|recipient|mailbox|address|account)\b.{0,80}?"
    r"\b(unknown|not found|not exist|doesn't exist|disabled|no longer (exists|valid|active|in use)|not local)\b",
    re.IGNORECASE,
)
"""How a server without enhanced codes says that. A plain 550 may also be about our own name, or a policy."""
SAYS_ELSE = re.compile(r"\b(sender|from|client|helo|host ?name|relay|policy|spam|block\w*|reputation)\b", re.IGNORECASE)
"""Words which show that the refusal is about us."""


class MailTransport:
    """Sends letters over one connection, which is opened when it is first needed."""

    combines_notices = True
    """Notices to one person that are due at the same time go in one letter."""

    def __init__(self) -> None:
        self._connection: Any = None

    def arrived(self, notices: Sequence[Notice]) -> bool | None:
        """None for a mail server, which cannot be asked. The demo's mailbox can (stored_mail.py)."""
        has_taken: Callable[[str], bool] | None = getattr(self._get_connection(), "has_taken", None)
        return has_taken(message_id(notices)) if has_taken else None

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """False, because a second copy annoys, unless the operator says that the server drops repeated Message-IDs."""
        return bool(settings.MAIL_SERVER_DROPS_COPIES)

    def pack(self, notices: Sequence[Notice]) -> EmailMessage:
        """The letter.

        Raises: NoRecipient when the address takes no mail.
        """
        reader = notices[0].recipient
        if reader is None or reader.takes_no_mail:
            raise NoRecipient("mail to this address has come back")
        return write_letter(notices)

    def send(self, letter: EmailMessage, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        """Send the letter to the mail server.

        Raises: DeliveryError when that fails. Its class says what is known of the outcome.
        """
        try:
            connection = self._get_connection()
            if hasattr(connection, "about_to_end"):
                connection.about_to_end = point_of_no_return
            else:
                point_of_no_return()
            connection.open()
            connection.send_messages([letter])
        except Exception as error:
            self.close()
            failure = _delivery_error(error, notices)
            failure.answer, failure.for_everybody = mail_server.answer(error), mail_server.fails_for_everybody(error)
            raise failure from error

    def close(self) -> None:
        """Close the connection, in any state of the SMTP session."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # then it is closed already
                connection.close()

    def _get_connection(self) -> Any:
        if self._connection is None:
            self._connection = get_connection()
        return self._connection


def _delivery_error(error: Exception, notices: Sequence[Notice]) -> DeliveryError:
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, Unanswered):
        return UnknownOutcome(reason)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        if _closed_for_good(code, text):
            refuse_address(address=next(iter(error.recipients)), reason=f"{code} {text}")
            return NoRecipient(f"the address takes no mail: {code} {text}")
        return PermanentFailure(reason) if code >= 500 and not text.startswith("5.2.2") else TemporaryFailure(reason)
    if isinstance(error, smtplib.SMTPDataError):
        return PermanentFailure(reason) if error.smtp_code >= 500 else TemporaryFailure(reason)
    if isinstance(error, smtplib.SMTPResponseException):  # greeting, sign-in, sender: our own setup
        return TemporaryFailure(reason)
    return TemporaryFailure(reason, server_unreachable=isinstance(error, OSError))


def _closed_for_good(code: int, text: str) -> bool:
    """Whether the refusal says that the recipient does not exist. Any other refusal is left to the operator: otherwise
    a refusal to relay (5.7.x) or to talk with us at all would stop the mail of everybody.
    """
    if text[:2] == "5.":
        return text.split(maxsplit=1)[0] in NO_SUCH_MAILBOX
    return code in (550, 551, 553) and bool(SAYS_SO.search(text)) and not SAYS_ELSE.search(text)


@transaction.atomic
def refuse_address(*, address: str, reason: str) -> User | None:
    """Send no more mail to this address, because it bounced permanently. Returns its owner; None if nobody has it.

    Every page tells the owner (templates/notices/parts/refused_address.html), who may try it again.
    """
    person = User.objects.select_for_update().filter(email=address.strip().lower()).first()
    if person is not None:
        person.refused_address = person.email
        person.refused_because = " ".join(reason.replace("\x00", "").split())[:300]
        person.save(update_fields=["refused_address", "refused_because"])
    return person


@transaction.atomic
def trust_address(*, person: User) -> None:
    """Send mail to the address again, because its owner says that it works. Another bounce will refuse it again."""
    User.objects.filter(pk=person.pk).update(refused_address="", refused_because="")

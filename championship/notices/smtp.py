"""Django's SMTP backend, which also reports how far the SMTP session came before it failed.

A mail server has taken a message when it responds to the dot that ends it (RFC 5321, 4.2.5). A client that disconnects
before the dot has sent nothing and may try again. After the dot and before the response the outcome is unknown: that is
`Unanswered`. `about_to_end`, if set, is called right before the text and its dot are sent.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable
from typing import Any

from django.core.mail.backends import smtp


class Unanswered(Exception):
    """The whole message was sent, and the server never responded: it may have taken the message."""


class _ReportsProgress(smtplib.SMTP):
    """A session. Of all that SMTP sends, only the text of a message is `bytes`."""

    about_to_end: Callable[[], None] | None = None
    ended = False

    def send(self, s: Any) -> None:
        is_text = isinstance(s, bytes)
        if is_text and self.about_to_end is not None:
            self.about_to_end()
        self.ended = is_text  # from here on our time limit may interrupt after everything was sent
        try:
            super().send(s)
        except OSError:
            self.ended = False  # the dot was not sent
            raise

    def data(self, msg: Any) -> Any:
        self.ended = False
        try:
            return super().data(msg)
        except Exception as error:  # also our time limit
            if self.ended:
                self.close()
                raise Unanswered(f"the mail server took the message and did not answer: {error}") from error
            raise


class _Plain(_ReportsProgress):
    pass


class _Encrypted(_ReportsProgress, smtplib.SMTP_SSL):
    pass


class Backend(smtp.EmailBackend):
    """For EMAIL_BACKEND. Set `about_to_end` before sending; it is called at the point of no return."""

    about_to_end: Callable[[], None] | None = None

    @property
    def connection_class(self) -> Any:
        return _Encrypted if self.use_ssl else _Plain

    def send_messages(self, email_messages: Any) -> int:
        opened = self.open()
        try:
            if isinstance(self.connection, _ReportsProgress):
                self.connection.about_to_end = self.about_to_end
            return super().send_messages(email_messages)
        except smtplib.SMTPException:
            raise
        except Exception:  # interrupted in mid-session, where the server would not respond to QUIT
            if self.connection is not None:
                self.connection.close()
            raise
        finally:
            if opened:
                self.close()

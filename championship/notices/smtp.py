"""Django's SMTP backend, but it says how far a conversation came before it broke off.

A mail server has taken a message when it answers the dot that ends it (RFC 5321, 4.2.5). A client that breaks off
before the dot has sent nothing and may try again. After the dot and before the answer nobody can know: that is
`Unanswered`. `about_to_end`, where set, is called right before the text and its dot go out.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable
from typing import Any

from django.core.mail.backends import smtp


class Unanswered(Exception):
    """The whole message has gone out, and the server's answer never came: it may have taken it."""


class _Telling:
    """Mixed into smtplib.SMTP: of all it sends only the text of a message is bytes."""

    about_to_end: Callable[[], None] | None = None
    ended = False

    def send(self, s: Any) -> None:
        is_text = isinstance(s, bytes)
        if is_text and self.about_to_end is not None:
            self.about_to_end()
        self.ended = is_text  # from here on a time limit of ours may strike when all of it has gone out
        try:
            super().send(s)  # type: ignore[misc]
        except OSError:
            self.ended = False  # the dot has not
            raise

    def data(self, msg: Any) -> Any:
        self.ended = False
        try:
            return super().data(msg)  # type: ignore[misc]
        except Exception as error:  # a time limit of ours among them
            if self.ended:
                self.close()  # type: ignore[attr-defined]
                raise Unanswered(f"the mail server took the message and did not answer: {error}") from error
            raise


class _Plain(_Telling, smtplib.SMTP):
    pass


class _Encrypted(_Telling, smtplib.SMTP_SSL):
    pass


class Backend(smtp.EmailBackend):
    """For EMAIL_BACKEND. Set `about_to_end` before sending to be told of the point of no return."""

    about_to_end: Callable[[], None] | None = None

    @property
    def connection_class(self) -> Any:
        return _Encrypted if self.use_ssl else _Plain

    def send_messages(self, email_messages: Any) -> int:
        opened = self.open()
        try:
            if isinstance(self.connection, _Telling):
                self.connection.about_to_end = self.about_to_end
            return super().send_messages(email_messages)
        except smtplib.SMTPException:
            raise
        except Exception:  # in the middle of a word, where nobody would answer a farewell
            if self.connection is not None:
                self.connection.close()
            raise
        finally:
            if opened:
                self.close()

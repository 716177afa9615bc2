"""Adapts allauth to this service: one-line subjects, mail in the reader's language, sent by a worker. Receives its
signals of signing in and of a changed address.
"""

from contextlib import ExitStack
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.signals import email_changed
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts import devices, guests, rate_limit_answers
from championship.accounts.models import User
from championship.accounts.services import closing, sessions, sign_in_mail
from championship.platform.web import client_address


class AccountAdapter(DefaultAccountAdapter):
    """Writes to people in the language that they have chosen, even if their browser asks for another one."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": gettext_lazy("This account is closed."),
        "duplicate_email": gettext_lazy("This is your address already."),
        "email_taken": gettext_lazy("There is an account with this address already."),
        "incorrect_code": gettext_lazy("That is not the code we sent. Look at the newest mail."),
        "invalid_login": gettext_lazy("Type an e-mail address."),
        "rate_limited": gettext_lazy("Too many requests in a short time. Wait a few minutes and try again."),
        "same_as_current": gettext_lazy("This is your address already."),
        "too_many_login_attempts": gettext_lazy("Too many attempts. Wait a few minutes and ask for a new code."),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address.of(request.META)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Allauth would ask for a password. Our own check runs before its views (reauthentication.py)."""
        return False

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """A form's error. When a limit is reached, its message says when to try again."""
        if code in rate_limit_answers.CODES and self.request is not None:
            rate_limit_answers.note_reached(self.request)
            return ValidationError(rate_limit_answers.message(self.request), code=code)
        return super().validation_error(code, *args)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Send a letter about the account in its owner's language, also to an address that is no longer theirs."""
        device = devices.in_words(self.get_http_user_agent(self.request))
        super().send_notification_mail(
            template_prefix, user, {**(context or {}), "user": user, "device": device}, email
        )

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        address = email if isinstance(email, str) else email[0]
        reader = context.get("user") or User.objects.filter(email=address).first()
        with ExitStack() as reading:
            if isinstance(reader, User):
                reading.enter_context(translation.override(reader.language))
            return super().render_mail(template_prefix, email, {**context, "site_url": settings.SITE_URL}, headers)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Store the letter for a worker to send, so that no page waits for a mail server (sign_in_mail.py)."""
        request = allauth_context.request
        told = {"request": request, "email": email, "current_site": get_current_site(request), **context}
        sign_in_mail.write(self.render_mail(template_prefix, email, told), template=template_prefix)

    def send_account_already_exists_mail(self, email: str) -> None:
        """Write to somebody who signs up a second time. Allauth's own letter would offer to reset a password."""
        self.send_mail("account/email/account_already_exists", email, {})


@receiver(user_logged_in)
def note_sign_in(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    if user.closed_at is not None and closing.open_again(person=user):
        messages.success(request, _("Welcome back: your account is open again."), fail_silently=True)
    sessions.note(request, user)
    if guests.take_along(request, user):
        words = _("What you drove as a guest is yours now. It is the practice that goes on, if you had another one.")
        messages.success(request, words, fail_silently=True)


@receiver(email_changed)
def end_other_sign_ins(
    *, request: HttpRequest, user: User, from_email_address: EmailAddress | None, **_signal: Any
) -> None:
    """End all other sessions when the address changes. A first address changes nothing."""
    if from_email_address is not None and request.user.is_authenticated and request.user.pk == user.pk:
        sessions.end_others(request)
        messages.info(request, _("You are signed out on all other devices."))

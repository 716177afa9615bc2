"""How allauth is bent to our ways: one-line subjects, mail in the reader's language."""

from contextlib import ExitStack
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """Writes to people in the language they have chosen, whatever browser asked for the mail."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": _("This account is closed."),
        "duplicate_email": _("This is your address already."),
        "email_taken": _("There is an account with this address already."),
        "incorrect_code": _("That is not the code we sent. Look at the newest mail."),
        "invalid_login": _("Type an e-mail address."),
        "rate_limited": _("Too many requests in a short time. Wait a minute and try again."),
        "same_as_current": _("This is your address already."),
        "too_many_login_attempts": _("Too many attempts. Wait a few minutes and ask for a new code."),
    }

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

    def send_account_already_exists_mail(self, email: str) -> None:
        """To somebody who signs up a second time; allauth's own would offer a forgotten password."""
        self.send_mail("account/email/account_already_exists", email, {})

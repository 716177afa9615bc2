"""Signal receivers for signing in and for a changed address."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_changed
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils.translation import gettext as _

from championship.accounts import guests
from championship.accounts.models import User
from championship.accounts.services import closing, sessions


@receiver(user_logged_in)
def note_sign_in(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    if user.closed_at is not None and closing.open_again(person=user):
        messages.success(request, _("Welcome back: your account is open again."), fail_silently=True)
    sessions.note(request, user)
    guests.take_along(request, user)


@receiver(email_changed)
def end_other_sign_ins(
    *, request: HttpRequest, user: User, from_email_address: EmailAddress | None, **_signal: Any
) -> None:
    """End all other sessions when the address changes. A first address changes nothing."""
    if from_email_address is not None and request.user.is_authenticated and request.user.pk == user.pk:
        sessions.end_others(request)
        messages.info(request, _("You are signed out on all other devices."))

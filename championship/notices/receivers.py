"""Receiver of Django's signal that a person has signed out."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from championship.accounts.models import User
from championship.notices.services import notice_choices


@receiver(user_logged_out)
def on_signed_out(sender: Any, request: HttpRequest | None, user: User | None, **_rest: Any) -> None:
    """Stop showing a person's notices in a browser in which they sign out: somebody else may use it next.

    Both the session and the browser's script (static/js/sign-out.js) identify the browser: it may have subscribed in an
    earlier session.
    """
    if request is None or user is None:
        return
    notice_choices.forget_browser(
        person=user,
        pk=request.session.get(notice_choices.BROWSER_HERE),
        endpoint=request.POST.get("push_endpoint", ""),
    )

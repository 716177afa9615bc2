"""What happens elsewhere and concerns the ways to a person."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from championship.accounts.models import User
from championship.notices import choosing


@receiver(user_logged_out)
def on_signed_out(sender: Any, request: HttpRequest | None, user: User | None, **_rest: Any) -> None:
    """A browser in which one signs out shows one's notices no more: somebody else may sit there next.

    Which browser that is, its session tells, and its script too (static/js/sign-out.js): a browser may have
    subscribed in a session that is over.
    """
    if request is None or user is None:
        return
    choosing.forget_browser(
        person=user,
        pk=request.session.get(choosing.BROWSER_HERE),
        endpoint=request.POST.get("push_endpoint", ""),
    )

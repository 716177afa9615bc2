"""What happens elsewhere and concerns the ways to a person."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from championship.accounts.models import User
from championship.accounts.signals import account_closed
from championship.notices import notice_choices
from championship.notices.models import Notice, PushSubscription, Webhook


@receiver(user_logged_out)
def on_signed_out(sender: Any, request: HttpRequest | None, user: User | None, **_rest: Any) -> None:
    """A browser in which one signs out shows one's notices no more: somebody else may sit there next.

    Which browser that is, its session tells, and its script too (static/js/sign-out.js): a browser may have
    subscribed in a session that is over.
    """
    if request is None or user is None:
        return
    notice_choices.forget_browser(
        person=user,
        pk=request.session.get(notice_choices.BROWSER_HERE),
        endpoint=request.POST.get("push_endpoint", ""),
    )


@receiver(account_closed)
def on_account_closed(sender: Any, person: User, **_rest: Any) -> None:
    """What waits for somebody who has left goes nowhere, and their browsers and chats are let go."""
    Notice.objects.filter(recipient=person, status=Notice.Status.QUEUED).update(status=Notice.Status.DROPPED)
    PushSubscription.objects.filter(person=person).delete()
    Webhook.objects.filter(person=person).delete()

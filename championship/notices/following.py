"""What notices do when a person signs out, when an account is closed, and in the nightly deletion: old ones are
deleted, and the text of those that need no more work is emptied.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest

from championship.accounts.models import User
from championship.failures.batches import by_batches
from championship.notices.models import Notice, PushSubscription, SentMail, Webhook
from championship.notices.services import notice_choices
from championship.platform import retention


class NoticesOfPeople:
    """Notices to people, and the places that get them."""

    def account_closed(self, person: User) -> None:
        """Drop the queued notices of a person who has closed their account, and delete their browsers and webhooks."""
        Notice.objects.filter(recipient=person, status=Notice.Status.QUEUED).update(status=Notice.Status.DROPPED)
        PushSubscription.objects.filter(person=person).delete()
        Webhook.objects.filter(person=person).delete()


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


def empty_texts(before: datetime) -> int:
    """Empty the text of notices that were sent or dropped. The row stays, so that nothing is sent twice."""
    said = _settled(before).exclude(context={}, link="", error="")
    return by_batches(said, lambda rows: rows.update(context={}, link="", error=""))


def delete_notices(before: datetime) -> int:
    """Delete notices that were sent or dropped. Returns their number."""
    return by_batches(_settled(before))


def delete_kept_mail(before: datetime) -> int:
    """Delete mail that was kept instead of sent. Returns its number."""
    return by_batches(SentMail.objects.filter(at__lt=before))


def register_expiry() -> None:
    """Register the rules for the nightly deletion."""
    retention.register("words of letters", empty_texts)
    retention.register("letters", delete_notices)
    retention.register("kept mail", delete_kept_mail)


def _settled(before: datetime) -> QuerySet[Notice]:
    """Old notices that need no more work. Dead and held notices still wait for the operator."""
    return Notice.objects.filter(status__in=[Notice.Status.SENT, Notice.Status.DROPPED], created_at__lt=before).filter(
        Q(sent_at=None) | Q(sent_at__lt=before)
    )

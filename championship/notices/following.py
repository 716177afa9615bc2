"""What notices do when an account is closed."""

from __future__ import annotations

from championship.accounts.models import User
from championship.notices.models import Notice, PushSubscription, Webhook


class NoticesOfPeople:
    """Notices to people, and the places that get them."""

    def account_closed(self, person: User) -> None:
        """Drop the queued notices of a person who has closed their account, and delete their browsers and webhooks."""
        Notice.objects.filter(recipient=person, status=Notice.Status.QUEUED).update(status=Notice.Status.DROPPED)
        PushSubscription.objects.filter(person=person).delete()
        Webhook.objects.filter(person=person).delete()

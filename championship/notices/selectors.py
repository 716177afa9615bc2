"""Reading switches and the demo's mailbox."""

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.notices.models import Mute, SentMail


def muted_kinds(person: User) -> frozenset[str]:
    """Names of the kinds of notice the person has switched off."""
    return frozenset(Mute.objects.filter(person=person).values_list("kind", flat=True))


def sent_mails() -> QuerySet[SentMail]:
    """Everything the mailbox backend keeps, newest first."""
    return SentMail.objects.order_by("-id")

"""What rallies do when a person has other holidays, another zone or other reminders, or leaves for good."""

from typing import Any

from django.db import transaction

from championship.accounts.models import User
from championship.rallies.models import Entry, Rally
from championship.rallies.services.awaited_cards import follow_person
from championship.rallies.services.changing_drivers import IN, set_driven_by
from championship.rallies.services.entering import withdraw_entry


def on_person_timed(*, person: User, **kwargs: Any) -> None:
    """Move the deadlines of time controls that wait for their card, after the commit."""
    person_id = person.pk
    transaction.on_commit(lambda: follow_person(person_id=person_id), robust=True)


def on_account_closing(*, person: User, **kwargs: Any) -> None:
    """Entries of rallies that have not begun are withdrawn; cars that are on the road go to their codrivers. On an open
    stage, which no codriver drives, they stand until it closes.
    """
    mine = Entry.objects.filter(driver=person, status__in=IN).select_related("rally").order_by("rally_id", "pk")
    for entry in mine.filter(rally__status=Rally.Status.ENTRIES):
        withdraw_entry(by=person, entry=entry)
    for entry in mine.filter(
        rally__status=Rally.Status.RUNNING, rally__for_everybody=False, status=Entry.Status.CONFIRMED
    ):
        set_driven_by(by=person, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)

"""What rallies do when a person has other holidays, or lives in another zone."""

from typing import Any

from django.db import transaction

from championship.accounts.models import User
from championship.rallies.services.controlling import follow_time_controls


def on_person_timed(*, person: User, **kwargs: Any) -> None:
    """Move the deadlines of time controls that wait for their card, after the commit."""
    person_id = person.pk
    transaction.on_commit(lambda: follow_time_controls(person_id=person_id), robust=True)

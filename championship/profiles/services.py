"""Every service that writes data about public profiles."""

from __future__ import annotations

from django.db import transaction

from championship.accounts.models import User
from championship.profiles.models import PublicProfile


@transaction.atomic
def show(*, by: User, found: bool = False) -> PublicProfile:
    """Give the person a public page, or change whether search engines may index it. Doing it twice changes nothing."""
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    return PublicProfile.objects.update_or_create(person=by, defaults={"found": found})[0]


@transaction.atomic
def hide(*, by: User) -> None:
    """Delete the person's public page and its address. A page that is created again later has another address."""
    PublicProfile.objects.filter(person=by).delete()

"""Every write about public profiles: a driver wants one, or no longer."""

from __future__ import annotations

from django.db import transaction

from championship.accounts.models import User
from championship.profiles.models import PublicProfile


@transaction.atomic
def show(*, by: User, found: bool = False) -> PublicProfile:
    """Give the person a public page, or change whether search engines may find it. Doing it again changes nothing."""
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    return PublicProfile.objects.update_or_create(person=by, defaults={"found": found})[0]


@transaction.atomic
def hide(*, by: User) -> None:
    """Take the page away. Its address dies with it: a page that is shown again later has another one."""
    PublicProfile.objects.filter(person=by).delete()

"""Checks whether a name looks like the name of another member of the same club."""

from __future__ import annotations

from championship.accounts.models import User
from championship.accounts.text import looks_like


def lock_clubs(person: User) -> None:
    """Lock the person's clubs, so that nobody else joins them or is renamed in them until the transaction ends: one
    query.

    Without this lock two people could find the same name free at the same moment. Joining a club locks that club too.
    """
    memberships = person.memberships.select_related("club").order_by("club_id")
    list(memberships.select_for_update(of=("club",), no_key=True))


def is_taken(name: str, *, person: User, club_id: int | None = None) -> bool:
    """Whether another member of the club has a name that looks like this: one query. Without `club_id` it checks all
    clubs of the person. The name that a closed account would get back is taken as well.
    """
    members = User.objects.filter(is_active=True).exclude(pk=person.pk)
    if club_id is None:
        members = members.filter(memberships__club__memberships__user=person)
    else:
        members = members.filter(memberships__club=club_id)
    looks = looks_like(name)
    called = members.values_list("name", "closing__name").distinct()
    return any(looks_like(other) == looks for names in called for other in names if other)

"""Whether somebody is called as another member of their club is."""

from __future__ import annotations

from championship.accounts.models import User
from championship.accounts.text import looks_like


def hold(person: User) -> None:
    """Let nobody else join the person's clubs or be renamed in them until the transaction ends: one query.

    Two who look for a name at the same moment would both find it free. Joining holds the club that is joined.
    """
    memberships = person.memberships.select_related("club").order_by("club_id")
    list(memberships.select_for_update(of=("club",), no_key=True))


def is_taken(name: str, *, person: User, club_id: int | None = None) -> bool:
    """Whether another member of the club, or without one of any of the person's clubs, has a name that looks like this:
    one query. The name that a closed account gets back when it is opened again is taken as well.
    """
    members = User.objects.filter(is_active=True).exclude(pk=person.pk)
    if club_id is None:
        members = members.filter(memberships__club__memberships__user=person)
    else:
        members = members.filter(memberships__club=club_id)
    looks = looks_like(name)
    called = members.values_list("name", "closing__name").distinct()
    return any(looks_like(other) == looks for names in called for other in names if other)

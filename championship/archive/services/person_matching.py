"""The people of an archive, matched by their mail address or created."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import ValidationError

from championship.accounts import zones
from championship.accounts.models import User
from championship.accounts.names_only import make_name_only
from championship.accounts.services import create_user
from championship.accounts.text import without_hidden
from championship.archive.reading import Damaged
from championship.platform.refusals import Refused, Stale


def find_or_create(rows: Iterable[dict[str, Any]]) -> dict[int, int]:
    """Return the id here of each person of an archive that the operator vouches for, by the id in the archive: the
    person with the same address, or a new account. A person without an address becomes a name without an account.

    Raises: Damaged when a row does not describe a person.
    """
    return _each(rows, lambda row: _person(row).pk)


def names_of_people(rows: Iterable[dict[str, Any]], *, owner: User) -> dict[int, int]:
    """Return the id here of each person of an archive that may be a stranger's, by the id in the archive. Everybody
    becomes a name without an account, except the owner whom the operator chose.

    Raises: Damaged when a row does not describe a person.
    """
    own = owner.email.lower()

    def person(row: dict[str, Any]) -> int:
        email = (row["email"] or "").lower()
        if email == own:
            return owner.pk
        return make_name_only(without_hidden(row["name"]) or email.partition("@")[0]).pk

    return _each(rows, person)


def _each(rows: Iterable[dict[str, Any]], person: Callable[[dict[str, Any]], int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in rows:
        try:
            found[row["id"]] = person(row)
        except (Refused, Stale, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise Damaged(f"people, {row['id']}") from error
    return found


def _person(row: dict[str, Any]) -> User:
    email, name = row["email"], without_hidden(row["name"])
    if email is None:
        return make_name_only(name)
    here = User.objects.filter(email=email.lower()).first()
    if here is not None:
        return here
    zone = row["time_zone"] if row["time_zone"] in zones.names() else "UTC"
    return create_user(email=email, name=name or email.partition("@")[0], language=row["language"], time_zone=zone)

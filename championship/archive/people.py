"""The people of an archive: known again by their mail address, otherwise made; and people who are not on the site."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError

from championship.accounts import zones
from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.accounts.text import one_line
from championship.archive.reading import Damaged
from championship.refusals import Refused

NOWHERE = "nobody.invalid"
"""The domain of addresses that nobody has; no mail ever goes there."""


def find_or_make(told: Iterable[dict[str, Any]]) -> dict[int, int]:
    """Who each person of an archive is here, by the number there. Who comes without an address is a name only."""
    found: dict[int, int] = {}
    for row in told:
        try:
            found[row["id"]] = _person(row).pk
        except (Refused, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise Damaged(f"people, {row['id']}") from error
    return found


def _person(row: dict[str, Any]) -> User:
    email, name = row["email"], str(row["name"])
    if email is None:
        return make_name_only(name)
    here = User.objects.filter(email=email.lower()).first()
    if here is not None:
        return here
    zone = row["time_zone"] if row["time_zone"] in zones.names() else "UTC"
    return create_user(email=email, name=name or email.partition("@")[0], language=row["language"], time_zone=zone)


def make_name_only(name: str) -> User:
    """Somebody who drove and is not on the site: a name in tables. Nobody can sign in as them, and no mail is sent."""
    one_line(name)
    address = f"{secrets.token_hex(12)}@{NOWHERE}"
    person = User(email=address, name=name[:60], is_active=False, refused_address=address)
    person.set_unusable_password()
    person.save(force_insert=True)
    return person


def is_name_only(person: User) -> bool:
    """Whether the person is not on the site."""
    return not person.is_active and person.email.endswith(f"@{NOWHERE}")

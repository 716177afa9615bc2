"""People without an account: names in the tables of clubs. Nobody can sign in as them, and no mail is sent."""

from __future__ import annotations

import secrets

from django.core.exceptions import ValidationError
from django.db.models import Q

from championship.accounts.models import User
from championship.accounts.name_comparison import stored_form
from championship.accounts.text import one_line, without_hidden

NOWHERE = "nobody.invalid"
"""The domain of addresses that do not exist. No mail is ever sent there."""
LONGEST_NAME = 60
NAMES_ONLY = Q(is_active=False, email__endswith=f"@{NOWHERE}")


def usable(name: str) -> str:
    """Return a name without its invisible characters, "" when nothing is left that a page can show."""
    shown = without_hidden(stored_form(name)).strip()[:LONGEST_NAME]
    try:
        one_line(shown)
    except ValidationError:
        return ""
    return shown


def new_name(name: str) -> User:
    """Return a user for a driver without an account, not saved yet: a name in tables.

    Raises: ValidationError when the name is not one line of visible characters.
    """
    name = stored_form(name)
    one_line(name)
    address = f"{secrets.token_hex(12)}@{NOWHERE}"
    person = User(email=address, name=name[:LONGEST_NAME], is_active=False, refused_address=address)
    person.set_unusable_password()
    return person


def make_name_only(name: str) -> User:
    """Create a name without an account (`new_name`)."""
    person = new_name(name)
    person.save(force_insert=True)
    return person


def is_name_only(person: User) -> bool:
    """Return whether the person is a name without an account."""
    return not person.is_active and person.email.endswith(f"@{NOWHERE}")

"""The people and clubs that scenes begin with."""

import itertools
import time
from collections.abc import Iterable

from django.test import Client

from championship.accounts.models import User
from championship.accounts.services import create_user
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club

_numbers = itertools.count(1)


def make_user(name: str = "", *, email: str | None = None, language: str = "en", time_zone: str = "UTC") -> User:
    """A person who can sign in; without a name one nobody else in this test run has."""
    number = next(_numbers)
    name = name or f"Driver {number}"
    local = "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in name.lower())
    address = email or f"{local}.{number}@example.org"
    return create_user(email=address, name=name, language=language, time_zone=time_zone)


def make_club(*, name: str = "Rallyeclub Wiking", owner: User | None = None) -> Club:
    """A club whose founder owns it, organises and drives."""
    return create_club(by=owner or make_user("Olga Organiser"), name=name)


def make_member(club: Club, *, user: User | None = None, name: str = "", roles: Iterable[str] = (Role.DRIVER,)) -> User:
    """A person who is in the club with those roles."""
    person = user or make_user(name)
    Membership.objects.create(club=club, user=person, roles=[str(role) for role in roles])
    return person


def signed_in(user: User) -> Client:
    """A browser of somebody who has signed in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def freshly_signed_in(user: User, seconds_ago: float = 0) -> Client:
    """A browser of somebody who has typed a code so many seconds ago."""
    client = signed_in(user)
    session = client.session
    session["account_authentication_methods"] = [{"method": "code", "at": time.time() - seconds_ago}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client

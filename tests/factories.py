"""Create the users and clubs that most tests need, and signed-in clients."""

import itertools
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db.models import Manager
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from championship.accounts.models import SignIn, User
from championship.accounts.services import sessions, sign_in_mail
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import create_club
from championship.notices.models import SentMail

BACKEND = "django.contrib.auth.backends.ModelBackend"
HERE = "127.0.0.1"

_numbers = itertools.count(1)


def make_user(name: str = "", *, email: str | None = None, language: str = "en", time_zone: str = "UTC") -> User:
    """Create a user who can sign in. Without `name` the name is unique in this test run.

    It inserts the same rows as `create_user`, without its savepoints and its checks of the name.
    """
    number = next(_numbers)
    name = name or f"Driver {number}"
    local = "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in name.lower())
    address = email or f"{local}.{number}@example.org"
    user = User(email=address.lower(), name=name, language=language, time_zone=time_zone)
    user.set_unusable_password()
    user.save(force_insert=True)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def make_club(*, name: str = "Rallyeclub Wiking", owner: User | None = None) -> Club:
    """Create a club. Its founder is owner, organiser and driver."""
    return create_club(by=owner or make_user("Olga Organiser"), name=name)


def make_member(club: Club, *, user: User | None = None, name: str = "", roles: Iterable[str] = (Role.DRIVER,)) -> User:
    """Create a membership with those roles, and the user too if none is given. Return the user."""
    person = user or make_user(name)
    Membership.objects.create(club=club, user=person, roles=[str(role) for role in roles])
    return person


def mailbox() -> Manager[SentMail]:
    """Return the mails that were sent, after a worker has sent the waiting ones about signing in."""
    sign_in_mail.send_due()
    return SentMail.objects


def signed_in(user: User) -> Client:
    """Return a client that is signed in as the user."""
    return _with_session(user, {})


def freshly_signed_in(user: User, seconds_ago: float = 0) -> Client:
    """Return a client whose user typed a sign-in code `seconds_ago`."""
    typed = {"method": "code", "at": time.time() - seconds_ago}
    methods = {"account_authentication_methods": [typed], "account_authentication_methods_user": str(user.pk)}
    return _with_session(user, methods)


def _with_session(user: User, more: Mapping[str, Any]) -> Client:
    """Return a client with the session that `Client.force_login` creates, updated with `more`.

    It writes session, sign-in and time of the last sign-in in 3 statements; Django needs 19. A user with a closed
    account signs in with `force_login`, which opens the account again.
    """
    client = Client()
    if user.closed_at is not None:
        client.force_login(user, backend=BACKEND)
        session = client.session
        session.update(more)
        session.save()
        return client
    now = timezone.now()
    # Draw as many random values as Django: for a session before sign-in, for this one, and for the CSRF token.
    session = [SessionStore(get_random_string(32, VALID_KEY_CHARS)) for _ in range(2)][-1]
    rotate_token(HttpRequest())
    values = {SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: BACKEND, HASH_SESSION_KEY: user.get_session_auth_hash()}
    values |= {sessions.NOTED: int(time.time()), **more}
    ends = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    Session.objects.bulk_create(
        [Session(session_key=session.session_key, session_data=session.encode(values), expire_date=ends)]
    )
    SignIn.objects.bulk_create(
        [SignIn(session_id=session.session_key, person=user, address=HERE, device="", since=now, last_seen=now)]
    )
    User.objects.filter(pk=user.pk).update(last_login=now)
    user.last_login = now
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client

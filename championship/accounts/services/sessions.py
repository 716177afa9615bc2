"""The sign-ins of a person: recorded at sign-in and from time to time afterwards, listed, and ended.

Allauth has an app for this, but it either writes at every request or never learns when a session was last seen. Here a
session stores when it was last recorded, so that most requests make no query.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

from django.contrib.auth import update_session_auth_hash
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from championship.accounts.models import SignIn
from championship.platform.web import client_address

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from championship.accounts.models import User


NOTED = "accounts_noted"
"""Session key of the time when it was last recorded, in seconds since 1970."""
SECONDS_BETWEEN_RECORDS = 300  # seconds between two records of one session
LONGEST_AGENT = 300  # characters


def note(request: HttpRequest, user: User) -> None:
    """Record that this session is alive, with its address and device."""
    if not request.session.session_key:
        request.session.save()
    now = timezone.now()
    seen = SignIn(
        session_id=request.session.session_key or "",
        person=user,
        address=client_address.of(request.META),
        device=request.META.get("HTTP_USER_AGENT", "").replace("\x00", "")[:LONGEST_AGENT],
        since=now,
        last_seen=now,
    )
    changing = ["person", "address", "device", "last_seen"]
    try:
        with transaction.atomic():
            SignIn.objects.bulk_create([seen], update_conflicts=True, unique_fields=["session"], update_fields=changing)
    except IntegrityError:  # the session was ended elsewhere meanwhile
        return
    request.session[NOTED] = int(time.time())


def is_due(request: HttpRequest) -> bool:
    """Whether it is time to record this session again."""
    return not 0 <= time.time() - request.session.get(NOTED, 0) < SECONDS_BETWEEN_RECORDS


def of(user: User) -> QuerySet[SignIn]:
    """The person's sign-ins that have not expired, the one seen last first: one query."""
    living = SignIn.objects.filter(person=user, session__expire_date__gt=timezone.now())
    return living.order_by("-last_seen", "-pk")


def end(*, user: User, number: int) -> bool:
    """End one of the person's sign-ins. Returns False when they have none with that number."""
    found = SignIn.objects.filter(person=user, pk=number).first()
    if found is None:
        return False
    Session.objects.filter(pk=found.session_id).delete()
    return True


@transaction.atomic
def end_others(request: HttpRequest) -> None:
    """End every sign-in of the person except this one, also those that were never recorded.

    Sessions depend on the account's password hash. Nobody has a password here, so a new unusable one ends them all.
    """
    user: User = request.user  # type: ignore[assignment]
    since = SignIn.objects.filter(session_id=request.session.session_key).values_list("since", flat=True).first()
    user.set_unusable_password()
    user.save(update_fields=["password"])
    Session.objects.filter(sign_in__person=user).exclude(pk=request.session.session_key).delete()
    update_session_auth_hash(request, user)
    note(request, user)
    if since:
        SignIn.objects.filter(session_id=request.session.session_key).update(since=since)


def one_at_a_time(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view whose POST counts in the session. The POST waits for others of its session, reads the session
    again, and stores it before the next one begins. Without a stored session it does not wait.
    """

    @wraps(view)
    def locked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        key = request.session.session_key
        if request.method != "POST" or key is None:
            return view(request, *args, **kwargs)
        with transaction.atomic():
            Session.objects.select_for_update().filter(session_key=key).first()
            request.session = type(request.session)(key)
            answer = view(request, *args, **kwargs)
            if request.session.session_key == key and request.session.modified:
                request.session.save()
                request.session.modified = False  # the middleware stores it later, over what the next request counts
        return answer

    return locked

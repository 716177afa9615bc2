"""Guests: strangers who drive without an account, as one row of the table of people that the session names.

A guest is made by the post that begins a stage, never by a look at a page. Only the pages that `admit` names see the
guest as their user, and only where the guest may be there: everywhere else the visitor is anonymous. When the visitor
signs in or signs up in the same browser, what the guest has driven becomes the person's (`take_along`). Otherwise it is
deleted some days after the last post (RETENTION_DAYS). A visitor whose session has expired is a stranger again.

A visitor who begins in two tabs at the same moment, before either has an answer, is two guests. The session keeps the
later one; the other is deleted like everybody who does not come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from championship.accounts.models import User
from championship.accounts.services import guests as services
from championship.platform.web import client_address

KEPT = "accounts_guest"
"""Session key of the guest's primary key."""

Admits = Callable[[int, Mapping[str, Any]], bool]
"""Whether the guest with that primary key may be on the page with these arguments of its address."""

_pages: dict[str, Admits] = {}


def admit(names: Iterable[str], admits: Admits = lambda _guest, _arguments: True) -> None:
    """Let guests be the user of the views with these names, where `admits` says so. `admits` may make one query."""
    _pages.update(dict.fromkeys(names, admits))


def pages() -> frozenset[str]:
    """The names of all views that may see a guest."""
    return frozenset(_pages)


def is_page(name: str) -> bool:
    return name in _pages


def user_of(request: HttpRequest, name: str, arguments: Mapping[str, Any]) -> User | AnonymousUser:
    """The user of a page for guests: the person who has signed in, else the visitor's guest where the page admits it,
    else nobody. Two queries for a guest, none more for others.
    """
    user: User | AnonymousUser = get_user(request)  # kept on the request
    if user.is_authenticated or KEPT not in request.session:
        return user
    if not _pages[name](request.session[KEPT], arguments):
        return user
    return guest_of(request) or user


def guest_of(request: HttpRequest) -> User | None:
    """The visitor's guest, on any page. None for people who have signed in, and for a guest that has been deleted. One
    query at most for each request.
    """
    if not hasattr(request, "guest"):
        own = None if get_user(request).is_authenticated else request.session.get(KEPT)
        found = None if own is None else User.objects.filter(pk=own, is_guest=True).first()
        request.guest = found  # type: ignore[attr-defined]
    guest: User | None = request.guest  # type: ignore[attr-defined]
    return guest


def guest_for(request: HttpRequest) -> User:
    """The visitor's guest. A visitor without one gets a new one, in this session.

    Raises: TooManyGuests when the network has begun too often, or when the service has as many guests as it takes.
    """
    guest = guest_of(request)
    if guest is None:
        language = (translation.get_language() or "en").split("-")[0]
        guest = services.make_guest(network=client_address.network_of(request.META), language=language)
        request.session[KEPT] = guest.pk
        request.guest = guest  # type: ignore[attr-defined]
    return guest


def with_wait(answer: HttpResponse, refusal: Exception | None) -> HttpResponse:
    """The answer, with a Retry-After header where the refusal says how long to wait."""
    if isinstance(refusal, services.TooManyFromHere):
        answer["Retry-After"] = str(refusal.seconds)
    return answer


def take_along(request: HttpRequest, person: User) -> bool:
    """Give the person who has just signed in what the visitor drove as a guest. Returns whether there was something."""
    own = request.session.pop(KEPT, None)
    request.guest = None  # type: ignore[attr-defined]
    return own is not None and services.take_along(guest_id=own, person=person)

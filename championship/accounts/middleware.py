"""Shows pages in the reader's language and time zone, and records that sessions are alive. Limits what people may send
who have not signed in: how often from one network, and how much at once.

A proxy limits requests too, but Caddy has no such limit. This one holds behind every proxy and without any. It decides
before the body is read. Signing in has tighter limits of its own (settings/base.py), and so has the API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from championship.accounts import guests
from championship.accounts.rate_limit_answers import in_words
from championship.accounts.services import sessions
from championship.accounts.zones import zone
from championship.platform import counting
from championship.platform.bounded_input import whole_number
from championship.platform.database_timeouts import API
from championship.platform.web import client_address
from championship.platform.web.request_values import RequestValue

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
WINDOW = 60
"""Seconds in which the posts of one network are counted together."""
READING: RequestValue[ExitStack] = RequestValue("reading")
"""What ends when a request is answered. It is left on the request until it is known whether the view needs the user."""


@contextmanager
def as_chosen(request: HttpRequest) -> Iterator[None]:
    """Activate the language and time zone that a signed-in person has chosen. Loading the person takes two queries."""
    with ExitStack() as reading:
        if request.user.is_authenticated and not request.user.is_guest:
            request.LANGUAGE_CODE = request.user.language
            reading.enter_context(translation.override(request.user.language))
            reading.enter_context(timezone.override(zone(request.user.time_zone)))
        yield


class SignInMiddleware:
    """Records from time to time that a session is alive (sessions.py). It costs nothing if the view loaded no user."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        user = getattr(request, "_cached_user", None)  # set only if the user was loaded
        if user is None or not user.is_authenticated or SESSION_KEY not in request.session:
            return response
        if sessions.is_due(request):
            sessions.note(request, user)
        return response


class GuestMiddleware:
    """Makes a visitor who drives as a guest the request's user, on the pages for guests only (guests.py). Everywhere
    else the visitor is anonymous. A page that does not look at its user makes no query for this.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        name = request.resolver_match.view_name if request.resolver_match else ""
        if guests.is_page(name):
            request.user = SimpleLazyObject(lambda: guests.user_of(request, name, kwargs))  # type: ignore[assignment]


class ReaderMiddleware:
    """Activates the language and time zone that a signed-in person has chosen.

    Others keep UTC and the browser's language, which Django's LocaleMiddleware has activated. For a page that polls for
    news (platform/polling.py) the middleware does not load the user: the decorator does it itself when there is news.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with ExitStack() as reading:
            if "If-None-Match" in request.headers:  # the view may answer with 304 and not need the user
                READING.put(request, reading)
            else:
                reading.enter_context(as_chosen(request))
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or "en")
            return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Load the user after all, unless the view, which is known now, does it itself."""
        needs_user = getattr(view, "needs_user", True) and settings.SESSION_COOKIE_NAME in request.COOKIES
        reading = READING.of(request)
        if reading is not None and needs_user:
            reading.enter_context(as_chosen(request))


class AnonymousPostsMiddleware:
    """Refuses a post of somebody who has not signed in: 413 when it is too large, 429 when there were too many."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        limited = request.method not in SAFE and not request.path_info.startswith(API)
        if not limited or request.user.is_authenticated:
            return self.get_response(request)
        length = whole_number(request.META.get("CONTENT_LENGTH") or "0")
        if length is None or length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return _too_large(request)
        counted = counting.count(f"anonymous-posts-{client_address.network_of(request.META)}", window=WINDOW)
        if counted.used > settings.ANONYMOUS_POSTS_A_MINUTE:
            return _too_many(request, counted.seconds)
        return self.get_response(request)


def _too_large(request: HttpRequest) -> HttpResponse:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    context = {"message": _("What you sent is too large. Sign in first, then send it again."), "status": int(status)}
    return render(request, "refused.html", context, status=status)


def _too_many(request: HttpRequest, seconds: int) -> HttpResponse:
    answer = render(request, "429.html", {"wait": in_words(seconds)}, status=HTTPStatus.TOO_MANY_REQUESTS)
    answer["Retry-After"] = str(seconds)
    return answer

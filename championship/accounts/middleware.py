"""Pages are shown in the reader's language and the reader's time zone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from championship.accounts import sessions
from championship.accounts.zones import zone


@contextmanager
def as_chosen(request: HttpRequest) -> Iterator[None]:
    """Language and time zone as a signed-in person has chosen; to know who that is takes two queries."""
    with ExitStack() as reading:
        if request.user.is_authenticated:
            request.LANGUAGE_CODE = request.user.language
            reading.enter_context(translation.override(request.user.language))
            reading.enter_context(timezone.override(zone(request.user.time_zone)))
        yield


class SignInMiddleware:
    """Note now and then that a session is alive (sessions.py); a page that did not ask who reads it costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        user = getattr(request, "_cached_user", None)  # known already, or not asked for
        if user is None or not user.is_authenticated or SESSION_KEY not in request.session:
            return response
        if sessions.is_due(request):
            sessions.note(request, user)
        return response


class ReaderMiddleware:
    """Activate what a signed-in person has chosen.

    Others keep the browser's language, which Django's LocaleMiddleware has activated, and UTC. A page that only asks
    whether something is new (championship.polling) is not asked who reads it; it looks itself when there is news.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with ExitStack() as reading:
            if "If-None-Match" in request.headers:  # the view may be able to tell whether that is still the newest
                request.reading = reading  # type: ignore[attr-defined]
            else:
                reading.enter_context(as_chosen(request))
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or "en")
            return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Now it is known which view answers."""
        asks = getattr(view, "asks_who_reads", True) and settings.SESSION_COOKIE_NAME in request.COOKIES
        if hasattr(request, "reading") and asks:
            request.reading.enter_context(as_chosen(request))

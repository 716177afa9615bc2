"""Pages are shown in the reader's language and the reader's time zone."""

from collections.abc import Callable
from contextlib import ExitStack

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from championship.accounts.zones import zone


class ReaderMiddleware:
    """Activate what a signed-in person has chosen.

    Others keep the browser's language, which Django's LocaleMiddleware has activated, and UTC.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with ExitStack() as reading:
            if request.user.is_authenticated:
                request.LANGUAGE_CODE = request.user.language
                reading.enter_context(translation.override(request.user.language))
                reading.enter_context(timezone.override(zone(request.user.time_zone)))
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or "en")
            return response

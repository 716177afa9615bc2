"""Limits what people may send who have not signed in: how often from one network, and how much at once.

A proxy limits requests too, but Caddy has no such limit. This one holds behind every proxy and without any. It decides
before the body is read. Signing in has tighter limits of its own (rate_limits.py), and so has the API.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from championship.accounts.rate_limit_answers import in_words
from championship.platform import counting
from championship.platform.bounded_input import whole_number
from championship.platform.database_timeouts import API
from championship.platform.web import client_address

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
WINDOW = 60
"""Seconds."""


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

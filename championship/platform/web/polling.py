"""Pages that poll for news: as long as nothing is new, the response is a 304 after one light query.

A page carries the tag of the state that it shows. Its script sends the tag back in If-None-Match. The server reads the
user only when there is news. The tag depends on the reader's session, so it is of no use to anybody else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from http import HTTPStatus
from typing import Any, Protocol, cast

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.http import parse_etags
from django.utils.translation import get_language

from championship.platform.web.request_values import RequestValue

View = Callable[..., HttpResponse]
NEWS_TAG: RequestValue[str] = RequestValue("news_tag")
"""The tag of the state that a page shows. Templates read it."""


class PolledView(Protocol):
    """A view with the mark that a middleware reads (accounts/middleware.py): whether the user must be loaded before."""

    needs_user: bool

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer the request."""


def _as_is(_request: HttpRequest) -> AbstractContextManager[None]:
    return nullcontext()


_reader: Callable[[HttpRequest], AbstractContextManager[None]] = _as_is


def register_reader(as_chosen: Callable[[HttpRequest], AbstractContextManager[None]]) -> None:
    """Set what activates the language and the time zone of a request's reader."""
    global _reader
    _reader = as_chosen


def tag(request: HttpRequest, validators: Any) -> str:
    """The weak ETag of a page, from `validators` (any JSON value), the reader and the language."""
    reader = (
        request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""),
        request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""),
        request.headers.get("Accept-Language", ""),
    )
    said = json.dumps([reader, validators], cls=DjangoJSONEncoder, sort_keys=True)
    return f'W/"{salted_hmac("championship.platform.web.polling", said, algorithm="sha256").hexdigest()[:32]}"'


def bare(news_tag: str) -> str:
    """A tag without its quotes, for a header that says which state of the page a reader has."""
    return news_tag.removeprefix('W/"').removesuffix('"')


def polled(validators: Callable[..., Any]) -> Callable[[View], View]:
    """Decorates a view whose page polls for news. `validators` takes the view's arguments and costs one query. It
    returns None where there is nothing to poll for.

    The page finds the tag in `request.news_tag`. The tag is computed before the view reads, so the next poll reports a
    change in between. This must be the outermost decorator of a view: a reader who knows the tag has got the page.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            found = validators(request, *args, **kwargs) if request.method == "GET" else None
            if found is not None:
                news_tag = tag(request, found)
                if news_tag in parse_etags(request.headers.get("If-None-Match", "")):
                    return _not_modified(news_tag)
                NEWS_TAG.put(request, news_tag)
            with _reader(request):
                response = view(request, *args, **kwargs)
                response.headers["Content-Language"] = get_language() or "en"
                return response

        polled_view = cast(PolledView, answer)
        polled_view.needs_user = False
        return polled_view

    return decorate


def _not_modified(news_tag: str) -> HttpResponse:
    response = HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": news_tag})
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ("Cookie", "Accept-Language"))
    return response

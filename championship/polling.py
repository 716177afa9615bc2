"""Pages that ask again and again whether something is new: 304 by one light query as long as nothing is.

A page carries the tag of what it shows. Its script sends the tag back in If-None-Match; who asks is looked at only
when there is news. The tag is keyed with the asker's session, so it says nothing to anybody else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.http import parse_etags
from django.utils.translation import get_language

from championship.accounts.middleware import as_chosen

View = Callable[..., HttpResponse]


def tag(request: HttpRequest, validators: Any) -> str:
    """The weak ETag of a page: `validators`, anything JSON can say, and who reads it in which language."""
    reader = (
        request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""),
        request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""),
        request.headers.get("Accept-Language", ""),
    )
    said = json.dumps([reader, validators], cls=DjangoJSONEncoder, sort_keys=True)
    return f'W/"{salted_hmac("championship.polling", said, algorithm="sha256").hexdigest()[:32]}"'


def bare(news_tag: str) -> str:
    """A tag without its quotes, for a header that says which page a reader has."""
    return news_tag.removeprefix('W/"').removesuffix('"')


def polled(validators: Callable[..., Any]) -> Callable[[View], View]:
    """A view whose page asks what is new. `validators` takes what the view takes and costs one query; None where
    there is nothing to ask about.

    A page finds its tag in `request.news_tag`, taken before the view reads: what happens in between is told the next
    time. Outermost of a view's decorators: who knows the tag has had the page.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            found = validators(request, *args, **kwargs) if request.method == "GET" else None
            if found is not None:
                news_tag = tag(request, found)
                if news_tag in parse_etags(request.headers.get("If-None-Match", "")):
                    return _nothing_new(news_tag)
                request.news_tag = news_tag  # type: ignore[attr-defined]
            with as_chosen(request):
                response = view(request, *args, **kwargs)
                response.headers["Content-Language"] = get_language() or "en"
                return response

        answer.asks_who_reads = False  # type: ignore[attr-defined]
        return answer

    return decorate


def _nothing_new(news_tag: str) -> HttpResponse:
    response = HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": news_tag})
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ("Cookie", "Accept-Language"))
    return response

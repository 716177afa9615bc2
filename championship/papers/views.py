"""Downloads of results: PDF, CSV, PNG. A repeated request gets 304 until the results change.

Papers of small rallies are rendered in the request. A worker renders those of big ones once (services.py); until
then the response is a page that polls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language, override
from django.views.decorators.http import condition, require_safe

from championship.clubs import visibility
from championship.papers import kinds as paper_kinds
from championship.papers import services as paper_cache
from championship.papers import waiting
from championship.papers.kinds import KINDS, PaperRequest
from championship.papers.limits import over_limit, too_many_requests
from championship.platform.web import htmx
from championship.platform.web.request_values import RequestValue
from championship.rallies import selectors
from championship.rallies.models import Rally

View = Callable[..., HttpResponse]
PREVIEW_FRESH = 300
"""The seconds for which a preview of the podium may be cached without revalidation."""


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """What the check before a view has read for it: the rally, and what the paper is made of; "" if that is unknown."""

    rally: Rally
    tag: str


FOUND: RequestValue[FoundPaper] = RequestValue("found_paper")


def etag(request: HttpRequest, requested: PaperRequest, **_where: Any) -> str | None:
    """Return the ETag of a paper; three queries, and two more at most when the club is for members only.

    Django calls this before the view. It checks the reader, because a 304 also reveals that the paper exists.

    Raises: Http404 when there is no such rally, or when the reader may not see it.
    Raises: NotYet when the reader may not see it and has not signed in.
    """
    rally = selectors.rally_by_key(requested.key, request.user)
    tag = paper_kinds.tag_of(requested)
    FOUND.put(request, FoundPaper(rally, tag or ""))
    return None if tag is None else f'"{tag}"'


def paper(kind: str) -> View:
    """Make the view of a paper: GET and HEAD, with 304. Browsers cache it but revalidate each time; a picture whose URL
    names a language may be cached for PREVIEW_FRESH. A table has the delimiter that its URL names, as in DELIMITERS.
    """

    @require_safe
    def answer(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
        asked = f"{kind}, {request.GET.get('delimiter', '')}"
        with override(_language(request, kind)):
            return _answer(request, paper_kinds.paper_request(key, asked if asked in KINDS else kind, number))

    return answer


def _language(request: HttpRequest, kind: str) -> str:
    """The reader's language, or the one in a picture's URL, because previews are loaded without a reader."""
    return _named_language(request, kind) or get_language() or "en"


def _named_language(request: HttpRequest, kind: str) -> str:
    """The language in a picture's URL; "" for none."""
    asked = request.GET.get("lang", "") if kind == "podium" else ""
    return asked if asked in dict(settings.LANGUAGES) else ""


@condition(etag_func=etag)
def _answer(request: HttpRequest, requested: PaperRequest) -> HttpResponse:
    asked = FOUND.of(request)
    assert asked is not None, "Django calls etag before the view"
    if paper_cache.is_big(requested.key):
        found = paper_cache.kept(requested, asked.tag)
        if found is None:
            return _waiting_page(request, requested, asked)
        if htmx.details(request):
            return waiting.ready(request, f'"{found.made_of}"')
        response = _file(bytes(found.content or b""), requested.kind, asked.rally.name)
        response["ETag"] = f'"{found.made_of}"'
    elif over_limit(request):
        return too_many_requests(request)
    else:
        response = _file(paper_kinds.make(requested), requested.kind, asked.rally.name)
    if requested.kind == "podium":
        response["Cross-Origin-Resource-Policy"] = "cross-origin"  # previews of links show it on other sites
    if _named_language(request, requested.kind) and visibility.may_see(asked.rally.club, AnonymousUser()):
        patch_cache_control(response, public=True, max_age=PREVIEW_FRESH)
    else:  # in the reader's language: a shared cache must not serve it to another reader
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ("Cookie", "Accept-Language"))
    return response


def _waiting_page(request: HttpRequest, requested: PaperRequest, asked: FoundPaper) -> HttpResponse:
    """The page that waits for the paper, or the part of it that polls."""
    if requested.stage is not None:
        selectors.refuse_unknown_stage(requested.key, requested.stage)
    if not paper_cache.is_queued(requested) and over_limit(request):
        return too_many_requests(request)
    return waiting.page(
        request,
        of=asked.rally.name,
        title=KINDS[requested.kind].title,
        back=asked.rally.get_absolute_url(),
        back_words=asked.rally.words.back_to_event,
        failed=not paper_cache.enqueue(requested, asked.tag),
    )


def _file(content: bytes, kind: str, rally_name: str) -> HttpResponse:
    """A download that is named after the rally. The picture is shown inline instead."""
    known = KINDS[kind]
    headers = {}
    if kind != "podium":
        names = (slugify(rally_name, allow_unicode=True)[:60], slugify(str(known.title), allow_unicode=True))
        name = "-".join(part for part in names if part)
        headers["Content-Disposition"] = content_disposition_header(True, f"{name}.{known.ending}") or "attachment"
    return HttpResponse(content, content_type=known.content_type, headers=headers)


sheet_pdf = paper("sheet")
results_pdf = paper("results")
start_list_pdf = paper("start list")
results_csv = paper("table")
results_xlsx = paper("workbook")
podium_png = paper("podium")

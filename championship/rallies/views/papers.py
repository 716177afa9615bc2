"""Results to take along: PDF, CSV. Asked for again, they are sent again only when the results have changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_safe

from championship.rallies import news, officials, printing, selectors, tabling
from championship.rallies.results import Results, results_of
from championship.rallies.sheet import sheets_of

View = Callable[..., HttpResponse]
FORM = 1
"""Counted up when papers look different for the same results."""


def etag(request: HttpRequest, key: str, **where: Any) -> str | None:
    """The tag of what is made of a rally's results, in the language it is made in; one query."""
    found = news.of_rally(request, key)
    if found is None:
        return None
    said = json.dumps([FORM, get_language(), request.path, found], cls=DjangoJSONEncoder, sort_keys=True)
    return f'"{hashlib.sha256(said.encode()).hexdigest()[:32]}"'


def paper(view: View) -> View:
    """A file made of results: GET and HEAD, 304 for who has it, kept by browsers but asked for each time."""

    @require_safe
    @condition(etag_func=etag)
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ("Cookie", "Accept-Language"))
        return response

    return answer


def _results(key: str) -> Results:
    return results_of(selectors.rally_by_key(key))


def _file(content: bytes | str, kind: str, rally_name: str, what: str, ending: str) -> HttpResponse:
    """A download that is named after the rally."""
    names = (slugify(rally_name, allow_unicode=True)[:60], slugify(what, allow_unicode=True))
    name = "-".join(part for part in names if part)
    disposition = content_disposition_header(True, f"{name}.{ending}") or "attachment"
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": disposition})


@paper
def sheet_pdf(request: HttpRequest, key: str) -> HttpResponse:
    """The rally sheet on A4 across."""
    results = _results(key)
    content = printing.sheet_pdf(results, sheets_of(results))
    return _file(content, "application/pdf", results.rally.name, _("Rally sheet"), "pdf")


@paper
def results_pdf(request: HttpRequest, key: str) -> HttpResponse:
    """Classifications, stage times, what officials did."""
    results = _results(key)
    content = printing.results_pdf(results, officials.acts_of(results))
    return _file(content, "application/pdf", results.rally.name, _("Results"), "pdf")


@paper
def start_list_pdf(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """The start list of that stage, or of the one that is or comes next."""
    results = _results(key)
    stage = selectors.stage_in(results, number)
    content = printing.start_list_pdf(results, stage, selectors.start_list(stage, results))
    return _file(content, "application/pdf", results.rally.name, _("Start list"), "pdf")


@paper
def results_csv(request: HttpRequest, key: str) -> HttpResponse:
    """Stage times, penalties and the overall classification for spreadsheets."""
    results = _results(key)
    content = tabling.results_csv(results, officials.acts_of(results))
    return _file(content, "text/csv; charset=utf-8", results.rally.name, _("Results"), "csv")

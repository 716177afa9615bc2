"""Pictures of results, for previews of links."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language, override
from django.views.decorators.http import condition, require_safe

from championship.rallies import pictures, selectors
from championship.rallies.results import results_of
from championship.rallies.views.papers import etag

FRESH = 300
"""Seconds for which a preview may be shown again unasked."""


@require_safe
def podium(request: HttpRequest, key: str) -> HttpResponse:
    """The podium as a picture, in the language that `lang` names, or the reader's."""
    asked = request.GET.get("lang", "")
    with override(asked if asked in dict(settings.LANGUAGES) else get_language()):
        return _podium(request, key)


@condition(etag_func=etag)
def _podium(request: HttpRequest, key: str) -> HttpResponse:
    results = results_of(selectors.rally_by_key(key))
    response = HttpResponse(pictures.podium_png(results), content_type="image/png")
    patch_cache_control(response, public=True, max_age=FRESH)
    return response

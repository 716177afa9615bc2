"""Who is likely to win a rally or a season, for spectators."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.rallies import selectors as rallies
from championship.runs.pages.forecast_views import charts_of, in_percent
from championship.seasons import selectors
from championship.seasons.chances.selectors import TitleForecasts, of_rally, of_season
from championship.seasons.views.public import page_context


@require_safe
def rally(request: HttpRequest, key: str) -> HttpResponse:
    """Show the chance of each driver to win a rally, and how it changed from stage to stage."""
    shown = rallies.rally_by_key(key, request.user)
    found = of_rally(shown, request.user)
    context = {
        "rally": shown,
        "kicker": shown.title,
        "crumbs": [(shown.title, shown.get_absolute_url()), (_("Who will win?"), None)],
        **_of(found),
    }
    return render(request, "seasons/chances.html", context)


@require_safe
def season(request: HttpRequest, key: str) -> HttpResponse:
    """Show the chance of each driver to win a season, and how it changed."""
    shown = selectors.championship_by_key(key, request.user)
    found = of_season(shown, request.user)
    here = _("Who will win?")
    context = {**page_context(request.user, shown, "chances", here, here), **_of(found)}
    return render(request, "seasons/chances.html", context)


def _of(found: TitleForecasts) -> dict[str, Any]:
    """Return what both pages show."""
    return {
        "found": found,
        "lines": [(one, in_percent(one.now, found.simulations)) for one in found.drivers],
        "error": max(1, round(found.error / 10)),
        "charts": charts_of(found.curves) if found.curves else (),
    }

"""Details of a place on the map of a run, by a tap on the map or by a link."""

from __future__ import annotations

from http import HTTPStatus
from math import isfinite

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from championship import catalogue
from championship.platform.web import htmx
from championship.runs import run_pages
from championship.runs.watch import selectors


@require_safe
def at(request: HttpRequest, key: str) -> HttpResponse:
    """Show what is at the point `x`, `y` of the map, in the map's own units. 204 where there is nothing, 404 for an
    invalid point.
    """
    found = selectors.run_by_key(key, request.user)
    try:
        x, y = (float(request.GET.get(axis, "")) for axis in "xy")
    except ValueError as error:
        raise Http404 from error
    if not (isfinite(x) and isfinite(y)):
        raise Http404
    page = selectors.run_scene(found, request.user)
    name = run_pages.get(found.game).place_at(page, x, y)
    return _shown(request, page, name) if name else HttpResponse(status=HTTPStatus.NO_CONTENT)


@require_safe
def place(request: HttpRequest, key: str, place: str) -> HttpResponse:
    """Show a place by its name."""
    found = selectors.run_by_key(key, request.user)
    return _shown(request, selectors.run_scene(found, request.user), place)


def _shown(request: HttpRequest, page: selectors.RunPage, name: str) -> HttpResponse:
    """Render the place, alone for a page that puts it beside its map, otherwise as a page of its own."""
    placed = run_pages.get(page.run.game).place(page, name)
    if placed is None:
        raise Http404
    context = {
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "placed": placed,
        "assets": catalogue.get(page.run.game).assets,
        "frame": "runs/bare_place.html" if htmx.details(request) else "base.html",
        "crumbs": [*selectors.crumbs(page.run, linked=True), (placed.title, None)],
        **placed.context,
    }
    return render(request, "runs/place.html", context)

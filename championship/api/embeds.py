"""Pages that other sites may embed in a frame: the standings, a rally in its current state, its podium; and an overlay
for streams.

They are rendered for an anonymous user, so they show only what everybody with the link may see. oEmbed returns the
frame for a link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from championship.clubs.services.public_profile import public_club
from championship.platform.bounded_input import whole_number
from championship.platform.web import headers
from championship.rallies import selectors as rallies
from championship.rallies.results.classification import Line, on_podium
from championship.seasons import selectors as seasons

LINES, MOST_LINES = 10, 100
FRESH = 30
"""Seconds for which any cache may keep such a page. An overlay is also reloaded after this time. That disturbs nobody,
because an overlay is not read with a keyboard.
"""
THEMES = ("light", "dark", "overlay")
WIDTH, HEIGHT = 480, 420
FRAMED = {"rallies:rally": "api:embed_rally", "rallies:podium": "api:embed_podium"}
FRAMED |= {"rallies:stage": "api:embed_rally", "seasons:championship": "api:embed_standings"}
FRAMED |= {"rallies:overall": "api:embed_rally", "clubs:club": "api:embed_club"}
"""Pages that oEmbed accepts, and the page that is framed in place of each."""

View = Callable[..., HttpResponse]


def framed(view: View) -> View:
    """Decorate a page that any site may embed. Everybody gets the same page."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.user = AnonymousUser()
        made = headers.replace_in_policy(view(request, *args, **kwargs), {"frame-ancestors": ["*"]})
        made["Cross-Origin-Resource-Policy"] = "cross-origin"
        made["Cache-Control"] = f"public, max-age={FRESH}"
        return made

    return xframe_options_exempt(require_safe(answer))


@framed
def standings(request: HttpRequest, key: str) -> HttpResponse:
    """Show the drivers' table of a championship."""
    shown = seasons.championship_by_key(key, AnonymousUser())
    lines = seasons.table(shown).drivers[: _lines(request)]
    rows = [(line.place, str(line.who), line.total) for line in lines]
    return _page(request, shown.name, "", rows, shown.get_absolute_url(), _("Points"))


@framed
def rally(request: HttpRequest, key: str) -> HttpResponse:
    """Show a rally in its current state: the stage that is being driven, or the overall classification."""
    page = rallies.rally_page(rallies.rally_by_key(key, AnonymousUser()), AnonymousUser())
    live = page.stage.status in rallies.OPEN
    lines = page.results.stage_lines(page.stage.number) if live else page.results.overall
    rows = [(line.place, _crew(line), line.total_in_words) for line in lines[: _lines(request)]]
    title = page.stage.title if live else _("Overall")
    head = lines[0].head if lines else ""
    return _page(request, page.rally.title, title, rows, page.rally.get_absolute_url(), head)


@framed
def podium(request: HttpRequest, key: str) -> HttpResponse:
    """Show the first three of a rally."""
    page = rallies.rally_page(rallies.rally_by_key(key, AnonymousUser()), AnonymousUser())
    lines = on_podium(page.results.overall)
    rows = [(line.place, _crew(line), line.total_in_words) for line in lines]
    head = lines[0].head if lines else ""
    return _page(request, page.rally.title, _("Podium"), rows, reverse("rallies:podium", args=[key]), head)


@framed
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rallies of a public club: what is driven, what comes, what was driven last."""
    shown = public_club(slug)
    rows = [
        (None, rally.name, rally.get_status_display()) for rally in rallies.rallies_of_club(shown)[: _lines(request)]
    ]
    return _page(request, shown.name, _("Rallies"), rows, shown.get_absolute_url(), "", placed=False)


def _crew(line: Line) -> str:
    """Return start number and crew, with a note when the codriver has driven the car."""
    return f"{line.entry} ({_('codriver')})" if line.given_to_codriver else str(line.entry)


def _lines(request: HttpRequest) -> int:
    return min(whole_number(request.GET.get("lines", ""), digits=4) or LINES, MOST_LINES)


def _page(
    request: HttpRequest, name: str, title: str, rows: Sequence[tuple[int | None, str, Any]], address: str, head: str,
    *, placed: bool = True,
) -> HttpResponse:  # fmt: skip
    theme = request.GET.get("theme", "")
    context = {
        "name": name,
        "title": title,
        "rows": rows,
        "head": head,
        "placed": placed,
        "address": request.build_absolute_uri(address),
        "theme": theme if theme in THEMES else "",
    }
    answer = render(request, "api/embed.html", context)
    if theme == "overlay":
        answer["Refresh"] = str(FRESH)
    return answer


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """Return the frame for a link to a rally or a championship (oEmbed 1.0, JSON).

    Raises: Http404 when the address is of another site, or of a page that cannot be framed.
    """
    if request.GET.get("format", "json") != "json":
        return JsonResponse({"error": "json only"}, status=501)
    try:
        wanted = urlsplit(request.GET.get("url", "")[:2000])
        found = resolve(wanted.path)
    except (Resolver404, ValueError):
        raise Http404 from None
    if wanted.netloc != request.get_host() or found.view_name not in FRAMED:
        raise Http404
    [key] = [found.kwargs[name] for name in ("key", "slug") if name in found.kwargs]
    name = _name_of(FRAMED[found.view_name], key)
    width, height = _at_most(request, "maxwidth", WIDTH), _at_most(request, "maxheight", HEIGHT)
    source = request.build_absolute_uri(reverse(FRAMED[found.view_name], args=[key]))
    frame = (
        f'<iframe src="{escape(source)}" width="{width}" height="{height}" title="{escape(name)}" '
        'style="border:0" loading="lazy"></iframe>'
    )
    document: dict[str, Any] = {"version": "1.0", "type": "rich", "title": name, "provider_name": "Parc Fermé"}
    document |= {"html": frame, "width": width, "height": height, "cache_age": 3600}
    answer = JsonResponse(document)
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


def _name_of(frame: str, key: str) -> str:
    """The name of what a frame shows, for everybody.

    Raises: Http404 when there is no such thing that everybody may see.
    """
    if frame == "api:embed_club":
        return public_club(key).name
    if frame == "api:embed_standings":
        return seasons.championship_by_key(key, AnonymousUser()).name
    return rallies.rally_by_key(key, AnonymousUser()).title


def _at_most(request: HttpRequest, name: str, default: int) -> int:
    return max(120, min(default, whole_number(request.GET.get(name, ""), digits=6) or default))

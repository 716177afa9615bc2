"""What belongs to no app: the landing page, robots.txt, the language switch under every page, the variables of every
template, and what a browser needs to install the service as an app.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import check_for_language
from django.utils.translation import gettext as _
from django.views import i18n
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from championship import catalogue
from championship.accounts import guests
from championship.accounts.services import update_profile
from championship.clubs.selectors import has_duties
from championship.platform.version import __version__
from championship.platform.web import headers
from championship.runs.watch import practice
from championship.runs.watch.my_turns import waiting_for
from championship.seasons.finished import anything_unseen

CLOSED_TO_ROBOTS = (
    *("/account/", "/admin/", "/api/", "/ask/", "/calendar/", "/join/", "/mail/", "/me/", "/operator/", "/practice/"),
    *("/report/", "/turns/"),
)

PAPER, EARTH = "#ece3d2", "#1e1812"
"""Colours of the installed app while it starts, and of its bar, as in static/css/tokens.css."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Redirect signed-in people to their turns, and officials without a turn to their own page. Show others the landing
    page.
    """
    if request.user.is_authenticated:
        mine = waiting_for(request.user) or anything_unseen(request.user)
        idle = has_duties(request.user) and not mine
        return redirect("stewards:organising" if idle else "runs:mine")
    headers.allow_indexing(request)
    guest = guests.guest_of(request)
    context = {
        "taught": [catalogue.get(name) for name in practice.taught_games()],
        "under_way": None if guest is None else practice.under_way(guest),
    }
    return render(request, "home.html", context)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """The paths that crawlers must skip. For other pages the X-Robots-Tag header says whether they may be indexed."""
    rules = "".join(f"Disallow: {path}\n" for path in CLOSED_TO_ROBOTS)
    return HttpResponse(f"User-agent: *\n{rules}", "text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=24 * 60 * 60)
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest in the language `lang`. Browsers fetch it without cookies."""
    language = request.GET.get("lang", "")
    icon = {"src": static("icons/icon-192.png"), "sizes": "192x192", "type": "image/png"}
    large = {"sizes": "512x512", "type": "image/png"}
    with translation.override(language if check_for_language(language) else "en"):
        said = {
            "id": "/",
            "name": "Parc Fermé",
            "short_name": "Parc Fermé",
            "description": _(
                "Clubs drive rally championships on a board, turn by turn. All drivers play when they have time."
            ),
            "lang": translation.get_language(),
            "dir": "ltr",
            "start_url": reverse("runs:mine"),
            "scope": "/",
            "display": "standalone",
            "background_color": PAPER,
            "theme_color": EARTH,
            "icons": [
                icon,
                {"src": static("icons/icon-512.png"), **large},
                {"src": static("icons/maskable-512.png"), "purpose": "maskable", **large},
                {"src": static("icons/favicon.svg"), "sizes": "any", "type": "image/svg+xml"},
            ],
            "shortcuts": [
                {"name": name, "url": reverse(page), "icons": [icon]}
                for name, page in ((_("My turns"), "runs:mine"), (_("Practice"), "runs:practice"))
            ],
        }
    return JsonResponse(said, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False})


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """What the service worker shows without a connection, where it has no copy of the page."""
    return render(request, "offline.html")


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Switch to another language. It is stored in the profile of a signed-in person, else in a cookie.

    Takes `language` and `next`, the page to return to. A language that the service does not have changes nothing.
    """
    user = request.user
    language = request.POST.get("language", "")
    if user.is_authenticated and check_for_language(language):
        update_profile(user=user, name=user.name, language=language, time_zone=user.time_zone)
    return i18n.set_language(request)


def site(request: HttpRequest) -> dict[str, object]:
    """Returns `demo`: whether this is the demo, which offers one-click logins; `games`: all installed games;
    `game_names`: their names; and `site_version`: the release of Parc Fermé.
    """
    names = list(catalogue.names())
    games = [catalogue.get(name) for name in names]
    return {"demo": settings.DEMO, "games": games, "game_names": names, "site_version": __version__}

"""What belongs to no app: the landing page, robots.txt, the language switch under every page, and the variables of
every template.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import check_for_language
from django.views import i18n
from django.views.decorators.http import require_POST, require_safe

from championship import catalogue
from championship.accounts.services import update_profile
from championship.clubs.selectors import has_duties
from championship.platform.version import __version__
from championship.platform.web import headers
from championship.runs.watch.selectors import waiting_for
from championship.seasons.finished import anything_unseen

CLOSED_TO_ROBOTS = (
    *("/account/", "/admin/", "/api/", "/ask/", "/calendar/", "/join/", "/mail/", "/me/", "/operator/", "/practice/"),
    *("/report/", "/turns/"),
)


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
    return render(request, "home.html")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """The paths that crawlers must skip. For other pages the X-Robots-Tag header says whether they may be indexed."""
    rules = "".join(f"Disallow: {path}\n" for path in CLOSED_TO_ROBOTS)
    return HttpResponse(f"User-agent: *\n{rules}", "text/plain; charset=utf-8")


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

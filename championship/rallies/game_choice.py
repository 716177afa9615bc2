"""Which game a new rally is driven by: the one that the organiser has chosen, else the first that is installed."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from championship import games


def usual_game() -> str:
    """The game of a rally for which nobody has chosen one. Http404 on a site without games."""
    found = games.names()
    if not found:
        raise Http404(_("There is no such game."))
    return found[0]


def chosen_game(request: HttpRequest, usual: str | None = None) -> str:
    """The game that a form or an address names, else `usual`, else the first one. Http404 for one that is not there."""
    name = request.POST.get("game") or request.GET.get("game") or usual or usual_game()
    if name not in games.names():
        raise Http404(_("There is no such game."))
    return name

"""The game of a new rally: the one that the organiser has chosen, else the first installed one."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from championship import catalogue


def default_game() -> str:
    """The default game of a new rally: the first installed one.

    Raises: Http404 when no game is installed.
    """
    found = catalogue.names()
    if not found:
        raise Http404(_("There is no such game."))
    return found[0]


def chosen_game(request: HttpRequest, default: str | None = None) -> str:
    """The game in the form data or in the URL, else `default`, else the first one.

    Raises: Http404 when that game is not installed.
    """
    name = request.POST.get("game") or request.GET.get("game") or default or default_game()
    if name not in catalogue.names():
        raise Http404(_("There is no such game."))
    return name

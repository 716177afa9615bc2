"""The game of a new rally: the one that the organiser has chosen, else the first installed one; and the modes in which
its stages can be driven: in a convoy, on the open road, where each car drives alone, or at the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from championship import catalogue
from championship.rallies.models import Rally
from engine import registry
from engine.contract import Alone, Game, OptionError, offered


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


def modes_of(rules: Game) -> list[tuple[str, Any]]:
    """The modes of a rally that the game supports, with their names. The open road needs the capability `Alone`."""
    alone = offered(rules, Alone) is not None
    return [(mode, name) for mode, name in Rally.Mode.choices if alone or mode != Rally.Mode.OPEN_ROAD]


def default_options(game: str) -> dict[str, Any]:
    """The options of a game with their defaults."""
    return {option.name: option.default for option in registry.get(game).options}


def proposed_options(game: str) -> dict[str, Any]:
    """The options of a game whose value in a new event is another one than their default."""
    return {option.name: option.preselected for option in registry.get(game).options if option.proposed is not None}


def why_not_in_convoy(rules: Game, mode: str, options: Mapping[str, Any]) -> OptionError | None:
    """The error of an option that does not work in a convoy; None when there is no such option."""
    together = mode == Rally.Mode.CONVOY and rules.seats.most > 1
    alone = offered(rules, Alone)
    return alone.needs_alone(options) if together and alone is not None else None

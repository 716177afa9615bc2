"""The options of a game in a club's log: each game's in a group of its own, so that equal names do not mix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.audit.actions import Group
from championship.catalogue import value_words
from engine import registry
from engine.contract import UnknownGame

OPTIONS = "options"
"""The detail with the options in records without the name of the game."""
OPTIONS_OF = "options of "
"""What the name of the detail begins with; the name of the game follows."""


def options_for_log(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The detail of the log that says which options a rally of the game has."""
    return {f"{OPTIONS_OF}{game}": dict(options)}


def options_in_log(detail: str) -> Group | None:
    """The texts for the options in a detail of that name. None for other details, and for a game that is not installed.

    Where the game is not known, each option has the text of the first game that has it.
    """
    if detail == OPTIONS:
        games = registry.names()
    elif detail.startswith(OPTIONS_OF):
        games = (detail.removeprefix(OPTIONS_OF),)
    else:
        return None
    labels, values = dict[str, str](), dict[str, dict[str, str]]()
    try:
        for game in games:
            for option in registry.get(game).options:
                if option.name not in labels:
                    labels[option.name] = _(option.label)
                    values[option.name] = {choice: value_words(game, choice) for choice in option.choices if choice}
    except UnknownGame:
        return None
    return Group(_("options"), labels, values)

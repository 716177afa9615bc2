"""The modes in which a game's stages can be driven: in a convoy, or on the open road, where each car drives alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.rallies.models import Rally
from engine.contract import Alone, Game, OptionError, offered


def modes_of(rules: Game) -> list[tuple[str, Any]]:
    """The modes of a rally that the game supports, with their names. The open road needs the capability `Alone`."""
    alone = offered(rules, Alone) is not None
    return [(mode, name) for mode, name in Rally.Mode.choices if alone or mode != Rally.Mode.OPEN_ROAD]


def why_not_in_convoy(rules: Game, mode: str, options: Mapping[str, Any]) -> OptionError | None:
    """The error of an option that does not work in a convoy; None when there is no such option."""
    together = mode == Rally.Mode.CONVOY and rules.seats.most > 1
    alone = offered(rules, Alone)
    return alone.needs_alone(options) if together and alone is not None else None

"""Which ways to drive a stage a game knows: in a convoy, and on the open road where each car may drive alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from championship.rallies.models import Rally
from engine.contract import Alone, Game, OptionError, offered


def modes_of(rules: Game) -> list[tuple[str, Any]]:
    """The modes of a rally that the game knows, with their names: the open road only where it lets cars drive alone."""
    alone = offered(rules, Alone) is not None
    return [(mode, name) for mode, name in Rally.Mode.choices if alone or mode != Rally.Mode.OPEN_ROAD]


def why_not_in_convoy(rules: Game, mode: str, options: Mapping[str, Any]) -> OptionError | None:
    """The option that does not go with cars on the road together, and why; None where all is well."""
    together = mode == Rally.Mode.CONVOY and rules.seats.most > 1
    alone = offered(rules, Alone)
    return alone.needs_alone(options) if together and alone is not None else None

"""Manners of codrivers: the ways in which the computer can drive an entry's car, when the game offers several."""

from __future__ import annotations

from championship import games
from championship.rallies.models import Entry, Rally
from engine import registry
from engine.contract import Manners, offered


def manners(rally: Rally) -> list[tuple[str, str]]:
    """The manners of the game's codrivers, each with its label; empty when there is no choice."""
    if rally.game not in games.names():
        return []
    several = offered(registry.get(rally.game), Manners)
    called = games.get(rally.game).words.manners
    return [] if several is None else [(name, str(called.get(name, name))) for name in several.manners]


def manner_of(entry: Entry) -> str:
    """The manner for `autopilot`: the one chosen for the entry's codriver; "" for an absent driver, for whom the game
    drives with its own care.
    """
    return entry.manner if entry.driven_by == Entry.DrivenBy.CODRIVER else ""

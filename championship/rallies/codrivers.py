"""Manners of codrivers: how the computer drives an entry's car, where the rally's game offers several."""

from __future__ import annotations

from championship import games
from championship.rallies.models import Entry, Rally
from engine import registry
from engine.contract import Manners, offered


def manners(rally: Rally) -> list[tuple[str, str]]:
    """Each manner of the game's codrivers and what pages call it; nothing where there is no choice."""
    if rally.game not in games.names():
        return []
    several = offered(registry.get(rally.game), Manners)
    called = games.get(rally.game).words.manners
    return [] if several is None else [(name, str(called.get(name, name))) for name in several.manners]


def manner_of(entry: Entry) -> str:
    """The manner for `autopilot`: as the entry's codriver is to drive, or the game's own care for an absent driver."""
    return entry.manner if entry.driven_by == Entry.DrivenBy.CODRIVER else ""

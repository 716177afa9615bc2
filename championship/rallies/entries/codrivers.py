"""Manners of codrivers: the ways in which the computer can drive an entry's car, when the game offers several."""

from __future__ import annotations

from championship import catalogue
from championship.rallies.models import Entry, Rally
from engine import registry
from engine.contract import Manners, offered


def manners(rally: Rally) -> list[tuple[str, str]]:
    """The manners of the game's codrivers, the most careful first, each with its label; empty when there is no
    choice.
    """
    if rally.game not in catalogue.names():
        return []
    called = catalogue.get(rally.game).words.manners
    return [(name, str(called.get(name, name))) for name in _names(rally.game)]


def manner_of(entry: Entry, game: str, *, handed_over: bool = False) -> str:
    """The manner for `autopilot`, "" in a game without manners. For an absent driver, and where none was chosen, it is
    the most careful one.

    `handed_over`: whether the driver has given the wheel away for a turn or a stage, and may have chosen a manner.
    """
    chosen = entry.manner if handed_over or entry.driven_by == Entry.DrivenBy.CODRIVER else ""
    return chosen or next(iter(_names(game)), "")


def _names(game: str) -> tuple[str, ...]:
    several = offered(registry.get(game), Manners)
    return () if several is None else several.manners

"""Manners of codrivers: the ways in which the computer can drive an entry's car, when the game offers several. Where
their strength is measured, it is shown where somebody chooses one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from championship import catalogue
from championship.rallies.models import Entry, Rally, SpecialStage
from engine import registry
from engine.contract import Ladder, Manners, Rung, offered

if TYPE_CHECKING:
    from championship.accounts.models import User


def may_drive(entry: Entry, stages: Iterable[SpecialStage]) -> bool:
    """Whether the computer can drive the entry's car on any of these stages: not with the printed game."""
    return not entry.at_table and any(not stage.at_table for stage in stages)


def manners(rally: Rally) -> list[tuple[str, str]]:
    """The manners of the game's codrivers, the weakest first, each with its label; empty when there is no choice."""
    return labelled(rally.game) if rally.game in catalogue.names() else []


def labelled(game: str) -> list[tuple[str, str]]:
    """Return the manners of a game with their labels, as `manners`."""
    ladder = offered(registry.get(game), Ladder)
    if ladder is None:
        return [(name, called(game, name)) for name in names_of(game)]
    return [(rung.manner, f"{called(game, rung.manner)}{_strength(game, rung)}") for rung in ladder.rungs]


def called(game: str, manner: str) -> str:
    """Return the game's name for a manner."""
    return str(catalogue.get(game).words.manners.get(manner, manner))


def _strength(game: str, rung: Rung) -> str:
    """Return how often a manner wins against its rival, after a colon; "" for the one without a rival."""
    if not rung.games:
        return ""
    tenths, rival = round(10 * rung.won), called(game, rung.rival)
    if tenths == 0:
        return _(": hardly ever wins against “%(rival)s”") % {"rival": rival}
    if tenths == 10:
        return _(": nearly always wins against “%(rival)s”") % {"rival": rival}
    return _(": wins %(tenths)d of 10 against “%(rival)s”") % {"tenths": tenths, "rival": rival}


def names_of(game: str) -> tuple[str, ...]:
    """Return the names of a game's manners, the usual one first; empty in a game without manners."""
    several = offered(registry.get(game), Manners) if game in catalogue.names() else None
    return () if several is None else several.manners


def usual(game: str) -> str:
    """Return the manner that drives where nobody has chosen one: the most careful. "" in a game without manners."""
    return next(iter(names_of(game)), "")


def manner_of(entry: Entry, game: str) -> str:
    """Return the manner for `autopilot`, "" in a game without manners: the one that was chosen for the car, else the
    usual one. It drives when the wheel was given away, and when a deadline was missed.
    """
    return entry.manner or usual(game)


def last_chosen(driver: User, rally: Rally) -> str:
    """Return the stand-in that a driver had in their last rally of the same game, "" for none. One query."""
    last = Entry.objects.filter(driver=driver, rally__game=rally.game, driven_by=Entry.DrivenBy.PERSON)
    chosen = last.exclude(rally=rally).order_by("-pk").values_list("manner", flat=True).first()
    return chosen if chosen in names_of(rally.game) else ""

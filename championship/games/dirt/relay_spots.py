"""Where control may be lost after a roll flat out (R6): one choice for each space and gear, for one tap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.games.dirt.marks import Target
from championship.games.dirt.move_choices import href_of
from championship.games.dirt.words import percent, seconds, space_words
from engine.contract import State
from engine.dirt.codriver.relay import spots
from engine.dirt.odds import TurnOdds


@dataclass(frozen=True, slots=True)
class SpotShown:
    """A spot where control may be lost: the plan that leads there, the space and its words, the gear before the card is
    turned, the expected seconds of the card, and the chance of a crash.
    """

    plan: str
    space: str
    where: str
    gear: int
    card: str
    crash: str


def shown(state: State, driver: str, turn_odds: TurnOdds) -> list[SpotShown]:
    """Return the spots for a page, the farthest first."""
    found = []
    for spot in spots(state, driver):
        odds = turn_odds.odds(spot.plan, {"roll": "flat out"})
        found.append(
            SpotShown(
                plan=spot.plan,
                space=spot.space,
                where=space_words(spot.space),
                gear=spot.gear,
                card=seconds(odds.cards),
                crash=percent(odds.crash),
            )
        )
    return found


def targets(found: Iterable[SpotShown]) -> list[Target]:
    """Return one target for each space of the map. A tap on it loses control there in the first of its gears."""
    by_space: dict[str, list[SpotShown]] = {}
    for spot in found:
        by_space.setdefault(spot.space, []).append(spot)
    return [
        Target(
            space=space,
            href=href_of(here[0].plan),
            label=_("Lose control at %(space)s") % {"space": here[0].where},
            chip_lost=" ".join(str(spot.gear) for spot in here),
            loses_control=True,
        )
        for space, here in by_space.items()
    ]

"""A season in simulations: its scheme counts what championship/seasons/chances/places_model.py drives. No queries."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from championship.seasons.chances.places_model import Driven, RallySoFar, Strength, drawn, driven
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import Result, Season


@dataclass(frozen=True, slots=True)
class Left:
    """A round that is left: its number, the rally so far, and the known strengths in its game. `comes`: how likely each
    driver is to drive it. `power`: whether its last stage is the power stage. `who`: what
    a result of each driver begins with: the team and the class.
    """

    number: int
    rally: RallySoFar
    known: Mapping[str, Strength]
    comes: Mapping[str, float]
    power: bool
    who: Mapping[str, Result]


def season_chances(
    season: Season, left: Sequence[Left], *, seed: str, most: int, goes_on: Callable[[], bool] = lambda: True
) -> tuple[dict[str, int], int]:
    """Return the chance of each driver to be first of the drivers' table when all is over, in thousandths, and the
    number of simulations: `most`, or fewer where `goes_on` says so. Who shares the first place shares the title.
    """
    chance, wins, done = random.Random(seed), dict[str, float](), 0  # noqa: S311 - it decides nothing
    drivers = {driver for each in left for driver in each.rally.behind}
    games = {id(each.known): each.known for each in left}
    while done < most and (not done or goes_on()):
        forms = {key: drawn(known, sorted(drivers), chance) for key, known in games.items()}
        found = {each.number: _results(each, forms[id(each.known)], chance) for each in left}
        rounds = tuple(
            replace(each, results=found[each.number]) if each.number in found else each for each in season.rounds
        )
        lines = tables.drivers(replace(season, rounds=rounds))
        first = [line.subject for line in lines if line.place == 1]
        for line in lines:
            wins.setdefault(line.subject, 0.0)
        for driver in first:
            wins[driver] += 1 / len(first)
        done += 1
    return {driver: round(1000 * won / done) for driver, won in wins.items()}, done


def _results(each: Left, forms: Mapping[str, float], chance: random.Random) -> tuple[Result, ...]:
    here = {driver: gap for driver, gap in each.rally.behind.items() if chance.random() < each.comes.get(driver, 1.0)}
    ended: Driven = driven(RallySoFar(here, each.rally.left), forms, chance)
    power = {driver: place for place, driver in enumerate(ended.last, 1)} if each.power else {}
    return tuple(
        replace(
            each.who[driver],
            place=place,
            power=power.get(driver),
            stage_wins=ended.winners.count(driver),
        )
        for place, driver in enumerate(ended.order, 1)
    )

"""What a driver needs in the last round of a season, against one rival: pure functions over the values of a season."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from championship.seasons.scoring.tables import drivers
from championship.seasons.scoring.values import Result, Season, SeasonRound

MOST_SHOWN = 10
"""Places of the driver that are looked at, from the first."""


@dataclass(frozen=True, slots=True)
class Need:
    """With this `place` in the last round (None: without one) the driver ends in front of the rival, if the rival is at
    `rival_at` or behind; 1 where the rival may do anything, None where only a rival without a place is enough.
    """

    place: int | None
    rival_at: int | None


@dataclass(frozen=True, slots=True)
class LastRound:
    """The last round for a driver and a rival. `needs` are by the driver's place, best first; empty where nothing is
    enough. `safe`: the driver is in front whatever both do. Power stage and bonuses are left out.
    """

    round: SeasonRound
    driver: str
    rival: str
    needs: tuple[Need, ...]
    safe: bool


def last_round_of(season: Season, driver: str) -> LastRound | None:
    """Return what a driver needs against the first other driver of the table; None unless exactly one round is to come
    and both are in the table. None also where the points of a place depend on how many come, or who plays a joker.
    """
    if season.scheme.sizes or season.scheme.joker != 1:
        return None
    ahead = [each for each in season.rounds if not each.cancelled and not each.over]
    table = drivers(season)
    rival = next((line.subject for line in table if line.subject != driver), None)
    if len(ahead) != 1 or rival is None or not any(line.subject == driver for line in table):
        return None
    last, field = ahead[0], len(table)
    duel = _duel(season, driver, rival)
    needs = []
    for place in [*range(1, min(field, MOST_SHOWN) + 1), None]:
        rival_at = _best_of_rival(duel, last.number, driver, rival, place, field)
        if rival_at is not False:
            needs.append(Need(place, rival_at))
    safe = bool(needs) and needs[-1] == Need(None, 1)
    return LastRound(last, driver, rival, tuple(needs), safe)


def _duel(season: Season, driver: str, rival: str) -> Season:
    """Return the season with the results of both alone. Each round that is over keeps one more result, so that it stays
    over; guests, because cars behind them move up; and cars with which one of the two divides points.
    """
    return replace(season, rounds=tuple(_of_two(each, driver, rival) for each in season.rounds))


def _of_two(each: SeasonRound, driver: str, rival: str) -> SeasonRound:
    own = [result for result in each.results if result.driver in (driver, rival)]
    places = {result.place for result in own if result.place is not None}
    kept = [one for one in each.results if one in own or one.guest or one.place in places or _may_divide(one, own)]
    others = [result for result in each.results if result not in kept]
    return replace(each, results=(*kept, *others[:1]))


def _may_divide(one: Result, own: Sequence[Result]) -> bool:
    """Return whether a car did something for which it divides a bonus with one of these."""
    return any((one.fastest_lap and each.fastest_lap) or (one.pole and each.pole) for each in own)


def _best_of_rival(
    season: Season, number: int, driver: str, rival: str, place: int | None, field: int
) -> int | bool | None:
    """Return the best place of the rival with which the driver is still in front: 1 for any, None for no place at all,
    False where even that is not enough.
    """
    places: Sequence[int | None] = [*(at for at in range(1, field + 1) if at != place), None]
    low, high = 0, len(places)
    while low < high:  # the worse the rival, the better for the driver
        middle = (low + high) // 2
        if _in_front(season, number, driver, rival, place, places[middle]):
            high = middle
        else:
            low = middle + 1
    if low == len(places):
        return False
    return 1 if low == 0 else places[low]


def _in_front(season: Season, number: int, driver: str, rival: str, place: int | None, rival_at: int | None) -> bool:
    results = (Result(driver, car=-1, place=place), Result(rival, car=-2, place=rival_at))
    rounds = tuple(replace(each, results=results) if each.number == number else each for each in season.rounds)
    places = {line.subject: line.place for line in drivers(replace(season, rounds=rounds))}
    return places[driver] < places[rival]

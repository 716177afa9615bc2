"""Tie-breaks between subjects with equal points. Each splits a group into smaller ones, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

NOWHERE = 10_000
"""A number greater than every possible place."""


@dataclass(frozen=True, slots=True)
class SeasonRecord:
    """What a subject achieved in the rounds that the tie-breaks look at: places by round number, best first, several
    for a team; stages won; points of power stages; retirements; points of the best round; rounds started. `latest`: the
    number of the latest round.
    """

    places: Mapping[int, Sequence[int]]
    stage_wins: int = 0
    power: int = 0
    retirements: int = 0
    best_round: int = 0
    starts: int = 0
    latest: int = 0


Value = tuple[int, ...]
"""Greater is better, compared number by number."""


def _all(record: SeasonRecord) -> list[int]:
    return [place for found in record.places.values() for place in found]


def _places(record: SeasonRecord) -> Value:
    times = Counter(_all(record))
    return tuple(times[place] for place in range(1, max(times, default=0) + 1))


def _latest(record: SeasonRecord) -> Value:
    return tuple(-min(record.places.get(number) or (NOWHERE,)) for number in range(record.latest, 0, -1))


def _earliest(record: SeasonRecord) -> Value:
    best = min(_all(record), default=NOWHERE)
    return -best, -min((number for number, found in record.places.items() if best in found), default=NOWHERE)


def _latest_best(record: SeasonRecord) -> Value:
    best = min(_all(record), default=NOWHERE)
    return -best, max((number for number, found in record.places.items() if best in found), default=0)


MEASURES: Mapping[str, Callable[[SeasonRecord], Value]] = {
    "wins": lambda record: (_all(record).count(1),),
    "podiums": lambda record: (sum(place <= 3 for place in _all(record)),),
    "places": _places,
    "stage_wins": lambda record: (record.stage_wins,),
    "power": lambda record: (record.power,),
    "fewer_retirements": lambda record: (-record.retirements,),
    "best_round": lambda record: (record.best_round,),
    "best_of_last": _latest,
    "earliest_best": _earliest,
    "latest_best": _latest_best,
    "starts": lambda record: (record.starts,),
}
"""Measures of one record: wins; places on the podium; countback; stages won; points of power stages; fewer retirements;
the most points in a round; the better place in the latest round, then in the one before; the best place, and the
earlier or the later of two; more rounds started.
"""
HEAD_TO_HEAD = "head_to_head"
"""How many others of the group a subject has beaten more often than it was beaten by them."""
NAMES = (*MEASURES, HEAD_TO_HEAD)


def split(name: str, group: Sequence[str], records: Mapping[str, SeasonRecord]) -> list[list[str]]:
    """Return a group of level subjects as groups that this tie-break tells apart, the best first."""
    if name == HEAD_TO_HEAD:
        values: dict[str, Value] = {one: (_duels_won(one, group, records),) for one in group}
    else:
        values = {one: MEASURES[name](records[one]) for one in group}
    return [[one for one in group if values[one] == value] for value in sorted(set(values.values()), reverse=True)]


def _duels_won(one: str, group: Sequence[str], records: Mapping[str, SeasonRecord]) -> int:
    """Return the duels won less the duels lost. A duel counts the rounds in which both have a place."""
    balance = 0
    own = records[one].places
    for other in group:
        theirs = records[other].places
        ahead = sum(
            (min(own[number]) < min(theirs[number])) - (min(own[number]) > min(theirs[number]))
            for number in own
            if number in theirs
        )
        balance += (ahead > 0) - (ahead < 0)
    return balance

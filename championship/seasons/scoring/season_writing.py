"""A season as one document, in the form that `season_file` reads. What is written gives the same tables when it is
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from typing import Any

from championship.seasons.scoring.season_file import KEEP
from championship.seasons.scoring.values import (
    BOTH,
    EACH,
    MOVE_UP,
    NOT_CLASSIFIED,
    RETIRED,
    Drops,
    Points,
    Result,
    Season,
    SeasonRound,
    SeasonScheme,
    as_number,
)

Json = Any
Name = Callable[[str], str]


def document_of(season: Season, *, driver: Name = str, team: Name = str) -> dict[str, Json]:
    """Return the season as plain JSON. `driver` and `team` give the names that stand in the document; two drivers must
    not have the same.
    """
    written: dict[str, Json] = {
        "scheme": _scheme(season.scheme),
        "rounds": [
            _round(replace(each, name=name), driver, team)
            for each, name in zip(season.rounds, _names(season.rounds), strict=True)
        ],
    }
    position = {each.number: place for place, each in enumerate(season.rounds, 1)}
    in_results = {result.driver for each in season.rounds for result in each.results}
    teams_in_results = {result.team for each in season.rounds for result in each.results}
    adjustments = [
        _without_empty(
            {
                "driver": driver(each.driver) if each.driver else "",
                "team": team(each.team) if each.team else "",
                "points": _number(each.points),
                "round": position.get(each.round or 0),
                "reason": each.reason,
            }
        )
        for each in season.adjustments
        if each.driver in in_results or (each.team and each.team in teams_in_results)
    ]
    withdrawn = [
        {
            "driver": driver(each.driver),
            "from_round": each.from_round,
            "others": MOVE_UP if each.others == MOVE_UP else KEEP,
        }
        for each in season.withdrawn
        if each.driver in in_results
    ]
    return written | _without_empty({"adjustments": adjustments, "withdrawn": withdrawn})


def _names(rounds: Sequence[SeasonRound]) -> list[str]:
    """Return the name of each round, with its number behind where an earlier round has the same: a file with a round
    twice is refused.
    """
    names = [each.name for each in rounds]
    return [f"{name} ({at})" if name in names[: at - 1] else name for at, name in enumerate(names, 1)]


def _number(points: Points) -> Json:
    found = as_number(points)
    return found if isinstance(found, int) else float(found)


def _numbers(points: Iterable[Points]) -> list[Json]:
    return [_number(each) for each in points]


def _without_empty(said: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def _tables(tables: Mapping[str, Sequence[Points]]) -> dict[str, Json]:
    return {name: {"points": _numbers(points)} if points else {} for name, points in tables.items()}


def _drops(drops: Drops) -> dict[str, Json]:
    return _without_empty(
        {
            "worst": drops.worst or None,
            "best": drops.best or None,
            "parts": [{"rounds": [part.first, part.last], "best": part.best} for part in drops.parts],
            "never": sorted(drops.never),
            "together": [list(bounds) for bounds in drops.together],
        }
    )


def _scheme(scheme: SeasonScheme) -> dict[str, Json]:
    teams, divisions = scheme.teams, scheme.divisions
    said = {
        "power": _numbers(scheme.power),
        "bonus": {
            kind: _without_empty({"points": _number(bonus.points), "within": bonus.within})
            | ({} if kind == "stage_win" else {"shared": bonus.shared})
            for kind, bonus in scheme.bonus.items()
        },
        "participation": _number(scheme.participation) or None,
        "start": _number(scheme.start) or None,
        "equal_places": scheme.equal_places if scheme.equal_places != EACH else None,
        "two_cars": scheme.two_cars if scheme.two_cars != BOTH else None,
        "drops": _drops(scheme.drops),
        "nominated": scheme.nominated or None,
        "joker": _factor(scheme.joker) if scheme.joker != 1 else None,
        "least_starts": scheme.least_starts or None,
        "tie_breaks_without": sorted(scheme.tie_breaks_without),
        "tie_breaks": list(scheme.tie_breaks),
        "teams": None
        if teams is None
        else {
            "how": teams.how,
            "cars": teams.cars,
            "power": teams.power,
            "bonus": teams.bonus,
            "drops": _drops(teams.drops) if isinstance(teams.drops, Drops) else teams.drops,
            "members": teams.members,
            **_without_empty({"points": _numbers(teams.points)}),
        },
        "classes": _tables(scheme.classes),
        "games": _tables(scheme.games),
        "sizes": [{"cars": size.cars, "points": _numbers(size.points)} for size in scheme.sizes],
        "divisions": None
        if divisions is None
        else {"names": list(divisions.names), "up": divisions.up, "down": divisions.down},
    }
    return {
        "points": _numbers(scheme.points),
        "excluded_may_be_dropped": scheme.excluded_may_be_dropped,
        "guests": scheme.guests,
        "shared": scheme.shared,
        "tie_breaks_count": scheme.tie_breaks_count,
        **_without_empty(said),
    }


def _round(each: SeasonRound, driver: Name, team: Name) -> dict[str, Json]:
    by_car = groupby(each.results, key=lambda result: result.car)
    said = {
        "points": _numbers(each.points),
        "cancelled": each.cancelled or None,
        "game": each.game,
        "results": [_entry(list(results), driver, team) for _car, results in by_car],
    }
    return {"name": each.name, "factor": _factor(each.factor), **_without_empty(said)}


def _factor(factor: Decimal) -> int | float:
    return int(factor) if factor == int(factor) else float(factor)


def _entry(results: list[Result], driver: Name, team: Name) -> dict[str, Json]:
    own = results[0]
    status = own.status or (RETIRED if own.retired else NOT_CLASSIFIED if own.place is None else "")
    flags = ("guest", "nominated", "fastest_lap", "pole")
    said = {
        "team": team(own.team) if own.team else "",
        "class": own.car_class,
        "place": own.place,
        "status": status,
        "power": own.power,
        "stage_wins": own.stage_wins or None,
        "shared_with": [driver(other.driver) for other in results[1:]],
        "published": None if own.published is None else _number(own.published),
        "published_power": _number(min(own.published_power, own.published or 0)) or None,
        **{flag: getattr(own, flag) or None for flag in flags},
    }
    return {"driver": driver(own.driver), **_without_empty(said)}

"""Seasons on plain values for tests: what drivers did, by numbers, and the tables of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from championship.seasons.schemes import STORED_NAMES, Scheme
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import EXCLUDED, Result, RoundScore, Season, SeasonRound, TableLine


@dataclass(frozen=True, slots=True)
class Drive:
    """A driver's result in a round that is over: the places overall, in the class and on the power stage."""

    round: int
    driver: int
    place: int | None
    car_class: str = ""
    class_place: int | None = None
    power: int | None = None
    stage_wins: int = 0
    retired: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a table, its subject by number, points as numbers."""

    subject: int
    place: int
    total: float
    scores: Mapping[int, RoundScore]
    dropped: tuple[int, ...] = ()
    decided_by: str | None = None


def season_of(
    scheme: Scheme, drives: Sequence[Drive], calendar: int, members: Mapping[int, Collection[int]] | None = None
) -> Season:
    """The season in which these drives are all results. `members`: drivers by team."""
    by_round: dict[int, list[Result]] = defaultdict(list)
    teams = {driver: str(team) for team, people in (members or {}).items() for driver in people}
    for car, one in enumerate(drives):
        by_round[one.round].append(
            Result(
                driver=str(one.driver),
                car=car,
                team=teams.get(one.driver, ""),
                car_class=one.car_class,
                place=one.place,
                status=EXCLUDED if one.excluded else "",
                retired=one.retired,
                power=one.power,
                stage_wins=one.stage_wins,
            )
        )
    last = max([calendar, *by_round]) if calendar or by_round else 0
    rounds = [SeasonRound(number, "", tuple(by_round.get(number, ()))) for number in range(1, last + 1)]
    classes = sorted({one.car_class for one in drives if one.car_class})
    return Season(scheme.rules(classes), tuple(rounds), teams=tuple(map(str, members or ())))


def drivers(scheme: Scheme, drives: Sequence[Drive], *, calendar: int) -> list[Standing]:
    return _lines(tables.drivers(season_of(scheme, drives, calendar)))


def in_class(scheme: Scheme, drives: Sequence[Drive], car_class: str, *, calendar: int) -> list[Standing]:
    return _lines(tables.in_class(season_of(scheme, drives, calendar), car_class))


def teams(scheme: Scheme, drives: Sequence[Drive], members: Mapping[int, Collection[int]]) -> list[Standing]:
    return _lines(tables.teams(season_of(scheme, drives, 0, members)))


def progress(scheme: Scheme, drives: Sequence[Drive], *, calendar: int) -> dict[int, list[float]]:
    found = tables.progress(season_of(scheme, drives, calendar))
    return {int(driver): [total / 100 for total in totals] for driver, totals in found.items()}


def _lines(found: Sequence[TableLine]) -> list[Standing]:
    return [
        Standing(
            subject=int(line.subject),
            place=line.place,
            total=line.total / 100,
            scores={
                number: replace(score, points=score.points // 100, power=score.power // 100)
                for number, score in line.scores.items()
            },
            dropped=line.dropped,
            decided_by=STORED_NAMES[line.decided_by] if line.decided_by else None,
        )
        for line in sorted(found, key=lambda line: (line.place, int(line.subject)))
    ]


MEMBERS = {1: {0, 1, 2}, 2: {3, 4}, 3: {5, 6, 7, 8}, 4: {9}}
NAMES = (
    "wins",
    "podiums",
    "best places",
    "stage wins",
    "power points",
    "fewer retirements",
    "best round",
    "last round",
)


def random_season(seed: int) -> tuple[Scheme, list[Drive], int]:
    """A scheme, the drives of a season, and how many rounds it has: always the same for a seed."""
    chance = Random(seed)

    def falling(longest: int) -> tuple[int, ...]:
        most = chance.choice([3, 50])
        return tuple(sorted((chance.randint(0, most) for _each in range(chance.randint(1, longest))), reverse=True))

    scheme = Scheme(
        points=falling(8),
        power=chance.choice([(), falling(4)]),
        class_points=chance.choice([(), falling(5)]),
        team_counts=chance.randint(1, 3),
        drop=chance.randint(0, 4),
        tie_breaks=tuple(chance.sample(NAMES, chance.randint(0, 4))),
    )
    people, rounds = chance.randint(2, 9), chance.randint(1, 7)
    drives = []
    for number in range(1, rounds + 1):
        there = [driver for driver in range(people) if chance.random() < 0.8]
        chance.shuffle(there)
        fastest = chance.sample(there, len(there))
        seen: dict[str, int] = defaultdict(int)
        at = 0
        for driver in there:
            car_class = "AB"[driver % 2]
            excluded = chance.random() < 0.1
            if not excluded:
                at += 1
                seen[car_class] += 1
            drives.append(
                Drive(
                    round=number,
                    driver=driver,
                    place=None if excluded else at,
                    car_class=car_class,
                    class_place=None if excluded else seen[car_class],
                    power=None if excluded else fastest.index(driver) + 1,
                    stage_wins=chance.randint(0, 2),
                    retired=chance.random() < 0.2,
                    excluded=excluded,
                )
            )
    return scheme, drives, rounds + chance.randint(0, 3)

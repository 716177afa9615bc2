"""The points of one round: places among the cars that score, points of places, power stage, bonuses, factor."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from championship.seasons.scoring.values import (
    BEST,
    DIVIDE,
    EACH,
    EXCLUDED,
    MOVE_UP,
    NOMINATED,
    NONE,
    NOT_STARTED,
    RERANK,
    Points,
    Result,
    RoundScore,
    Season,
    SeasonRound,
    SeasonScheme,
    Size,
    TeamScheme,
)

Exact = Fraction | Points
"""Hundredths before they are rounded."""


def of_place(place: int | None, points: Sequence[Exact]) -> Exact:
    """Return the points of a place."""
    return points[place - 1] if place is not None and place <= len(points) else 0


def worth_among(scheme: SeasonScheme, places: Iterable[int | None], points: Sequence[Points]) -> Sequence[Exact]:
    """Return the points of places, of which these are taken. Cars on an equal place get its points each, or divide
    those of the places that they take up.
    """
    if scheme.equal_places == EACH:
        return points
    found: list[Exact] = list(points)
    for place, cars in Counter(places).items():
        if place is not None and cars > 1 and place <= len(points):
            found[place - 1] = Fraction(sum(points[place - 1 : place - 1 + cars]), cars)
    return found


def table_of(scheme: SeasonScheme, each: SeasonRound, results: Iterable[Result]) -> Sequence[Points]:
    """Return the points for the places of a round: its own, else those of its game, else those for so many cars as have
    started among these results, else those of the season.
    """
    size = size_of(scheme, each, results)
    return each.points or scheme.games.get(each.game) or (scheme.points if size is None else size.points)


def size_of(scheme: SeasonScheme, each: SeasonRound, results: Iterable[Result]) -> Size | None:
    """Return the table for so many cars as have started; None where another one holds."""
    if each.points or each.game in scheme.games:
        return None
    cars = len({one.car for one in results if one.status != NOT_STARTED})
    return next((size for size in reversed(scheme.sizes) if size.cars <= cars), None)


def size_of_round(season: Season, each: SeasonRound, car_class: str = "") -> Size | None:
    """Return the table for the cars of a round, or of a class in it; None where another one holds."""
    if season.scheme.classes.get(car_class):
        return None
    scored, kept = _scored_and_kept(season, each)
    return size_of(season.scheme, each, [one for one in (*scored, *kept) if car_class in ("", one.car_class)])


def half_up(points: Fraction) -> Points:
    """Return hundredths as a whole number; a half is rounded up."""
    return int((Decimal(points.numerator) / Decimal(points.denominator)).to_integral_value(ROUND_HALF_UP))


def scoring(season: Season, each: SeasonRound) -> list[Result]:
    """Return the results of a round that score, with their places among each other where others have moved up.

    A guest does not score, nor does a driver after a withdrawal. Cars behind them move up where the scheme, or the
    withdrawal, says so.
    """
    return _scored_and_kept(season, each)[0]


def _scored_and_kept(season: Season, each: SeasonRound) -> tuple[list[Result], list[Result]]:
    """Return the results that score, and those that do not and keep their places. Nobody moves up for a car of which
    another driver scores.
    """
    left = {gone.driver: gone for gone in season.withdrawn if gone.from_round <= each.number}
    scored = [result for result in each.results if not result.guest and result.driver not in left]
    cars = {result.car for result in scored}
    moving, kept = dict[int, Result](), list[Result]()
    for result in each.results:
        if result.car in cars or result in scored:
            continue
        policy = season.scheme.guests if result.guest else left[result.driver].others
        if policy == MOVE_UP:
            moving.setdefault(result.car, result)
        else:
            kept.append(result)
    kept = [one for one in kept if one.car not in moving]
    places, powers = [one.place for one in moving.values()], [one.power for one in moving.values()]

    def behind(results: list[Result]) -> list[Result]:
        return [replace(one, place=_moved_up(one.place, places), power=_moved_up(one.power, powers)) for one in results]

    return behind(scored), behind(kept)


def _moved_up(place: int | None, gone: Iterable[int | None]) -> int | None:
    """Return the place without those that are gone; at least the first, also in a list with more cars than places."""
    return None if place is None else max(1, place - sum(other is not None and other < place for other in gone))


def drivers_scores(season: Season, each: SeasonRound) -> dict[str, RoundScore]:
    """Return the score of every driver in a round. A driver of several cars gets the best place, and the points of all
    of them or of the best.
    """
    results, kept = _scored_and_kept(season, each)
    among = [*results, *kept]
    points = worth_among(season.scheme, _by_car(among).values(), table_of(season.scheme, each, among))
    return _together(season.scheme, results, lambda one: _score(season.scheme, each, one, one.place, points))


def class_scores(season: Season, each: SeasonRound, car_class: str) -> dict[str, RoundScore]:
    """Return the scores within a class: places among its cars, with the points of the class. A guest who keeps the
    place keeps it here too. Power stage and bonuses belong to the drivers' table. A division is a season of its own:
    there they count too, as much as in the drivers' table.
    """
    scheme = season.scheme
    divided = scheme.divisions is not None and car_class in scheme.divisions.names
    scored, kept = _scored_and_kept(season, each)
    here = [one for one in scored if one.car_class == car_class]
    among = [*here, *(one for one in kept if one.car_class == car_class)]
    places = ranked_among(among)
    points = worth_among(scheme, places.values(), scheme.classes.get(car_class) or table_of(scheme, each, among))
    plain = replace(scheme, power=(), bonus={})

    def score(result: Result) -> RoundScore:
        own = replace(result, published=None)  # what was published is for the place among all cars
        if not divided:
            return _score(plain, each, own, places.get(result.car), points)
        whole = _score(scheme, each, own, places.get(result.car), points, bonus_place=result.place)
        if result.published is None:
            return whole
        power = result.published_power
        return replace(whole, points=whole.points - whole.power - whole.bonus + power, power=power, bonus=0)

    return _together(scheme, here, score)


def ranked_among(results: Iterable[Result]) -> dict[int, int]:
    """Return the places of cars among each other, by car; equal places stay equal, and the next is skipped."""
    cars = _by_car(results)
    return {car: 1 + sum(other < place for other in cars.values()) for car, place in cars.items()}


def _by_car(results: Iterable[Result]) -> dict[int, int]:
    return {result.car: result.place for result in results if result.place is not None}


def _score(
    scheme: SeasonScheme,
    each: SeasonRound,
    result: Result,
    place: int | None,
    points: Sequence[Exact],
    *,
    bonus_place: int | None = None,
) -> RoundScore:
    """Return the score for this place. `bonus_place`: the place that bonuses look at; None for the same."""
    earned = of_place(place, points) + (scheme.participation if place is not None else 0)
    earned += scheme.start if result.status != NOT_STARTED else 0
    if result.shares > 1:
        earned = Fraction(earned, result.shares) if scheme.shared == DIVIDE else earned if scheme.shared == EACH else 0
    power, bonus = of_place(result.power, scheme.power), _bonus(scheme, each, result, bonus_place or place)
    if result.status == EXCLUDED:  # nothing of the round is left
        earned, power, bonus = 0, 0, 0
    factor = each.factor * (scheme.joker if result.nominated else 1)
    if result.published is not None:  # these points are taken as they are, whatever the scheme says
        earned, power, bonus = result.published - result.published_power, result.published_power, 0
        factor = Decimal(1)
    return RoundScore(
        points=_times(earned + power + bonus, factor),
        place=place,
        places=() if place is None else (place,),
        power=_times(power, factor),
        bonus=_times(bonus, factor),
        stage_wins=result.stage_wins,
        retirements=int(result.retired),
        status=result.status,
        nominated=result.nominated,
    )


def _times(points: Exact, factor: Decimal) -> Points:
    """Return points multiplied by a factor, as whole hundredths."""
    if factor == 1 and isinstance(points, int):
        return points
    return half_up(points * Fraction(factor))


def _bonus(scheme: SeasonScheme, each: SeasonRound, result: Result, place: int | None) -> Exact:
    times = {"fastest_lap": int(result.fastest_lap), "pole": int(result.pole), "stage_win": result.stage_wins}
    found: Exact = 0
    for kind, bonus in scheme.bonus.items():
        if times[kind] and (bonus.within is None or (place is not None and place <= bonus.within)):
            cars = 1 if kind == "stage_win" or bonus.shared == EACH else _cars_with(each, kind)
            found += Fraction(bonus.points * times[kind], cars) if cars > 1 else bonus.points * times[kind]
    return found


def _cars_with(each: SeasonRound, feat: str) -> int:
    """Return how many cars did this in a round. A car that is excluded has not done it."""
    return sum(bool(getattr(one, feat)) and one.status != EXCLUDED for one in each.results)


def _together(
    scheme: SeasonScheme, results: Iterable[Result], score: Callable[[Result], RoundScore]
) -> dict[str, RoundScore]:
    found: dict[str, RoundScore] = {}
    for result in results:
        one = score(result)
        known = found.get(result.driver)
        found[result.driver] = one if known is None else _added(scheme, known, one)
    return found


def _added(scheme: SeasonScheme, one: RoundScore, other: RoundScore) -> RoundScore:
    """Return the score of a driver of two cars. Power stage and bonuses of both count in any case."""
    worse = min(each.points - each.power - each.bonus for each in (one, other)) if scheme.two_cars == BEST else 0
    better = min((place for place in (one.place, other.place) if place is not None), default=None)
    return RoundScore(
        points=one.points + other.points - worse,
        place=better,
        places=() if better is None else (better,),
        power=one.power + other.power,
        bonus=one.bonus + other.bonus,
        stage_wins=one.stage_wins + other.stage_wins,
        retirements=one.retirements + other.retirements,
        status="" if better is not None else one.status or other.status,
        nominated=one.nominated or other.nominated,
    )


# Teams ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TeamCar:
    """A car of a team in a round: its driver, what it scores for the team, and whether it counts."""

    driver: str
    score: RoundScore
    counts: bool


def teams_scores(season: Season, each: SeasonRound, how: TeamScheme) -> dict[str, RoundScore]:
    """Return the score of every team with a car in this round. The team of a car is that of this round's entry."""
    found: dict[str, RoundScore] = {}
    for team, cars in teams_cars(season, each, how).items():
        counted = [car.score for car in cars if car.counts]
        if counted:
            found[team] = _of_team(counted, counted if how.how == RERANK else [car.score for car in cars])
    return found


def teams_cars(season: Season, each: SeasonRound, how: TeamScheme) -> dict[str, list[TeamCar]]:
    """Return the cars of every team in this round."""
    scored, kept = _scored_and_kept(season, each)
    by_team = _by_team(_shares_of_teams(season.scheme, scored))
    scheme = _scheme_of_teams(season.scheme, how)
    table = how.points if how.points and not each.points else table_of(scheme, each, [*scored, *kept])
    points = worth_among(scheme, _by_car([*scored, *kept]).values(), table)
    counts = {team: _counting(scheme, each, brought, how, points) for team, brought in by_team.items()}
    places: Mapping[int, int] | None = None
    if how.how == RERANK:
        places = ranked_among(result for brought in counts.values() for result in brought)
        points = worth_among(scheme, places.values(), table)

    def score(result: Result) -> RoundScore:
        place = result.place if places is None else places.get(result.car)
        result = result if places is None else replace(result, published=None)
        return _for_team(_score(scheme, each, result, place, points, bonus_place=result.place), how)

    def car(team: str, result: Result) -> TeamCar:
        own, crew = score(result), [one for one in by_team[team] if one.car == result.car]
        divided = scheme.shared == DIVIDE and (result.published is None or places is not None)
        if divided and len(crew) == result.shares > 1 and crew[0] == result:  # together the parts are all its points
            whole = score(replace(result, shares=1)).points
            own = replace(own, points=whole - sum(score(other).points for other in crew[1:]))
        return TeamCar(result.driver, own, result in counts[team])

    return {team: [car(team, result) for result in brought] for team, brought in by_team.items()}


def _scheme_of_teams(scheme: SeasonScheme, how: TeamScheme) -> SeasonScheme:
    """Return the scheme with what counts for teams: no jokers, which are each driver's own."""
    return replace(
        scheme,
        joker=Decimal(1),
        shared=NONE if scheme.shared == NONE else DIVIDE,
        power=scheme.power if how.power else (),
        bonus=scheme.bonus if how.bonus else {},
    )


def _shares_of_teams(scheme: SeasonScheme, results: Sequence[Result]) -> list[Result]:
    """Return the results that name a team. A shared car scores once for its team, so only the drivers who name the team
    divide its points; points that were published for each of them count once. A car of several teams stays as it is.
    """
    crews: dict[int, list[Result]] = defaultdict(list)
    for result in results:
        if result.team:
            crews[result.car].append(result)
    found: list[Result] = []
    for one in (result for result in results if result.team):
        crew = crews[one.car]
        if one.shares > 1 and scheme.shared != NONE and len({other.team for other in crew}) == 1:
            again = scheme.shared == EACH and one.published is not None and one != crew[0]
            one = replace(one, shares=len(crew))
            one = replace(one, published=0, published_power=0) if again else one
        found.append(one)
    return found


def _by_team(results: Iterable[Result]) -> Mapping[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.team].append(result)
    return found


def _counting(
    scheme: SeasonScheme, each: SeasonRound, brought: Sequence[Result], how: TeamScheme, points: Sequence[Exact]
) -> list[Result]:
    """Return the cars of a team that count in this round: at most `how.cars`, the best ones."""
    may = [result for result in brought if how.members != NOMINATED or result.nominated]
    if not how.cars:
        return may
    if how.how == RERANK or how.members != BEST:
        placed = sorted(may, key=lambda one: (one.place is None, one.place or 0, one.driver))
    else:
        worth = {one: _for_team(_score(scheme, each, one, one.place, points), how).points for one in may}
        placed = sorted(may, key=lambda one: (-worth[one], one.place is None, one.place or 0, one.driver))
    cars = list(dict.fromkeys(one.car for one in placed))[: how.cars]
    return [one for one in placed if one.car in cars]


def _for_team(score: RoundScore, how: TeamScheme) -> RoundScore:
    """Return the score without published points of the power stage, where they do not count for a team."""
    return score if how.power else replace(score, points=score.points - score.power, power=0)


def _of_team(counted: Sequence[RoundScore], deeds: Sequence[RoundScore]) -> RoundScore:
    """Return the points of the cars that count, with what all cars in `deeds` did."""
    return RoundScore(
        points=sum(one.points for one in counted),
        place=min((one.place for one in counted if one.place is not None), default=None),
        places=tuple(sorted(place for one in deeds for place in one.places)),
        power=sum(one.power for one in counted),
        bonus=sum(one.bonus for one in counted),
        stage_wins=sum(one.stage_wins for one in deeds),
        retirements=sum(one.retirements for one in deeds),
        nominated=any(one.nominated for one in counted),
    )

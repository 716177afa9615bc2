"""The lines of cars over the map when they are in: one's own, that of another car, and that of the ideal stage.

The ideal stage is put together of the best section between every two borders. A game without splits may have an ideal
drive in its place, which a worker has stored with the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Prefetch

from championship.rallies.results.measures import key_of, measure_of_game
from championship.rallies.selectors import Viewer
from championship.runs.models import KeptLedger, Run, Seat
from championship.runs.road_views import PLACES_ON_MAP, ROAD_VIEWS, CarSpot, Point, Road
from championship.runs.watch import car_ways, gaps, watching
from championship.runs.watch.ghosts import best_on_sections
from championship.runs.watch.luck import ledgers
from engine.contract import SeatResult

MOST_CARS = 24
"""With more cars there is no line of the ideal stage."""
Line = tuple[CarSpot, ...]
"""The places of a car in order."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What a map shows: the road, the line of each of two cars, and the pieces of the ideal stage, none where they are
    not known. `expected`: they are the ideal drive of a game without splits.
    """

    road: Road
    own: Sequence[Point]
    other: Sequence[Point]
    ideal: Sequence[Sequence[Point]]
    expected: bool = False


def has_lines(run: Run) -> bool:
    """Return whether the cars of a run have lines: when it is over, in a game that draws its road and whose seats do
    not play at once, for there what moves a car is not its own way. No query.
    """
    drawn = ROAD_VIEWS.of(run.game) is not None and not watching.game_hides_events(run.game)
    return drawn and run.status == Run.Status.FINISHED


def has_rounds(run: Run) -> bool:
    """Return whether the cars of a run are compared round by round in place of lines: when it is over, in a game whose
    seats play at once, where the rally shows ledgers. No query.
    """
    at_once = watching.game_hides_events(run.game) and run.status == Run.Status.FINISHED
    return at_once and ledgers.tells(run.special_stage.rally)


def cars_to_compare(run: Run) -> list[tuple[Run, Seat]]:
    """Return the cars that are in, the best first: those of the stage when it is over for all, else those of this run.
    Three queries. Empty for a run whose cars have no lines.
    """
    if not has_lines(run):
        return []
    runs = Run.objects.filter(special_stage=run.special_stage, status=Run.Status.FINISHED)
    if watching.is_still_driven(run.special_stage_id):
        runs = runs.filter(pk=run.pk)
    seats = Prefetch("seats", queryset=Seat.objects.select_related("entry__driver").order_by("position"))
    found = []
    for each in runs.prefetch_related(seats).order_by("number"):
        each.special_stage = run.special_stage
        result = watching.result_of(each)
        results = {one.seat: one for one in result.seats} if result else {}
        found += [(_rank(each, seat, results.get(seat.name)), each, seat) for seat in each.seats.all()]
    return [(each, seat) for _key, each, seat in sorted(found, key=lambda car: car[0])]


def lines_of(cars: Sequence[tuple[Run, Seat]], own: Seat, other: Seat, viewer: Viewer) -> Lines | None:
    """Return the lines of two of the cars and of the ideal stage; None where one of them has never been on the road.
    Where the lines of a run are not cached, one query for it; those of `gaps.of_stage` for a game with splits, or
    one.
    """
    chosen = {seat.pk: run for run, seat in cars}
    roads = {run.pk: _lines(run) for run in (chosen[own.pk], chosen[other.pk])}
    line, beside = (roads[chosen[seat.pk].pk].get(seat.name, ()) for seat in (own, other))
    own_run = chosen[own.pk]
    views = ROAD_VIEWS.of(own_run.game)
    road = views.road(own_run, watching.view_of(own_run, None)) if views else None
    if road is None or not line or not beside:
        return None
    if not gaps.has_splits(own_run.game):
        return Lines(road, _points(line), _points(beside), _expected(own_run), expected=True)
    return Lines(road, _points(line), _points(beside), _ideal(cars, viewer))


def _expected(run: Run) -> list[Sequence[Point]]:
    """Return the ideal drive of a run whose rally shows ledgers, in one piece; none where it is not stored."""
    views = PLACES_ON_MAP.of(run.game)
    if views is None or not run.special_stage.rally.ledgers:
        return []
    kept = KeptLedger.objects.filter(run=run).values_list("ideal", flat=True).first()
    points = views.points(run, kept or [])
    return [points] if len(points) > 1 else []


def _ideal(cars: Sequence[tuple[Run, Seat]], viewer: Viewer) -> list[list[Point]]:
    """Return the pieces of the ideal stage, in order."""
    first, _seat = cars[0]
    if len(cars) > MOST_CARS:
        return []
    runs = list({run.pk: run for run, _seat in cars}.values())
    if len(runs) > 1:
        table = gaps.of_runs(first.special_stage, runs, viewer)
    else:
        table = gaps.of_run(first, list(first.seats.all()), viewer)
    found = []
    for number, car in enumerate(best_on_sections(table)):
        line = _lines(car.run).get(car.seat.name, ()) if car else ()
        if all(spot.behind is not None for spot in line):
            found.append(_points(section(line, number)))
    return found


def section(line: Line, number: int) -> Line:
    """Return the way between two borders, from the last place before it. Section 0 begins at the start."""
    since = next((at for at, spot in enumerate(line) if (spot.behind or 0) >= number), len(line))
    until = max((at for at, spot in enumerate(line) if (spot.behind or 0) <= number), default=-1)
    return line[max(0, since - 1) : until + 1] if until >= since else line[max(0, until) : since + 1]


def _points(line: Line) -> list[Point]:
    return [(spot.x, spot.y) for spot in line]


def _rank(run: Run, seat: Seat, result: SeatResult | None) -> tuple[bool, int, tuple[int, ...], int, int]:
    """Return the sort key of a car: those with a result by it, then the others."""
    if result is None or result.measure is None:
        return True, 0, (), run.number, seat.position
    return False, *key_of(result.measure, result.rank, measure_of_game(run.game)), run.number, seat.position


def _lines(run: Run) -> dict[str, Line]:
    """Return the lines of all cars of a run that is over, by seat. They are cached until it changes. One query."""
    name = f"car-lines-{run.pk}-{run.version}"
    lines: dict[str, Line] | None = cache.get(name)
    if lines is None:
        lines = _driven_lines(run)
        cache.set(name, lines, gaps.KEPT_SECONDS)
    return lines


def _driven_lines(run: Run) -> dict[str, Line]:
    _road, turns = car_ways.turns_of(run)
    found: dict[str, list[CarSpot]] = {}
    for turn in turns:
        for stand in turn.stands:
            for seat, spot in stand.cars.items():
                way = found.setdefault(seat, [])
                if not way or (way[-1].x, way[-1].y) != (spot.x, spot.y):
                    way.append(spot)
    return {seat: tuple(way) for seat, way in found.items()}

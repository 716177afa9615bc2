"""From a round that was found in a list to drives that an imported rally can store: units, places, shared cars, points
as published. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from championship.lists.found import FoundResult, FoundRound
from championship.rallies.results.measures import PARTS, PLACES, Measure, parts_of, points_unit, time_unit, total
from championship.rallies.services import Published

Status = str
CLASSIFIED, RETIRED, EXCLUDED = "classified", "retired", "excluded"
OUT = ("withdrawn", "did_not_start", "did_not_qualify")
"""Statuses of those who did not drive."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive in a round: results by stage in the unit of the round, the stages that were not finished, and what was
    published. `told`: what is odd about it. `penalty`: an amount beside the results of the stages, in that unit.
    """

    found: FoundResult
    results: tuple[int | None, ...]
    retired: frozenset[int]
    published: Published
    told: tuple[str, ...] = ()
    penalty: int = 0


@dataclass(frozen=True, slots=True)
class RoundDrives:
    """The drives of a round. `stages`: their names, as many as there are results. `made_places`: places were made from
    points, because the list has none.
    """

    measure: Measure
    stages: tuple[str, ...]
    drives: tuple[Drive, ...]
    made_places: bool = False
    told: tuple[str, ...] = field(default=())


def drives_of(each: FoundRound, *, scored: bool = False, by_stage: bool = True) -> RoundDrives:
    """Return the drives of a round. `scored`: points are results of the rally, and the season's scheme gives those of
    the championship. `by_stage`: points of single stages are kept as the results of the stages.
    """
    if each.measure == "times":
        return _timed(each)
    if by_stage and any(result.stage_points for result in each.results):
        return _by_points_of_stages(each, scored=scored)
    if scored and each.measure == "points":
        return _by_points(each)
    placed, made = _places(each.results)
    drives = []
    for result in each.results:
        place = placed.get(id(result))
        retired = result.status == RETIRED
        drives.append(Drive(result, (place,), frozenset({1}) if retired else frozenset(), _published(result, place)))
    return RoundDrives(PLACES, (each.name,), _with_shared_cars(drives), made_places=made)


def _by_points(each: FoundRound) -> RoundDrives:
    """Return the drives of a round in which the most points win."""
    drives = []
    measure = points_unit(result.points_hundredths or 0 for result in each.results)
    for result in each.results:
        points, retired = result.points_hundredths, result.status == RETIRED
        said = replace(_published(result, result.place), points=None, power=None)
        value = None if points is None else points * parts_of(measure) // 100
        drives.append(Drive(result, (value,), frozenset({1}) if retired else frozenset(), said))
    return RoundDrives(measure, (each.name,), _with_shared_cars(drives))


def _by_points_of_stages(each: FoundRound, *, scored: bool) -> RoundDrives:
    """Return the drives of a round whose stages give points. Their sum is a result of the rally, and what the list says
    of the whole rally counts in the championship, unless its scheme gives the points (`scored`).
    """
    drives = []
    measure = points_unit(value or 0 for result in each.results for value in result.stage_points)
    parts = parts_of(measure)
    for result in each.results:
        points = (*result.stage_points, *[None] * len(each.stages))[: len(each.stages)]
        results = tuple(None if value is None else value * parts // 100 for value in points)
        said = _published(result, result.place)
        said = replace(said, points=None, power=None) if scored else said
        penalty = result.penalty.thousandths * parts // 1000 if result.penalty is not None else 0
        drives.append(Drive(result, results, _stopped_in(result, results), said, penalty=penalty))
    return RoundDrives(measure, each.stages, _with_shared_cars(drives))


def _timed(each: FoundRound) -> RoundDrives:
    stages = each.stages or (each.name,)
    one = len(stages) == 1
    rows = [_times(result, len(stages)) for result in each.results]
    penalties = [_penalty(each, result, row) for result, row in zip(each.results, rows, strict=True)]
    measure = time_unit([*(time for row in rows for time in row if time is not None), *penalties])
    parts, drives = PARTS[measure.unit], list[Drive]()
    told: list[str] = []
    given = any(result.place is not None for result in each.results)
    for result, row, penalty in zip(each.results, rows, penalties, strict=True):
        stopped = _stopped_in(result, row)
        # The time of a car at the moment it stopped is no result, unless the list gives the car a place.
        results = tuple(
            None if time is None or (number in stopped and result.place is None) else time * parts // 1000
            for number, time in enumerate(row, start=1)
        )
        odd = () if one else _odd_total(result, row)
        told += odd
        said = _published(result, result.place if given else None)
        drives.append(Drive(result, results, stopped, said, odd, penalty * parts // 1000))
    return RoundDrives(measure, stages, _with_shared_cars(drives), told=tuple(told))


def _times(result: FoundResult, stages: int) -> list[int | None]:
    """Return the times of a result by stage, in thousandths of a second. A time of 0 is none."""
    times = [time.thousandths or None if time is not None else None for time in result.times][:stages]
    times += [None] * (stages - len(times))
    if stages == 1 and times[0] is None and result.total is not None:
        times = [result.total.thousandths or None]
    return times


def _penalty(each: FoundRound, result: FoundResult, row: Sequence[int | None]) -> int:
    """Return the penalty beside the times of stages, in thousandths of a second. A list that only has the time of the
    whole round has the penalty in it.
    """
    if not each.stages or result.penalty is None or not any(row):
        return 0
    return result.penalty.thousandths


def _stopped_in(result: FoundResult, row: Sequence[int | None]) -> frozenset[int]:
    if result.status != RETIRED:
        return frozenset()
    if result.retired_in is not None and result.retired_in <= len(row):
        return frozenset({result.retired_in})
    without = [number for number, time in enumerate(row, start=1) if time is None]
    return frozenset({without[0] if without else len(row)})


def _odd_total(result: FoundResult, row: Sequence[int | None]) -> tuple[str, ...]:
    """Return what to say of a written total that is not the sum of the stages with the penalty."""
    if result.total is None or any(time is None for time in row):
        return ()
    summed = sum(time for time in row if time is not None)
    summed += result.penalty.thousandths if result.penalty is not None else 0
    if summed == result.total.thousandths:
        return ()
    words = {
        "line": result.person.line,
        "name": result.person.name,
        "written": result.total.written,
        "given": total(summed * PARTS[(unit := time_unit([summed])).unit] // 1000, unit),
    }
    return (_("Line %(line)d, %(name)s: the total is %(written)s, the stages give %(given)s.") % words,)


def _places(results: Sequence[FoundResult]) -> tuple[dict[int, int], bool]:
    """Return the places by the identity of a result, and whether they were made from the points. Places of the list
    hold as they are, with gaps. Where it has none, the more points come first, without those of the power stage; who
    has no point has no place.
    """
    may = [each for each in results if each.status in (CLASSIFIED, RETIRED)]
    if any(each.place is not None for each in may):
        return {id(each): each.place for each in may if each.place is not None}, False
    worth = {
        id(each): each.points_hundredths - (each.power_hundredths or 0)
        for each in may
        if each.points_hundredths is not None and each.points_hundredths > 0
    }
    return {one: 1 + sum(other > points for other in worth.values()) for one, points in worth.items()}, bool(worth)


def _published(result: FoundResult, place: int | None) -> Published:
    may = result.status in (CLASSIFIED, RETIRED)
    return Published(
        place=place if may else None,
        status=result.status,
        reason=result.reason[:80],
        points=result.points_hundredths,
        power=result.power_hundredths if result.points_hundredths is not None else None,
    )


def _with_shared_cars(drives: Sequence[Drive]) -> tuple[Drive, ...]:
    """Return the drives, those of one car with the same number of a car. People shared a car when they have the same
    place and the same crew, start number or result, and the list goes on with the next place: 1, 2, 2, 3.
    """
    by_place: dict[int, list[Drive]] = defaultdict(list)
    for each in drives:
        if each.published.place is not None:
            by_place[each.published.place].append(each)
    cars: dict[int, int] = {}
    for place, together in by_place.items():
        if len(together) < 2 or not _one_car(together, following=place + 1 in by_place):
            continue
        cars |= dict.fromkeys(map(id, together), len(cars) + 1)
    return tuple(_in_car(each, cars.get(id(each))) for each in drives)


def _one_car(together: Sequence[Drive], *, following: bool) -> bool:
    people = [each.found.person for each in together]
    crews, numbers = {each.crew for each in people}, {each.number for each in people}
    same = (len(crews) == 1 and crews != {""}) or (len(numbers) == 1 and numbers != {None})
    return same or (following and len(together) == 2)


def _in_car(each: Drive, car: int | None) -> Drive:
    if car is None:
        return each
    said = each.published
    published = Published(said.place, said.status, said.reason, said.points, said.power, car)
    return replace(each, published=published)

"""One car against another and against the ideal stage, through the splits of a stage.

The ideal stage is put together from the best section between every two borders, by any car.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from championship.rallies.results.measures import worse
from championship.runs.watch.gaps import CarGaps, Gaps, Time


@dataclass(frozen=True, slots=True)
class DuelTime:
    """A border, or the finish as the last: the measures of both cars and of the ideal stage; None where a car has not
    been. `ahead`: by how much the own car is better than the other, negative where it is worse.
    """

    own: int | None
    other: int | None
    ideal: int | None
    ahead: int | None

    @property
    def apart(self) -> int:
        """The gap between both, 0 or more."""
        return abs(self.ahead or 0)


@dataclass(frozen=True, slots=True)
class Duel:
    """Two cars through the stage. `against_ideal`: both as a table of gaps in which the ideal stage is the best."""

    own: CarGaps
    other: CarGaps
    times: Sequence[DuelTime]
    against_ideal: Gaps


def duel(gaps: Gaps, own: str = "", other: str = "") -> Duel | None:
    """Return two cars against each other, by their seats. Without a name: the reader's own car, else the second; and
    the best of the others. None where fewer than two cars have a time, or a name is unknown. No query.
    """
    timed = [car for car in gaps.cars if car.passed or car.finish]
    mine = next((car for car in timed if car.mine), timed[1] if len(timed) > 1 else None)
    one = next((car for car in timed if car.seat.name == own), None) if own else mine
    two = next((car for car in timed if (car.seat.name == other if other else car is not one)), None)
    if one is None or two is None or one is two:
        return None
    ideal = _ideal(gaps, timed)
    times = [
        _time(gaps, first, second, best)
        for first, second, best in zip(_line(one), _line(two), ideal, strict=True)
    ]  # fmt: skip
    return Duel(one, two, times, replace(gaps, cars=[_against(gaps, car, ideal) for car in (one, two)]))


def _line(car: CarGaps) -> list[int | None]:
    """Return the measures of a car at each border and at the finish."""
    return [time.measured if time else None for time in (*car.times, car.finish)]


def best_on_sections(gaps: Gaps) -> list[CarGaps | None]:
    """Return the car of the best section between every two borders, and to the finish: the cars of the ideal stage.
    None from the first section on that nobody has driven. No query.
    """
    best = _best_sections(gaps, [car for car in gaps.cars if car.passed or car.finish])
    return [None if each is None else each[1] for each in best]


def _ideal(gaps: Gaps, cars: Sequence[CarGaps]) -> list[int | None]:
    """Return the measures of the ideal stage: at each border the one before plus the best section; None from the first
    section on that nobody has driven.
    """
    found, so_far = list[int | None](), 0
    for best in _best_sections(gaps, cars):
        so_far += best[0] if best else 0
        found.append(so_far if best else None)
    return found


def _best_sections(gaps: Gaps, cars: Sequence[CarGaps]) -> list[tuple[int, CarGaps] | None]:
    """Return the best measure of each section with its car; None from the first one on that nobody has driven."""
    sign, found = worse(gaps.measure), list[tuple[int, CarGaps] | None]()
    for place in range(gaps.borders + 1):
        sections = []
        for car in cars:
            line = _line(car)
            before = line[place - 1] if place else 0
            here = line[place] if place < len(line) else None
            if before is not None and here is not None:
                sections.append((here - before, car))
        if not sections:
            return [*found, *[None] * (gaps.borders + 1 - len(found))]
        found.append(min(sections, key=lambda section: section[0] * sign))
    return found


def _time(gaps: Gaps, own: int | None, other: int | None, ideal: int | None) -> DuelTime:
    ahead = None if own is None or other is None else (other - own) * worse(gaps.measure)
    return DuelTime(own, other, ideal, ahead)


def _against(gaps: Gaps, car: CarGaps, ideal: Sequence[int | None]) -> CarGaps:
    """Return a car with its gaps to the ideal stage."""
    behind = [
        None if value is None or best is None else Time(value, max(0, (value - best) * worse(gaps.measure)))
        for value, best in zip(_line(car), ideal, strict=True)
    ]
    return replace(car, times=behind[:-1], finish=behind[-1])

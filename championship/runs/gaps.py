"""Splits and gaps: the time of each car at each border between tiles, and how far it is behind the fastest there.

Splits of a run follow from its events. They are kept for as long as the run stays as it is, so that a stage of sixty
runs is not told anew for every reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Prefetch

from championship.rallies.models import SpecialStage
from championship.runs.models import Event, Place, Run
from championship.runs.selectors import Viewer
from engine import ruleset

KEPT_SECONDS = 24 * 3600
"""How long splits are kept."""

Splits = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds at a border or at the finish, and the gap to the fastest of all that have been there."""

    seconds: int
    gap: int

    @property
    def best(self) -> bool:
        """Whether nobody was faster."""
        return not self.gap


@dataclass(frozen=True, slots=True)
class CarGaps:
    """A car's times: at each border (None where it has not been, or never will be), at the finish, and the seconds won
    that were taken off there. `mine`: the viewer drives it.
    """

    place: Place
    run: Run
    times: list[Time | None]
    finish: Time | None
    won: int
    retired: bool
    mine: bool

    @property
    def passed(self) -> list[Time]:
        """The times there are, along the road, without the finish."""
        return [time for time in self.times if time is not None]


@dataclass(frozen=True, slots=True)
class Gaps:
    """All cars of a run, or of all runs of a stage: those that are in by stage time, then by how far they have come and
    how fast, those that retired last.
    """

    borders: int
    cars: list[CarGaps]

    @property
    def begun(self) -> bool:
        """Whether there is a time at all."""
        return any(car.passed or car.finish for car in self.cars)


def of_run(run: Run, places: Sequence[Place], viewer: Viewer) -> Gaps:
    """The gaps between the cars of a run: one query at most, besides what is kept."""
    return _gaps([(run, places)], f"splits-run-{run.pk}", viewer)


def of_stage(special_stage: SpecialStage, viewer: Viewer) -> Gaps:
    """The gaps between all cars that drive a special stage, in whatever run: three queries at most, besides what is
    kept.
    """
    places = Place.objects.select_related("entry__driver").order_by("position")
    runs = special_stage.runs.prefetch_related(Prefetch("places", queryset=places)).order_by("number")
    return _gaps([(run, list(run.places.all())) for run in runs], f"splits-stage-{special_stage.pk}", viewer)


def splits_of(runs: Sequence[Run], name: str) -> dict[int, Splits]:
    """The splits of runs by their primary keys. Under `name` they are kept, all in one, each with the version of its
    run that it was told at: only runs that have moved on are told anew.
    """
    kept: dict[int, tuple[int, Splits]] = cache.get(name, {})
    found = {run.pk: kept[run.pk] for run in runs if run.pk in kept and kept[run.pk][0] == run.version}
    stale = [run for run in runs if run.pk not in found]
    if stale:
        told = _told(stale)
        found |= {run.pk: (run.version, told[run.pk]) for run in stale}
        cache.set(name, found, KEPT_SECONDS)
    return {pk: splits for pk, (_version, splits) in found.items()}


def _told(runs: Sequence[Run]) -> dict[int, Splits]:
    """The splits of runs, told by their events: one query."""
    events: dict[int, list[dict[str, Any]]] = {run.pk: [] for run in runs}
    told = {run.pk: run.events_told for run in runs}
    rows = Event.objects.filter(run__in=runs).order_by("run", "number").values_list("run_id", "number", "data")
    for pk, number, data in rows.iterator():
        if number <= told[pk]:
            events[pk].append(data)
    found: dict[int, Splits] = {}
    for run in runs:
        rules = ruleset.get(run.game)
        found[run.pk] = rules.splits(rules.setup(run.stage, run.entrants, run.options), events[run.pk])
    return found


def _gaps(driven: Sequence[tuple[Run, Sequence[Place]]], name: str, viewer: Viewer) -> Gaps:
    splits = splits_of([run for run, _places in driven], name)
    seats = [(run, place, splits[run.pk]["drivers"][place.driver]) for run, places in driven for place in places]
    borders = max((told["borders"] for told in splits.values()), default=0)
    fastest = [
        min((told["splits"][border] for _run, _place, told in seats if told["splits"][border] is not None), default=0)
        for border in range(borders)
    ]
    first = min((told["stage_time"] for _run, _place, told in seats if told["finished"]), default=0)
    cars = []
    for run, place, told in seats:
        times = [
            None if seconds is None else Time(seconds, seconds - best)
            for seconds, best in zip(told["splits"], fastest, strict=True)
        ]
        finish = Time(told["stage_time"], told["stage_time"] - first) if told["finished"] else None
        mine = viewer.is_authenticated and place.entry.driver_id == viewer.pk
        cars.append(CarGaps(place, run, times, finish, told["won"], told["retired"], mine))
    return Gaps(borders, sorted(cars, key=_rank))


def _rank(car: CarGaps) -> tuple[int, int, int, int, int]:
    """Home, on the road, out; by stage time, or by the borders passed and the time at the last of them."""
    passed = car.passed
    group = 0 if car.finish else 2 if car.retired else 1
    seconds = car.finish.seconds if car.finish else passed[-1].seconds if passed else 0
    return group, 0 if car.finish else -len(passed), seconds, car.run.number, car.place.position

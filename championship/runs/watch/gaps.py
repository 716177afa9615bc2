"""Splits and gaps: the measure of each car at each border of the course, and its gap to the best there.

Splits of a run are computed from its events, and kept in the memory of the process until the run changes: a turn costs
the readers of a stage of sixty runs the splits of one run. A process that begins takes them from the shared cache. It
writes there only what it computed then: to write the splits of sixty runs after each turn would cost more than they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Prefetch, QuerySet

from championship.platform.memory import Memory
from championship.platform.prepared_queries import any_of, prepared, run_together
from championship.rallies.models import SpecialStage
from championship.rallies.results.measures import measure_of_game, worse
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Run, Seat
from championship.runs.watch import watching
from engine import registry
from engine.contract import Measure, RunSplits, Splits, State, offered, required
from engine.contract import SeatSplits as SeatSplits

KEPT_SECONDS = 24 * 3600
"""For how many seconds splits are cached."""
SPLITS: Memory[RunSplits] = Memory(2000)
"""The splits of runs, by the key and the version of the run."""


@dataclass(frozen=True, slots=True)
class Time:
    """A measure at a border or at the finish, in the game's unit, and the gap to the best of all that have been there.
    The gap is 0 or more, whether less or more is better.
    """

    measured: int
    gap: int

    @property
    def best(self) -> bool:
        """Whether no car was better."""
        return not self.gap


@dataclass(frozen=True, slots=True)
class CarGaps:
    """A car's times: at each border (None where it has not been), and at the finish. `bonus`: by how much the finish
    has improved its measure. `mine`: the viewer drives it.
    """

    seat: Seat
    run: Run
    times: list[Time | None]
    finish: Time | None
    bonus: int
    retired: bool
    mine: bool

    @property
    def passed(self) -> list[Time]:
        """The times at borders that the car has passed, in order, without the finish."""
        return [time for time in self.times if time is not None]


@dataclass(frozen=True, slots=True)
class Gaps:
    """All cars of a run, or of all runs of a stage: finished cars by their result, then running cars by how far and how
    well they have driven, then retired cars.
    """

    borders: int
    cars: list[CarGaps]
    measure: Measure

    @property
    def begun(self) -> bool:
        """Whether there is any time."""
        return any(car.passed or car.finish for car in self.cars)


def has_splits(game: str) -> bool:
    """Return whether a game has splits."""
    return offered(registry.get(game), Splits) is not None


def of_run(run: Run, seats: Sequence[Seat], viewer: Viewer) -> Gaps:
    """Return the gaps between the cars of a run. One query at most, two more where draws are shared, and the cache.

    Raises: NotYet when the viewer may not watch the run yet.
    """
    watching.require_may_watch(run, viewer)
    return _gaps([(run, seats)], _name_of(run), run.game, viewer)


def of_stage(special_stage: SpecialStage, viewer: Viewer) -> Gaps:
    """Return the gaps between all cars of a special stage, over all its runs. Three queries at most, one more where
    draws are shared, and the cache.

    Raises: NotYet when the viewer may not watch each of the runs yet.
    """
    seats = Seat.objects.select_related("entry__driver").order_by("position")
    runs = list(special_stage.runs.prefetch_related(Prefetch("seats", queryset=seats)).order_by("number"))
    return of_runs(special_stage, runs, viewer)


def of_runs(special_stage: SpecialStage, runs: Sequence[Run], viewer: Viewer) -> Gaps:
    """Return the same as `of_stage` from all runs of the stage, which have been read with their seats and entries. One
    query at most, one more where draws are shared, and the cache.

    Raises: NotYet when the viewer may not watch each of the runs yet.
    """
    if not watching.may_watch_all(special_stage, runs, viewer):
        raise watching.not_yet(special_stage)
    driven = [(run, list(run.seats.all())) for run in runs]
    return _gaps(driven, f"measured-stage-{special_stage.pk}", special_stage.rally.game, viewer)


def splits_of(runs: Sequence[Run], name: str) -> dict[int, RunSplits]:
    """Return the splits of runs by their primary keys. The shared cache has them together under `name`, each with the
    version of its run. Only runs that have moved on are computed again. One trip to the database, and the cache where
    this process knows nothing of a run.
    """
    return _splits(runs, lambda: cache.get(name, {}), lambda kept, _fresh: cache.set(name, kept, KEPT_SECONDS))


def remember(run: Run, setup: State, events: Sequence[dict[str, Any]]) -> None:
    """Keep the splits of a run of which something else has read all events that everybody may read."""
    timed = offered(registry.get(run.game), Splits)
    if timed is not None:
        SPLITS.put(run.key, run.version, timed.splits(setup, events))


def splits_of_each(runs: Sequence[Run]) -> dict[int, RunSplits]:
    """Return the splits of runs that belong to several stages, by their primary keys; the shared cache has them for
    each run. As many trips as `splits_of`.
    """
    names = {run.pk: _name_of(run) for run in runs}

    def read() -> Kept:
        return {pk: one for found in cache.get_many(names.values()).values() for pk, one in found.items()}

    def write(kept: Kept, fresh: Iterable[int]) -> None:
        cache.set_many({names[pk]: {pk: kept[pk]} for pk in fresh}, KEPT_SECONDS)

    return _splits(runs, read, write)


Kept = dict[int, tuple[int, RunSplits]]
"""The splits of runs by their primary keys, each with the version of the run."""


def _splits(
    runs: Sequence[Run], read: Callable[[], Kept], write: Callable[[Kept, Iterable[int]], object]
) -> dict[int, RunSplits]:
    """Return the splits from the memory of the process, else from what `read` returns of the shared cache, else
    computed. `write` gets all of them, and which were computed.
    """
    found: Kept = {}
    for run in runs:
        if (splits := SPLITS.get(run.key, run.version)) is not None:
            found[run.pk] = run.version, splits
    begins = any(run.pk not in found and not SPLITS.knows(run.key) for run in runs)
    if begins:
        kept = read()
        found = {run.pk: kept[run.pk] for run in runs if run.pk in kept and kept[run.pk][0] == run.version} | found
    stale = [run for run in runs if run.pk not in found]
    if stale:
        told = _computed_splits(stale)
        found |= {run.pk: (run.version, told[run.pk]) for run in stale}
        if begins:
            write(found, [run.pk for run in stale])
    for run in runs:
        SPLITS.put(run.key, run.version, found[run.pk][1])
    return {pk: splits for pk, (_version, splits) in found.items()}


def _name_of(run: Run) -> str:
    return f"measured-run-{run.pk}"


def _computed_splits(runs: Sequence[Run]) -> dict[int, RunSplits]:
    """Return the splits of runs, computed from the events that everybody may read. One trip to the database."""
    events: dict[int, list[dict[str, Any]]] = {run.pk: [] for run in runs}
    told = {run.pk: run.events_told for run in runs}
    rows, setups = run_together(_readable_events.bind(runs=list(told)), _setups.bind(runs=list(told)))
    for pk, number, data in rows:
        if number <= told[pk]:
            events[pk].append(data)
    found: dict[int, RunSplits] = {}
    for run in setups:
        rules = registry.get(run.game)
        timed = required(rules, Splits)
        found[run.pk] = timed.splits(rules.setup(run.stage, run.entrants, run.options), events[run.pk])
    return found


@prepared
def _readable_events(runs: Any) -> QuerySet[Event, tuple[Any, ...]]:
    readable = Event.objects.filter(watching.readable(None), run__in=any_of(runs))
    return readable.order_by("run", "number").values_list("run_id", "number", "data")


@prepared
def _setups(runs: Any) -> QuerySet[Run]:
    return Run.objects.filter(pk__in=any_of(runs)).only("game", "stage", "entrants", "options").order_by("pk")


def _gaps(driven: Sequence[tuple[Run, Sequence[Seat]]], name: str, game: str, viewer: Viewer) -> Gaps:
    splits = splits_of([run for run, _seats in driven], name)
    timed = [(run, seat, splits[run.pk].seats[seat.name]) for run, seats in driven for seat in seats]
    borders = max((told.borders for told in splits.values()), default=0)
    return table_of(timed, borders, measure_of_game(game), viewer)


def table_of(seats: Sequence[tuple[Run, Seat, SeatSplits]], borders: int, measure: Measure, viewer: Viewer) -> Gaps:
    """Return the gaps between seats with these splits. No query."""
    best = _best((told for _run, _seat, told in seats), borders, measure)
    cars = []
    for run, seat, told in seats:
        *times, finish = (_time(value, first, measure) for value, first in zip(_line(told), best, strict=True))
        mine = viewer.is_authenticated and seat.entry.driver_id == viewer.pk
        cars.append(CarGaps(seat, run, times, finish, told.bonus, told.status == "retired", mine))
    return Gaps(borders, sorted(cars, key=lambda car: _rank(car, measure)), measure)


def _line(told: SeatSplits) -> list[int | None]:
    """Return the measures of a seat at each border and at the finish."""
    return [*told.at, told.measure if told.status == "finished" else None]


def _best(seats: Iterable[SeatSplits], borders: int, measure: Measure) -> list[int | None]:
    """Return the best measure at each border and at the finish; None where no car has been."""
    best: list[int | None] = [None] * (borders + 1)
    for told in seats:
        for border, value in enumerate(_line(told)):
            first = best[border]
            if value is not None and (first is None or worse(measure) * (value - first) < 0):
                best[border] = value
    return best


def _time(value: int | None, best: int | None, measure: Measure) -> Time | None:
    return None if value is None or best is None else Time(value, worse(measure) * (value - best))


def _rank(car: CarGaps, measure: Measure) -> tuple[int, int, int, int, int]:
    """Return the sort key of a car: finished, driving, retired; then by the result, or by the borders passed and the
    measure at the last of them.
    """
    passed = car.passed
    group = 0 if car.finish else 2 if car.retired else 1
    last = car.finish or (passed[-1] if passed else None)
    measured = worse(measure) * last.measured if last else 0
    return group, 0 if car.finish else -len(passed), measured, car.run.number, car.seat.position

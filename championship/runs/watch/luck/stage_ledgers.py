"""The ledgers of all cars of a special stage beside its results: who drove best, and the results with even luck.

Where all cars met the same draws, each alone on the road, results are also compared as bridge players compare theirs:
with the mean of the others, or pair by pair where there are few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.platform.refusals import Forbidden
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.results.classification import Line
from championship.rallies.results.measures import worse
from championship.rallies.results.selectors import results_of
from championship.rallies.selectors import Viewer, may_have_course
from championship.runs.models import KeptAccounts, KeptLedger, Run
from championship.runs.watch import watching
from championship.runs.watch.luck import ledgers
from championship.runs.watch.luck.ledgers import units
from engine.contract import Measure

FIELD = 4
"""With so many cars or more, each is compared with the mean of the others."""


@dataclass(frozen=True, slots=True)
class StageCar:
    """A car of a stage, in the unit of the ledgers. `line`: its line in the classification of the stage, None where it
    has none. `best_driven`, `with_even_luck`: its place by decisions alone, and by the result with even luck; None for
    a car that has not finished.
    """

    entry: Entry
    run_key: str
    line: Line | None
    start: Decimal
    result: Decimal
    driving: Decimal
    chance: Decimal
    traffic: Decimal
    finished: bool
    mine: bool
    best_driven: int | None = None
    with_even_luck: int | None = None

    @property
    def even(self) -> Decimal:
        """The result if chance had given just what it gives on average."""
        return self.result - self.chance


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of a car against the mean of the others, or of `other`: negative is less."""

    entry: Entry
    other: Entry | None
    difference: Decimal


@dataclass(frozen=True, slots=True)
class StageLedger:
    """The ledgers of a stage: its cars in the order of the classification. `measure`: what the amounts count.
    `waiting`: runs whose ledger is not computed yet. `too_long`: those whose last try took too long. `compared`: empty
    unless all cars met the same draws alone.
    """

    stage: SpecialStage
    cars: Sequence[StageCar]
    measure: Measure
    compared: Sequence[Compared]
    waiting: int
    too_long: int

    @property
    def unit(self) -> str:
        """What the amounts count."""
        return self.measure.unit

    @property
    def own_measure(self) -> bool:
        """Whether that is not the measure of the results."""
        return self.measure != self.stage.rally.measure

    @property
    def places(self) -> int:
        """The decimals of the amounts on pages."""
        return ledgers.FINE if self.own_measure else ledgers.COARSE


def stage_ledger(special_stage: SpecialStage, viewer: Viewer) -> StageLedger:
    """Return the ledgers of a stage that is over. The same number of queries for any number of cars.

    Raises: Http404 when the rally shows no ledgers.
    Raises: NotYet when the viewer may not watch the runs yet.
    Raises: Forbidden before the draws may be shown, or when the viewer may not have the course.
    """
    rally, runs = special_stage.rally, _runs_of(special_stage, viewer)
    kept = list(KeptLedger.objects.filter(run__in=runs))
    rows = _rows_of(special_stage)
    lines = {line.entry.pk: line for line in results_of(rally).stage_lines(special_stage.number)}
    cars = [_car(row, lines.get(row.seat.entry_id), viewer) for row in rows]
    order = list(lines)
    cars.sort(key=lambda car: (order.index(car.entry.pk) if car.entry.pk in lines else len(order), car.entry.pk))
    measure = next((each.counted_in(rally.measure) for each in kept if not each.too_long), rally.measure)
    cars = _placed(cars, measure)
    alone = all(len(run.entrants) == 1 for run in runs)
    same = alone and len(runs) > 1 and all(run.common is not None for run in runs)
    return StageLedger(
        stage=special_stage,
        cars=cars,
        measure=measure,
        compared=compared([(car.entry, car.result) for car in cars if car.finished]) if same else [],
        waiting=len(runs) - len(kept),
        too_long=sum(each.too_long for each in kept),
    )


def accounts_of(special_stage: SpecialStage, viewer: Viewer) -> list[KeptAccounts]:
    """Return the stored accounts of all cars of a stage, without their bookings.

    Raises: the same as `stage_ledger`.
    """
    _runs_of(special_stage, viewer)
    return list(_rows_of(special_stage))


def _runs_of(special_stage: SpecialStage, viewer: Viewer) -> list[Run]:
    rally = special_stage.rally
    ledgers.require_tells(rally)
    opened = list(Run.objects.filter(special_stage=special_stage).defer("state"))
    if not watching.may_watch_all(special_stage, opened, viewer):
        raise watching.not_yet(special_stage)
    runs = [run for run in opened if run.status == Run.Status.FINISHED]
    if not runs or watching.is_still_driven(special_stage.pk):
        raise Forbidden(_("This is shown when all cars have finished. Until then its draws must stay secret."))
    if not may_have_course(rally, runs[0].stage, viewer):
        raise Forbidden(_("Only the club's members and the drivers may see this course as a whole."))
    return runs


def _rows_of(special_stage: SpecialStage) -> QuerySet[KeptAccounts]:
    found = ledgers.accounts().filter(seat__special_stage=special_stage, seat__run__status=Run.Status.FINISHED)
    found = found.select_related("seat__entry__driver", "seat__run").defer("bookings", "seat__run__state")
    return found.order_by("seat__run__number", "seat__position")


def _car(row: KeptAccounts, line: Line | None, viewer: Viewer) -> StageCar:
    entry = row.seat.entry
    return StageCar(
        entry=entry,
        run_key=row.seat.run.key,
        line=line,
        start=units(row.start),
        result=units(row.result),
        driving=units(row.driving),
        chance=units(row.chance),
        traffic=units(row.traffic),
        finished=line is not None and line.place is not None and not line.remarks.retired,
        mine=viewer.is_authenticated and entry.driver_id == viewer.pk,
    )


def _placed(cars: Sequence[StageCar], measure: Measure) -> list[StageCar]:
    """Return the cars with their places by decisions and with even luck. Equal amounts share a place."""
    finished = [car for car in cars if car.finished]

    def place(car: StageCar, value: Callable[[StageCar], Decimal]) -> int | None:
        if not car.finished:
            return None
        return 1 + sum((value(other) - value(car)) * worse(measure) < 0 for other in finished)

    return [
        replace(
            car,
            best_driven=place(car, lambda one: one.driving),
            with_even_luck=place(car, lambda one: one.even),
        )
        for car in cars
    ]


def compared(cars: Sequence[tuple[Entry, Decimal]]) -> list[Compared]:
    """Return the results of cars that met the same draws against each other: with FIELD cars or more, each against the
    mean of the others, else each pair.
    """
    if len(cars) < FIELD:
        return [Compared(one, other, mine - theirs) for (one, mine), (other, theirs) in combinations(cars, 2)]
    total = sum((result for _entry, result in cars), Decimal(0))
    others = len(cars) - 1
    return [Compared(entry, None, result - (total - result) / others) for entry, result in cars]

"""How drivers decided and what chance gave them, on average over many stages, each mean with its standard error.

A mean says little without its error: two drivers are told apart only when their means differ by more than TWICE the
error of the difference. Stages on which the codriver drove a turn, and cars that have changed drivers, are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from statistics import mean, stdev

from django.db.models import Exists, OuterRef, QuerySet

from championship import catalogue
from championship.accounts.models import User
from championship.rallies.models import CrewChange, Entry, SpecialStage, StageTime
from championship.rallies.results.measures import measure_of_game, unit_name, worse
from championship.runs.models import KeptAccounts
from championship.runs.watch.luck.ledgers import COARSE, FINE, accounts, units
from engine.contract import Measure

TWICE = 2
"""By how many standard errors of their difference two means differ that are told apart."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over stages, in the unit of the ledgers, and its standard error; None for fewer than two stages."""

    value: Decimal
    error: Decimal | None

    def apart_from(self, other: Mean) -> bool:
        """Whether two means differ by more than TWICE the standard error of their difference."""
        if self.error is None or other.error is None:
            return False
        return abs(self.value - other.value) > TWICE * Decimal(sqrt(self.error**2 + other.error**2))

    def apart_from_zero(self) -> bool:
        """Whether the mean differs from 0 by more than TWICE its standard error."""
        return self.error is not None and abs(self.value) > TWICE * self.error


@dataclass(frozen=True, slots=True)
class DriverAverage:
    """A driver's means for a stage. `apart`: whether the decisions differ by more than the error from those of the
    driver in the line before; None for the first.
    """

    driver: User
    stages: int
    driving: Mean
    chance: Mean
    apart: bool | None


@dataclass(frozen=True, slots=True)
class GameAverages:
    """The drivers of one game, those whose decisions gave up least first. `unit`: what the amounts count."""

    game: str
    unit: str
    drivers: Sequence[DriverAverage]

    @property
    def title(self) -> str:
        """The name of the game."""
        return str(catalogue.get(self.game))

    @property
    def places(self) -> int:
        """The decimals of the amounts on pages."""
        return COARSE if self.unit == measure_of_game(self.game).unit else FINE

    @property
    def unit_in_words(self) -> str:
        """The name of the unit."""
        return unit_name(self.unit)


def own_drives() -> QuerySet[KeptAccounts]:
    """Return the accounts of cars that their drivers drove themselves, on stages that count."""
    helped = StageTime.objects.filter(
        special_stage=OuterRef("seat__special_stage"), entry=OuterRef("seat__entry"), stood_in=True
    )
    changed = CrewChange.objects.filter(entry=OuterRef("seat__entry"), before__isnull=False, driver__isnull=False)
    return (
        accounts()
        .filter(
            seat__entry__driven_by=Entry.DrivenBy.PERSON,
            seat__special_stage__struck_at=None,
            seat__special_stage__status=SpecialStage.Status.DONE,
            seat__special_stage__rally__practice=False,
        )
        .exclude(Exists(helped))
        .exclude(Exists(changed))
    )


def averages(rows: QuerySet[KeptAccounts]) -> list[GameAverages]:
    """Return the means of these accounts, by game and driver. One query."""
    by_game: dict[str, dict[User, list[KeptAccounts]]] = defaultdict(lambda: defaultdict(list))
    measures: dict[str, Measure] = {}
    for row in rows.select_related("ledger__run", "seat__entry__driver").defer("bookings", "ledger__run__state"):
        game = row.ledger.run.game
        by_game[game][row.seat.entry.driver].append(row)
        measures[game] = row.ledger.counted_in(measure_of_game(game))
    return [
        GameAverages(game, measures[game].unit, _drivers(drivers, worse(measures[game])))
        for game, drivers in sorted(by_game.items())
    ]


def _drivers(drivers: dict[User, list[KeptAccounts]], sign: int) -> list[DriverAverage]:
    means = [
        (driver, len(rows), mean_of(row.driving for row in rows), mean_of(row.chance for row in rows))
        for driver, rows in drivers.items()
    ]
    means.sort(key=lambda each: (each[2].value * sign, each[0].pk))
    found = list[DriverAverage]()
    for driver, stages, driving, chance in means:
        apart = driving.apart_from(found[-1].driving) if found else None
        found.append(DriverAverage(driver, stages, driving, chance, apart))
    return found


def mean_of(hundredths: Iterable[int]) -> Mean:
    """Return the mean of amounts in hundredths, in whole units."""
    amounts = list(hundredths)
    error = None if len(amounts) < 2 else units(round(stdev(amounts) / sqrt(len(amounts))))
    return Mean(units(round(mean(amounts))), error)

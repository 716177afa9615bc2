"""The stored ledger of a run for its pages, papers and programs: what each driver decided and what chance gave.

A ledger names every draw and the best way beside the own, so it is shown when the record is: when the run is over, and
no other car of the stage may still meet the same draws (`proof.may_show`). Nothing is computed here: a worker stores
ledgers (play/keeping_ledgers.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.platform.refusals import Forbidden
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.results.measures import worse
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, KeptAccounts, KeptLedger, Run, Seat
from championship.runs.watch import proof
from engine import registry
from engine.contract import Ledgers, Measure, UnknownGame, offered
from engine.contract.ledger import CHANCE, DRIVING, TRAFFIC, Account

ACCOUNTS = (DRIVING, CHANCE, TRAFFIC)
FINE, COARSE = 2, 1
"""The decimals of amounts on pages: FINE where a ledger has a measure of its own, whose units may be few in a run."""
SHOWN = 3
"""How many decisions and draws of a car are named."""


@dataclass(frozen=True, slots=True)
class Booked:
    """A booking: `amount` in the unit of the ledger; `moment` is the number of its event in the replay."""

    turn: int
    moment: int
    account: Account
    amount: Decimal
    kind: str
    facts: Mapping[str, Any]

    @property
    def better(self) -> str:
        """The best way where the chosen one gave something up, in short where the game has it; else ""."""
        best = self.facts.get("best")
        differs = self.amount and isinstance(best, str) and best != self.facts.get("chosen")
        return str(self.facts.get("short", best)) if differs else ""


@dataclass(frozen=True, slots=True)
class Told:
    """A booking with its event as the game's data."""

    booked: Booked
    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TurnSums:
    """What a turn changed, by account, and the value before and after it, in the unit of the ledger."""

    number: int
    driving: Decimal
    chance: Decimal
    traffic: Decimal
    before: Decimal
    after: Decimal


@dataclass(frozen=True, slots=True)
class CarLedger:
    """The ledger of one car, in the unit of the ledger. `even`: the result if chance had given just what it gives on
    average. `mine`: the viewer's own.
    """

    seat: Seat
    start: Decimal
    result: Decimal
    driving: Decimal
    chance: Decimal
    traffic: Decimal
    bookings: Sequence[Booked]
    mine: bool

    @property
    def even(self) -> Decimal:
        return self.result - self.chance

    @property
    def turns(self) -> list[TurnSums]:
        """The sums of each turn, in order."""
        sums: dict[int, dict[Account, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        for each in self.bookings:
            sums[each.turn][each.account] += each.amount
        found, value = list[TurnSums](), self.start
        for number, turn in sorted(sums.items()):
            after = value + sum(turn.values())
            found.append(TurnSums(number, turn[DRIVING], turn[CHANCE], turn[TRAFFIC], value, after))
            value = after
        return found

    def costliest(self, worse: int, places: int = FINE) -> list[Booked]:
        """The decisions that gave up most. `worse`: 1 where the fewest win, else -1. `places`: one that rounds to
        nothing in so many decimals is left out.
        """
        own = [each for each in self.bookings if each.account == DRIVING and round(each.amount, places)]
        return sorted(own, key=lambda each: -each.amount * worse)[:SHOWN]

    def biggest(self) -> list[Booked]:
        """The draws that changed most."""
        own = [each for each in self.bookings if each.account == CHANCE and each.amount]
        return sorted(own, key=lambda each: -abs(each.amount))[:SHOWN]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of a run: its cars, the best result first. `measure`: what the amounts count, and whether fewest or
    most is better; `own_measure` says that it is not that of the results. `waits`: it is not computed yet. `too_long`:
    the last try took too long. `error`: the standard error of one value.
    """

    cars: Sequence[CarLedger]
    measure: Measure
    error: Decimal
    own_measure: bool = False
    waits: bool = False
    too_long: bool = False

    @property
    def worse(self) -> int:
        """1 where the fewest are best, else -1."""
        return worse(self.measure)

    @property
    def unit(self) -> str:
        """What the amounts count."""
        return self.measure.unit

    @property
    def places(self) -> int:
        """The decimals of the amounts on pages."""
        return FINE if self.own_measure else COARSE


@dataclass(frozen=True, slots=True)
class RoundAgainst:
    """A turn of two cars: the result that each could expect after it, and by how much the first was better, negative
    where it was worse. None where a car has not made that turn.
    """

    number: int
    own: Decimal | None
    other: Decimal | None
    ahead: Decimal | None

    @property
    def lead(self) -> Decimal | None:
        """By how much the better of the two is in front."""
        return None if self.ahead is None else abs(self.ahead)


def round_by_round(found: Ledger, own: CarLedger, other: CarLedger) -> list[RoundAgainst]:
    """Return the turns of two cars of a ledger beside each other, in order; turn 0 is the start. No query."""
    one, two = ({0: car.start} | {turn.number: turn.after for turn in car.turns} for car in (own, other))
    return [
        RoundAgainst(
            number,
            one.get(number),
            two.get(number),
            (two[number] - one[number]) * found.worse if number in one and number in two else None,
        )
        for number in sorted({*one, *two})
    ]


def has_ledger(game: str) -> bool:
    """Return whether a game has ledgers. False where this installation does not know the game."""
    try:
        return offered(registry.get(game), Ledgers) is not None
    except UnknownGame:
        return False


def tells(rally: Rally) -> bool:
    """Return whether the ledgers of a rally have pages: its game has them, and nobody has switched them off."""
    return rally.ledgers and has_ledger(rally.game)


def require_tells(rally: Rally) -> None:
    """Check that a rally shows ledgers.

    Raises: Http404 when its game has none, or they are switched off.
    """
    if not tells(rally):
        raise Http404


def ledger_of(run: Run, viewer: Viewer) -> Ledger:
    """Return the ledger of a run. Five queries at most.

    Raises: Http404 when the rally shows no ledgers.
    Raises: Forbidden before the draws may be shown, or when the viewer may not have the course.
    """
    kept, rows = kept_of(run, viewer)
    of_results = registry.get(run.game).measure
    if kept is None or kept.too_long:
        return Ledger([], of_results, Decimal(0), waits=kept is None, too_long=kept is not None)
    measure = kept.counted_in(of_results)
    sign = worse(measure)
    cars = sorted((car_of(row, viewer) for row in rows), key=lambda car: (car.result * sign, car.seat.position))
    return Ledger(cars, measure, units(kept.error), own_measure=measure != of_results)


def kept_of(run: Run, viewer: Viewer) -> tuple[KeptLedger | None, list[KeptAccounts]]:
    """Return the stored ledger of a run and its cars in starting order, as they are stored; None where it is not
    computed yet. Five queries at most.

    Raises: the same as `ledger_of`.
    """
    require_may_have(run, viewer)
    kept = KeptLedger.objects.filter(run=run).first()
    rows = KeptAccounts.objects.filter(ledger=kept).select_related("seat__entry__driver").order_by("seat__position")
    return kept, list(rows) if kept else []


def require_may_have(run: Run, viewer: Viewer) -> None:
    """Check that the viewer, who may see the run, may have its ledger now.

    Raises: Http404 when the rally shows no ledgers.
    Raises: Forbidden before the draws may be shown, or when the viewer may not have the course.
    """
    require_tells(run.special_stage.rally)
    if not proof.may_show(run):
        raise Forbidden(_("This is shown when all cars have finished. Until then its draws must stay secret."))
    if not proof.may_have_record(run, viewer):
        raise Forbidden(_("Only the club's members and the drivers may see this course as a whole."))


def accounts() -> QuerySet[KeptAccounts]:
    """Return the accounts of all cars without their bookings, in rallies that show ledgers."""
    return KeptAccounts.objects.filter(seat__special_stage__rally__ledgers=True).defer("bookings")


def bookings_of(special_stage: SpecialStage) -> QuerySet[KeptAccounts]:
    """Return the accounts of all cars of a stage with their bookings. The caller has checked the viewer."""
    found = KeptAccounts.objects.filter(seat__special_stage=special_stage).select_related("seat__entry")
    return found.order_by("seat__run__number", "seat__position")


def car_of(row: KeptAccounts, viewer: Viewer) -> CarLedger:
    """Return a stored ledger in its unit. No query: seat, entry and driver are read."""
    return CarLedger(
        seat=row.seat,
        start=units(row.start),
        result=units(row.result),
        driving=units(row.driving),
        chance=units(row.chance),
        traffic=units(row.traffic),
        bookings=[
            Booked(turn, event + 1, account, units(amount), kind, facts)
            for turn, event, account, amount, kind, facts in row.bookings
        ],
        mine=viewer.is_authenticated and row.seat.entry.driver_id == viewer.pk,
    )


def told(run: Run, bookings: Iterable[Booked]) -> list[Told]:
    """Return these bookings with their events. One query."""
    wanted = list(bookings)
    rows = Event.objects.filter(run=run, number__in={each.moment for each in wanted}).values_list("number", "data")
    events: dict[int, Any] = dict(rows)
    return [Told(each, events.get(each.moment, {})) for each in wanted]


def units(amount: int) -> Decimal:
    """Return hundredths in whole units."""
    return Decimal(amount) / 100

"""The ledger of a run for its page: what each driver decided and what chance gave, from the engine's values.

A ledger names every draw and the best way beside the own, so it is shown when the record is: when the run is over, and
no other car of the stage may still meet the same draws (`proof.may_show`). A run that is over does not change, so its
ledger is cached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.cache import cache
from django.http import Http404
from django.utils.translation import gettext as _

from championship.platform.refusals import Forbidden
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Run, Seat
from championship.runs.watch import proof, watching
from engine import registry
from engine.contract import Ledgers, RunLedger, UnknownGame, offered
from engine.contract.ledger import CHANCE, DRIVING, TRAFFIC, Account, Booking, SeatLedger

KEPT_SECONDS = 24 * 3600
SHOWN = 3
"""How many decisions and draws of a car are named."""
MOST_EVENTS = 4000
"""A run with more events has no ledger: it would take too long to compute."""


@dataclass(frozen=True, slots=True)
class Told:
    """A booking for the page: the amount in the game's unit, the event as the game's data and its number in the replay,
    and the best way, in short where the game has it, where it is not the chosen one.
    """

    turn: int
    account: Account
    amount: Decimal
    event: Mapping[str, Any]
    moment: int
    best: str


@dataclass(frozen=True, slots=True)
class TurnSums:
    """What a turn changed, by account, in the game's unit."""

    number: int
    driving: Decimal
    chance: Decimal
    traffic: Decimal


@dataclass(frozen=True, slots=True)
class CarLedger:
    """The ledger of one car, in the game's unit. `even`: the result if chance had given just what it gives on average.
    `mine`: the viewer's own.
    """

    seat: Seat
    start: Decimal
    result: Decimal
    driving: Decimal
    chance: Decimal
    traffic: Decimal
    turns: Sequence[TurnSums]
    decisions: Sequence[Told]
    draws: Sequence[Told]
    mine: bool

    @property
    def even(self) -> Decimal:
        return self.result - self.chance


def has_ledger(game: str) -> bool:
    """Return whether a game has ledgers. False where this installation does not know the game."""
    try:
        return offered(registry.get(game), Ledgers) is not None
    except UnknownGame:
        return False


def ledger_of(run: Run, viewer: Viewer) -> list[CarLedger]:
    """Return the ledgers of the cars of a run, the best result first. Six queries at most, and the cache.

    Raises: Http404 when the game has no ledgers, or the run is too long for one.
    Raises: Forbidden before the draws may be shown, or when the viewer may not have the course.
    """
    if not has_ledger(run.game):
        raise Http404
    if not proof.may_show(run):
        raise Forbidden(_("This is shown when all cars have finished. Until then its draws must stay secret."))
    if not proof.may_have_record(run, viewer):
        raise Forbidden(_("Only the club's members and the drivers may see this course as a whole."))
    rows = Event.objects.filter(watching.readable(None), run=run).order_by("number").values_list("data", flat=True)
    events: list[dict[str, Any]] = list(rows)
    if len(events) > MOST_EVENTS:
        raise Http404
    found = _computed(run, events)
    seats = {seat.driver: seat for seat in run.seats.select_related("entry__driver")}
    worse = 1 if registry.get(run.game).measure.better == "fewest" else -1
    cars = [_car(seats[name], books, events, viewer, worse) for name, books in found.seats.items() if name in seats]
    return sorted(cars, key=lambda car: car.result * worse)


def _computed(run: Run, events: Sequence[dict[str, Any]]) -> RunLedger:
    rules = registry.get(run.game)
    ledgers = offered(rules, Ledgers)
    assert ledgers is not None

    def computed() -> RunLedger:
        return ledgers.ledger(rules.setup(run.stage, run.entrants, run.options), events)

    found = cache.get_or_set(f"ledger-{run.pk}-{run.version}-{ledgers.ledger_version}", computed, KEPT_SECONDS)
    return found if isinstance(found, RunLedger) else computed()


def _car(seat: Seat, books: SeatLedger, events: Sequence[Mapping[str, Any]], viewer: Viewer, worse: int) -> CarLedger:
    by_turn: dict[int, dict[Account, int]] = defaultdict(lambda: defaultdict(int))
    for each in books.bookings:
        by_turn[each.turn][each.account] += each.amount
    decisions = [each for each in books.bookings if each.account == DRIVING and each.amount]
    draws = [each for each in books.bookings if each.account == CHANCE and each.amount]
    decisions.sort(key=lambda each: -each.amount * worse)
    draws.sort(key=lambda each: -abs(each.amount))
    return CarLedger(
        seat=seat,
        start=_units(books.start),
        result=_units(books.result),
        driving=_units(books.total(DRIVING)),
        chance=_units(books.total(CHANCE)),
        traffic=_units(books.total(TRAFFIC)),
        turns=[
            TurnSums(number, *(_units(sums[account]) for account in (DRIVING, CHANCE, TRAFFIC)))
            for number, sums in sorted(by_turn.items())
        ],
        decisions=[_told(each, events) for each in decisions[:SHOWN]],
        draws=[_told(each, events) for each in draws[:SHOWN]],
        mine=viewer.is_authenticated and seat.entry.driver_id == viewer.pk,
    )


def _units(amount: int) -> Decimal:
    return Decimal(amount) / 100


def _told(booking: Booking, events: Sequence[Mapping[str, Any]]) -> Told:
    best, chosen = booking.facts.get("best"), booking.facts.get("chosen")
    differs = isinstance(best, str) and best != chosen
    return Told(
        turn=booking.turn,
        account=booking.account,
        amount=_units(booking.amount),
        event=events[booking.event],
        moment=booking.event + 1,
        best=str(booking.facts.get("short", best)) if differs else "",
    )

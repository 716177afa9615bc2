"""A capability: the ledger of a run, which tells what the driver decided from what chance gave.

The value of a situation is the measure that a seat reaches on average from there, when one fixed driver goes on. Every
step of a run changes it. A ledger books each change to one of three accounts:

- `driving`: what a decision gave up against the best that could be expected before the draw;
- `chance`: what a draw gave or took against its expectation, which is 0 on average;
- `traffic`: all else, such as other cars, damage, and what the values do not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from engine.contract.core import Measure
from engine.contract.values import Event, Json, SeatName, State

Account = Literal["driving", "chance", "traffic"]
DRIVING: Account = "driving"
CHANCE: Account = "chance"
TRAFFIC: Account = "traffic"


@dataclass(frozen=True, slots=True)
class Booking:
    """A change of a seat's value by one event of the run, in hundredths of the ledger's unit. `event` is the event's
    place in the run, from 0; `turn` the seat's turn, from 1. `kind` is a word of the game for what was decided or
    drawn. `facts` are plain values of the game: the chances, the best way beside the chosen one.
    """

    turn: int
    event: int
    account: Account
    amount: int
    kind: str
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeatLedger:
    """The ledger of one seat. `start`, `result` and all amounts are in hundredths: `result` is `start` plus all
    amounts, exactly. `result` is 100 times the seat's measure, or what counts for a seat that has none; in a ledger
    with a measure of its own, what the game says there.
    """

    seat: SeatName
    start: int
    bookings: tuple[Booking, ...]
    result: int

    def total(self, account: Account) -> int:
        """Return the sum of an account."""
        return sum(booking.amount for booking in self.bookings if booking.account == account)


@dataclass(frozen=True, slots=True)
class RunLedger:
    """The ledgers of a run by seat, in starting order.

    `error`: the standard error of one value in hundredths where values are simulated, 0 where they are computed.
    `measure`: what the ledger counts, where it is not the measure of the game. A game whose measure is a place counts
    something that one car can win or lose alone, such as turns. Use `counted_in`.
    """

    seats: Mapping[SeatName, SeatLedger]
    error: int = 0
    measure: Measure | None = None

    @property
    def unit(self) -> str:
        """The unit of the amounts; "" where it is that of the game's measure."""
        return self.measure.unit if self.measure else ""

    def counted_in(self, measure: Measure) -> Measure:
        """Return the unit of the amounts, and whether fewest or most is better. `measure` is that of the game."""
        return self.measure or measure


@runtime_checkable
class Ledgers(Protocol):
    """A capability: the ledger of a run that is over. `ledger_version` changes when the same run gets other amounts."""

    ledger_version: str

    def ledger(self, setup: State, events: Sequence[Event]) -> RunLedger:
        """Return the ledger of a run from its set-up and all its events, sealed ones too. Nothing is drawn. In the
        account `driving` no amount betters the seat's measure: a decision can only give up.
        """

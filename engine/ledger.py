"""Bookkeeping for the ledger of a run (engine/contract/ledger.py): amounts that add up exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.contract import Measure, RunLedger
from engine.contract.ledger import CHANCE, DRIVING, TRAFFIC, Account, Booking, SeatLedger
from engine.contract.values import Json, SeatName

HUNDREDTHS = 100


class Books:
    """The books of one seat while its run is read. Each value is rounded to whole hundredths before it is compared, so
    the amounts add up exactly. `worse` is 1 where the fewest win, else -1.
    """

    def __init__(self, seat: SeatName, start: float, *, better: str) -> None:
        self.seat = seat
        self.worse = 1 if better == "fewest" else -1
        self.start = self.value = rounded(start)
        self.bookings: list[Booking] = []
        self.turn, self.event = 1, 0

    def at(self, turn: int, event: int) -> None:
        """Set the turn and the event that the next amounts belong to."""
        self.turn, self.event = turn, event

    def decision(self, best: float, chosen: float, kind: str, facts: Mapping[str, Json] | None = None) -> None:
        """Book a decision: the best and the chosen way as expected before any draw. What the best one is away from the
        value before goes to `traffic`. A way that is better than the best one known is the best one.
        """
        best_here, chosen_here = rounded(best), rounded(chosen)
        if (chosen_here - best_here) * self.worse < 0:
            best_here = chosen_here
        self._move(TRAFFIC, best_here, "values", {})
        self._move(DRIVING, chosen_here, kind, facts or {}, always=True)

    def draw(self, expected: float, after: float, kind: str, facts: Mapping[str, Json] | None = None) -> None:
        """Book a draw: its exact expectation, and the value after it. What the expectation is away from the value
        before goes to `traffic`.
        """
        self._move(TRAFFIC, rounded(expected), "values", {})
        self._move(CHANCE, rounded(after), kind, facts or {}, always=True)

    def other(self, after: float, kind: str) -> None:
        """Book to `traffic` what the value has become by something that was neither a decision nor a draw."""
        self._move(TRAFFIC, rounded(after), kind, {})

    def closed(self, result: float) -> SeatLedger:
        """Return the ledger with that result, in the unit of the ledger."""
        self._move(TRAFFIC, rounded(result), "values", {})
        return SeatLedger(self.seat, self.start, tuple(self.bookings), self.value)

    def _move(
        self, account: Account, value: int, kind: str, facts: Mapping[str, Json], *, always: bool = False
    ) -> None:
        if value != self.value or always:
            self.bookings.append(Booking(self.turn, self.event, account, value - self.value, kind, dict(facts)))
            self.value = value


def rounded(value: float) -> int:
    """Return a value in the ledger's unit as whole hundredths."""
    return round(value * HUNDREDTHS)


def faults(ledger: RunLedger, measure: Measure) -> list[str]:
    """Return what is wrong with a ledger: sums that do not hold, decisions that gain. Empty where it is right.
    `measure` is that of the game.
    """
    worse = 1 if ledger.counted_in(measure).better == "fewest" else -1
    found = []
    for seat, books in ledger.seats.items():
        if books.start + sum(booking.amount for booking in books.bookings) != books.result:
            found.append(f"{seat}: the amounts do not add up to the result")
        gains = [each for each in books.bookings if each.account == DRIVING and each.amount * worse < 0]
        found += [f"{seat}: the decision at event {each.event} gains {each.amount}" for each in gains]
    return found


SHOWN = 3
"""How many decisions and draws of a seat are named."""


def lines(ledger: RunLedger, measure: Measure, *, whole: bool = False) -> Iterator[str]:
    """Yield a ledger as lines of text: for each seat the sums, the decisions that gave up most, and the draws that
    changed most. With `whole` every booking, with facts that are lists and tables. `measure` is that of the game.
    """
    measure = ledger.counted_in(measure)
    worse = 1 if measure.better == "fewest" else -1
    for seat, books in ledger.seats.items():
        sums = ", ".join(f"{account} {told(books.total(account))}" for account in (DRIVING, CHANCE, TRAFFIC))
        yield f"{seat}: {told(books.result, signed=False)} {measure.unit} = {told(books.start, signed=False)}, {sums}"
        named = list(books.bookings)
        if not whole:
            costly = sorted((each for each in named if each.account == DRIVING), key=lambda one: -one.amount * worse)
            drawn = sorted((each for each in named if each.account == CHANCE), key=lambda one: -abs(one.amount))
            named = [each for each in (*costly[:SHOWN], *drawn[:SHOWN]) if each.amount]
        for each in named:
            shown = {name: value for name, value in each.facts.items() if whole or isinstance(value, str | int)}
            facts = "".join(f"; {name} {value}" for name, value in shown.items())
            yield f"  turn {each.turn}, {each.account}, {each.kind}: {told(each.amount)}{facts}"


def told(amount: int, *, signed: bool = True) -> str:
    """Return hundredths as a number with two decimals."""
    sign = "-" if amount < 0 else "+" if signed else ""
    return f"{sign}{abs(amount) // HUNDREDTHS}.{abs(amount) % HUNDREDTHS:02d}"

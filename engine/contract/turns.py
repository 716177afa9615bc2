"""Capabilities around a turn: drafts, orders sent ahead, orders of old records, odds, manners of codrivers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.chance import Chance
from engine.contract.core import Ways
from engine.contract.errors import RuleError
from engine.contract.values import Event, Json, Orders, SeatName, State


@dataclass(frozen=True, slots=True)
class Drafted:
    """The legal beginning of a draft, the ways to go on from there, and the error of the first illegal step.

    `laying`: whether anything can be laid now.
    """

    draft: Json
    ways: Ways
    error: RuleError | None = None
    laying: bool = True


@runtime_checkable
class Drafting(Protocol):
    """A capability: orders are laid step by step before they are sent. `choices` continues from a draft.

    A draft is plain JSON. Each game defines its shape.
    """

    def empty_draft(self) -> Json:
        """Return a draft in which nothing is laid."""

    def extend(self, draft: Json, text: str) -> Json:
        """Return the draft with one more step, whether or not that is legal."""

    def undo(self, draft: Json) -> Json:
        """Return the draft without its last step."""

    def legal(self, state: State, seat: SeatName, draft: Json) -> Drafted:
        """Return the part of a draft that is legal now.

        Raises: RuleError when this seat is not to play.
        """


@runtime_checkable
class Reaching(Protocol):
    """A capability: a draft is laid up to a place of the course in one step. It needs `Drafting`."""

    def reach(self, state: State, seat: SeatName, draft: Json, place: str) -> Json:
        """Return a legal draft that leads from this legal draft on to a place, by its name on the maps of the game;
        None when no draft leads there this turn, or there is no such place. Nothing is drawn.

        Raises: RuleError when this seat is not to play.
        """


@runtime_checkable
class Changing(Protocol):
    """A capability: a step in the middle of a draft is replaced where it stands. It needs `Drafting`."""

    def change(self, draft: Json, number: int, text: str) -> Json:
        """Return the draft with its step of this number, counted from 1, replaced, whether or not that is legal.

        Raises: RuleError when the draft has no such step.
        """


@runtime_checkable
class OrdersAhead(Protocol):
    """A capability: orders that are sent before the turn begins and carried out when it begins.

    Orders ahead leave nothing to decide. An outlook is plain JSON: the situation that the orders meet.
    """

    def ahead(self, state: State, seat: SeatName) -> State:
        """Return the state as if it were this seat's turn.

        Raises: RuleError when it is this seat's turn already, or the seat plays no more.
        """

    def begins(self, state: State, seat: SeatName) -> bool:
        """Return whether this seat is to play and its turn has not begun."""

    def joined(self, draft: Json, orders: Orders) -> dict[str, Json]:
        """Return the orders that `play` takes: the draft, joined with the orders on how to carry it out."""

    def outlook(self, state: State, seat: SeatName, orders: Orders) -> dict[str, Json]:
        """Return the outlook of joined orders, in a state in which this seat is to play.

        Raises: RuleError when they cannot be carried out, or leave something to decide.
        """

    def changed(self, kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
        """Return why orders should not be carried out. Their outlook was `kept` when they were sent and is `now` at
        present. None means that they can be carried out.
        """

    def lasts(self, orders: Orders) -> bool:
        """Return whether orders ahead also hold for the turns after the next one, until they are withdrawn."""


@runtime_checkable
class OldOrders(Protocol):
    """A capability: records of earlier versions hold orders that `play` takes no longer, in a form or with a meaning of
    those versions. Where an order has had two meanings, the events of the record show which one is meant.

    Such orders are played again to verify a record, never to play a run. In the forms of earlier versions a refusal
    could come after a draw, so a driver could try such orders with one salt after another.
    """

    def is_old(self, state: State, seat: SeatName, orders: Orders) -> bool:
        """Return whether orders of this seat have an old form in this state."""

    def with_old_meaning(self, orders: Orders, events: Sequence[Event]) -> Orders:
        """Return orders of a record as `play_recorded` takes them, given the events that the record says they brought:
        those with an old meaning in words that nothing else takes, all others as they are.
        """

    def play_recorded(
        self, state: State, seat: SeatName, orders: Orders, chance: Chance
    ) -> tuple[State, tuple[Event, ...]]:
        """Carry out orders of a record: those in an old form, and those that `play` takes. The given state never
        changes.

        Raises: RuleError when the orders are illegal, for those in an old form also after a draw.
        """


@runtime_checkable
class Rounds(Protocol):
    """A capability: seats play one after the other in rounds, so that a whole round may have one deadline."""

    def this_round(self, state: State) -> tuple[SeatName, ...]:
        """Return the seats that have yet to play in this round, in playing order: the seats to play now come first."""


@runtime_checkable
class Sealing(Protocol):
    """A capability: only some seats may read a sealed event of a run until a phase closes or the run is over.

    From start to end of such a run, an organiser who drives in it sees no more of it than the other drivers. Otherwise
    the page itself would reveal that something is sealed at this moment.
    """

    seals: bool


@runtime_checkable
class Odds(Protocol):
    """A capability: the odds of a turn before anything is drawn."""

    def odds(
        self, state: State, seat: SeatName, orders: Orders, draft: Json = None, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        """Return the exact chances of what this seat's turn can bring from now on.

        `draft` is what is laid and not sent yet; `orders` say how to carry it out. `events` are all events of the run:
        they show which hidden things have been seen. Without them hidden things count as at the start.

        Raises: RuleError when this cannot be laid or carried out.
        Raises: GameError when the orders cannot be read.
        """


@runtime_checkable
class Manners(Protocol):
    """A capability: `autopilot` knows several manners of codrivers, by name.

    The first one is the most careful. It drives for an absent driver and for a driver who has chosen none. Every manner
    drives: its turns bring the car on.
    """

    manners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rung:
    """A measured strength: of `games` duels against the manner `rival`, `halves` are twice the wins, plus the draws.

    `rival` is "" for the manner that the others are compared with in the end; it has no games.
    """

    manner: str
    rival: str = ""
    games: int = 0
    halves: int = 0

    @property
    def won(self) -> float:
        """The share of duels won, from 0 to 1; a draw is half a win. 0.5 without games."""
        return self.halves / (2 * self.games) if self.games else 0.5

    @property
    def error(self) -> float:
        """The standard error of `won`, as if each duel were independent of the others; 0 without games."""
        return (self.won * (1 - self.won) / self.games) ** 0.5 if self.games else 0.0


@runtime_checkable
class Ladder(Manners, Protocol):
    """A capability: the strength of each manner is measured, in duels of two cars (`engine.ladder`).

    `rungs`: one for each manner, the weakest first. `duel` returns the course and the options of a numbered duel.
    """

    rungs: tuple[Rung, ...]

    def duel(self, number: int) -> tuple[Json, Mapping[str, Json]]: ...

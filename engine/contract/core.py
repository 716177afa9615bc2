"""What every game is: its seats, its measure, its ways to go on, its results, and `Game` itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.chance import Chance
from engine.contract.options import Option
from engine.contract.values import Event, Json, Orders, SeatName, State


@dataclass(frozen=True, slots=True)
class Seats:
    """How many may sit at one table."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Measure:
    """What a stage is won by. Penalties and bonuses are given in the same unit.

    `better` says which way is better. The measure of a place is its number at this table; seats that tie have the same.
    """

    unit: Literal["seconds", "points", "places"]
    better: Literal["fewest", "most"]


@dataclass(frozen=True, slots=True)
class Way:
    """One legal way to go on: its short text form, the orders that `play` takes, and what they do.

    The orders are empty where more must be laid before they can be sent.
    """

    text: str
    orders: Orders
    does: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ways:
    """What a seat may do now.

    `phase` names the step. `forced` names the rule, and `why` the reason, when there is nothing to choose.
    `facts` holds what a page shows beside the ways.
    """

    phase: str
    ways: tuple[Way, ...] = ()
    forced: str | None = None
    why: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a seat ended a stage.

    `measure` is in the game's unit, or None for a seat that has none (yet). `rank` orders seats of equal measure:
    smaller is better, and equal keys share a place. `status` is "finished" or "retired", `reason` says why in a word of
    the game. `luggage` is what the car takes along to the next stage. `detail` is what the game wants to know of this
    seat again when all runs of the stage are in (`Settling`). Both are opaque to all others.
    """

    seat: SeatName
    measure: int | None
    rank: tuple[int, ...]
    status: Literal["finished", "retired"]
    reason: str = ""
    luggage: Json = None
    detail: Json = None


@dataclass(frozen=True, slots=True)
class StageResult:
    """A stage that is over: every seat, in starting order."""

    seats: tuple[SeatResult, ...]


class Game(Protocol):
    """What every game is. All functions are pure. `begin` and `play` alone take chance."""

    name: str
    title: str
    version: str
    options: tuple[Option, ...]
    seats: Seats
    measure: Measure

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return every option with a value, defaults filled in.

        Raises:
            OptionError: a value or a name that the game does not take.
        """

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        """Return the run before anything has happened.

        `entrants` stand in starting order. Each has an `id`; the rest is the game's own.

        Raises:
            GameError: these cannot be set up.
        """

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out what happens before the first turn, such as drawing the grid. Often nothing."""

    def to_play(self, state: State) -> tuple[SeatName, ...]:
        """Return the seats that are waited for: several where play is simultaneous, none when the stage is over."""

    def turns_made(self, state: State, seat: SeatName) -> int:
        """Return how many turns this seat has completed. The number grows when a turn ends."""

    def phase(self, state: State, seat: SeatName) -> str:
        """Return the name of the step that this seat is in."""

    def choices(self, state: State, seat: SeatName, draft: Json = None) -> Ways:
        """Return every legal way to go on, from the draft where one is given.

        Raises:
            RuleError: the draft is illegal, or this seat is not to play.
        """

    def play(self, state: State, seat: SeatName, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out orders. The given state never changes.

        Raises:
            RuleError: the orders are illegal; nothing has happened.
        """

    def apply(self, state: State, event: Event) -> State:
        """Return the state after an event. Folding all events over the set-up gives the state of the run."""

    def view(self, state: State, viewer: SeatName | None) -> dict[str, Json]:
        """Return what this viewer may know. None is a spectator."""

    def autopilot(self, state: State, seat: SeatName, manner: str = "") -> dict[str, Json]:
        """Return the next orders of a seat that the computer plays, in any phase of a turn that may be half made."""

    def resign(self, state: State, seat: SeatName) -> dict[str, Json]:
        """Return the orders by which this seat leaves the race for good. `play` carries them out."""

    def result(self, state: State) -> StageResult | None:
        """Return how the stage ended, or None while it is driven."""

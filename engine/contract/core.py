"""The core interface of a game: seats, measure, ways to go on, results, and `Game` itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.chance import Chance
from engine.contract.options import Option
from engine.contract.values import Event, Json, Orders, SeatName, State


@dataclass(frozen=True, slots=True)
class Seats:
    """The smallest and the largest number of seats in one run."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Measure:
    """The value that decides who wins a stage. Penalties and bonuses have the same unit.

    `better` says whether fewest or most is better. The unit is "seconds", "points", "places" or a name of the game's
    own, such as "turns": at most 20 small letters, digits and `_`. Pages show seconds as a time. With the unit "places"
    the measure is the place in this run; seats that tie have the same measure.
    """

    unit: str
    better: Literal["fewest", "most"]


@dataclass(frozen=True, slots=True)
class Way:
    """One legal way to go on: its short text form, the orders that `play` takes, and what they do.

    The orders are empty when the driver must lay more before they can be sent.
    """

    text: str
    orders: Orders
    does: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways to go on that a seat has now.

    `phase` names the step. When there is nothing to choose, `forced` names the rule and `why` the reason. `facts` holds
    what a page shows in addition to the ways.
    """

    phase: str
    ways: tuple[Way, ...] = ()
    forced: str | None = None
    why: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of a seat on a stage.

    `measure` is in the game's unit, or None for a seat that has none, or none yet. `rank` orders seats of equal
    measure, of all runs of the stage: smaller is better, and equal keys share a place. A game with heats fills it with
    what the heats have in common, so that one seat wins the stage. `status` is "finished" or "retired"; `reason` says
    why, in a word of the game. `luggage` is what the car takes to the next stage. `detail` is what the game needs about
    this seat when all runs of the stage are over (`Settling`). Only the game reads `luggage` and `detail`.
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
    """The results of a stage that is over: every seat, in starting order."""

    seats: tuple[SeatResult, ...]


class Game(Protocol):
    """The interface that every game implements. All functions are pure. Only `begin` and `play` take chance."""

    name: str
    title: str
    version: str
    options: tuple[Option, ...]
    seats: Seats
    measure: Measure

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return every option with a value, defaults filled in.

        Raises: OptionError when the game does not take a name or a value.
        """

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        """Return the run before anything has happened.

        `entrants` are in starting order. Each has an `id`; the other keys are the game's own.

        Raises: GameError when these arguments cannot be set up.
        """

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out what happens before the first turn, such as drawing the grid. Many games do nothing here."""

    def to_play(self, state: State) -> tuple[SeatName, ...]:
        """Return the seats that are to play now: several when play is simultaneous, none when the stage is over."""

    def turns_made(self, state: State, seat: SeatName) -> int:
        """Return how many turns this seat has completed. The number grows when a turn ends."""

    def phase(self, state: State, seat: SeatName) -> str:
        """Return the name of the step that this seat is in."""

    def choices(self, state: State, seat: SeatName, draft: Json = None) -> Ways:
        """Return every legal way to go on, from the draft if one is given.

        Raises: RuleError when the draft is illegal, or this seat is not to play.
        """

    def play(self, state: State, seat: SeatName, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out orders. The given state never changes.

        Orders that have asked chance for anything are carried out: whatever can be refused is checked before the first
        draw. Otherwise a refusal shows what was drawn, and the driver draws again with another salt. Where later
        orders depend on a draw, `play` carries out what it can, and the driver decides the rest in the next post.

        Raises: RuleError when the orders are illegal, always before the first draw; nothing has happened then.
        """

    def apply(self, state: State, event: Event) -> State:
        """Return the state after an event. Folding all events over the set-up gives the state of the run."""

    def view(self, state: State, viewer: SeatName | None) -> dict[str, Json]:
        """Return what this viewer may know. None means a spectator."""

    def autopilot(self, state: State, seat: SeatName, manner: str = "") -> dict[str, Json]:
        """Return the next orders of a seat that the computer plays, in any phase, also in a turn that is half made.

        `manner` is one of `Manners.manners`; with "" the game chooses. Such a seat drives, it does not only pass.
        """

    def resign(self, state: State, seat: SeatName) -> dict[str, Json]:
        """Return the orders by which this seat retires for good. `play` carries them out."""

    def result(self, state: State) -> StageResult | None:
        """Return how the stage ended, or None while it is being driven."""

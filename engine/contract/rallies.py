"""Capabilities across the stages and runs of a rally: a career, measures on the way, driving alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from engine.contract.core import SeatResult
from engine.contract.errors import OptionError
from engine.contract.values import Event, Json, SeatName, State


@dataclass(frozen=True, slots=True)
class Decision:
    """What a driver may settle between two stages.

    `type` is "bool" or "int". An "int" counts units, up to `most`; each costs `worth` in the game's unit.
    """

    name: str
    type: Literal["bool", "int"]
    label: str
    help: str = ""
    worth: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """What the rally sheet keeps besides the measure and the place.

    Columns of one `group` share a box there, each count before the first letter of its `part`. The others are ticked.
    """

    key: str
    label: str
    group: str = ""
    part: str = ""


Luggage = dict[str, Any]
"""What a car brings from stage to stage. Opaque to all but its game."""


@runtime_checkable
class Career(Protocol):
    """A capability: what a car brings from one stage to the next, and what its driver decides between them."""

    sheet_columns: tuple[Column, ...]

    def new_luggage(self, options: Mapping[str, Json]) -> Luggage:
        """Return a car before the first stage."""

    def in_rally(self, course: Json, *, last: bool) -> Json:
        """Return a course as it is driven in a rally; `last`: no other stage follows."""

    def has_service(self, course: Json) -> bool:
        """Return whether the service park stands at the end of this course."""

    def after_stage(self, luggage: Luggage, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Luggage:
        """Return the car as it leaves a stage, after service where there is one."""

    def decisions(
        self, luggage: Luggage, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        """Return what the driver may decide before the next stage; nothing when there is nothing to ask."""

    def decide(
        self,
        luggage: Luggage,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[Luggage, int]:
        """Return the car after a decision, and what the decision costs in the game's unit.

        Raises:
            RuleError: this cannot be decided.
        """

    def starting_order(
        self, totals: Mapping[SeatName, int], last: Mapping[SeatName, int], lots: Sequence[SeatName]
    ) -> list[SeatName]:
        """Return the starting order of a later stage, from the totals, the last stage's measures and lots."""

    def sheet_row(self, luggage: Luggage) -> dict[str, Json]:
        """Return what the rally sheet keeps of a car, by column key."""


@runtime_checkable
class Settling(Protocol):
    """A capability: some measures depend on all seats of all runs of a stage, such as a retired car's."""

    def settle(self, results: Sequence[SeatResult]) -> tuple[SeatResult, ...]:
        """Return the results in the same order with every measure that can be given, all runs being over."""


@dataclass(frozen=True, slots=True)
class Length:
    """About how long a course takes: turns of one seat, and rounds until every seat is home."""

    turns: int
    rounds: int


@runtime_checkable
class Lengths(Protocol):
    """A capability: how long a course takes is known before anybody has driven it."""

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> Length:
        """Return about how many turns and rounds so many seats need on a course."""


@runtime_checkable
class Heats(Protocol):
    """A capability: entries for which one table has too few seats are dealt out among heats."""

    def heats(self, entries: int, options: Mapping[str, Json]) -> Sequence[int]:
        """Return how many cars each heat has, none of them more than `seats.most`; the sum is `entries`."""


@dataclass(frozen=True, slots=True)
class SeatSplits:
    """What was measured of a seat on the way, in the game's unit.

    `at` has the measure at each border, None where the seat has not been or never will be. `so_far` is what it has come
    to by now. `bonus` is by how much the finish makes that better. `measure` is the result of the stage, None as long
    as it is open.
    """

    at: tuple[int | None, ...]
    so_far: int
    status: Literal["driving", "finished", "retired"]
    measure: int | None = None
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class RunSplits:
    """What was measured on the way of a run: at how many borders, and of each seat."""

    borders: int
    seats: Mapping[SeatName, SeatSplits]


@runtime_checkable
class Splits(Protocol):
    """A capability: measures on the way."""

    def splits(self, setup: State, events: Iterable[Event]) -> RunSplits:
        """Return the measures on the way of a run, from its setup and its events so far."""


@runtime_checkable
class Retirements(Protocol):
    """A capability: why seats retired, read from events."""

    def retirements(self, events: Iterable[Event]) -> dict[SeatName, str]:
        """Return the reason of each seat that retired in these events, in a word of the game."""


@runtime_checkable
class Alone(Protocol):
    """A capability: each entry drives a run of its own against the clock (open road)."""

    def alone(self, options: Mapping[str, Json]) -> dict[str, Json]:
        """Return the options as they are for a car that drives alone."""

    def needs_alone(self, options: Mapping[str, Json]) -> OptionError | None:
        """Return the option for which every car must drive alone, and why; None where cars may drive together."""

    def shares_draws(self, options: Mapping[str, Json]) -> bool:
        """Return whether all who drive a stage see the same draws: their chance then has a secret in common."""


@runtime_checkable
class Teaming(Protocol):
    """A capability: entrants drive in teams that stay the same on every course that the same ones drive."""

    def teamed(self, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> list[dict[str, Json]]:
        """Return the entrants of a run, in the same order, with what says whose team each is of. They are kept so."""


@runtime_checkable
class OpenStage(Alone, Protocol):
    """A capability: a stage for everybody, drawn at random, which each driver drives alone with the same draws."""

    def draw_stage(self, *, seed: int) -> Json:
        """Return a course drawn at random, the same for the same seed. The game chooses what such a stage is like.

        Raises:
            GameError: this seed gives no course.
        """

    def open_options(self) -> dict[str, Json]:
        """Return the options of such a stage that are not the usual ones. With them `shares_draws` is true."""

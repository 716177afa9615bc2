"""Capabilities across the stages and runs of a rally: luggage and decisions, splits, driving alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from engine.contract.core import SeatResult
from engine.contract.errors import OptionError
from engine.contract.values import Event, Json, SeatName, State


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a driver between two stages.

    `type` is "bool" or "int". An "int" counts units, up to `most`; each unit costs `worth` in the game's unit. A "bool"
    that is ticked costs `worth`. `help` is a template, in which %(worth)d stands for that number and %% for a per cent
    sign.
    """

    name: str
    type: Literal["bool", "int"]
    label: str
    help: str = ""
    worth: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rally sheet besides the measure and the place.

    Columns of one `group` share a box, which shows each count before the first letter of its `part`. A column without a
    group is a tick box.
    """

    key: str
    label: str
    group: str = ""
    part: str = ""


Luggage = dict[str, Any]
"""What a car takes from stage to stage. Only its game reads it."""


@runtime_checkable
class Career(Protocol):
    """A capability: a car takes luggage from one stage to the next, and its driver makes decisions between them."""

    sheet_columns: tuple[Column, ...]

    def new_luggage(self, options: Mapping[str, Json]) -> Luggage:
        """Return the luggage of a car before the first stage."""

    def in_rally(self, course: Json, *, last: bool) -> Json:
        """Return a course as it is driven in a rally. `last` means that no other stage follows."""

    def has_service(self, course: Json) -> bool:
        """Return whether there is a service park at the end of this course."""

    def after_stage(self, luggage: Luggage, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Luggage:
        """Return the luggage of a car after a stage, and after service if there is one."""

    def decisions(
        self, luggage: Luggage, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        """Return the decisions that the driver may make before the next stage, empty when there are none."""

    def decide(
        self,
        luggage: Luggage,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[Luggage, int]:
        """Return the luggage after a decision, and the cost of the decision in the game's unit.

        Raises: RuleError when the rules do not allow this decision.
        """

    def starting_order(
        self, totals: Mapping[SeatName, int], last: Mapping[SeatName, int], lots: Sequence[SeatName]
    ) -> list[SeatName]:
        """Return the starting order of a later stage, from the totals, the measures of the last stage, and `lots`, the
        seats in random order.
        """

    def sheet_row(self, luggage: Luggage) -> dict[str, Json]:
        """Return the values of a car for the rally sheet, by column key."""


@runtime_checkable
class Settling(Protocol):
    """A capability: some measures depend on all seats of all runs of a stage, such as the measure of a retired car."""

    def settle(self, results: Sequence[SeatResult]) -> tuple[SeatResult, ...]:
        """Return the results in the same order, with every measure that can be computed when all runs are over."""


@dataclass(frozen=True, slots=True)
class Length:
    """About how long a course takes: turns of one seat, and rounds until every seat has finished."""

    turns: int
    rounds: int


@runtime_checkable
class Lengths(Protocol):
    """A capability: the game can estimate how long a course takes before anybody has driven it."""

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> Length:
        """Return about how many turns and rounds this number of seats needs on a course."""


@runtime_checkable
class Heats(Protocol):
    """A capability: entries are divided into heats when one run has too few seats for them."""

    def heats(self, entries: int, options: Mapping[str, Json]) -> Sequence[int]:
        """Return how many cars each heat has, none of them more than `seats.most`; the sum is `entries`."""


@dataclass(frozen=True, slots=True)
class SeatSplits:
    """The splits of a seat, in the game's unit.

    `at` has the measure at each border, None where the seat has no split, or none yet. `so_far` is the measure up to
    now. `bonus` is how much the finish improves it. `measure` is the result of the stage, None as long as it is open.
    """

    at: tuple[int | None, ...]
    so_far: int
    status: Literal["driving", "finished", "retired"]
    measure: int | None = None
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class RunSplits:
    """The splits of a run: the number of borders, and the splits of each seat."""

    borders: int
    seats: Mapping[SeatName, SeatSplits]


@runtime_checkable
class Splits(Protocol):
    """A capability: measures along the course."""

    def splits(self, setup: State, events: Iterable[Event]) -> RunSplits:
        """Return the splits of a run, from its setup and its events so far."""


@runtime_checkable
class IdealDrive(Protocol):
    """A capability, with `Ledgers`: the drive that the values of the ledger expect, in a game whose stages are not put
    together of sections (`Splits`).
    """

    def ideal_drive(self, setup: State) -> tuple[str, ...]:
        """Return the names of the places of a drive by the fixed driver of the ledger, alone, from the first to the
        last. The same run always has the same one. It may take as long as a ledger.
        """


@runtime_checkable
class Arrivals(Protocol):
    """A capability: the results of seats that have finished are known while others drive."""

    def arrived(self, state: State) -> tuple[SeatResult, ...]:
        """Return the results of the seats that have finished, in starting order; empty where they are known only at the
        end. A seat that still drives changes none of them, except its place where places are the measure.
        """


@runtime_checkable
class Newcomers(Protocol):
    """A capability, with `Career`: newcomers may begin a rally with other luggage. `Career.new_luggage` is theirs.
    `newcomer_rule`: the number of the rule that says so. Organisers may say of a driver what the count does not.
    """

    newcomer_rule: str

    def newcomer_limit(self, options: Mapping[str, Json]) -> int:
        """Return from how many finished stages on a driver is no newcomer; 0 where the rally makes no difference."""

    def luggage_of_others(self, options: Mapping[str, Json]) -> Luggage:
        """Return the luggage before the first stage of a car whose driver is no newcomer."""


@runtime_checkable
class Retirements(Protocol):
    """A capability: why seats retired, read from events."""

    def retirements(self, events: Iterable[Event]) -> dict[SeatName, str]:
        """Return the reason of each retirement in these events, by seat, in a word of the game."""


FEATS = ("fastest_lap", "pole")
"""What a season may give a bonus for, besides stages won."""


@runtime_checkable
class Feats(Protocol):
    """A capability: who did best in something besides the result. `feats` are those of FEATS that the game knows."""

    feats: tuple[str, ...]

    def feats_of(self, state: State) -> dict[str, tuple[SeatName, ...]]:
        """Return the seats of each feat when the run is over. A feat that nobody did is left out."""


@runtime_checkable
class Highlights(Protocol):
    """A capability: what can be told of a drive beside its result, such as stops on the way, read from events."""

    highlight_kinds: tuple[str, ...]
    """The kinds of events that it reads."""

    def highlights(self, events: Iterable[Event]) -> dict[SeatName, dict[str, Json]]:
        """Return the facts of each drive that the events of those kinds tell, in order, under names of the game's own.
        A seat of which they tell nothing may be left out.
        """


@runtime_checkable
class Alone(Protocol):
    """A capability: each entry drives a run of its own against the clock (open road)."""

    def alone(self, options: Mapping[str, Json]) -> dict[str, Json]:
        """Return the options for a car that drives alone."""

    def needs_alone(self, options: Mapping[str, Json]) -> OptionError | None:
        """Return the option that requires every car to drive alone, and why; None when cars may drive together."""

    def shares_draws(self, options: Mapping[str, Json]) -> bool:
        """Return whether all runs of a stage get the same draws. Their chance then has a common secret."""


@runtime_checkable
class Teaming(Protocol):
    """A capability: entrants drive in teams. The same entrants form the same teams on every course."""

    def teamed(self, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> list[dict[str, Json]]:
        """Return the entrants of a run, in the same order, each with its team added. The caller stores the result."""


@runtime_checkable
class OpenStage(Alone, Protocol):
    """A capability: a random stage for everybody, which each driver drives alone with the same draws."""

    def draw_stage(self, *, seed: int) -> Json:
        """Return a random course, the same for the same seed. The game chooses its length and difficulty.

        Raises: GameError when this seed gives no course.
        """

    def open_options(self) -> dict[str, Json]:
        """Return the options of such a stage that differ from the defaults. With them `shares_draws` is true."""

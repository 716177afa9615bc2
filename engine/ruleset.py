"""The contract every game keeps, and the registry of games.

A game is a `Ruleset`: names, declared options, and pure functions. State, orders and events are JSON-plain: dicts with
string keys, lists, strings, integers, booleans and None. Nobody outside a game's own folder reads inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from engine.chance import Chance

Json = Any
State = dict[str, Any]
Event = dict[str, Any]
Orders = Mapping[str, Any]
Car = dict[str, Any]
DriverId = str


class GameError(ValueError):
    """Something a game refuses. `message` says what to do about it, in English.

    It is a template filled with named values ("%(gear)d"), so that a page can say it in another language.
    """

    def __init__(self, message: str, **values: Json) -> None:
        self.template = message
        self.values = values
        self.message = self.words(str)
        super().__init__(self.message)

    def words(self, translate: Callable[[str], str]) -> str:
        """The message in another language, `translate` giving the template in it."""
        template = translate(self.template)
        return template % self.values if self.values else template


class RuleError(GameError):
    """An illegal order: which rule, why, and which move of the plan (counted from 1) where one is to blame."""

    def __init__(self, rule: str, message: str, *, move: int | None = None, **values: Json) -> None:
        super().__init__(message, **values)
        self.rule = rule
        self.move = move

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"


class StageError(GameError):
    """A stage that cannot be driven: the rule, and the tile to blame (counted from 1) where there is one."""

    def __init__(self, message: str, *, rule: str = "T1", tile: int | None = None, **values: Json) -> None:
        super().__init__(message, **values)
        self.rule = rule
        self.tile = tile


class OptionError(GameError):
    """A value that an option does not take, or an option that the game does not have."""

    def __init__(self, option: str, message: str, **values: Json) -> None:
        super().__init__(message, **values)
        self.option = option


class UnknownGame(GameError):
    """No game of that name."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing an organiser may choose. `scope` groups options on a form: "" for rules, "assumed" for
    unprinted facts. A whole number lies between `least` and `most`.
    """

    name: str
    type: str
    default: bool | int | str
    label: str
    help: str = ""
    choices: tuple[str, ...] = ()
    scope: str = ""
    least: int = 0
    most: int = 3600

    def clean(self, value: Json) -> bool | int | str:
        """The value in the option's own type. Errors: OptionError naming the option."""
        if self.type == "bool" and isinstance(value, bool):
            return value
        if self.type == "int" and isinstance(value, int) and not isinstance(value, bool):
            if self.least <= value <= self.most:
                return value
            raise OptionError(self.name, "a whole number from %(least)d to %(most)d", least=self.least, most=self.most)
        if self.type == "choice" and isinstance(value, str) and value in self.choices:
            return value
        if self.type == "choice":
            raise OptionError(self.name, "one of %(choices)s", choices=", ".join(self.choices))
        raise OptionError(self.name, "yes or no" if self.type == "bool" else "a whole number")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a driver may settle between two stages. An "int" counts units of `unit_seconds` each, up to `most`."""

    name: str
    type: str
    label: str
    help: str = ""
    unit_seconds: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """What the rally sheet keeps besides time and place. Those of one `group` share a box there, each count before the
    first letter of the `part` it is of; the others are ticked, yes or no.
    """

    key: str
    label: str
    group: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal way to go on from a half-made plan, and what it would do.

    `text` is the move as written in a plan; `to` the space the car ends on; `rolls` the dice it takes, each
    with the number of its warning faces; `loses` the rule by which control is lost there for certain;
    `notes` words like "jump" or "water".
    """

    text: str
    to: str
    gear: int
    rolls: tuple[tuple[str, int], ...]
    loses: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a driver may do now. `phase` names the step; `orders` the words that `play` takes in it.

    In phase "plan", `moves` go on from the draft; `forced` names the rule when the plan must stay empty (and
    says why in `why`).
    """

    phase: str
    orders: tuple[str, ...]
    moves: tuple[Choice, ...] = ()
    forced: str | None = None
    why: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finish:
    """How a driver ended a stage. `seconds` is None for a retired driver as long as others may still set the
    slowest time.
    """

    driver: DriverId
    seconds: int | None
    retired: bool
    cards_seconds: int
    car: Car


@dataclass(frozen=True, slots=True)
class Result:
    """A stage that is over: every driver, in starting order."""

    finishes: tuple[Finish, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a stage that may be half made comes to. `wrong`: it cannot lie like that, and `stage` is None; else `stage`
    is its document in normal form. `missing`: what keeps it from being driven; `doubts`: what speaks against it though
    it can be. Its length in sections one behind the other, and in spaces.
    """

    stage: Json
    wrong: tuple[StageError, ...] = ()
    missing: tuple[StageError, ...] = ()
    doubts: tuple[StageError, ...] = ()
    sections: int = 0
    spaces: int = 0

    @property
    def whole(self) -> bool:
        """Whether it can be driven."""
        return not (self.wrong or self.missing)


class Ruleset(Protocol):
    """What a game offers. All functions are pure; `play` alone takes chance, and changes nothing when it raises
    RuleError.
    """

    name: str
    title: str
    version: str
    options: tuple[Option, ...]
    most_on_a_stage: int
    sheet_columns: tuple[Column, ...]

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Every option with a value, defaults filled in. Errors: OptionError."""

    def library(self) -> Mapping[str, Json]:
        """Ready-made stages: "rally/stage" → stage."""

    def read_stage(self, spec: Json) -> Json:
        """The stage, checked and in normal form. Errors: StageError."""

    def write_stage(self, stage: Json) -> str:
        """A stage document as a text that `tomllib` and then `read_stage` read back."""

    def survey(self, draft: Json) -> Survey:
        """What a stage comes to that is being laid. Raises nothing: all that is wrong is told."""

    def placements(self, draft: Json, place: int | None = None) -> tuple[Json, ...]:
        """The tiles that fit behind the last one of a half-made stage, or in place of tile number `place`: as its
        document has them, each of which can become part of a whole stage. Errors: StageError for a draft that is wrong.
        """

    def random_stage(self, *, seed: int, wishes: Mapping[str, Json]) -> Json:
        """A stage laid by lot, the same for the same seed and wishes. Errors: GameError for what cannot be built."""

    def pace_notes(self, stage: Json) -> list[Json]:
        """What a codriver reads out, in driving order, JSON-plain."""

    def setup(self, stage: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        """A stage before its first turn. Entrants, in starting order, are {"id": …, "car": …} as `new_car`
        makes cars.
        """

    def to_play(self, state: State) -> tuple[DriverId, ...]:
        """Whose turn it is; empty when the stage is over."""

    def alone(self, options: Mapping[str, Json]) -> dict[str, Json]:
        """The options as they are for a car that drives alone against the clock."""

    def shares_dice(self, options: Mapping[str, Json]) -> bool:
        """Whether all who drive a stage roll the same faces: their chance then has a secret in common."""

    def turns_made(self, state: State, driver: DriverId) -> int:
        """How many turns this driver has completed: it grows when a turn ends."""

    def choices(self, state: State, driver: DriverId, draft: str) -> Choices:
        """Every legal way to go on. Errors: RuleError when the draft itself is illegal or it is not this
        driver's turn.
        """

    def odds(
        self, state: State, driver: DriverId, plan: str, orders: Orders, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        """What this driver's turn comes to from now on, before chance has had its say: of `plan` where none is laid
        yet, of the turn on the table otherwise. JSON-plain; `orders` say how it is rolled. `events`, all of the run,
        tell which cards have been seen; without them decks are as printed. Errors: RuleError for what cannot be laid
        or rolled so, GameError for orders that cannot be read.
        """

    def play(self, state: State, driver: DriverId, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Carry out orders. Errors: RuleError; the given state is never changed."""

    def standing(self, state: State, driver: DriverId, orders: Orders) -> dict[str, Json] | None:
        """The next orders of a turn under standing orders: the plan, and how it is to be rolled whatever chance brings.
        None where they leave something to decide. `play` takes them as {"do": "standing", …} and drives on as far as
        they go. Errors: RuleError.
        """

    def ahead(self, state: State, driver: DriverId) -> State:
        """The state as if it were this driver's turn, to lay a plan in advance. Errors: RuleError."""

    def outlook(self, state: State, driver: DriverId, orders: Orders) -> dict[str, Json]:
        """What standing orders meet where this driver is to play, JSON-plain. Errors: RuleError for orders that cannot
        be carried out, or leave something to decide.
        """

    def changed(self, kept: Json, now: Json) -> RuleError | None:
        """Why orders should not be carried out whose outlook was `kept` and is `now`; None when nothing that matters
        has changed.
        """

    def apply(self, state: State, event: Event) -> State:
        """The state after an event: folding all events of a run over its setup gives its state."""

    def view(self, state: State, viewer: DriverId | None) -> dict[str, Json]:
        """What this viewer may know."""

    def result(self, state: State) -> Result | None:
        """How the stage ended, or None while it is driven."""

    def splits(self, setup: State, events: Iterable[Event]) -> dict[str, Json]:
        """Times on the way, of a run told by its setup and its events so far: "borders", how many places where time is
        taken, and for each of "drivers" the seconds so far when first across each ("splits", None where not yet), all
        "seconds" so far, those "won" and taken off at the finish, "stage_time", "finished", "retired".
        """

    def autopilot(self, state: State, driver: DriverId, codriver: str = "cautious") -> dict[str, Json]:
        """The next orders of a driver whom the computer plays, in any phase of a turn that may be half made."""

    def rehearse(self, stage: Json, *, runs: int, seed: int, first: int) -> list[Json]:
        """Runs number `first` and following of a stage by a good codriver alone, the same for the same seed."""

    def rating(self, stage: Json, runs: Sequence[Json]) -> dict[str, Json]:
        """What rehearsed runs say of a stage: "sections", "runs", "par" and "quartiles" in seconds, "crash_share",
        "most_dangerous_tile" (counted from 1); None where there is nothing to say.
        """

    def new_car(self, options: Mapping[str, Json]) -> Car:
        """A car before the first stage."""

    def car_after_stage(self, car: Car, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Car:
        """The car as it leaves the stage, after service where there is one."""

    def decisions(
        self, car: Car, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        """What the driver may decide before the next stage; empty when there is nothing to ask."""

    def decide(
        self,
        car: Car,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[Car, int]:
        """The car and the penalty in seconds after a decision. Errors: RuleError."""

    def retirements(self, events: Iterable[Event]) -> dict[DriverId, str]:
        """Why drivers retired, as far as these events tell: "wrecked", "stuck" or "gave_up"."""

    def retirement_seconds(self, finish_times: Sequence[int], cards_seconds: int) -> int:
        """The stage time of a retired driver, all finishers being in."""

    def starting_order(
        self, totals: Mapping[DriverId, int], last: Mapping[DriverId, int], lots: Sequence[DriverId]
    ) -> list[DriverId]:
        """Starting order of a later stage: total seconds, last stage's seconds, lots."""

    def sheet_row(self, car: Car) -> dict[str, Json]:
        """What the rally sheet keeps of a car, by column key."""


GAMES: Mapping[str, str] = {"dirt": "engine.dirt"}
"""Names of games and the module that holds each one's `RULES`."""


def get(name: str) -> Ruleset:
    """The game of that name. Errors: UnknownGame."""
    if name not in GAMES:
        raise UnknownGame(f"no game is called {name!r}; there are: {', '.join(sorted(GAMES))}")
    rules: Callable[[], Ruleset] = import_module(GAMES[name]).rules
    return rules()


def names() -> tuple[str, ...]:
    """The games that are installed."""
    return tuple(sorted(GAMES))

"""Rallyman: DIRT as a game of `engine.contract`: a thin facade of the modules that hold the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from engine import contract, ladder
from engine.contract import (
    Chance,
    Column,
    Decision,
    Drafted,
    Event,
    Json,
    Luggage,
    Measure,
    OptionError,
    Orders,
    RuleError,
    RunSplits,
    SeatResult,
    Seats,
    StageError,
    StageResult,
    State,
    Survey,
    Ways,
)
from engine.dirt import (
    choices,
    drive,
    ledger,
    orders_ahead,
    puzzles,
    rally,
    stage,
    turn,
)
from engine.dirt import reach as reaching
from engine.dirt import splits as timing
from engine.dirt.codriver import decisions as codrivers
from engine.dirt.course import compiled_stage, layout, layout_checks, pacenotes, random_stages, stage_tables
from engine.dirt.facts import facts, rallies
from engine.dirt.fold import copied, fold
from engine.dirt.odds import TurnOdds, unseen_decks

SIMULATION_CODRIVER = "club"
"""The codriver whose median is the par time of a stage."""
WHOLE_TURN = "turn"
"""The order word for a whole turn. Scenario files and old records use it; runs in play do not take it."""
LAST = "last"
"""The key of a stage document that says whether no other stage follows (F1)."""


class Dirt:
    """The Game of Rallyman: DIRT, with those capabilities of the contract that it offers."""

    def __init__(self) -> None:
        known = facts()
        self.name = known.name
        self.title = known.title
        self.version = known.version
        self.options = known.options
        self.seats = Seats(1, known.most_on_a_stage)
        self.measure = Measure("seconds", "fewest")
        self.manners: tuple[str, ...] = codrivers.NAMES
        self.rungs = ladder.rungs_of("engine.dirt")
        self.sheet_columns: tuple[Column, ...] = rally.SHEET
        self.ledger_version = ledger.VERSION
        self.puzzle_version = puzzles.VERSION
        self.puzzle_themes = puzzles.THEMES
        self.puzzle_scale = puzzles.SCALE

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        return contract.clean_options(self.options, given, title=self.title)

    # A run ---------------------------------------------------------------------------------------

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        return stage.setup(course, entrants, options)

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        return state, ()

    def to_play(self, state: State) -> tuple[str, ...]:
        return stage.to_play(state)

    def this_round(self, state: State) -> tuple[str, ...]:
        return tuple(state["queue"])

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> contract.Length:
        return compiled_stage.length(course, seats)

    def turns_made(self, state: State, seat: str) -> int:
        made: int = state["drivers"][seat]["turns"]
        return made

    def phase(self, state: State, seat: str) -> str:
        return stage.phase(state) if stage.to_play(state) == (seat,) else "waiting"

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        return choices.ways(state, seat, draft or "")

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        if orders.get("do") == orders_ahead.STANDING:
            return orders_ahead.play(state, seat, orders, chance)
        return stage.play(state, seat, orders, chance)

    def is_old(self, state: State, seat: str, orders: Orders) -> bool:
        """Return whether orders are for a whole turn with moves, in the form of a scenario file. A car that must stand
        has no dice, so its orders tell nothing.
        """
        return orders.get("do") == WHOLE_TURN and bool(str(orders.get("plan") or "").split())

    def play_recorded(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        if orders.get("do") == WHOLE_TURN:
            return stage.play_whole_turn(state, seat, orders, chance)
        if orders.get("sisu") != turn.AT_ONCE:
            return self.play(state, seat, orders, chance)
        orders = {**orders, "sisu": True}
        if orders.get("do") == orders_ahead.STANDING:
            return orders_ahead.play(state, seat, orders, chance, sisu_at_once=True)
        return stage.play_sisu_at_once(state, seat, orders, chance)

    def with_old_meaning(self, orders: Orders, events: Sequence[Event]) -> Orders:
        """Return orders that say whether the SISU token was played before the dice, as in earlier versions (R7)."""
        first = [event["kind"] for event in events[:2]]
        if first[:1] == ["sisu"] if orders.get("do") == "sisu" else first == ["turn", "sisu"]:
            return {**orders, "sisu": turn.AT_ONCE}
        return {**orders, "sisu": True} if orders.get("sisu") == turn.AT_ONCE else orders

    def apply(self, state: State, event: Event) -> State:
        new = copied(state, event.get("driver"))
        fold(new, event)
        return new

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        return stage.view(state, viewer)

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Any]:
        return codrivers.orders(state, seat, manner or codrivers.CAUTIOUS)

    def duel(self, number: int) -> tuple[Json, Mapping[str, Json]]:
        """Return one of the ready-made stages, in turn, as the last stage of a rally."""
        return self.in_rally(ladder.in_turn(list(self.library().values()), number), last=True), {}

    def resign(self, state: State, seat: str) -> dict[str, Json]:
        return {"do": stage.RETIRE}

    def result(self, state: State) -> StageResult | None:
        return stage.result(state)

    # Orders laid and sent ahead ------------------------------------------------------------------

    def empty_draft(self) -> str:
        return ""

    def extend(self, draft: Json, text: str) -> str:
        return f"{draft} {text}".strip()

    def undo(self, draft: Json) -> str:
        return " ".join(str(draft).split()[:-1])

    def change(self, draft: Json, number: int, text: str) -> str:
        return choices.changed(str(draft), number, text)

    def legal(self, state: State, seat: str, draft: Json) -> Drafted:
        return choices.legal(state, seat, draft)

    def reach(self, state: State, seat: str, draft: Json, place: str) -> str | None:
        return reaching.reach(state, seat, str(draft), place)

    def ahead(self, state: State, seat: str) -> State:
        return orders_ahead.ahead(state, seat)

    def begins(self, state: State, seat: str) -> bool:
        return stage.to_play(state) == (seat,) and stage.phase(state) == "plan"

    def lasts(self, orders: Orders) -> bool:
        """Return False: a plan is for one turn."""
        return False

    def joined(self, draft: Json, orders: Orders) -> dict[str, Json]:
        return {**orders, "do": orders_ahead.STANDING, "plan": draft}

    def outlook(self, state: State, seat: str, orders: Orders) -> dict[str, Json]:
        return orders_ahead.outlook(state, seat, orders)

    def changed(self, kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
        return orders_ahead.changed(kept, now)

    def odds(
        self, state: State, seat: str, orders: Orders, draft: Json = None, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        return self.turn_odds(state, seat, events).odds(draft or "", orders).plain()

    def turn_odds(self, state: State, seat: str, events: Sequence[Event] = ()) -> TurnOdds:
        """Return the odds of a seat's turn for many plans and orders. Decks count as printed unless `events` are given.

        Raises: RuleError when it is another seat's turn.
        """
        return TurnOdds(state, seat, unseen_decks(state, events) if events else None)

    # Stages --------------------------------------------------------------------------------------

    def library(self) -> Mapping[str, Json]:
        return {
            key: {**layout.read_stage(printed), "name": printed["name"], "designer": printed["designer"]}
            for key, printed in rallies().items()
        }

    def read_course(self, spec: Json) -> Json:
        read = layout.read_stage(spec)
        if LAST not in spec:
            return read
        if not isinstance(spec[LAST], bool):
            raise StageError("last is true or false")
        return {**read, LAST: spec[LAST]}

    def write_course(self, course: Json) -> str:
        return random_stages.to_toml(course)

    course_columns = stage_tables.COLUMNS

    def course_of(self, values: Mapping[str, Sequence[str]]) -> Json:
        return stage_tables.course_of(values)

    def survey(self, draft: Json) -> Survey:
        return layout_checks.survey(draft)

    def placements(self, draft: Json, place: int | None = None) -> tuple[Json, ...]:
        return layout_checks.placements(draft, place)

    def random_course(self, *, seed: int, wishes: Mapping[str, Json]) -> Json:
        return random_stages.build(seed=seed, **wishes)

    def notes(self, course: Json) -> list[dict[str, Json]]:
        return pacenotes.pace_notes(course)

    def simulate(self, course: Json, *, runs: int, seed: int, first: int) -> list[dict[str, Json]]:
        return list(drive.drive(course, codriver=SIMULATION_CODRIVER, runs=runs, seed=seed, first=first))

    def rating(self, course: Json, runs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        return drive.rating(course, runs)

    # A rally -------------------------------------------------------------------------------------

    def alone(self, options: Mapping[str, Json]) -> dict[str, Json]:
        return {**options, **drive.ALONE}

    def needs_alone(self, options: Mapping[str, Json]) -> OptionError | None:
        if not self.shares_draws(options):
            return None
        return OptionError(
            "dice", "duplicate dice need every car alone: in a convoy a driver sees the dice of the cars before"
        )

    def shares_draws(self, options: Mapping[str, Json]) -> bool:
        return bool(options.get("dice") == "duplicate")

    def draw_stage(self, *, seed: int) -> Json:
        return random_stages.of_the_week(seed=seed)

    def open_options(self) -> dict[str, Json]:
        return {"dice": "duplicate"}

    def new_luggage(self, options: Mapping[str, Json]) -> Luggage:
        return rally.new_car(options)

    newcomer_rule = "R7"

    def newcomer_limit(self, options: Mapping[str, Json]) -> int:
        return rally.newcomer_limit(options)

    def luggage_of_others(self, options: Mapping[str, Json]) -> Luggage:
        return rally.new_car(options, newcomer=False)

    def in_rally(self, course: Json, *, last: bool) -> Json:
        return {**course, LAST: last}

    def has_service(self, course: Json) -> bool:
        return bool(course.get("service"))

    def after_stage(self, luggage: Luggage, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Luggage:
        return rally.car_after_stage(luggage, service=service, retired=retired, options=options)

    def decisions(
        self, luggage: Luggage, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        return rally.decisions(luggage, service=service, options=options, last_stage=last_stage)

    def decide(
        self,
        luggage: Luggage,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[Luggage, int]:
        return rally.decide(luggage, decision, service=service, options=options, last_stage=last_stage)

    def starting_order(self, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
        return rally.starting_order(totals, last, lots)

    def sheet_row(self, luggage: Luggage) -> dict[str, Json]:
        return rally.sheet_row(luggage)

    def settle(self, results: Sequence[SeatResult]) -> tuple[SeatResult, ...]:
        return rally.settle(results)

    def splits(self, setup: State, events: Iterable[Event]) -> RunSplits:
        return timing.splits(setup, events)

    def ledger(self, setup: State, events: Sequence[Event]) -> contract.RunLedger:
        return ledger.ledger(setup, events)

    def question(self, state: State, seat: str) -> contract.Question | None:
        return puzzles.question(state, seat)

    def prepared(self, state: State, seat: str) -> Json:
        return puzzles.prepared(state, seat)

    def weighed(self, state: State, seat: str, orders: Orders, prepared: Json = None) -> contract.Weighed:
        return puzzles.weighed(state, seat, orders, prepared)

    def retirements(self, events: Iterable[Event]) -> dict[str, str]:
        return rally.retirements(events)


@cache
def game() -> Dirt:
    """Return the only instance. It holds no state."""
    return Dirt()

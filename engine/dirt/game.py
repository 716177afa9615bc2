"""Rallyman: DIRT as a game of `engine.ruleset`: a thin front for the modules that hold the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from engine.chance import Chance
from engine.dirt import builder, desk, drive, laying, layout, odds, pacenotes, rally, stage, standing
from engine.dirt import codriver as codrivers
from engine.dirt import splits as timing
from engine.dirt.facts import facts, rallies
from engine.dirt.fold import copied, fold
from engine.ruleset import (
    Car,
    Choices,
    Column,
    Decision,
    Event,
    Json,
    OptionError,
    Orders,
    Result,
    RuleError,
    Ruleset,
    State,
    Survey,
)

REHEARSES = "club"
"""The codriver whose median is the par time of a stage."""


class Dirt:
    """The Ruleset of Rallyman: DIRT."""

    def __init__(self) -> None:
        known = facts()
        self.name = known.name
        self.title = known.title
        self.version = known.version
        self.options = known.options
        self.most_on_a_stage = known.most_on_a_stage
        self.sheet_columns: tuple[Column, ...] = rally.SHEET

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise OptionError(str(name), "%(game)s has no option %(name).40r", game=self.title, name=name)
        return {name: option.clean(given[name]) if name in given else option.default for name, option in known.items()}

    def library(self) -> Mapping[str, Json]:
        return {
            name: {**layout.read_stage(printed), "designer": printed["designer"]} for name, printed in rallies().items()
        }

    def read_stage(self, spec: Json) -> Json:
        return layout.read_stage(spec)

    def write_stage(self, stage_spec: Json) -> str:
        return builder.written(stage_spec)

    def survey(self, draft: Json) -> Survey:
        return laying.survey(draft)

    def placements(self, draft: Json, place: int | None = None) -> tuple[Json, ...]:
        return laying.placements(draft, place)

    def random_stage(self, *, seed: int, wishes: Mapping[str, Json]) -> Json:
        return builder.build(seed=seed, **wishes)

    def pace_notes(self, stage_spec: Json) -> list[Json]:
        return pacenotes.pace_notes(stage_spec)

    def setup(self, stage_spec: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        return stage.setup(stage_spec, entrants, options)

    def to_play(self, state: State) -> tuple[str, ...]:
        return stage.to_play(state)

    def alone(self, options: Mapping[str, Json]) -> dict[str, Json]:
        return {**options, **drive.ALONE}

    def shares_dice(self, options: Mapping[str, Json]) -> bool:
        return bool(options["dice"] == "duplicate")

    def turns_made(self, state: State, driver: str) -> int:
        made: int = state["drivers"][driver]["turns"]
        return made

    def choices(self, state: State, driver: str, draft: str = "") -> Choices:
        return desk.choices(state, driver, draft)

    def odds(
        self, state: State, driver: str, plan: str, orders: Orders, events: Sequence[Event] = ()
    ) -> dict[str, Json]:
        decks = odds.unseen_decks(state, events) if events else None
        return odds.odds(state, driver, plan, orders=orders, decks=decks).plain()

    def play(self, state: State, driver: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        if orders.get("do") == standing.STANDING:
            return standing.play(state, driver, orders, chance)
        return stage.play(state, driver, orders, chance)

    def standing(self, state: State, driver: str, orders: Orders) -> dict[str, Json] | None:
        return standing.next_order(state, driver, orders)

    def ahead(self, state: State, driver: str) -> State:
        return standing.ahead(state, driver)

    def outlook(self, state: State, driver: str, orders: Orders) -> dict[str, Json]:
        return standing.outlook(state, driver, orders)

    def changed(self, kept: Json, now: Json) -> RuleError | None:
        return standing.changed(kept, now)

    def apply(self, state: State, event: Event) -> State:
        new = copied(state, event.get("driver"))
        fold(new, event)
        return new

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        return stage.view(state, viewer)

    def result(self, state: State) -> Result | None:
        return stage.result(state)

    def splits(self, setup: State, events: Iterable[Event]) -> dict[str, Json]:
        return timing.splits(setup, events)

    def autopilot(self, state: State, driver: str, codriver: str = codrivers.CAUTIOUS) -> dict[str, Any]:
        return codrivers.orders(state, driver, codriver)

    def rehearse(self, stage_spec: Json, *, runs: int, seed: int, first: int) -> list[Json]:
        return list(drive.drive(stage_spec, codriver=REHEARSES, runs=runs, seed=seed, first=first))

    def rating(self, stage_spec: Json, runs: Sequence[Json]) -> dict[str, Json]:
        return drive.rating(stage_spec, runs)

    def new_car(self, options: Mapping[str, Json]) -> Car:
        return rally.new_car(options)

    def car_after_stage(self, car: Car, *, service: bool, retired: bool, options: Mapping[str, Json]) -> Car:
        return rally.car_after_stage(car, service=service, retired=retired, options=options)

    def decisions(
        self, car: Car, *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        return rally.decisions(car, service=service, options=options, last_stage=last_stage)

    def decide(
        self,
        car: Car,
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[Car, int]:
        return rally.decide(car, decision, service=service, options=options, last_stage=last_stage)

    def retirements(self, events: Iterable[Event]) -> dict[str, str]:
        return rally.retirements(events)

    def retirement_seconds(self, finish_times: Sequence[int], cards_seconds: int) -> int:
        return rally.retirement_seconds(finish_times, cards_seconds)

    def starting_order(self, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
        return rally.starting_order(totals, last, lots)

    def sheet_row(self, car: Car) -> dict[str, Json]:
        return rally.sheet_row(car)


@cache
def rules() -> Ruleset:
    """The one instance; it holds no state."""
    return Dirt()

"""Dash: roll as often as you dare. A toy game with points (most win), turns one after another, chance, no capability.

D1: seats play one after another, as many rounds as the option says. A draw decides which seat opens; the others follow
in starting order. D2: in a turn a seat rolls as often as it likes, and each face is added to its pot. D3: a 1 empties
the pot and ends the turn. D4: banking adds the pot to the points and ends the turn; the pot must not be empty. D5: a
seat that resigns is out, without points. D6: of equal points the seat with fewer rolls ranks first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from engine import contract
from engine.contract import (
    Chance,
    Event,
    GameError,
    Json,
    Measure,
    Option,
    Orders,
    RuleError,
    SeatResult,
    Seats,
    StageResult,
    State,
    Way,
    Ways,
)

ROLL, BANK, RESIGN = "roll", "bank", "resign"
SIDES, ENOUGH = 6, 8
"""The faces of the die, and the pot from which the autopilot banks."""


class Dash:
    """The game. Its course is empty."""

    name = "dash"
    title = "Dash"
    version = "1"
    options: tuple[Option, ...] = (Option("rounds", "int", 3, "Rounds", least=1, most=20),)
    seats = Seats(1, 10)
    measure = Measure("points", "most")

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        return contract.clean_options(self.options, given, title=self.title)

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        order = [str(entrant["id"]) for entrant in entrants]
        if not self.seats.least <= len(order) <= self.seats.most or len(set(order)) < len(order):
            raise GameError("from %(least)d to %(most)d seats", least=self.seats.least, most=self.seats.most)
        seats = {name: {"points": 0, "pot": 0, "rolls": 0, "turns": 0, "out": False} for name in order}
        rounds = self.clean_options(options)["rounds"]
        return {"order": order, "first": 0, "rounds": rounds, "round": 1, "next": None, "seats": seats}

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        first = state["order"][chance.number("who opens", len(state["order"]))]
        event: Event = {"kind": "opens", "seat": first}
        return self.apply(state, event), (event,)

    def to_play(self, state: State) -> tuple[str, ...]:
        return () if state["next"] is None else (state["next"],)

    def turns_made(self, state: State, seat: str) -> int:
        return int(state["seats"][seat]["turns"])

    def phase(self, state: State, seat: str) -> str:
        return "roll" if seat in self.to_play(state) else ""

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        self._check(state, seat, draft)
        pot = state["seats"][seat]["pot"]
        bank = (Way(BANK, {"do": BANK}, {"points": pot}),) if pot else ()
        return Ways("roll", (Way(ROLL, {"do": ROLL}), *bank), facts={"pot": pot, "round": state["round"]})

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        self._check(state, seat)
        mine, do = state["seats"][seat], orders.get("do")
        if do == ROLL:
            face = 1 + chance.number(f"{seat} turn {mine['turns'] + 1} roll {mine['rolls'] + 1}", SIDES)
            event: Event = {"kind": "rolled", "seat": seat, "face": face}
        elif do == BANK and mine["pot"]:
            event = {"kind": "banked", "seat": seat, "points": mine["pot"]}
        elif do == RESIGN:
            event = {"kind": "resigned", "seat": seat}
        else:
            raise RuleError("D4" if do == BANK else "D2", "roll, or bank what is in the pot")
        return self.apply(state, event), (event,)

    def apply(self, state: State, event: Event) -> State:
        seat, kind = event["seat"], event["kind"]
        if kind == "opens":
            return {**state, "first": state["order"].index(seat), "next": seat}
        mine = dict(state["seats"][seat])
        ends = kind != "rolled" or event["face"] == 1
        if kind == "rolled":
            mine |= {"rolls": mine["rolls"] + 1, "pot": 0 if ends else mine["pot"] + event["face"]}
        elif kind == "banked":
            mine |= {"points": mine["points"] + event["points"], "pot": 0}
        else:
            mine |= {"out": True, "pot": 0}
        mine["turns"] += ends
        new = {**state, "seats": {**state["seats"], seat: mine}}
        return self._handed_on(new) if ends else new

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        return {**state, "to_play": list(self.to_play(state))}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Json]:
        self._check(state, seat)
        return {"do": BANK if state["seats"][seat]["pot"] >= ENOUGH else ROLL}

    def resign(self, state: State, seat: str) -> dict[str, Json]:
        return {"do": RESIGN}

    def result(self, state: State) -> StageResult | None:
        if self.to_play(state):
            return None
        return StageResult(tuple(self._result(seat, state["seats"][seat]) for seat in state["order"]))

    def _check(self, state: State, seat: str, draft: Json = None) -> None:
        if seat not in self.to_play(state):
            raise RuleError("D1", "this seat is not to play")
        if draft is not None:
            raise RuleError("D2", "nothing is drafted in this game")

    def _handed_on(self, state: State) -> State:
        """Return the state with the next seat to play: the first of those with the fewest turns (D1)."""
        active = {name: one for name, one in state["seats"].items() if not one["out"]}
        fewest = min((one["turns"] for one in active.values()), default=state["rounds"])
        if fewest >= state["rounds"]:
            return {**state, "next": None}
        around = state["order"][state["first"] :] + state["order"][: state["first"]]
        later = next(name for name in around if name in active and active[name]["turns"] == fewest)
        return {**state, "next": later, "round": fewest + 1}

    def _result(self, seat: str, mine: Mapping[str, Json]) -> SeatResult:
        if mine["out"]:
            return SeatResult(seat, None, (0,), "retired", "resigned")
        return SeatResult(seat, mine["points"], (mine["rolls"],), "finished")


@cache
def game() -> Dash:
    """Return the game."""
    return Dash()

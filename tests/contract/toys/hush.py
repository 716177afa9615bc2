"""Hush: all seats bid at the same time and in secret. The sealed variant of `dash`.

H1: in each round every seat that is not out bids from 0 to 3 and rolls a die. Nobody sees the bid or face of another
seat before all seats have bid. H2: after the last bid the round closes and all bids and faces become visible. H3: each
seat with the highest sum of bid and face gains 6 points less its bid. H4: a seat that resigns is out without points;
this too becomes visible when the round closes. H5: of equal points the seat with the lower sum of bids ranks first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from engine.contract import Chance, Event, Json, Orders, RuleError, SeatResult, State, Way, Ways
from tests.contract.toys.dash import RESIGN, SIDES, Dash

BID, MOST, PRIZE = "bid", 3, 6


class Hush(Dash):
    """The game. The choice of a seat is in `chosen` until its round closes."""

    name = "hush"
    title = "Hush"

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        state = super().setup(course, entrants, options)
        seats = {name: {"points": 0, "spent": 0, "turns": 0, "out": False} for name in state["order"]}
        return {**state, "next": None, "seats": seats, "chosen": {}, "last": {}}

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        return state, ()

    def to_play(self, state: State) -> tuple[str, ...]:
        if state["round"] > state["rounds"]:
            return ()
        return tuple(name for name in self._active(state) if name not in state["chosen"])

    def turns_made(self, state: State, seat: str) -> int:
        return super().turns_made(state, seat) + (seat in state["chosen"])

    def phase(self, state: State, seat: str) -> str:
        return BID if seat in self.to_play(state) else ""

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        self._check(state, seat, draft)
        bids = tuple(Way(f"{BID} {bid}", {"do": BID, "bid": bid}, {"bid": bid}) for bid in range(MOST + 1))
        return Ways(BID, bids, facts={"round": state["round"]})

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        self._check(state, seat)
        bid, face = orders.get("bid"), None
        if orders.get("do") == RESIGN:
            bid = None
        elif orders.get("do") == BID and type(bid) is int and 0 <= bid <= MOST:
            face = 1 + chance.number(f"{seat} round {state['round']} roll", SIDES, by="seat")
        else:
            raise RuleError("H1", "bid a whole number from 0 to %(most)d", most=MOST)
        sealed = {"kind": "chosen", "seat": seat, "bid": bid, "face": face, "only": [seat], "until": "phase"}
        events: list[Event] = [sealed, {"kind": "posted", "seat": seat}]
        new = self.apply(state, sealed)
        if len(new["chosen"]) == len(self._active(new)):
            events.append({"kind": "closed", "closes": True, "chosen": new["chosen"], "gains": _gains(new["chosen"])})
            new = self.apply(new, events[-1])
        return new, tuple(events)

    def apply(self, state: State, event: Event) -> State:
        if event["kind"] == "chosen":
            choice = {"bid": event["bid"], "face": event["face"]}
            return {**state, "chosen": {**state["chosen"], event["seat"]: choice}}
        if event["kind"] == "posted":
            return state
        seats = dict(state["seats"])
        for name, choice in event["chosen"].items():
            mine, out = seats[name], choice["bid"] is None
            points, spent = mine["points"] + event["gains"].get(name, 0), mine["spent"] + (choice["bid"] or 0)
            seats[name] = {"points": points, "spent": spent, "turns": mine["turns"] + 1, "out": out}
        left = any(not one["out"] for one in seats.values())
        following = state["round"] + 1 if left else state["rounds"] + 1
        return {**state, "seats": seats, "chosen": {}, "last": event["chosen"], "round": following}

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        mine = {name: choice for name, choice in state["chosen"].items() if name == viewer}
        return {**state, "chosen": mine, "posted": sorted(state["chosen"]), "to_play": list(self.to_play(state))}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Json]:
        self._check(state, seat)
        return {"do": BID, "bid": 1}

    def _active(self, state: State) -> list[str]:
        return [name for name in state["order"] if not state["seats"][name]["out"]]

    def _result(self, seat: str, mine: Mapping[str, Json]) -> SeatResult:
        if mine["out"]:
            return SeatResult(seat, None, (0,), "retired", "resigned")
        return SeatResult(seat, mine["points"], (mine["spent"],), "finished")


def _gains(chosen: Mapping[str, Mapping[str, int | None]]) -> dict[str, int]:
    """Return the gain of each seat. Those with the highest sum of bid and face gain the prize less their bid (H3)."""
    sums = {name: one["bid"] + one["face"] for name, one in chosen.items() if one["bid"] is not None and one["face"]}
    return {name: PRIZE - (chosen[name]["bid"] or 0) for name, total in sums.items() if total == max(sums.values())}


@cache
def game() -> Hush:
    """Return the game."""
    return Hush()

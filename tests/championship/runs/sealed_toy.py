"""A game of two rounds. In each round all seats pick a number at once. Picks are hidden until the last seat has picked.

Each seat also draws a face with its first pick, which is hidden from the others until the stage is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship.runs.models import Run, Seat, Turn
from championship.runs.play import play_turn
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs
from championship.runs.watch.watching import version_for
from engine import registry
from engine.contract import Measure, RuleError, SeatResult, Seats, StageResult, Ways
from tests.championship.runs.factories import fresh_key, on_the_road

NAME = "sealed toy"
ROUNDS = 2

State = dict[str, Any]
Event = dict[str, Any]


class SealedToy:
    """The rules. The state holds the seats, the round, its picks, the scores, the drawn faces and who is out."""

    name = title = NAME
    version = "1"
    seals = True
    seats, measure = Seats(1, 10), Measure("points", "most")

    def setup(self, course: Any, entrants: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> State:
        seats = [entrant["id"] for entrant in entrants]
        return {"seats": seats, "round": 1, "picks": {}, "score": dict.fromkeys(seats, 0), "drawn": {}, "out": []}

    def to_play(self, state: State) -> tuple[str, ...]:
        if state["round"] > ROUNDS:
            return ()
        return tuple(seat for seat in state["seats"] if seat not in state["picks"] and seat not in state["out"])

    def turns_made(self, state: State, seat: str) -> int:
        return state["round"] - 1 + (seat in state["picks"])

    def begin(self, state: State, chance: Any) -> tuple[State, tuple[Event, ...]]:
        return state, ()

    def phase(self, state: State, seat: str) -> str:
        return "pick"

    def choices(self, state: State, seat: str, draft: Any = None) -> Ways:
        return Ways("pick")

    def resign(self, state: State, seat: str) -> dict[str, Any]:
        return {"do": "retire"}

    def play(self, state: State, seat: str, orders: Mapping[str, Any], chance: Any) -> tuple[State, tuple[Event, ...]]:
        if seat not in self.to_play(state):
            raise RuleError("X2", "it is not your turn")
        own = {"seat": seat, "only": [seat]}
        events: list[Event] = []
        if seat not in state["drawn"]:
            events.append({"kind": "draw", **own, "until": "over", "face": chance.number(f"{seat} draws", 6)})
        if orders["do"] == "retire":
            events.append({"kind": "out", "seat": seat})
        else:
            events.append({"kind": "pick", **own, "number": orders["number"]})
        for event in events:
            state = self.apply(state, event)
        if not self.to_play(state):
            events.append({"kind": "reveal", "closes": True})
            state = self.apply(state, events[-1])
        return state, tuple(events)

    def apply(self, state: State, event: Event) -> State:
        if event["kind"] == "draw":
            return {**state, "drawn": {**state["drawn"], event["seat"]: event["face"]}}
        if event["kind"] == "pick":
            return {**state, "picks": {**state["picks"], event["seat"]: event["number"]}}
        if event["kind"] == "out":
            return {**state, "out": [*state["out"], event["seat"]]}
        score = {seat: points + state["picks"].get(seat, 0) for seat, points in state["score"].items()}
        return {**state, "round": state["round"] + 1, "picks": {}, "score": score}

    def view(self, state: State, viewer: str | None) -> dict[str, Any]:
        mine = {name: {viewer: state[name][viewer]} if viewer in state[name] else {} for name in ("picks", "drawn")}
        return {"round": state["round"], "score": state["score"], **mine}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Any]:
        return {"do": "pick", "number": 1}

    def result(self, state: State) -> StageResult | None:
        if self.to_play(state):
            return None
        return StageResult(
            tuple(
                SeatResult(seat, None, (1,), "retired", "gave_up")
                if seat in state["out"]
                else SeatResult(seat, score, (0,), "finished", luggage={})
                for seat, score in state["score"].items()
            )
        )

    def retirements(self, events: Any) -> dict[str, str]:
        return {event["seat"]: "gave_up" for event in events if event["kind"] == "out"}


def table(*names: str, **how: Any) -> tuple[Run, dict[str, Any]]:
    """A run of the toy for these crews, at its start, and their entries by name."""
    run, entries = on_the_road(*names, **how)
    Turn.objects.filter(run=run).delete()
    run.game, run.state = NAME, registry.get(NAME).setup({}, run.entrants, {})
    run.save(update_fields=["game", "state"])
    run = Run.objects.select_related("special_stage__rally").get(pk=run.pk)
    [begun] = load_runs([run])
    begun.begin(now=run.opened_at)
    advance([begun], now=run.opened_at)
    run.refresh_from_db()
    return run, dict(zip(names, entries, strict=True))


def pick(run: Run, entry: Any, number: int = 5, *, version: int | None = None, key: str = "") -> Any:
    """Post a pick of the entry's driver, by default with the version that this driver sees now."""
    run = Run.objects.get(pk=run.pk)
    seen = version_for(run, Seat.objects.get(run=run, entry=entry).name) if version is None else version
    orders = {"do": "pick", "number": number}
    return play_turn(by=entry.driver, run=run, orders=orders, version=seen, key=key or fresh_key())

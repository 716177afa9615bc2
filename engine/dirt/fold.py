"""How each event changes the state of a stage. Folding all events of a run over its setup gives its state.

state_types.py describes the state. Events carry outcomes, so nothing here rolls dice or checks rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.contract import Event, GameError, State
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.facts import facts
from engine.dirt.state_types import (
    Card,
    DirtEvent,
    Driver,
    Finish,
    Move,
    Over,
    Phase,
    Race,
    Relay,
    Retire,
    Roll,
    RollAll,
    Round,
    Secure,
    Spare,
    Token,
    TurnBegun,
    Wait,
)

DAMAGE = ("gear", "coast", "brake")


def copied(state: State, driver: str | None) -> State:
    """Return a copy of a state into which events about that driver may be folded. The copy shares the deeper values
    (decks, bag, mud, a driver's cards and tokens): folding an event replaces them and never changes them in place.
    """
    new = dict(state)
    new["drivers"] = dict(state["drivers"])
    if driver in new["drivers"]:
        new["drivers"][driver] = dict(new["drivers"][driver])
    if state["turn"] is not None:
        new["turn"] = dict(state["turn"])
    return new


def damage_of(driver: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of damage markers on a dashboard by kind of die (D2)."""
    kinds = [kind for kind, _ in driver["kept"]]
    return {kind: kinds.count(kind) for kind in DAMAGE}


def fold(state: State, event: Event) -> None:
    """Change a copied state by one event.

    Raises: GameError when this game has no such event, or the stage has no such driver.
    """
    kind, driver = event["kind"], event.get("driver")
    if kind not in _FOLDS:
        raise GameError(f"no event is called {kind!r:.40}")
    if driver not in state["drivers"]:
        raise GameError(f"{kind}: there is no driver {driver!r:.40} on this stage")
    _FOLDS[kind](state, event, state["drivers"][driver])


def _round(state: Race, event: Round, me: Driver) -> None:
    state["round"], state["queue"], state["leader"] = event["round"], list(event["order"]), event["leader"]


def _turn(state: Race, event: TurnBegun, me: Driver) -> None:
    me["started"] = me["on_track"] = True
    state["turn"] = {
        "driver": event["driver"],
        "plan": event["plan"],
        "roll": event["roll"],
        "space": me["space"],
        "gear": me["gear"],
        "damage": damage_of(me),
        "made": 0,
        "warnings": 0,
        "secured": 0,
        "faces": [],
        "sisu": False,
        "phase": "rolling",
        "rule": None,
    }


def _wait(state: Race, event: Wait, me: Driver) -> None:
    me["started"] = True
    me["on_track"] = event["on_track"]
    me["gear"] = event["gear"]


def _sisu(state: Race, event: DirtEvent, me: Driver) -> None:
    me["sisu"] = False
    turn = state["turn"]
    turn["sisu"], turn["phase"], turn["rule"] = True, "rolling", None


def _sisu_ready(state: Race, event: DirtEvent, me: Driver) -> None:
    state["turn"]["ready"] = True


def _for_the_log(state: Race, event: DirtEvent, me: Driver) -> None:
    """Change nothing. A loss of control has its effects with the card, a SISU token that stays has none."""


def _roll(state: Race, event: Roll, me: Driver) -> None:
    turn = state["turn"]
    turn["faces"] = [*turn["faces"], event["faces"]]
    turn["warnings"] += sum(event["faces"])


def _roll_all(state: Race, event: RollAll, me: Driver) -> None:
    turn = state["turn"]
    turn["faces"] = event["faces"]
    turn["warnings"] = sum(sum(faces) for faces in event["faces"])
    me["tokens"] += event["seconds"]


def _secure(state: Race, event: Secure, me: Driver) -> None:
    turn = state["turn"]
    turn["faces"] = [*turn["faces"], [False] * len(event["dice"])]
    turn["secured"] += len(event["dice"])
    me["tokens"] -= event["seconds"]


def _move(state: Race, event: Move, me: Driver) -> None:
    if event["space"] not in compiled(state["stage"]).index:
        raise GameError(f"move: there is no space {event['space']!r:.40} on this stage")
    me["space"], me["gear"] = event["space"], event["gear"]
    state["turn"]["made"] += 1


def _phase(state: Race, event: Phase, me: Driver) -> None:
    turn = state["turn"]
    turn["phase"], turn["rule"] = event["phase"], event["rule"]


def _relay(state: Race, event: Relay, me: Driver) -> None:
    turn = state["turn"]
    turn["plan"], turn["faces"], turn["phase"], turn["rule"] = event["plan"], event["faces"], "rolling", None


def _card(state: Race, event: Card, me: Driver) -> None:
    if event["back"] is not None:
        gear = str(event["gear"])
        deck = dict(state["decks"][gear])
        if not any(deck.values()):
            deck.update(facts().decks[event["gear"]])
        if deck.get(event["back"]):
            deck[event["back"]] -= 1
        state["decks"] = {**state["decks"], gear: deck}
    me["cards"] = [*me["cards"], event["seconds"]]
    if event["side"] == "back" and event["back"] != "sisu":
        me["gear"] = 0
        me["on_track"] = event["back"] == "spin"


def _token(state: Race, event: Token, me: Driver) -> None:
    """Move a token out of the bag: to the tile when it shows mud, else to the dashboard (M5, E3)."""
    if left := state["bag"].get(event["token"]):
        state["bag"] = {**state["bag"], event["token"]: left - 1}
    if event["shows"] == "mud":
        tile, driver = str(event["tile"]), event["driver"]
        thrown = state["mud"].get(tile, {})
        state["mud"] = {**state["mud"], tile: {**thrown, driver: thrown.get(driver, 0) + 1}}
    else:
        me["kept"] = [*me["kept"], [event["shows"], event["token"]]]


def _spare(state: Race, event: Spare, me: Driver) -> None:
    me["cards"] = [*me["cards"], event["seconds"]]
    me["spare"], me["gear"], me["on_track"] = False, 0, False
    me["kept"] = list(me["kept"])
    me["kept"].remove([event["repairs"], event["token"]])
    if event["token"] in state["bag"]:
        state["bag"] = {**state["bag"], event["token"]: state["bag"][event["token"]] + 1}


def _finish(state: Race, event: Finish, me: Driver) -> None:
    me["finished"], me["stage_time"] = True, event["seconds"]


def _retire(state: Race, event: Retire, me: Driver) -> None:
    """Retire the driver. Only E8 brings seconds: those of the road that was given up."""
    me["retired"] = True
    if "seconds" in event:
        me["given_up"] = event["seconds"]


def _end_turn(state: Race, event: DirtEvent, me: Driver) -> None:
    me["turns"] += 1
    state["queue"] = [driver for driver in state["queue"] if driver != event["driver"]]
    state["turn"] = None  # type: ignore[typeddict-item]  # None between two turns


def _over(state: Race, event: Over, me: Driver) -> None:
    state["over"] = True
    for driver, seconds in event["retired"].items():
        state["drivers"][driver] = {**state["drivers"][driver], "stage_time": seconds}


_FOLDS: dict[str, Callable[[Any, Any, Driver], None]] = {
    "round": _round,
    "turn": _turn,
    "wait": _wait,
    "sisu": _sisu,
    "sisu ready": _sisu_ready,
    "sisu stays": _for_the_log,
    "roll": _roll,
    "roll all": _roll_all,
    "secure": _secure,
    "move": _move,
    "phase": _phase,
    "relay": _relay,
    "loss": _for_the_log,
    "card": _card,
    "token": _token,
    "spare": _spare,
    "finish": _finish,
    "retire": _retire,
    "end of turn": _end_turn,
    "over": _over,
}
KINDS = tuple(_FOLDS)

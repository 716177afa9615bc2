"""Driving a stage: setup, order of play, staggered start, the finish and stage times (O1, O2, F1, F2, E7, E8).

These are functions over the plain JSON state of fold.py. game.py offers them as a Game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.chance import Chance
from engine.contract import Event, GameError, Json, Orders, RuleError, SeatResult, StageResult, State
from engine.dirt import turn as turns
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.ending import give_up, spare
from engine.dirt.facts import facts
from engine.dirt.fold import DAMAGE, damage_of
from engine.dirt.rally import COUNTED_SECONDS, NEWCOMER, retirement_seconds
from engine.dirt.table import Table, on_the_road
from engine.dirt.whole_turn import whole_turn

Order = Callable[[Table, Mapping[str, Any]], Any]
RETIRE = "retire"
"""The order to give up (E8). Every phase takes it. It is not a way to go on, so `order_words` does not list it."""
MOST_TOKENS = 1000
"""No stage earns this many second tokens. A document with more is damaged."""


def setup(stage: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
    """Return the state of a stage before its first turn. `stage` is in normal form; its "last" (default true) says that
    no other stage follows.

    An entrant is {"id", "luggage"}, in older records {"id", "car"}. Scenarios may put its car on the road with "space",
    "gear" and "tokens".

    Raises: GameError when there are too many entrants, or one of them is not possible.
    """
    known = facts()
    state: State = {
        "game": known.name,
        "version": known.version,
        "stage": {**stage, "last": stage.get("last", True)},
        "options": dict(options),
        "starters": [entrant["id"] for entrant in entrants],
        "round": 0,
        "queue": [],
        "leader": None,
        "drivers": {},
        "mud": {},
        "decks": {str(gear): dict(deck) for gear, deck in known.decks.items()},
        "bag": dict(known.bag),
        "turn": None,
        "over": False,
    }
    if len(entrants) > known.most_on_a_stage:
        raise GameError("at most %(most)d cars start together", most=known.most_on_a_stage)
    for entrant in entrants:
        _check_entrant(state, entrant)
        state["drivers"][entrant["id"]] = _seat(state, entrant)
    following = _next_round(state)
    if following is None:
        state["over"] = True
        for driver, seconds in _retired_seconds(state).items():
            state["drivers"][driver]["stage_time"] = seconds
    else:
        state["round"], state["queue"], state["leader"] = following
    return state


def _car(entrant: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the car of an entrant."""
    car: Mapping[str, Json] = entrant["luggage"] if "luggage" in entrant else entrant["car"]
    return car


def _check_entrant(state: State, entrant: Mapping[str, Json]) -> None:
    """Check that a car may be set up with the values and on the space that a document names.

    Raises: GameError when it may not.
    """
    name, damage = entrant["id"], _car(entrant)["damage"]
    supply = sum(facts().bag.values())
    if not isinstance(name, str) or name in state["drivers"]:
        raise GameError(f"each driver has a name, and drives once: {name!r:.40}")
    if set(damage) != set(DAMAGE) or not all(_within(markers, supply) for markers in damage.values()):
        raise GameError(f"{name:.40}: damage counts {', '.join(DAMAGE)} markers, each from 0 to {supply}")
    if not _within(entrant.get("gear", 0), facts().top_gear):
        raise GameError(f"{name:.40}: a gear is a whole number from 0 to {facts().top_gear}")
    if not _within(entrant.get("tokens", 0), MOST_TOKENS):
        raise GameError(f"{name:.40}: second tokens are counted from 0 to {MOST_TOKENS}")
    place = entrant.get("space", "grid")
    track = compiled(state["stage"])
    if place not in track.index:
        raise GameError(f"{name:.40}: there is no space {place!r:.40} on this stage")
    space = track.index[place]
    if track.spaces[space].behind_finish:
        raise GameError(f"{name:.40}: {place} lies behind the finish line")
    others = {track.index[other["space"]] for other in state["drivers"].values() if other["space"] != "grid"}
    if others & ({space} | track.across[space]):
        raise GameError(f"{name:.40}: another car stands on {place} or across it")


def _within(value: object, most: int) -> bool:
    """Return whether a value is a whole number from 0 to `most`. True and False are not whole numbers."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _seat(state: State, entrant: Mapping[str, Json]) -> dict[str, Any]:
    """Return a driver on the grid, or on the space where a scenario puts the car.

    Takes the tokens of the car's damage out of the bag of `state`.
    """
    car = _car(entrant)
    kept = []
    for kind, markers in car["damage"].items():
        for _ in range(markers):
            token = next((t for t in sorted(state["bag"]) if t.startswith(kind + "/") and state["bag"][t]), f"{kind}/?")
            if token in state["bag"]:
                state["bag"][token] -= 1
            kept.append([kind, token])
    known = {NEWCOMER: car[NEWCOMER]} if NEWCOMER in car else {}
    return {
        **known,
        "space": entrant.get("space", "grid"),
        "gear": entrant.get("gear", 0),
        "on_track": True,
        "started": "space" in entrant,
        "turns": 0,
        "cards": [],
        "tokens": entrant.get("tokens", 0),
        "kept": kept,
        "spare": car["spare"],
        "sisu": car["sisu"],
        "finished": False,
        "retired": car["damage"]["gear"] >= facts().gear_dice,
        "stage_time": None,
    }


# Order of play ------------------------------------------------------------------------------------


def road_order(state: State) -> list[str]:
    """O1: return the drivers on the road, sorted by distance, gear, on the track before beside it, inside before
    outside, starting order.
    """
    track = compiled(state["stage"])

    def rank(driver: str) -> tuple[Any, ...]:
        car = state["drivers"][driver]
        space = track.index[car["space"]]
        return (-track.spaces[space].distance, -car["gear"], not car["on_track"], track.outside[space])

    return sorted((d for d in state["starters"] if state["drivers"][d]["started"] and on_the_road(state, d)), key=rank)


def _next_round(state: State) -> tuple[int, list[str], str | None] | None:
    """O2: return the next round, its order, and its leader (D6) if leader dice are used. None when nobody is left.

    In round k the k-th starter drives for the first time, after the drivers on the road.
    """
    starters = state["starters"]
    number = state["round"]
    while True:
        number += 1
        order = road_order(state)
        if number <= len(starters):
            joins = starters[number - 1]
            if not state["drivers"][joins]["started"] and on_the_road(state, joins):
                order.append(joins)
        if order:
            return number, order, order[0] if state["options"]["leader_dice"] else None
        if number >= len(starters):
            return None


def to_play(state: State) -> tuple[str, ...]:
    """Return the driver whose turn it is (O1), or an empty tuple when the stage is over."""
    return tuple(state["queue"][:1])


# Playing ------------------------------------------------------------------------------------------

_ORDERS: Mapping[str, Mapping[str, Order]] = {
    "plan": {
        "lay": lambda table, orders: _lay(table, orders, turns.READY),
    },
    "rolling": {
        "roll": lambda table, orders: turns.roll_next(table),
        "secure": lambda table, orders: turns.secure_next(table),
        "stop": lambda table, orders: turns.stop(table),
        "sisu": lambda table, orders: turns.hold_sisu_ready(table),
    },
    "lost": {
        "sisu": lambda table, orders: turns.use_sisu(table),
        "accept": lambda table, orders: turns.accept(table),
    },
    "relay": {
        "sisu": lambda table, orders: turns.use_sisu(table),
        "relay": lambda table, orders: turns.relay(table, orders.get("plan", "")),
    },
    "spare": {"spare": lambda table, orders: spare(table, take=bool(orders.get("take")))},
}
_SISU_AT_ONCE: Mapping[tuple[str, str], Order] = {
    ("plan", "lay"): lambda table, orders: _lay(table, orders, turns.AT_ONCE),
    ("rolling", "sisu"): lambda table, orders: turns.use_sisu(table),
}
"""Orders of old records, by phase and word: they play the SISU token before the dice."""


def _lay(table: Table, orders: Mapping[str, Any], sisu: str) -> None:
    text, roll = orders.get("plan", ""), orders.get("roll", turns.ONE_BY_ONE)
    first = bool(orders.get("roll_first"))
    turns.lay(table, text, roll, sisu=sisu if orders.get("sisu") else "", roll_first=first)


def phase(state: State) -> str:
    """Return the phase of the turn: plan, rolling, lost, relay or spare; over when the stage is over."""
    if state["over"]:
        return "over"
    return state["turn"]["phase"] if state["turn"] else "plan"


def order_words(state: State) -> tuple[str, ...]:
    """Return the orders that the present phase takes, without those that this driver cannot give now."""
    now = phase(state)
    words = list(_ORDERS.get(now, ()))
    has_sisu = state["drivers"][state["queue"][0]]["sisu"]
    if "sisu" in words and (not has_sisu or (now == "rolling" and state["turn"].get("ready"))):
        words.remove("sisu")
    if now == "rolling" and not state["turn"]["made"]:
        words.remove("stop")
    return tuple(words)


def play(state: State, driver: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """Carry out orders {"do": word, …}. The given state never changes.

    Raises: RuleError when it is another driver's turn, or the orders are illegal, always before the first draw.
    """
    do = str(orders.get("do"))
    return _played(
        state, driver, orders, chance, _give_up if do == RETIRE else _ORDERS.get(phase(state), _NONE).get(do)
    )


def play_sisu_at_once(state: State, driver: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """Carry out orders of an old record, in which the SISU token is played as soon as it is ordered, else as `play`.

    Raises: RuleError as `play` does.
    """
    order = _SISU_AT_ONCE.get((phase(state), str(orders.get("do"))))
    return _played(state, driver, orders, chance, order) if order else play(state, driver, orders, chance)


def play_whole_turn(state: State, driver: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
    """Carry out the orders of a scenario or of an old record for a whole turn. Runs in play do not take them: they may
    be refused when dice have been rolled.

    Raises: RuleError as `play` does, but also after a draw.
    """
    return _played(state, driver, orders, chance, whole_turn if phase(state) == "plan" else None)


_NONE: Mapping[str, Order] = {}


def _give_up(table: Table, _orders: Mapping[str, Any]) -> None:
    give_up(table)


def _played(
    state: State, driver: str, orders: Orders, chance: Chance, order: Order | None
) -> tuple[State, tuple[Event, ...]]:
    """Carry out orders with the function for them, None when the present phase takes no such orders.

    Raises: RuleError when it is another driver's turn, or the orders are illegal.
    """
    if to_play(state) != (driver,):
        playing = to_play(state)
        raise RuleError(
            "O1", "it is %(driver)s's turn" if playing else "the stage is over", driver=playing[0] if playing else ""
        )
    _check_kinds(orders)
    if order is None:
        raise RuleError("R1", "now the turn takes: %(orders)s", orders=", ".join(order_words(state)))
    table = Table(state, driver, chance)
    order(table, orders)
    if table.state["turn"] is None and not table.state["queue"]:
        _close_round(table)
    return table.state, tuple(table.events)


def _check_kinds(orders: Orders) -> None:
    """Check the types of the fields of orders, which come from outside.

    Raises: RuleError when a field has a value of another type.
    """
    for name in ("plan", "roll", "relay"):
        if name in orders and not isinstance(orders[name], str) and (name != "relay" or orders[name] is not None):
            raise RuleError("D3" if name == "plan" else "R1", "%(name)s is written in words", name=name)
    secure = orders.get("secure") or []
    numbers = [*(secure if isinstance(secure, list | tuple) else [None]), orders.get("stop_after", 1) or 0]
    if any(type(number) is not int for number in numbers):
        raise RuleError("R1", "moves are named by their numbers, from 1")


def _close_round(table: Table) -> None:
    """Begin the next round, or end the stage with the times of the drivers who retired (E7)."""
    following = _next_round(table.state)
    if following is None:
        table.add_event("over", retired=_retired_seconds(table.state))
        return
    number, order, leader = following
    table.add_event("round", round=number, order=order, leader=leader)


def _retired_seconds(state: State) -> dict[str, int]:
    """E7: return the stage times of the drivers who retired, once nobody drives any more."""
    drivers = state["drivers"]
    times = [driver["stage_time"] for driver in drivers.values() if driver["finished"]]
    return {
        name: retirement_seconds(times, _counted_seconds(driver))
        for name, driver in drivers.items()
        if driver["retired"]
    }


def _counted_seconds(driver: Mapping[str, Json]) -> int:
    """Return the seconds that count for a retired driver when nobody finishes: all cards (E7) and the road that was
    given up (E8).
    """
    return int(sum(driver["cards"]) + driver.get("given_up", 0))


# Results and views --------------------------------------------------------------------------------


def car_of(driver: Mapping[str, Json]) -> dict[str, Json]:
    """Return the car for the next stage: its damage, spare wheel and SISU token, and whether its driver is a newcomer
    where the rally asks for it (R7).
    """
    known = {NEWCOMER: driver[NEWCOMER]} if NEWCOMER in driver else {}
    return {"damage": damage_of(driver), "spare": driver["spare"], "sisu": driver["sisu"], **known}


def result(state: State) -> StageResult | None:
    """Return every driver's result in starting order, or None until the stage is over (E7, F2).

    A car that retired has no time yet: in another run somebody may still set a slower time.
    """
    return StageResult(tuple(_seat_result(state, name) for name in state["starters"])) if state["over"] else None


def _seat_result(state: State, name: str) -> SeatResult:
    driver = state["drivers"][name]
    return SeatResult(
        seat=name,
        measure=None if driver["retired"] else driver["stage_time"],
        rank=(),
        status="retired" if driver["retired"] else "finished",
        luggage=car_of(driver),
        detail={COUNTED_SECONDS: _counted_seconds(driver)},
    )


def view(state: State, viewer: str | None) -> dict[str, Json]:
    """Return what the viewer may know: everything but decks and bag. These would reveal cards that were seen from the
    front only.
    """
    hidden = ("decks", "bag")
    shown = {key: value for key, value in state.items() if key not in hidden}
    shown["phase"] = phase(state)
    shown["damage"] = {name: damage_of(driver) for name, driver in state["drivers"].items()}
    shown["mine"] = viewer if viewer in state["drivers"] else None
    return shown

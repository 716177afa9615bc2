"""Turns rolled through the engine under standing orders, to compare with odds: all their outcomes, or many of them.

This module reads the orders of manner.Manner itself, from the state that `play` returns. It shares no code with what it
checks, and every rule is the engine's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.chance import Chance
from engine.contract import Event, State
from engine.dirt.course.compiled_stage import compiled
from engine.dirt.facts import facts
from engine.dirt.table import Dealer
from tests.games.dirt.engine.scenes import RULES, Scene, car

STRAIGHT: list[Any] = ["202a", "206a", "205a", "203a"]
"""Rows: two after the start, four on tile 2, three on tile 3, one before and two after the finish."""
BUMP: list[Any] = ["202a", "204b", "205a", "203a"]
"""Tile 2 ends with a bump of 3."""
HAIRPIN: list[Any] = ["202a", "214b", "203a"]
"""Tile 2: slide row, bend (inside 1, outside 2, 2, 2), slide row; a shortcut of limit 5 on the right."""
RED: list[Any] = ["202a", "209a", "203b"]
"""Tile 2: three rows, red; tile 3 red as well."""
NINE = "1:1.2.l 2:1.3.l 3:2.1.l 4:2.2.l 5:2.3.l 6:2.4.l c:3.1.l c:3.2.l x:3.3.l"
SIX = "1:1.2.l 2:1.3.l 3:2.1.l 4:2.2.l c:2.3.l 5:2.4.l"
FLYING = "2:1.2.l 3:1.3.l 4:2.1.l c:2.2.l 5:2.3.l"
BRAKING = "5:1.3.l 3b:2.1.l 2:2.2.l c:2.3.l"
JUMPING = "c:1.2.l 2:1.3.l c:2.1.l 3:2.2.l^3.1.r 4:3.2.r"
RISKY = "3:1.3.l c:2.1.l 4:2.2.l^3.2.l c:3.3.l 5:4.1.l"
FLOWN = "3:1.3.l 4:2.1.l 5:2.2.l^3.2.l"
TOO_FAST = "3:1.2.l 4:1.3.l c:2.1.l 5:2.2.o1"
CUTTING = "3:1.2.r 4:1.3.r c:2.1.r 5:2.k1.1 6:2.3.r c:3.1.r"
SLOWLY = "c:1.3.l 1:2.1.l 2:2.2.l 3:2.3.l 4:2.4.l"
LOSING = (FLOWN, TOO_FAST)
"""Plans that lose control whatever the dice show."""
CURVES = "5:2.1.l 4:2.2.l 3:2.3.l c:3.1.l"
HOME = "5:3.2.l 6:3.3.l c:4.1.l c:4.2.l"


@dataclass(frozen=True, slots=True)
class Case:
    """A car on a road with a plan and standing orders. `first`: orders already played, with their dice."""

    road: Sequence[Any]
    car: Mapping[str, Any]
    plan: str
    orders: Mapping[str, Any]
    first: Sequence[Mapping[str, Any]] = ()
    setting: Mapping[str, Any] | None = None

    def state(self) -> State:
        """Return the state of the turn with a full bag, whatever damage was there before."""
        scene = Scene(self.road, self.car, **(self.setting or {}))
        for order in self.first:
            scene.order(self.car["name"], **order)
        scene.state["bag"] = dict(facts().bag)
        return scene.state


def _begun(plan: str, *dice: str, **lay: Any) -> list[dict[str, Any]]:
    """Return a turn that is planned and rolled so far."""
    return [{"do": "lay", "plan": plan, **lay}, *({"do": "roll", "dice": shown} for shown in dice)]


GRID, PUSHED, ROLLING = car("ana"), car("ana", "grid", 2), car("ana", "1.2.l", 2)
RICH = car("ana", "1.2.l", 4, tokens=20)
FLAT: dict[str, Any] = {"roll": "flat out"}
COASTS: dict[str, Any] = {"leader_dice": False}
CASES: dict[str, Case] = {
    "nine dice": Case(STRAIGHT, GRID, NINE, {}),
    "nine dice, stopping at 2": Case(STRAIGHT, GRID, NINE, {"stop_at": 2}),
    "stopping as soon as may be": Case(STRAIGHT, GRID, SIX, {"stop_at": 0}),
    "nine dice flat out": Case(STRAIGHT, GRID, NINE, FLAT),
    "coast dice": Case(STRAIGHT, GRID, SIX, {"stop_after": 5}, setting=COASTS),
    "flat out on coast dice": Case(STRAIGHT, GRID, SIX, FLAT, setting=COASTS),
    "SISU declared": Case(STRAIGHT, GRID, SIX, {"sisu": True, "stop_at": 1}),
    "SISU kept for gear 4": Case(STRAIGHT, GRID, NINE, {"sisu_from": 4, "stop_at": 3}),
    "SISU flat out": Case(STRAIGHT, GRID, SIX, {**FLAT, "sisu_from": 4}),
    "SISU declared flat out": Case(STRAIGHT, GRID, FLYING, {**FLAT, "sisu": True}),
    "no SISU token": Case(STRAIGHT, GRID, SIX, {"sisu_from": 1}, setting={"sisu": "none"}),
    "flying start": Case(STRAIGHT, GRID, FLYING, {}),
    "flying start flat out": Case(STRAIGHT, GRID, FLYING, FLAT),
    "flying start saved": Case(STRAIGHT, GRID, FLYING, {"sisu_from": 2}),
    "flying start saved flat out": Case(STRAIGHT, GRID, FLYING, {**FLAT, "sisu_from": 1}),
    "flying start not worth it": Case(STRAIGHT, GRID, FLYING, {"sisu_from": 3}),
    "brakes": Case(STRAIGHT, car("ana", "1.2.l", 4), BRAKING, {}),
    "brakes flat out": Case(STRAIGHT, car("ana", "1.2.l", 4), BRAKING, FLAT),
    "jump": Case(BUMP, PUSHED, JUMPING, {}),
    "jump at one above": Case(BUMP, ROLLING, RISKY, {"stop_at": 2}),
    "jump at one above flat out": Case(BUMP, ROLLING, RISKY, FLAT),
    "jump at one above saved": Case(BUMP, ROLLING, RISKY, {"sisu_from": 1}),
    "jump at one above secured": Case(BUMP, ROLLING | {"tokens": 1}, RISKY, {"secure": [3]}),
    "jump at two above": Case(BUMP, ROLLING, FLOWN, {}),
    "jump at two above, SISU in vain": Case(BUMP, ROLLING, FLOWN, {**FLAT, "sisu_from": 1}),
    "limit broken": Case(HAIRPIN, PUSHED, TOO_FAST, {}),
    "limit broken, stopping before": Case(HAIRPIN, PUSHED, TOO_FAST, {"stop_after": 3}),
    "limit broken flat out": Case(HAIRPIN, PUSHED, TOO_FAST, {**FLAT, "sisu_from": 1}),
    "limit broken under SISU": Case(HAIRPIN, PUSHED, TOO_FAST, {"sisu": True}),
    "shortcut": Case(HAIRPIN, PUSHED, CUTTING, {"stop_at": 2}, setting={"last": False}),
    "shortcut flat out": Case(HAIRPIN, PUSHED, CUTTING, FLAT, setting={"last": False}),
    "secured by number": Case(STRAIGHT, RICH, BRAKING, {"secure": [2, 4]}),
    "secured at 1": Case(STRAIGHT, RICH, BRAKING, {"secure_at": 1, "secure_price": 3, "stop_at": 2}),
    "secured while it lasts": Case(STRAIGHT, RICH | {"tokens": 3}, BRAKING, {"secure_at": 0, "sisu_from": 1}),
    "secured and saved": Case(STRAIGHT, car("ana", "1.3.l", 2, tokens=2), "3:2.1.l 4:2.2.l c:2.3.l 5:2.4.l",
                              {"secure_at": 1, "sisu_from": 1}),
    "spare wheel": Case(STRAIGHT, ROLLING | {"damage": {"coast": 1}}, SLOWLY, {"spare": True, "stop_at": 1}),
    "spare wheel left": Case(STRAIGHT, ROLLING | {"damage": {"coast": 1}}, SLOWLY, {"stop_at": 1}),
    "hard to crash": Case(RED, car("ana", "1.3.l", 4), CURVES, {}),
    "hard to crash flat out": Case(RED, car("ana", "1.3.l", 4), CURVES, FLAT),
    "home": Case(STRAIGHT, car("ana", "3.1.l", 4), HOME, {}),
    "home flat out": Case(STRAIGHT, car("ana", "3.1.l", 4), HOME, FLAT),
    "home, another stage to come": Case(STRAIGHT, car("ana", "3.1.l", 4), HOME, {}, setting={"last": False}),
    "half made": Case(STRAIGHT, GRID, "", {"stop_at": 2}, first=_begun(NINE, "!", ".", ".")),
    "half made, secured": Case(STRAIGHT, RICH, "", {"secure_at": 1, "secure_price": 5},
                               first=[*_begun(BRAKING, "!"), {"do": "secure"}]),
    "half made under SISU": Case(STRAIGHT, GRID, "", {}, first=[*_begun(SIX, "!", "!", "!"), {"do": "sisu"}]),
    "half made, SISU ready": Case(STRAIGHT, GRID, "", {}, first=_begun(SIX, "!", "!", sisu=True)),
    "half made, made ready": Case(STRAIGHT, GRID, "", {"stop_at": 2}, first=[*_begun(SIX, "!"), {"do": "sisu"}]),
    "lost, saved": Case(STRAIGHT, GRID, "", {"sisu_from": 3, "stop_at": 2}, first=_begun(SIX, "!", "!", "!")),
    "lost on the last move, saved": Case(STRAIGHT, GRID, "", {"sisu_from": 1},
                                         first=_begun("1:1.2.l 2:1.3.l 3:2.1.l", "!", "!", "!")),
    "lost, not saved": Case(STRAIGHT, GRID, "", {"sisu_from": 4}, first=_begun(SIX, "!", "!", "!")),
    "flying start failed": Case(STRAIGHT, GRID, "", {}, first=_begun(FLYING, "!")),
    "flying start failed flat out": Case(STRAIGHT, GRID, "", {}, first=_begun(FLYING, **FLAT, dice="!!!..")),
    "lost flat out": Case(STRAIGHT, GRID, "", {}, first=_begun(SIX, **FLAT, dice="!.!.!.")),
    "lost flat out, saved": Case(STRAIGHT, GRID, "", {"sisu_from": 1}, first=_begun(SIX, **FLAT, dice="!.!.!.")),
    "laid again": Case(STRAIGHT, GRID, "1:1.2.r 2:1.3.r 3:2.1.r c:2.2.r", {}, first=_begun(SIX, **FLAT, dice="!.!.!.")),
    "the wheel": Case(STRAIGHT, ROLLING | {"damage": {"coast": 1}}, "", {"spare": True},
                      first=_begun("1:1.3.l", ".")),
}  # fmt: skip
"""Every feature of a turn, by its topic."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a turn: how it ended, warnings showing, seconds, tokens drawn by what they show."""

    end: tuple[int, str, int, str, bool, bool]
    warnings: int
    cards: int
    earned: int
    spent: int
    shown: tuple[str, ...]
    crash: bool
    progress: Fraction


def driven(case: Case, begun: State, chance: Chance) -> Outcome:
    """Drive the rest of a turn with a case's orders."""
    state, name, events = begun, case.car["name"], list[Event]()
    while not events or events[-1]["kind"] not in ("end of turn", "round", "over"):
        state, told = RULES.play(state, name, next_order(case, state, name), chance)
        events += told
    return _outcome(case, begun, events)


def next_order(case: Case, state: State, name: str) -> dict[str, Any]:
    orders, half, me = case.orders, state["turn"], state["drivers"][name]
    if half is None:
        lay = {"do": "lay", "plan": case.plan, "sisu": orders.get("sisu", False)}
        return {**lay, "roll": orders.get("roll", "one by one")}
    if half["phase"] == "spare":
        return {"do": "spare", "take": orders.get("spare", False)}
    plan = half["plan"].split()
    if half["phase"] == "rolling":
        return {"do": _about_next(orders, half, me, plan[half["made"]])}
    if half["roll"] == "one by one":
        return {"do": "sisu" if _plays_token(orders, me, me["gear"]) else "accept"}
    made = _moves_till_loss(half)
    sound = half["plan"] not in LOSING
    if sound and _plays_token(orders, me, _gears(plan, half["gear"])[made - 1]):
        return {"do": "sisu"}
    if half["phase"] == "lost":
        return {"do": "accept"}
    return {"do": "relay", "plan": case.plan if case.first and case.plan else " ".join(plan[:made])}


def _plays_token(orders: Mapping[str, Any], me: Mapping[str, Any], gear: int) -> bool:
    lowest = orders.get("sisu_from")
    return me["sisu"] and lowest is not None and gear >= lowest


def _about_next(orders: Mapping[str, Any], half: Mapping[str, Any], me: Mapping[str, Any], move: str) -> str:
    made, warnings = half["made"], half["warnings"]
    if made == orders.get("stop_after"):
        return "stop"
    first = half["secured"] + 1
    price = sum(range(first, first + 1 + move.partition(":")[0].count("b")))
    if made + 1 in orders.get("secure", ()):
        return "secure"
    if half["sisu"]:
        return "roll"
    wanted = warnings >= orders.get("secure_at", 99) and price <= orders.get("secure_price", 99)
    if wanted and price <= me["tokens"]:
        return "secure"
    return "stop" if made and warnings >= orders.get("stop_at", 99) else "roll"


def _gears(plan: Sequence[str], gear: int) -> list[int]:
    gears = []
    for move in plan:
        gear = int(move[0]) if move[0].isdigit() else gear
        gears.append(gear)
    return gears


def _moves_till_loss(half: Mapping[str, Any]) -> int:
    """Return the number of moves, rolled flat out, up to the one that loses control or fails to fly."""
    warnings = 0
    for number, (move, faces) in enumerate(zip(half["plan"].split(), half["faces"], strict=True), 1):
        warnings += sum(faces)
        fails = sum(faces) and ((move == RISKY.split()[2]) or (number == 1 and half["gear"] == 0 and move[0] == "2"))
        if not half["sisu"] and (fails or warnings >= facts().warning_limit):
            return number
    return len(half["plan"].split())


def _outcome(case: Case, begun: State, events: Sequence[Event]) -> Outcome:
    told: dict[str, list[Event]] = {}
    for event in events:
        told.setdefault(event["kind"], []).append(event)
    name, track = case.car["name"], compiled(begun["stage"])
    half = begun["turn"]
    moves = told.get("move", [])
    space = moves[-1]["space"] if moves else begun["drivers"][name]["space"]
    gear = moves[-1]["gear"] if moves else begun["drivers"][name]["gear"]
    warnings = (half["warnings"] if half else 0) + sum(sum(roll["faces"]) for roll in told.get("roll", []))
    warnings += sum(sum(faces) for roll in told.get("roll all", []) for faces in roll["faces"])
    made = (half["made"] if half else 0) + len(moves)
    lost = "loss" in told
    rule = (
        told["loss"][0]["rule"]
        if lost
        else "F1"
        if "finish" in told
        else "E4"
        if "spare" in told
        else "D7"
        if _failed_to_fly(half, events)
        else "E1"
    )
    card = (told.get("card") or [{"seconds": 0, "back": None, "side": "front"}])[0]
    looked_at = lost and ("finish" not in told or not begun["stage"]["last"])
    return Outcome(
        end=(made, space, gear, rule, lost, "finish" in told),
        warnings=min(warnings, facts().warning_limit),
        cards=card["seconds"] + sum(spare["seconds"] for spare in told.get("spare", [])),
        earned=sum(roll["seconds"] for roll in told.get("roll all", [])),
        spent=sum(secured["seconds"] for secured in told.get("secure", [])),
        shown=tuple(token["shows"] for token in told.get("token", [])),
        crash=looked_at and (card["back"] or "").startswith("crash"),
        progress=track.spaces[track.index[space]].distance
        - track.spaces[track.index[begun["drivers"][name]["space"]]].distance,
    )


def _failed_to_fly(half: Mapping[str, Any] | None, events: Sequence[Event]) -> bool:
    """Return whether the turn ended after the one move of a flying start with a warning, without SISU."""
    if any(event["kind"] == "sisu" for event in events) or (half and half["sisu"]):
        return False
    faces = half["faces"] if half else []
    plan = half["plan"] if half else next(e["plan"] for e in events if e["kind"] == "turn")
    faces = [
        *faces,
        *(e["faces"] for e in events if e["kind"] == "roll"),
        *(shown for e in events if e["kind"] == "roll all" for shown in e["faces"]),
    ]
    return plan == FLYING and any(faces[0])


class EveryWay(Dealer):
    """Chance that goes through all branches of dice and cards.

    `chance` is the probability of the present branch. All tokens are the same green flag: only the number drawn counts,
    not what they show.
    """

    def __init__(self) -> None:
        self.path: list[list[Any]] = []
        self.depth = 0
        self.chance = Fraction(1)

    def _branch(self, options: Sequence[tuple[Any, Fraction]]) -> Any:
        if self.depth == len(self.path):
            self.path.append([0, [option for option in options if option[1]]])
        taken, known = self.path[self.depth]
        self.depth += 1
        self.chance *= known[taken][1]
        return known[taken][0]

    def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
        warned: bool = self._branch([(False, Fraction(faces - warnings, faces)), (True, Fraction(warnings, faces))])
        return warned

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        if not seen:
            return None
        every = sum(left.values())
        drawn: str = self._branch([(name, Fraction(times, every)) for name, times in sorted(left.items())])
        return drawn

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        return "green/ok"

    def on(self) -> bool:
        """Go to the next branch. Return False when all have been driven."""
        while self.path and self.path[-1][0] + 1 == len(self.path[-1][1]):
            self.path.pop()
        if self.path:
            self.path[-1][0] += 1
        self.depth, self.chance = 0, Fraction(1)
        return bool(self.path)


def every_outcome(case: Case) -> Iterator[tuple[Fraction, Outcome]]:
    """Return all outcomes of a case, each with its probability."""
    chance = EveryWay()
    state = case.state()
    while True:
        outcome = driven(case, state, chance)
        yield chance.chance, outcome
        if not chance.on():
            return

"""Vectors: a race on squared paper. A toy game with a unit of its own (turns), courses, splits, and orders ahead.

V1: a car has a square and a speed, squares right and squares down for each turn. It starts at rest. V2: in each turn a
driver changes both numbers by one at most, and the car moves by its new speed. V3: the gates count in their order, and
the finish counts behind the last gate. V4: a car that hits a wall stops in front of it. V5: the fewest turns win; of
equal turns the car that got farther beyond the finish. V6: a car that is not home after a number of turns is stuck. V7:
a driver may give up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from engine import contract
from engine.contract import (
    Chance,
    Event,
    GameError,
    Json,
    Length,
    Measure,
    Option,
    Orders,
    RuleError,
    RunSplits,
    SeatResult,
    Seats,
    SeatSplits,
    StageError,
    StageResult,
    State,
    Way,
    Ways,
)

PUSH, RESIGN = "push", "resign"
WALL, START, FINISH, GATES = "#", "S", "F", "123456789"
WIDEST, HIGHEST, FASTEST = 40, 30, 3
"""The largest course, and the highest speed of the autopilot in each direction."""
PUSHES = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1))
BEND = (
    "############",
    "#S...1.....#",
    "#S...1.....#",
    "#S...1.....#",
    "#######....#",
    "#######2222#",
    "#######....#",
    "#######FFFF#",
    "############",
)
RING = (
    "##############",
    "#.....1......#",
    "#.....1......#",
    "#..########..#",
    "#SS########22#",
    "#..########..#",
    "#FF########..#",
    "#.....3......#",
    "#.....3......#",
    "##############",
)


class Vectors:
    """The game. A course is {"name": ..., "rows": [...]}."""

    name = "vectors"
    title = "Vectors"
    version = "1"
    options: tuple[Option, ...] = (Option("most_turns", "int", 30, "Turns until a car is stuck", least=5, most=90),)
    seats = Seats(1, 8)
    measure = Measure("turns", "fewest")

    def clean_options(self, given: Mapping[str, Json]) -> dict[str, Json]:
        return contract.clean_options(self.options, given, title=self.title)

    def library(self) -> Mapping[str, Json]:
        return {
            "paper/1": {"name": "Bend", "rows": list(BEND)},
            "paper/2": {"name": "Ring", "rows": list(RING)},
        }

    def read_course(self, spec: Json) -> dict[str, Json]:
        rows, name = (spec.get("rows"), spec.get("name")) if isinstance(spec, dict) else (None, None)
        if not isinstance(rows, list) or not 3 <= len(rows) <= HIGHEST or not isinstance(name, str):
            raise StageError("a course has a name and rows of squares")
        if any(type(row) is not str or len(row) > WIDEST or len(row) != len(rows[0]) for row in rows):
            raise StageError("all rows have the same number of squares")
        if not all(sign in "".join(rows) for sign in (START, FINISH)):
            raise StageError("a course has a start and a finish")
        return {"name": name[:40], "rows": list(rows)}

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        order = [str(entrant["id"]) for entrant in entrants]
        if not self.seats.least <= len(order) <= self.seats.most or len(set(order)) < len(order):
            raise GameError("from %(least)d to %(most)d seats", least=self.seats.least, most=self.seats.most)
        rows = self.read_course(course)["rows"]
        starts = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == START]
        seats = {}
        for place, name in enumerate(order):
            x, y = starts[place % len(starts)]
            seats[name] = {"x": x, "y": y, "right": 0, "down": 0, "turns": 0, "gates": 0, "beyond": 0, "ended": ""}
        return {
            "order": order,
            "rows": rows,
            "most_turns": self.clean_options(options)["most_turns"],
            "next": order[0],
            "seats": seats,
        }

    def begin(self, state: State, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        return state, ()

    def to_play(self, state: State) -> tuple[str, ...]:
        return () if state["next"] is None else (state["next"],)

    def turns_made(self, state: State, seat: str) -> int:
        return int(state["seats"][seat]["turns"])

    def phase(self, state: State, seat: str) -> str:
        return PUSH if seat in self.to_play(state) else ""

    def choices(self, state: State, seat: str, draft: Json = None) -> Ways:
        self._check(state, seat, draft)
        ways = []
        for x, y in PUSHES:
            moved = _moved(state, seat, x, y)
            does = {"column": moved["x"], "row": moved["y"]}
            ways.append(Way(f"{x:+d} {y:+d}", {"do": PUSH, "right": x, "down": y}, does))
        return Ways(PUSH, tuple(ways), facts={"turns": state["seats"][seat]["turns"]})

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        self._check(state, seat)
        if orders.get("do") == RESIGN:
            event: Event = {"kind": "resigned", "seat": seat}
        else:
            event = _moved(state, seat, *_push(orders))
        return self.apply(state, event), (event,)

    def apply(self, state: State, event: Event) -> State:
        mine = dict(state["seats"][event["seat"]])
        mine["turns"] += 1
        if event["kind"] == "resigned":
            mine["ended"] = "resigned"
        else:
            mine |= {key: event[key] for key in ("x", "y", "right", "down", "gates", "beyond")}
            mine["ended"] = "finished" if event["home"] else "stuck" if mine["turns"] >= state["most_turns"] else ""
        new = {**state, "seats": {**state["seats"], event["seat"]: mine}}
        racing = [name for name in state["order"] if not new["seats"][name]["ended"]]
        fewest = min((new["seats"][name]["turns"] for name in racing), default=0)
        later = next((name for name in racing if new["seats"][name]["turns"] == fewest), None)
        return {**new, "next": later}

    def view(self, state: State, viewer: str | None) -> dict[str, Json]:
        return {**state, "to_play": list(self.to_play(state))}

    def autopilot(self, state: State, seat: str, manner: str = "") -> dict[str, Json]:
        self._check(state, seat)
        mine = state["seats"][seat]
        x, y = way_home(tuple(state["rows"]), mine["x"], mine["y"], mine["right"], mine["down"], mine["gates"])
        return {"do": PUSH, "right": x, "down": y}

    def resign(self, state: State, seat: str) -> dict[str, Json]:
        return {"do": RESIGN}

    def result(self, state: State) -> StageResult | None:
        if self.to_play(state):
            return None
        return StageResult(tuple(_result(seat, state["seats"][seat]) for seat in state["order"]))

    # Orders ahead: the outlook is the square and the speed that the orders meet

    def ahead(self, state: State, seat: str) -> State:
        if seat in self.to_play(state) or state["seats"][seat]["ended"]:
            raise RuleError("V2", "this seat does not wait for its turn")
        return {**state, "next": seat}

    def begins(self, state: State, seat: str) -> bool:
        return seat in self.to_play(state)

    def joined(self, draft: Json, orders: Orders) -> dict[str, Json]:
        return dict(orders)

    def outlook(self, state: State, seat: str, orders: Orders) -> dict[str, Json]:
        self._check(state, seat)
        right, down = _push(orders)
        moved = _moved(state, seat, right, down)
        return {"from": [state["seats"][seat]["x"], state["seats"][seat]["y"]], "to": [moved["x"], moved["y"]]}

    def changed(self, kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
        return None if kept == now else RuleError("V2", "your car is elsewhere by now")

    def lasts(self, orders: Orders) -> bool:
        return False

    # Splits: the turn in which a car passed each gate

    def splits(self, setup: State, events: Iterable[Event]) -> RunSplits:
        borders, state = _last_gate(setup["rows"]), setup
        at: dict[str, list[int | None]] = {seat: [None] * borders for seat in setup["order"]}
        for event in events:
            seat, before = event["seat"], state["seats"][event["seat"]]["gates"]
            state = self.apply(state, event)
            mine = state["seats"][seat]
            for gate in range(before, mine["gates"]):
                at[seat][gate] = mine["turns"]
        found = {}
        for seat, mine in state["seats"].items():
            ended = {"": "driving", "finished": "finished"}.get(mine["ended"], "retired")
            measure = mine["turns"] if ended == "finished" else None
            found[seat] = SeatSplits(tuple(at[seat]), mine["turns"], ended, measure)  # type: ignore[arg-type]
        return RunSplits(borders, found)

    def length(self, course: Json, options: Mapping[str, Json], seats: int) -> Length:
        rows = tuple(self.read_course(course)["rows"])
        turns = len(rows) + len(rows[0]) // 2
        return Length(turns, turns)

    def _check(self, state: State, seat: str, draft: Json = None) -> None:
        if seat not in self.to_play(state):
            raise RuleError("V2", "this seat is not to play")
        if draft is not None:
            raise RuleError("V2", "nothing is drafted in this game")


def _push(orders: Orders) -> tuple[int, int]:
    """Return the change of speed that orders ask for (V2)."""
    right, down = orders.get("right"), orders.get("down")
    if orders.get("do") != PUSH or type(right) is not int or type(down) is not int or (right, down) not in PUSHES:
        raise RuleError("V2", "change both numbers of the speed by one at most")
    return right, down


def _moved(state: State, seat: str, right: int, down: int) -> dict[str, Any]:
    """Return the event of a move with that change of speed."""
    mine = state["seats"][seat]
    found = drive(tuple(state["rows"]), mine["x"], mine["y"], mine["right"] + right, mine["down"] + down, mine["gates"])
    names = ("x", "y", "right", "down", "gates", "home", "beyond", "crash")
    return {"kind": "moved", "seat": seat, **dict(zip(names, found, strict=True))}


def line(x: int, y: int, right: int, down: int) -> Iterator[tuple[int, int]]:
    """Yield the squares under a move, without the first."""
    steps = max(abs(right), abs(down))
    for step in range(1, steps + 1):
        yield x + (2 * right * step + steps) // (2 * steps), y + (2 * down * step + steps) // (2 * steps)


def drive(rows: Sequence[str], x: int, y: int, right: int, down: int, gates: int) -> tuple[Any, ...]:
    """Return where a move ends: square, speed, gates, whether the car is home, how many squares beyond the finish it
    got, and whether it hit a wall (V3, V4).
    """
    home, beyond = False, 0
    for at in line(x, y, right, down):
        sign = rows[at[1]][at[0]] if 0 <= at[1] < len(rows) and 0 <= at[0] < len(rows[0]) else WALL
        if sign == WALL:
            return x, y, 0, 0, gates, home, beyond, True
        x, y = at
        if sign in GATES and int(sign) == gates + 1:
            gates += 1
        beyond += home
        home = home or (sign == FINISH and gates == _last_gate(rows))
    return x, y, right, down, gates, home, beyond, False


def _last_gate(rows: Sequence[str]) -> int:
    return max((int(sign) for row in rows for sign in row if sign in GATES), default=0)


@lru_cache(maxsize=5000)
def way_home(rows: tuple[str, ...], x: int, y: int, right: int, down: int, gates: int) -> tuple[int, int]:
    """Return the first change of speed on a shortest way to the finish; none where no way leads there."""
    begun = (x, y, right, down, gates)
    seen, waiting = {begun}, deque([(begun, (0, 0))])
    while waiting:
        (x, y, right, down, gates), first = waiting.popleft()
        for push in PUSHES:
            speed = right + push[0], down + push[1]
            if max(map(abs, speed)) > max(FASTEST, abs(right), abs(down)):
                continue
            *there, home, _beyond, crash = drive(rows, x, y, *speed, gates)
            opened = push if (x, y, right, down, gates) == begun else first
            if home:
                return opened
            found = (there[0], there[1], there[2], there[3], there[4])
            if found not in seen and not crash:
                seen.add(found)
                waiting.append((found, opened))
    return (-1 if right > 0 else int(right < 0), -1 if down > 0 else int(down < 0))


def _result(seat: str, mine: Mapping[str, Any]) -> SeatResult:
    if mine["ended"] != "finished":
        return SeatResult(seat, None, (0,), "retired", mine["ended"])
    return SeatResult(seat, mine["turns"], (-mine["beyond"],), "finished")


@cache
def game() -> Vectors:
    """Return the game."""
    return Vectors()

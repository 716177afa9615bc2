"""Turns of Rallyman: DIRT as questions (engine/contract/puzzles.py): which plan to lay and how to roll it, and in the
middle of a turn whether to roll, to secure or to stop.

The values are the ledger's: the stage time to expect when the datum goes on (ledger.py). A plan that holds the SISU
token ready has the value of the plan: the values use the token where it is best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.contract import Json, Measure, Orders, RuleError, State
from engine.contract.puzzles import Question, Scale, Weighed
from engine.dirt import stage
from engine.dirt.choices import check
from engine.dirt.codriver.decisions import seat_of
from engine.dirt.codriver.search import Seat, crossroads, flat_out, one_by_one, ways
from engine.dirt.codriver.value import DATUM, NEVER, Worth
from engine.dirt.fold import damage_of
from engine.dirt.moves import COAST, read_plan, write_plan
from engine.dirt.plan import CarInPlan, Step, lay_out, start, steps
from engine.dirt.table import road_for
from engine.dirt.turn import FLAT_OUT, ONE_BY_ONE, forced_to_stand
from engine.ledger import rounded

VERSION = "1"
FLAT, PATIENT, LATE_BRAKING, SHORTCUT, ROUND, SHORT, GEAR_DOWN, GEAR_UP, COASTING, JUMP = THEMES = (
    *("flat out", "one by one", "late braking", "shortcut", "round the bend", "hold back"),
    *("a gear lower", "a gear higher", "coasting", "jump"),
)
SCALE = Scale(Measure("seconds", "fewest"), equal=25, least=150, share=90, ways=6)
"""One stage in five has a turn whose best way beats every other one by that share (docs/puzzles.md)."""
LOST = "lost"
"""The chance that control is lost when every die of the plan, or the next move, is rolled."""
PLANS_KEPT, PLANS_WEIGHED = 24, 60
"""How wide the search for a question is: wider than a codriver's."""
MOST_CARS = 20_000
"""How many cars in the middle of a turn `prepared` follows."""
FAIR_RISK = 1 / 3
"""The chance of a loss of control that a driver who looks no further takes."""
PER_MILLE = 1000
ROLLING = ("roll", "secure", "stop")
NOT_ASKED = RuleError("R1", "that is not the question here: lay a plan, or roll, secure or stop")


class _Way(NamedTuple):
    """A plan with a way to roll it, and the stage time to expect, in hundredths."""

    value: int
    roll: str
    plan: tuple[Step, ...]


def question(state: State, driver: str) -> Question | None:
    """Return what can be asked of the driver; None where nothing can be chosen."""
    state = _as_last(state)
    if stage.to_play(state) != (driver,):
        return None
    phase = stage.phase(state)
    if phase == "rolling":
        return _asked_on_the_way(state, driver)
    if phase != "plan" or forced_to_stand(state, driver):
        return None
    seat, at = _seat(state, driver)
    found = ways(seat, at, kept=PLANS_KEPT, weighed=PLANS_WEIGHED)
    every = sorted((_way(state, driver, seat, one.plan, one.roll) for one in found), key=lambda way: way.value)
    best, obvious = every[0], _obvious(seat, at, every)
    second = next((way for way in every if way.value - best.value > SCALE.equal), None)
    return Question(
        best=_weighed(seat, best),
        second=None if second is None else _weighed(seat, second),
        obvious=_weighed(seat, obvious),
        ways=len({way.value for way in every}),
        themes=tuple(_themes(seat, best, obvious)),
    )


def weighed(state: State, driver: str, orders: Orders, prepared: Json = None) -> Weighed:
    """Return what orders are worth.

    Raises: RuleError when they are illegal, or when they are not about the plan or the next dice.
    """
    state = _as_last(state)
    do, phase = orders.get("do"), stage.phase(state)
    if phase == "rolling" and do in ROLLING:
        check(state, driver, orders)
        found = [way for way in _on_the_way(state, driver) if way.orders["do"] == do]
        if not found:
            raise NOT_ASKED
        return found[0]
    if phase != "plan" or do not in ("lay", "standing"):
        raise NOT_ASKED
    roll = orders.get("roll", ONE_BY_ONE)
    if roll not in (ONE_BY_ONE, FLAT_OUT):
        raise RuleError("R1", "dice are rolled one by one or flat out")
    plan = orders.get("plan", "")
    check(state, driver, {"do": "lay", "plan": plan, "roll": ONE_BY_ONE})
    if not str(plan).split():
        raise NOT_ASKED
    seat, at = _seat(state, driver)
    if isinstance(prepared, dict):
        seat.value.starts.update(_read(prepared["starts"]))
        seat.value.losses.update(_read(prepared["losses"]))
    return _weighed(seat, _way(state, driver, seat, lay_out(seat.road, at, read_plan(plan)), str(roll)))


def prepared(state: State, driver: str) -> Json:
    """Return the worths of all places where a turn from here may end. Numbers are texts, so that they stay exact."""
    state = _as_last(state)
    if stage.phase(state) != "plan" or forced_to_stand(state, driver):
        return None
    seat, at = _seat(state, driver)
    value = seat.value
    starts, losses = dict[tuple[int, int], tuple[Worth, Worth]](), dict[tuple[int, int], tuple[Worth, Worth]]()
    for space, gear in sorted({(car.space, car.gear) for car in _cars_of_turn(seat, at) if not car.finished}):
        value.start(space, gear, has_sisu=False)
        value.loss(space, gear, has_sisu=False)
        place = value.same[space]
        starts |= {key: value.starts[key] for key in ((place, gear), (place, 0)) if key in value.starts}
        losses[place, gear] = value.losses[place, gear]
    return {"starts": _written(starts), "losses": _written(losses)}


def _written(table: Mapping[tuple[int, int], tuple[Worth, Worth]]) -> list[Json]:
    return [[place, gear, repr(plain), repr(with_sisu)] for (place, gear), (plain, with_sisu) in sorted(table.items())]


def _read(rows: Sequence[Any]) -> dict[tuple[int, int], tuple[Worth, Worth]]:
    return {(place, gear): (float(plain), float(with_sisu)) for place, gear, plain, with_sisu in rows}


def _as_last(state: State) -> State:
    """Return the state as if no stage followed, as a ledger does."""
    return {**state, "stage": {**state["stage"], "last": True}}


def _seat(state: State, driver: str) -> tuple[Seat, CarInPlan]:
    road, me = road_for(state, driver), state["drivers"][driver]
    at = start(road, road.track.index[me["space"]], me["gear"], damage_of(me))
    return seat_of({**state, "turn": None}, driver, DATUM, road), at


def _cars_of_turn(seat: Seat, at: CarInPlan) -> Iterator[CarInPlan]:
    """Yield every car that may follow from here within the turn."""
    seen, waiting = {at}, [at]
    while waiting and len(seen) < MOST_CARS:
        for step in steps(seat.road, waiting.pop()):
            if step.after not in seen:
                seen.add(step.after)
                yield step.after
                if step.after.loss is None and not step.after.finished:
                    waiting.append(step.after)


# Plans --------------------------------------------------------------------------------------------


def _way(state: State, driver: str, seat: Seat, plan: Sequence[Step], roll: str) -> _Way:
    """Return a plan with its value. What the tokens of its shortcuts are expected to cost comes on top (M5)."""
    worth = flat_out(seat, plan)[0] if roll == FLAT_OUT else one_by_one(seat, plan).worth
    spaces, value = seat.road.track.spaces, seat.value
    toll = sum(value.token_seconds(1, step.after.space) for step in plan if _cuts(spaces[step.after.space].kind))
    return _Way(rounded(_paid(state, driver) + toll + value.seconds(worth)), roll, tuple(plan))


def _paid(state: State, driver: str) -> float:
    return float(sum(state["drivers"][driver]["cards"]))


def _cuts(kind: str) -> bool:
    return kind == "shortcut"


def _weighed(seat: Seat, way: _Way) -> Weighed:
    orders: Orders = {"do": "lay", "plan": write_plan([step.move for step in way.plan]), "roll": way.roll}
    return Weighed(orders, way.value, {LOST: round(_lost(seat, way.plan) * PER_MILLE)})


def _lost(seat: Seat, plan: Sequence[Step]) -> float:
    """Return the chance that control is lost before the line when every die is rolled."""
    end = plan[-1].after
    return 1.0 if end.loss and not end.finished else flat_out(seat, plan)[1]


def _obvious(seat: Seat, at: CarInPlan, every: Sequence[_Way]) -> _Way:
    """Return the way of a driver who looks no further than this turn. There are two such drivers: one counts the
    card of the turn, the other drives as far as the dice let it at a fair risk. It is the better way of the two, and
    rolled in the better way.
    """
    lost = {way.plan: _lost(seat, way.plan) for way in every}
    near = min(every, key=lambda way: (round(_seconds(seat, at, way, lost[way.plan]), 6), way.value)).plan
    spaces = seat.road.track.spaces
    far = max(
        (way for way in every if lost[way.plan] <= FAIR_RISK),
        key=lambda way: (spaces[way.plan[-1].after.space].distance, way.plan[-1].after.gear, -way.value),
        default=every[0],
    ).plan
    return min((way for way in every if way.plan in (near, far)), key=lambda way: way.value)


def _seconds(seat: Seat, at: CarInPlan, way: _Way, lost: float) -> float:
    """Return what a way costs if nothing counts but this turn: the card of its end, the card of a loss of control by
    its chance, its second tokens, and the road it gains at the pace of the rest of the stage.
    """
    value, spaces = seat.value, seat.road.track.spaces
    cards, end = value.outlook.cards, way.plan[-1].after
    here = value.seconds(value.start(at.space, at.gear, has_sisu=seat.has_sisu))
    pace = here / max(1.0, float(value.last + 1 - spaces[at.space].distance))
    gained = float(spaces[end.space].distance - spaces[at.space].distance)
    tokens = len(way.plan) if way.roll == FLAT_OUT else 0
    return (1 - lost) * cards[end.gear] + lost * cards[0] - pace * gained * (1 - lost / 2) - tokens


def _themes(seat: Seat, best: _Way, obvious: _Way) -> Iterator[str]:
    """Yield what the best way is about, beside the obvious one."""
    spaces = seat.road.track.spaces
    mine, theirs = best.plan[-1].after, obvious.plan[-1].after
    if best.roll != obvious.roll:
        yield FLAT if best.roll == FLAT_OUT else PATIENT
    if any(step.move.die.brakes for step in best.plan) and not any(step.move.die.brakes for step in obvious.plan):
        yield LATE_BRAKING
    cut, theirs_cut = (any(_cuts(spaces[step.after.space].kind) for step in way.plan) for way in (best, obvious))
    if cut != theirs_cut:
        yield SHORTCUT if cut else ROUND
    if spaces[mine.space].section < spaces[theirs.space].section:
        yield SHORT
    if mine.gear != theirs.gear:
        yield GEAR_UP if mine.gear > theirs.gear else GEAR_DOWN
    if _coasts(best) > _coasts(obvious):
        yield COASTING
    if any(step.move.landing for step in best.plan) and not any(step.move.landing for step in obvious.plan):
        yield JUMP


def _coasts(way: _Way) -> int:
    return sum(step.move.die.kind == COAST for step in way.plan)


# In the middle of a turn --------------------------------------------------------------------------


def _asked_on_the_way(state: State, driver: str) -> Question | None:
    """Return the question whether to roll, to secure or to stop; None where only one of them can be done."""
    if state["turn"]["sisu"]:
        return None
    every = sorted(_on_the_way(state, driver), key=lambda way: way.value)
    if len(every) < 2:
        return None
    second = next((way for way in every if way.value - every[0].value > SCALE.equal), None)
    return Question(best=every[0], second=second, obvious=None, ways=len(every))


def _on_the_way(state: State, driver: str) -> list[Weighed]:
    """Return the values of rolling, securing and stopping here, where each can be done."""
    half, road = state["turn"], road_for(state, driver)
    at = start(road, road.track.index[half["space"]], half["gear"], half["damage"])
    plan, seat = lay_out(road, at, read_plan(half["plan"])), seat_of(state, driver, DATUM, road)
    if half["made"] == len(plan):
        return []
    here = crossroads(seat, plan, made=half["made"], warnings=half["warnings"], secured=half["secured"])
    lost = seat.lost(plan[half["made"]].after, seat.tokens, has_sisu=seat.has_sisu)
    odds = seat.chances(plan[half["made"]])[0]
    failing = sum(chance for chance, after in zip(odds, here.rolled, strict=True) if after >= lost)
    spaces, value = road.track.spaces, seat.value
    toll = sum(value.token_seconds(1, step.after.space) for step in plan if _cuts(spaces[step.after.space].kind))
    return [
        Weighed(
            {"do": do},
            rounded(_paid(state, driver) + toll + value.seconds(worth)),
            {LOST: round(failing * PER_MILLE) if do == "roll" else 0},
        )
        for do, worth in (("roll", here.roll), ("secure", here.secure), ("stop", here.stop))
        if worth != NEVER
    ]

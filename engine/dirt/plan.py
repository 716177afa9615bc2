"""The plans that a driver may lay: moves, legality, being blocked (D1 to D9, M1 to M10).

A plan is a chain of moves (moves.py). `steps` lists every legal next move. `follow` checks one move and says which rule
it breaks. Both use the same functions, so each rule is written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from engine.contract import RuleError
from engine.dirt.facts import Facts, facts
from engine.dirt.moves import (
    BLOCKED,
    BRAKING,
    COAST,
    DIE_LAID,
    FAR_LANDING,
    FIRST_GEAR,
    FULL_LANDING,
    GEAR,
    GEAR_STEP,
    LOST_ALREADY,
    NO_BRAKE_DIE,
    NO_COAST_DIE,
    NO_GEAR_DIE,
    NO_JUMP,
    NO_LANDING,
    NO_REDLINE,
    NO_SUCH_SPACE,
    NO_WAY_ON,
    NO_WAY_OVER,
    NOT_AHEAD,
    OCCUPIED,
    OTHER_METHOD,
    OVER_THE_LINE,
    REDLINE,
    STANDING,
    TOO_SLOW,
    Die,
    Fault,
    Move,
)
from engine.dirt.road import (
    Destination,
    Road,
    destination_at,
    destinations_from,
    jumps,
    landings,
    why_closed,
    why_no_landing,
)

NOBODY: frozenset[int] = frozenset()


class CarInPlan(NamedTuple):
    """A car in the middle of a plan. `used` has a bit for each gear die laid. `gears`, `coasts` and `brakes` count the
    dice left. `met` has the spaces of the cars it has been alongside this turn (M7). `loss` is the rule by which
    control is certainly lost here.
    """

    space: int
    gear: int
    used: int
    gears: int
    coasts: int
    brakes: int
    met: frozenset[int] = NOBODY
    loss: str | None = None
    finished: bool = False


class Step(NamedTuple):
    """A legal move and the car after it. `risky`: a warning on its dice is a loss of control where the jump lands (M3).
    `flying`: a flying start (D7)."""

    move: Move
    after: CarInPlan
    risky: bool
    flying: bool


def start(road: Road, space: int, gear: int, damage: Mapping[str, int]) -> CarInPlan:
    """Return a car before its first move of a turn, with the dice that its damage leaves it (D2)."""
    known = facts()
    return CarInPlan(
        space=space,
        gear=gear,
        used=0,
        gears=max(0, known.gear_dice - damage.get("gear", 0)),
        coasts=max(0, known.coast_dice - damage.get("coast", 0)),
        brakes=max(0, known.brake_dice - damage.get("brake", 0)),
        met=alongside(road, space) if road.cars else NOBODY,
    )


@cache
def _reach(gear: int) -> tuple[tuple[Die, int], ...]:
    """Return the dice that may follow a gear, each with the gear after it (D4 to D8). Counts of dice and options are
    ignored.
    """
    known: Facts = facts()
    if gear == 0:
        return (Die(GEAR, 1), 1), (Die(GEAR, 2), 2)
    dice = [(Die(GEAR, g), g) for g in (gear - 1, gear, gear + 1) if 1 <= g <= known.top_gear]
    dice += [(Die(GEAR, g, gear - g - 1), g) for g in range(1, gear - 1)]
    dice.append((Die(COAST), gear))
    if gear == known.top_gear:
        dice.append((Die(REDLINE), gear))
    return tuple(dice)


def _misfit(at: CarInPlan, die: Die) -> Fault:
    """Return why a die that is not in `_reach` may not follow this gear."""
    if die.kind == COAST:
        return STANDING
    if die.kind == REDLINE:
        return NO_REDLINE
    if die.brakes:
        return BRAKING
    return FIRST_GEAR if at.gear == 0 else GEAR_STEP


def _unavailable(road: Road, at: CarInPlan, die: Die) -> Fault | None:
    """D2, and the options of D7 and D8: return why a die that may follow this gear cannot be laid, else None."""
    if die.kind == COAST:
        return None if at.coasts else NO_COAST_DIE
    if die.kind == REDLINE:
        if not road.redline:
            return NO_REDLINE
        return None if at.brakes else NO_BRAKE_DIE
    if at.used >> die.gear & 1:
        return DIE_LAID
    if not at.gears:
        return NO_GEAR_DIE
    if die.brakes > at.brakes:
        return NO_BRAKE_DIE
    if at.gear == 0 and die.gear > 1 and not road.flying_start:
        return FIRST_GEAR
    return None


def _no_room(road: Road, at: CarInPlan, gear: int, space: int) -> Fault | None:
    """M6, M8, M7: return why the other cars keep this car from a space in that gear, else None.

    A car that is behind already does not count as alongside (own rule). Otherwise a car that leaves a slide by its
    shortcut and the car behind it could block each other for ever.
    """
    spaces = road.track.spaces
    if space in road.cars:
        return OCCUPIED
    if road.track.across[space] & road.cars.keys():
        return OTHER_METHOD
    for other in alongside(road, space):
        behind = spaces[other].distance < spaces[at.space].distance
        if gear < road.cars[other] and other not in at.met and not behind:
            return TOO_SLOW
    return None


def _takes_water(die: Die) -> bool:
    """M4: return whether a die may enter water: a coast die (a redline die is one, D8), or gear 1 without a brake."""
    return die.kind != GEAR or (die.gear == 1 and not die.brakes)


def _crowded(road: Road, at: CarInPlan, gear: int, destination: Destination) -> Fault | None:
    """M3, M6 to M8: return why the other cars are in the way, on the bump or where a jump lands, else None."""
    if fault := _no_room(road, at, gear, destination.space):
        return fault
    if destination.landing is None:
        return None
    fault = _no_room(road, _past(road, at, destination.space), gear, destination.landing)
    return FULL_LANDING if fault is OCCUPIED else fault


def _past(road: Road, at: CarInPlan, space: int) -> CarInPlan:
    """Return the car after it has touched a space: it has now been alongside the cars there (M7)."""
    return at._replace(met=at.met | alongside(road, space))


def alongside(road: Road, space: int) -> frozenset[int]:
    """M7: return the spaces beside this one that hold a car."""
    return road.track.beside[space].intersection(road.cars)


def car_after(road: Road, at: CarInPlan, die: Die, gear: int, destination: Destination) -> CarInPlan:
    """Return the car after a move, with fewer dice left."""
    met = at.met
    if road.cars:
        met = met.union(*(alongside(road, space) for space in (destination.space, destination.end)))
    if die.kind == GEAR:
        used, gears, coasts, brakes = at.used | 1 << gear, at.gears - 1, at.coasts, at.brakes - die.brakes
    elif die.kind == COAST:
        used, gears, coasts, brakes = at.used, at.gears, at.coasts - 1, at.brakes
    else:
        used, gears, coasts, brakes = at.used, at.gears, at.coasts, at.brakes - 1
    return CarInPlan(destination.end, gear, used, gears, coasts, brakes, met, destination.loss, destination.finished)


def _step(road: Road, at: CarInPlan, die: Die, gear: int, destination: Destination) -> Step:
    """Return the move and the car after it."""
    spaces = road.track.spaces
    move = Move(
        die, spaces[destination.space].name, None if destination.landing is None else spaces[destination.landing].name
    )
    return Step(move, car_after(road, at, die, gear, destination), destination.risky, at.gear == 0 and gear > 1)


def open_destinations(road: Road, at: CarInPlan) -> Iterator[tuple[Die, int, tuple[Destination, ...]]]:
    """Yield each die that may be laid, the gear after it and where it may take the car, ignoring the other cars."""
    if at.loss or at.finished:
        return
    for die, gear in _reach(at.gear):
        if not _unavailable(road, at, die):
            yield die, gear, destinations_from(road, at.space, gear, takes_water=_takes_water(die))


def _legal(road: Road, at: CarInPlan) -> list[Step]:
    """Return every legal next move, ignoring M9."""
    return [
        _step(road, at, die, gear, destination)
        for die, gear, destinations in open_destinations(road, at)
        for destination in destinations
        if not (road.cars and _crowded(road, at, gear, destination))
    ]


def why_stuck(road: Road, at: CarInPlan) -> Fault | None:
    """M9, M10: return why a car cannot or need not go on, or None when it can.

    Blocked: there is no legal move, or every legal move is a certain loss of control, and without the other cars there
    would be a better one.
    """
    legal = _legal(road, at)
    if any(step.after.loss is None for step in legal):
        return None
    alone = _legal(road.empty(), at) if road.cars else legal
    if not legal:
        return BLOCKED if alone else NO_WAY_ON
    return BLOCKED if any(step.after.loss is None for step in alone) else None


def steps(road: Road, at: CarInPlan) -> list[Step]:
    """Return every legal next move: none at the end of a plan, when blocked (M9) or when there is no way on (M10)."""
    legal = _legal(road, at)
    if road.cars and legal and all(step.after.loss for step in legal) and why_stuck(road, at):
        return []
    return legal


def _refuse(fault: Fault) -> RuleError:
    return RuleError(fault.rule, fault.message)


def follow(road: Road, at: CarInPlan, move: Move) -> Step:
    """Return the step of one more move.

    Raises: RuleError with the rule that forbids the move.
    """
    if at.finished:
        raise _refuse(OVER_THE_LINE)
    if at.loss:
        raise _refuse(LOST_ALREADY[at.loss])
    gear = dict(_reach(at.gear)).get(move.die)
    if gear is None:
        raise _refuse(_misfit(at, move.die))
    if fault := _unavailable(road, at, move.die):
        raise _refuse(fault)
    destination = destination_at(road, gear, *_touched(road, at, gear, move))
    if road.cars and (fault := _crowded(road, at, gear, destination)):
        raise _refuse(fault)
    step = _step(road, at, move.die, gear, destination)
    if road.cars and step.after.loss and (fault := why_stuck(road, at)):
        raise _refuse(fault)
    return step


def _touched(road: Road, at: CarInPlan, gear: int, move: Move) -> tuple[int, int | None]:
    """Return the space of a move and where it lands, checked without the other cars.

    Raises: RuleError when the car may not move there.
    """
    space = _next_space(road, at, move.space)
    if fault := why_closed(road, space, takes_water=_takes_water(move.die)):
        raise _refuse(fault)
    if not jumps(road, gear, space):
        if move.landing is not None:
            raise _refuse(NO_JUMP)
        return space, None
    if move.landing is None:
        raise _refuse(NO_LANDING)
    landing = road.track.index.get(move.landing)
    if landing is None:
        raise _refuse(NO_SUCH_SPACE)
    if landing not in landings(road, gear, space):
        raise _refuse(FAR_LANDING)
    if fault := why_no_landing(road, landing):
        raise _refuse(fault)
    return space, landing


def _next_space(road: Road, at: CarInPlan, name: str) -> int:
    space = road.track.index.get(name)
    if space is None:
        raise _refuse(NO_SUCH_SPACE)
    if space not in road.track.ahead[at.space]:
        shortcut = "shortcut" in (road.track.spaces[space].kind, road.track.spaces[at.space].kind)
        raise _refuse(NO_WAY_OVER if shortcut else NOT_AHEAD)
    return space


def lay_out(road: Road, at: CarInPlan, moves: Sequence[Move]) -> tuple[Step, ...]:
    """Return the steps of a whole plan.

    Raises: RuleError with the number of the illegal move, counted from 1.
    """
    laid: tuple[Step, ...] = ()
    for move in moves:
        laid = (*laid, next_step(road, at, laid, move))
    return laid


def next_step(road: Road, at: CarInPlan, laid: Sequence[Step], move: Move) -> Step:
    """Return the step of one more move behind `laid`. `at` is the car before the first move.

    Raises: RuleError with the number of the move when it is illegal.
    """
    try:
        return follow(road, laid[-1].after if laid else at, move)
    except RuleError as error:
        raise RuleError(error.rule, error.message, move=len(laid) + 1) from None


def count(road: Road, at: CarInPlan, depth: int) -> int:
    """Return how many different legal plans of exactly `depth` moves begin here."""
    if depth == 0:
        return 1
    if road.cars:
        following = steps(road, at)
        return len(following) if depth == 1 else sum(count(road, step.after, depth - 1) for step in following)
    if depth == 1:
        return sum(len(destinations) for _die, _gear, destinations in open_destinations(road, at))
    return sum(
        count(road, car_after(road, at, die, gear, destination), depth - 1)
        for die, gear, destinations in open_destinations(road, at)
        for destination in destinations
        if not (destination.loss or destination.finished)
    )

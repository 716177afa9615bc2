"""What a driver may lay: moves, legality, being blocked (D1 to D9, M1 to M10).

A plan is a chain of moves (moves.py). `steps` lists every legal next move, `follow` checks one and says which rule it
breaks; both ask the same functions, so that a rule stands here once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from engine.dirt.facts import Facts, facts
from engine.dirt.moves import (
    BLOCKED,
    BRAKING,
    BURIED,
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
    WATER,
    WET_LANDING,
    Die,
    Fault,
    Move,
)
from engine.dirt.track import Track
from engine.ruleset import RuleError

NOBODY: frozenset[int] = frozenset()


class At(NamedTuple):
    """A car in the middle of a plan. `used` has a bit for each gear die laid; `gears`, `coasts`, `brakes` count
    dice left; `met` the cars it has been alongside this turn (M7); `loss` the rule by which control is
    certainly lost here.
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
    """A legal move and the car after it. `risky`: a warning on its dice is a loss of control where it lands (M3);
    `flying`: a flying start (D7)."""

    move: Move
    after: At
    risky: bool
    flying: bool


@dataclass(frozen=True, slots=True)
class Road:
    """The stage as one driver meets it now: limits after mud (M2), other cars on the track (space → gear), options."""

    track: Track
    limits: tuple[int | None, ...]
    cars: Mapping[int, int]
    flying_start: bool = True
    redline: bool = True

    def empty(self) -> Road:
        """The same road without the other cars (M9)."""
        return replace(self, cars={})


def limits_under_mud(track: Track, mud: Mapping[int, int]) -> tuple[int | None, ...]:
    """M2: each marker on a tile lowers the limits of its bends by one; shortcuts and single spaces keep theirs."""
    return tuple(
        space.limit - mud.get(space.tile, 0)
        if space.limit is not None and space.kind in ("inner", "outer")
        else space.limit
        for space in track.spaces
    )


def start(road: Road, space: int, gear: int, damage: Mapping[str, int]) -> At:
    """A car before its first move of a turn, with the dice its damage leaves it (D2)."""
    known = facts()
    return At(
        space=space,
        gear=gear,
        used=0,
        gears=max(0, known.gear_dice - damage.get("gear", 0)),
        coasts=max(0, known.coast_dice - damage.get("coast", 0)),
        brakes=max(0, known.brake_dice - damage.get("brake", 0)),
        met=road.track.beside[space] & road.cars.keys() if road.cars else NOBODY,
    )


@cache
def _reach(gear: int) -> tuple[tuple[Die, int], ...]:
    """Dice that fit behind a gear, each with the gear after it (D4 to D8), counts and options left aside."""
    known: Facts = facts()
    if gear == 0:
        return (Die(GEAR, 1), 1), (Die(GEAR, 2), 2)
    dice = [(Die(GEAR, g), g) for g in (gear - 1, gear, gear + 1) if 1 <= g <= known.top_gear]
    dice += [(Die(GEAR, g, gear - g - 1), g) for g in range(1, gear - 1)]
    dice.append((Die(COAST), gear))
    if gear == known.top_gear:
        dice.append((Die(REDLINE), gear))
    return tuple(dice)


def _misfit(at: At, die: Die) -> Fault:
    """Why a die that is not in reach does not fit behind this gear."""
    if die.kind == COAST:
        return STANDING
    if die.kind == REDLINE:
        return NO_REDLINE
    if die.brakes:
        return BRAKING
    return FIRST_GEAR if at.gear == 0 else GEAR_STEP


def _unavailable(road: Road, at: At, die: Die) -> Fault | None:
    """D2, and the options of D7 and D8: why a die that would fit cannot be laid."""
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


def _no_room(road: Road, at: At, gear: int, space: int) -> Fault | None:
    """M6, M8, M7: whether the other cars let this car onto a space in that gear.

    Nobody comes alongside a car that is behind already (own): who leaves a slide by its shortcut would else
    be held by the car at its back for ever, and that one by him.
    """
    spaces = road.track.spaces
    if space in road.cars:
        return OCCUPIED
    if road.track.across[space] & road.cars.keys():
        return OTHER_METHOD
    for other in road.track.beside[space] & road.cars.keys():
        behind = spaces[other].distance < spaces[at.space].distance
        if gear < road.cars[other] and other not in at.met and not behind:
            return TOO_SLOW
    return None


def _no_entry(road: Road, at: At, die: Die, gear: int, space: int) -> Fault | None:
    """Why a car may not enter a next space on its wheels (M2, M4, M6 to M8)."""
    if road.cars and (fault := _no_room(road, at, gear, space)):
        return fault
    if road.track.spaces[space].water and die.kind == GEAR and (gear > 1 or die.brakes):
        return WATER
    limit = road.limits[space]
    if limit is not None and limit <= 0:
        return BURIED
    return None


def _no_landing(road: Road, at: At, gear: int, space: int) -> Fault | None:
    """Why a jump may not end on a space (M3, with M2, M7 and M8 where it lands)."""
    if road.track.spaces[space].water:
        return WET_LANDING
    if road.cars and (fault := _no_room(road, at, gear, space)):
        return FULL_LANDING if fault is OCCUPIED else fault
    limit = road.limits[space]
    if limit is not None and limit <= 0:
        return BURIED
    return None


def _landings(road: Road, gear: int, bump: int) -> tuple[int, ...]:
    """M3: where a car goes from the space its die lies on; nowhere further unless that is a bump and the gear
    reaches its number.
    """
    number = road.track.spaces[bump].jump
    if number is None or gear < number:
        return ()
    return road.track.ahead[bump] if gear == number else road.track.two_ahead[bump]


def _past(road: Road, at: At, space: int) -> At:
    """The car on a space it touches: it has now been alongside the cars there (M7)."""
    if not road.cars:
        return at
    return at._replace(met=at.met | (road.track.beside[space] & road.cars.keys()))


def _step(road: Road, at: At, die: Die, gear: int, space: int, landing: int | None) -> Step:
    """The move and the car after it; whether control is certainly lost there (M1, M3) or the stage is finished (F1)."""
    end = space if landing is None else landing
    touched = _past(road, at, end)
    limit = road.limits[end]
    above = 0 if landing is None else gear - (road.track.spaces[space].jump or 0)
    loss = "M1" if limit is not None and gear > limit else "M3" if above > 1 else None
    spaces = road.track.spaces
    geared = die.kind == GEAR
    after = At(
        end,
        gear,
        at.used | 1 << gear if geared else at.used,
        at.gears - geared,
        at.coasts - (die.kind == COAST),
        at.brakes - die.brakes - (die.kind == REDLINE),
        touched.met,
        loss,
        spaces[end].behind_finish,
    )
    move = Move(die, spaces[space].name, None if landing is None else spaces[landing].name)
    return Step(move, after, above == 1, at.gear == 0 and gear > 1)


def _legal(road: Road, at: At) -> Iterator[Step]:
    """Every legal next move, M9 left aside."""
    if at.loss or at.finished:
        return
    for die, gear in _reach(at.gear):
        if _unavailable(road, at, die):
            continue
        for space in road.track.ahead[at.space]:
            if _no_entry(road, at, die, gear, space):
                continue
            if road.track.spaces[space].jump is None or gear < (road.track.spaces[space].jump or 0):
                yield _step(road, at, die, gear, space, None)
                continue
            over = _past(road, at, space)
            for landing in _landings(road, gear, space):
                if not _no_landing(road, over, gear, landing):
                    yield _step(road, over, die, gear, space, landing)


def no_way(road: Road, at: At) -> Fault | None:
    """M9, M10: why a car cannot or need not go on, None when it can.

    Blocked: no legal move, or nothing but losses of control, where without the other cars there would be a better one.
    """
    legal = list(_legal(road, at))
    if any(step.after.loss is None for step in legal):
        return None
    alone = list(_legal(road.empty(), at)) if road.cars else legal
    if not legal:
        return BLOCKED if alone else NO_WAY_ON
    return BLOCKED if any(step.after.loss is None for step in alone) else None


def steps(road: Road, at: At) -> list[Step]:
    """Every legal next move; none at the end of a plan, when blocked (M9) or when there is no way on (M10)."""
    legal = list(_legal(road, at))
    if road.cars and legal and all(step.after.loss for step in legal) and no_way(road, at):
        return []
    return legal


def _refuse(fault: Fault) -> RuleError:
    return RuleError(fault.rule, fault.message)


def follow(road: Road, at: At, move: Move) -> Step:
    """The car after one more move. Errors: RuleError with the rule that forbids it."""
    if at.finished:
        raise _refuse(OVER_THE_LINE)
    if at.loss:
        raise _refuse(LOST_ALREADY[at.loss])
    gear = dict(_reach(at.gear)).get(move.die)
    if gear is None:
        raise _refuse(_misfit(at, move.die))
    if fault := _unavailable(road, at, move.die):
        raise _refuse(fault)
    space = _next_space(road, at, move.space)
    if fault := _no_entry(road, at, move.die, gear, space):
        raise _refuse(fault)
    reached = _landings(road, gear, space)
    over, landing = at, None
    if reached or (road.track.spaces[space].jump is not None and gear >= (road.track.spaces[space].jump or 0)):
        over = _past(road, at, space)
        landing = _landing(road, over, gear, move.landing, reached)
    elif move.landing is not None:
        raise _refuse(NO_JUMP)
    step = _step(road, over, move.die, gear, space, landing)
    if road.cars and step.after.loss and (fault := no_way(road, at)):
        raise _refuse(fault)
    return step


def _next_space(road: Road, at: At, name: str) -> int:
    space = road.track.index.get(name)
    if space is None:
        raise _refuse(NO_SUCH_SPACE)
    if space not in road.track.ahead[at.space]:
        shortcut = "shortcut" in (road.track.spaces[space].kind, road.track.spaces[at.space].kind)
        raise _refuse(NO_WAY_OVER if shortcut else NOT_AHEAD)
    return space


def _landing(road: Road, over: At, gear: int, name: str | None, reached: tuple[int, ...]) -> int:
    """Where a jump lands, checked. Errors: RuleError."""
    if name is None:
        raise _refuse(NO_LANDING)
    landing = road.track.index.get(name)
    if landing is None:
        raise _refuse(NO_SUCH_SPACE)
    if landing not in reached:
        raise _refuse(FAR_LANDING)
    if fault := _no_landing(road, over, gear, landing):
        raise _refuse(fault)
    return landing


def lay_out(road: Road, at: At, moves: Sequence[Move]) -> tuple[Step, ...]:
    """A whole plan, move by move. Errors: RuleError naming the move (counted from 1)."""
    laid = []
    for number, move in enumerate(moves, 1):
        try:
            step = follow(road, at, move)
        except RuleError as error:
            raise RuleError(error.rule, error.message, move=number) from None
        laid.append(step)
        at = step.after
    return tuple(laid)


def count(road: Road, at: At, depth: int) -> int:
    """How many different legal plans of exactly that many moves go on from here."""
    if depth == 0:
        return 1
    following = steps(road, at)
    if depth == 1:
        return len(following)
    return sum(count(road, step.after, depth - 1) for step in following)

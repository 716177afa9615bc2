"""Search for the best plan and the best way to roll it, from the exact chances of warnings and the worth of the places
where the plan may end (value.py).

Plans are extended move by move, and the most promising ones are kept. Each plan that was kept is then evaluated for
both ways of rolling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.dirt.codriver.value import CALM, NEVER, SAFE, SISU, TWO, Value, Worth, chances
from engine.dirt.facts import facts
from engine.dirt.plan import CarInPlan, Step, steps
from engine.dirt.road import Road
from engine.dirt.turn import FLAT_OUT, ONE_BY_ONE, securing_price

PLANS_KEPT = 10
"""The number of half-made plans that the search keeps at each length."""
PLANS_WEIGHED = 24
"""The number of plans that are evaluated exactly for rolling one by one."""
PLANS_REMEMBERED = 2000
"""The most choices in the cache of one empty road."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The situation of the driver who decides: the road with the other cars, the worth of places, the second tokens at
    the start of the turn, whether there is a SISU token, and the warning faces of the coast die, which is a leader die
    for the leader.
    """

    road: Road
    value: Value
    tokens: int
    has_sisu: bool
    coast_warnings: int

    def rest(self, at: CarInPlan, tokens: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage when the turn ends here in control."""
        if at.finished:
            return self.value.home(at.gear, has_sisu=has_sisu) * self.value.delay(-tokens)
        return self.value.stop(at.space, at.gear, has_sisu=has_sisu) * self.value.token_worth(tokens, at.space)

    def lost(self, at: CarInPlan, tokens: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage when control is lost here. Over the line the car finishes (F1)."""
        if at.finished:
            return self.rest(at, tokens, has_sisu=has_sisu)
        return self.value.loss(at.space, at.gear, has_sisu=has_sisu) * self.value.token_worth(tokens, at.space)

    def chances(self, step: Step) -> tuple[tuple[float, float, float], int]:
        """Return the chances of warnings on a move's dice, and the number of dice."""
        return chances(step.move.die, self.coast_warnings)


class Drive(NamedTuple):
    """The best decision before the next move of a plan: its worth, and the order "roll", "secure" or "stop"."""

    worth: Worth
    do: str


class Choice(NamedTuple):
    """A plan, how to roll it, and its worth."""

    worth: Worth
    roll: str
    plan: tuple[Step, ...]


class Crossroads(NamedTuple):
    """The worth of each decision before the next move of a plan: to stop here, to roll, to secure (NEVER where that is
    impossible); and the worth after the roll, by how many warnings it shows.
    """

    stop: Worth
    roll: Worth
    secure: Worth
    rolled: tuple[Worth, ...]

    @property
    def best(self) -> Drive:
        """The best of the three."""
        return min(Drive(self.stop, "stop"), Drive(self.roll, "roll"), Drive(self.secure, "secure"))


def one_by_one(seat: Seat, plan: Sequence[Step], *, made: int = 0, warnings: int = 0, secured: int = 0) -> Drive:
    """Return the best decision for the rest of a plan rolled one by one (R1 to R3, R7), when the driver decides again
    before each move.

    `made` moves have been made, with `warnings` warnings and `secured` dice secured. The seat's tokens are those at the
    start of the turn.
    """
    return crossroads(seat, plan, made=made, warnings=warnings, secured=secured).best


def crossroads(seat: Seat, plan: Sequence[Step], *, made: int = 0, warnings: int = 0, secured: int = 0) -> Crossroads:
    """Return the worth of each decision at this point of a plan rolled one by one, as `one_by_one` compares them."""
    limit = facts().warning_limit
    most = secured + sum(seat.chances(step)[1] for step in plan[made:])
    levels = range(secured, 1 + max(n for n in range(secured, most + 1) if securing_price(0, n) <= seat.tokens))
    tokens = {count: seat.tokens - securing_price(0, count) for count in levels}
    safe = _safe_ends(seat, plan, made, tokens)
    onward: dict[tuple[int, int], Drive] = {}
    first = Crossroads(NEVER, NEVER, NEVER, ())
    for number in range(len(plan), made - 1, -1):
        behind = onward
        onward = {}
        for count in levels:
            stop = seat.rest(plan[number - 1].after, tokens[count], has_sisu=seat.has_sisu) if number else NEVER
            for shown in range(limit) if number > made else (warnings,):
                here = Crossroads(stop, NEVER, NEVER, ())
                if number < len(plan):
                    here = _next_drives(seat, plan[number], behind, safe[number][count], shown, count, tokens, stop)
                onward[shown, count] = here.best
                if number == made and count == secured:
                    first = here
    return first


def _safe_ends(seat: Seat, plan: Sequence[Step], made: int, tokens: dict[int, int]) -> list[dict[int, Worth]]:
    """Return for each move of the plan the best worth of an end at this move or later, by dice secured, when a SISU
    token cancels all warnings (R7).
    """
    ends: list[dict[int, Worth]] = [dict.fromkeys(tokens, NEVER) for _ in plan]
    if seat.has_sisu:
        for number in range(len(plan) - 1, made - 1, -1):
            for count, left in tokens.items():
                here = NEVER if plan[number].after.loss else seat.rest(plan[number].after, left, has_sisu=False)
                later = ends[number + 1][count] if number + 1 < len(plan) else NEVER
                ends[number][count] = min(here, later)
    return ends


def _next_drives(
    seat: Seat,
    step: Step,
    behind: dict[tuple[int, int], Drive],
    safe: Worth,
    shown: int,
    count: int,
    tokens: dict[int, int],
    stop: Worth,
) -> Crossroads:
    """Return the worth of stopping, of rolling the next move and, when it can be paid, of securing it."""
    odds, dice = seat.chances(step)
    lost = seat.lost(step.after, tokens[count], has_sisu=seat.has_sisu)
    if step.after.loss:
        paid = tokens.get(count + dice)  # who secures a certain loss pays, and loses control all the same
        secured = NEVER if paid is None else seat.lost(step.after, paid, has_sisu=seat.has_sisu)
        return Crossroads(stop, lost, secured, (lost,) * len(odds))
    fails = min(lost, safe)
    if step.flying:
        fails = min(seat.rest(step.after, tokens[count], has_sisu=seat.has_sisu), safe)
    limit = facts().warning_limit
    rolled = tuple(
        fails
        if shown + warnings >= limit or (warnings and (step.risky or step.flying))
        else behind[shown + warnings, count].worth
        for warnings in range(len(odds))
    )
    worth = sum(chance * after for chance, after in zip(odds, rolled, strict=True))
    secure = behind[shown, count + dice].worth if (shown, count + dice) in behind else NEVER
    return Crossroads(stop, worth, secure, rolled)


def flat_out(seat: Seat, plan: Sequence[Step]) -> tuple[Worth, float]:
    """Return the worth of a plan rolled flat out (R4 to R7), and the chance to lose control by warnings. This assumes
    that the plan is laid again as it was (R6).
    """
    limit = facts().warning_limit
    earned = seat.tokens + len(plan)
    showing = [1.0] + [0.0] * (limit - 1)
    chance, worth = 0.0, 0.0
    for step in plan:
        odds, _ = seat.chances(step)
        if step.after.loss:
            return worth + sum(showing) * seat.lost(step.after, earned, has_sisu=seat.has_sisu), chance
        fails = 0.0
        following = [0.0] * limit
        for warnings, share in enumerate(odds):
            for shown, mass in enumerate(showing):
                if shown + warnings >= limit or (warnings and (step.risky or step.flying)):
                    fails += mass * share
                else:
                    following[shown + warnings] += mass * share
        if fails:
            worth += fails * _fails_flat_out(seat, plan, step, earned)
            chance += 0.0 if step.flying else fails
        showing = following
    return worth + sum(showing) * seat.rest(plan[-1].after, earned, has_sisu=seat.has_sisu), chance


def _fails_flat_out(seat: Seat, plan: Sequence[Step], step: Step, earned: int) -> Worth:
    """Return the worth when the dice of this step end a plan that was rolled flat out; with a SISU token, the better of
    using and keeping it.
    """
    ends = seat.rest if step.flying else seat.lost
    lost = ends(step.after, earned, has_sisu=seat.has_sisu)
    if seat.has_sisu and not plan[-1].after.loss:
        lost = min(lost, seat.rest(plan[-1].after, earned, has_sisu=False))
    return lost


def rolled_flat_out(seat: Seat, plan: Sequence[Step], made: int, *, ends: bool) -> Worth:
    """Return the worth of a plan whose dice have been rolled flat out, as `flat_out` counts it. `made`: how many moves
    of it are made. `ends`: the dice have ended it there.
    """
    earned, last = seat.tokens + len(plan), plan[made - 1]
    if last.after.loss:
        return seat.lost(last.after, earned, has_sisu=seat.has_sisu)
    if ends:
        return _fails_flat_out(seat, plan, last, earned)
    return seat.rest(last.after, earned, has_sisu=seat.has_sisu)


# Growing plans ------------------------------------------------------------------------------------


class _Sketch(NamedTuple):
    """A half-made plan: the chances to reach its end with no, one, two warnings; the worth of the turns that have ended
    before its end (`settled`); the worth that the search estimates for it (`promise`).
    """

    plan: tuple[Step, ...]
    chances: tuple[float, ...]
    settled: Worth
    promise: Worth


def best_plan(seat: Seat, at: CarInPlan) -> Choice:
    """Return the best plan found from here and how to roll it. There must be a legal move (turn.forced_to_stand)."""
    if seat.road.cars:
        return _search(seat, at)
    known = seat.value.plans
    asked = (at, seat.tokens, seat.has_sisu, seat.coast_warnings)
    if asked not in known:
        if len(known) >= PLANS_REMEMBERED:
            known.clear()
        known[asked] = _search(seat, at)
    choice: Choice = known[asked]
    return choice


def _search(seat: Seat, at: CarInPlan) -> Choice:
    return min(ways(seat, at), key=lambda choice: choice.worth)


def ways(seat: Seat, at: CarInPlan, *, kept: int = PLANS_KEPT, weighed: int = PLANS_WEIGHED) -> list[Choice]:
    """Return the plans that the search finds, each with the ways to roll it and its worth, in no order. `kept` and
    `weighed`: how many half-made plans are kept at each length, and how many are evaluated for rolling one by one.
    """
    found = list(_grown_plans(seat, at, kept))
    promising = sorted(found, key=lambda sketch: sketch.promise)[:weighed]
    choices = [Choice(one_by_one(seat, sketch.plan).worth, ONE_BY_ONE, sketch.plan) for sketch in promising]
    for sketch in found:
        worth, chance = flat_out(seat, sketch.plan)
        if chance <= seat.value.preferences.flat_out_chance + 1e-9:
            choices.append(Choice(worth, FLAT_OUT, sketch.plan))
    return choices


def _grown_plans(seat: Seat, at: CarInPlan, most: int) -> Iterator[_Sketch]:
    """Yield plans of every length. Each length extends the most promising plans of the length before. A certain loss of
    control is laid only when there is no other move, or over the line.
    """
    first = steps(seat.road, at)
    sound = [step for step in first if step.after.loss is None or step.after.finished]
    nothing = _Sketch((), (1.0,) + (0.0,) * (facts().warning_limit - 1), 0.0, 0.0)
    kept = [_extended(seat, nothing, step) for step in sound or first]
    while kept:
        kept = _most_promising(kept, most)
        yield from kept
        kept = [
            _extended(seat, sketch, step)
            for sketch in kept
            for step in steps(seat.road, sketch.plan[-1].after)
            if step.after.loss is None or step.after.finished
        ]


def _most_promising(kept: list[_Sketch], most: int) -> list[_Sketch]:
    """Return the best plan to each end, and of these the `most` best."""
    best: dict[object, _Sketch] = {}
    for sketch in kept:
        end = sketch.plan[-1].after
        key = (end.space, end.gear, end.used, end.coasts, end.brakes, end.met)
        if key not in best or sketch.promise < best[key].promise:
            best[key] = sketch
    return sorted(best.values(), key=lambda sketch: sketch.promise)[:most]


def _extended(seat: Seat, sketch: _Sketch, step: Step) -> _Sketch:
    """Return the plan with one more move. With each number of warnings the driver stops before the move, secures it or
    rolls it, whichever is best.
    """
    odds, dice = seat.chances(step)
    levels, fails = _levels(seat, step)
    limit = len(levels)
    stop = seat.rest(sketch.plan[-1].after, seat.tokens, has_sisu=seat.has_sisu) if sketch.plan else NEVER
    price = seat.value.delay(securing_price(0, dice) * seat.value.preferences.token_seconds)
    payable = securing_price(0, dice) <= seat.tokens
    settled = sketch.settled
    chances = [0.0] * limit
    for shown, mass in enumerate(sketch.chances):
        if not mass:
            continue
        ends = [
            fails if shown + more >= limit or (more and (step.risky or step.flying)) else levels[shown + more]
            for more in range(len(odds))
        ]
        rolled = sum(share * worth for share, worth in zip(odds, ends, strict=True))
        secured = price * levels[shown] if payable and shown == limit - 1 else NEVER
        if stop <= min(rolled, secured):
            settled += mass * stop
        elif secured < rolled:
            chances[shown] += mass * price
        else:
            for more, share in enumerate(odds):
                if ends[more] is fails:
                    settled += mass * share * fails
                else:
                    chances[shown + more] += mass * share
    promise = settled + sum(mass * level for mass, level in zip(chances, levels, strict=True))
    return _Sketch((*sketch.plan, step), tuple(chances), settled, promise)


def _levels(seat: Seat, step: Step) -> tuple[list[Worth], Worth]:
    """Return the worth of the end of a move with no, one, two warnings shown, and the worth of one warning too many."""
    end, tokens, has_sisu = step.after, seat.tokens, seat.has_sisu
    limit = facts().warning_limit
    lost = seat.lost(end, tokens, has_sisu=has_sisu)
    if end.loss or end.finished:
        return [lost] * limit, lost
    middle, worth = seat.value.middle(end), seat.value.token_worth(tokens, end.space)
    levels = [level * worth for level in (middle[SISU:SAFE] if has_sisu else middle[CALM : TWO + 1])]
    fails = seat.rest(end, tokens, has_sisu=has_sisu) if step.flying else lost
    return levels, min(fails, middle[SAFE] * worth) if has_sisu else fails

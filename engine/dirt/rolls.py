"""The chances of rolling a plan: of each end of the turn, and of each number of warnings (D7, M3, R1 to R7).

The dice of a turn are independent. A few numbers therefore describe the moves that have been made: warnings, dice
secured, SISU in use or not. Their chances are carried from move to move. turn.py says which rule ends a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from engine.dirt import turn as turns
from engine.dirt.facts import facts
from engine.dirt.plan import Step
from engine.dirt.roll_policy import SECURE, STOP, Manner


@dataclass(frozen=True, slots=True)
class Turn:
    """A plan with its steps and their dice, and what has been rolled of it: `made` moves, their `warnings`, dice
    `secured`.

    `sisu_in_use`: no warning counts any more (R7). `token`: the SISU token is in hand. `tokens`: second tokens in hand.
    `wheel`: the spare wheel may be taken in gear 1.
    """

    steps: tuple[Step, ...]
    dice: tuple[tuple[str, ...], ...]
    made: int = 0
    warnings: int = 0
    secured: int = 0
    sisu_in_use: bool = False
    token: bool = False
    tokens: int = 0
    wheel: bool = False


@dataclass(slots=True)
class Walk:
    """The chances of a walk through the turn: of each end (moves made, rule) and of each number of warnings; and the
    second tokens earned, and expected to be spent on securing.
    """

    ends: dict[tuple[int, str], float] = field(default_factory=dict)
    warnings: list[float] = field(default_factory=lambda: [0.0] * (facts().warning_limit + 1))
    earned: int = 0
    spent: float = 0.0

    def end(self, moves: int, rule: str, chance: float) -> None:
        """Add the chance that the turn ends by this rule after this number of moves."""
        self.ends[moves, rule] = self.ends.get((moves, rule), 0.0) + chance

    def stop(self, moves: int, rule: str, warnings: int, chance: float) -> None:
        """Add the chance of an end, as `end`, and of this number of warnings rolled by then."""
        self.end(moves, rule, chance)
        self.warnings[warnings] += chance


def one_by_one(turn: Turn, manner: Manner) -> Walk:
    """R1 to R3, R7: return the chances of rolling one by one.

    `going` holds the chances of all (warnings, dice secured, SISU in use) with which the car drives on, from move to
    move.
    """
    walk = Walk()
    going = {(turn.warnings, turn.secured, turn.sisu_in_use): 1.0}
    for move in range(turn.made + 1, len(turn.steps) + 1):
        onward: dict[tuple[int, int, bool], float] = {}
        for (warnings, secured, sisu_in_use), chance in going.items():
            dice = turn.dice[move - 1]
            price = turns.securing_price(secured, len(dice))
            tokens = turn.tokens - turns.securing_price(turn.secured, secured - turn.secured)
            doing = manner.before(move, warnings, price, tokens, sisu_in_use=sisu_in_use)
            if doing == STOP:
                walk.stop(move - 1, "E1", warnings, chance)
                continue
            shares = _warning_chances(dice)
            if doing == SECURE:
                walk.spent += chance * price
                secured, shares = secured + len(dice), (1.0,)
            for shown, share in enumerate(shares):
                total = min(warnings + shown, facts().warning_limit)
                rule, sisu = _end_rule(turn, manner, move, shown, total, sisu_in_use=sisu_in_use)
                if rule is None:
                    onward[total, secured, sisu] = onward.get((total, secured, sisu), 0.0) + chance * share
                else:
                    walk.stop(move, rule, total, chance * share)
        going = onward
    for (warnings, _, _), chance in going.items():
        walk.stop(len(turn.steps), "E1", warnings, chance)
    return walk


def _end_rule(
    turn: Turn, manner: Manner, move: int, shown: int, total: int, *, sisu_in_use: bool
) -> tuple[str | None, bool]:
    """Return the rule by which a move ends the turn, None when the car drives on, and whether SISU is in use then
    (R7).
    """
    step = turn.steps[move - 1]
    rule = turns.rule_that_ends_turn(step, shown, total, sisu=sisu_in_use)
    if rule in (None, step.after.loss) or not (turn.token and manner.saves(step.after.gear)):
        return rule, sisu_in_use
    return None, True


def flat_out(turn: Turn, manner: Manner) -> Walk:
    """R4 to R7: return the chances of rolling flat out: which move of the plan, if any, is the first to end it early.
    The warnings are those of all dice, since all are rolled at once.
    """
    limit = facts().warning_limit
    walk = Walk(earned=sum(die != "brake" for dice in turn.dice for die in dice))
    going, fallen = {0: 1.0}, {0: 1.0}
    for number, (step, dice) in enumerate(zip(turn.steps, turn.dice, strict=True), 1):
        onward: dict[int, float] = {}
        for warnings, chance in going.items():
            for shown, share in enumerate(_warning_chances(dice)):
                total = min(warnings + shown, limit)
                rule = turns.rule_that_ends_turn(step, shown, total, sisu=turn.sisu_in_use)
                if rule is None:
                    onward[total] = onward.get(total, 0.0) + chance * share
                elif helps(turn, manner, step, rule):
                    walk.end(len(turn.steps), "E1", chance * share)
                else:
                    walk.end(number, rule, chance * share)
        going, fallen = onward, _convolved(fallen, _warning_chances(dice))
    for chance in going.values():
        walk.end(len(turn.steps), "E1", chance)
    for warnings, chance in fallen.items():
        walk.warnings[min(warnings, limit)] += chance
    return walk


def helps(turn: Turn, manner: Manner, step: Step, rule: str) -> bool:
    """R7: return whether the token is played flat out: only when the plan itself has no certain loss of control."""
    sound = rule != step.after.loss and turn.steps[-1].after.loss is None
    return sound and turn.token and manner.saves(step.after.gear)


@lru_cache(maxsize=64)
def _warning_chances(dice: tuple[str, ...]) -> tuple[float, ...]:
    """Return the chances of 0, 1, ... warnings on the dice of one move (D1)."""
    known = facts()
    chances = {0: 1.0}
    for die in dice:
        warn = known.warnings[die] / known.faces
        chances = _convolved(chances, (1 - warn, warn))
    return tuple(chances[shown] for shown in range(len(dice) + 1))


def _convolved(chances: Mapping[int, float], shown: Sequence[float]) -> dict[int, float]:
    """Return the chances of the sum of two independent counts."""
    total: dict[int, float] = {}
    for before, chance in chances.items():
        for more, share in enumerate(shown):
            total[before + more] = total.get(before + more, 0.0) + chance * share
    return total

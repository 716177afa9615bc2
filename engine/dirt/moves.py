"""The notation of moves and plans, and the rules that a move can break (D1 to D8, M1 to M10).

A move is written `die:space`, or `die:space^landing` when it jumps: "3:2.1.l", "2b:4.2.i1" (gear 2 with a brake),
"c:5.1.s1" (coast or leader die), "x:6.1.r" (redline), "4:3.2.l^3.4.r". A plan is its moves, separated by spaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.contract import RuleError

GEAR, COAST, REDLINE = "gear", "coast", "redline"


class Fault(NamedTuple):
    """A rule that a move breaks, and the message about it."""

    rule: str
    message: str


NOTATION = Fault("D3", "a move is written die:space, or die:space^landing for a jump")
DIE_LAID = Fault("D2", "each die is laid once a turn")
NO_GEAR_DIE = Fault("D2", "no gear die is left: each gear damage takes one away")
NO_COAST_DIE = Fault("D2", "no coast die is left this turn")
NO_BRAKE_DIE = Fault("D2", "no brake die is left this turn")
FIRST_GEAR = Fault("D4", "from gear 0 the first gear is 1")
GEAR_STEP = Fault("D4", "a gear die changes the gear by one at most; to drop further lay brake dice with it")
BRAKING = Fault("D5", "a brake die drops the gear by one more: one for each gear left out")
STANDING = Fault("D6", "a coast die keeps the gear and needs one above 0")
NO_REDLINE = Fault("D8", "a brake die coasts in the highest gear only, and only where redline is driven")
NO_SUCH_SPACE = Fault("T2", "there is no such space on this stage")
NOT_AHEAD = Fault("T3", "the car moves to a space at the head of the next section, or on along its bend or slide")
NO_WAY_OVER = Fault("T4", "a shortcut is entered and left by the inside lane, a slide half or a single space beside it")
OCCUPIED = Fault("M6", "another car stands there")
OTHER_METHOD = Fault(
    "M8", "a car in the bend or slide ahead decides the way through it: take the same path, or a shortcut"
)
TOO_SLOW = Fault("M7", "too slow to come alongside: the gear must be at least that of the other car")
WATER = Fault("M4", "water is entered with a coast die, or in gear 1 without a brake")
BURIED = Fault("M2", "mud has lowered the limit of that bend to 0: no car can enter")
NO_LANDING = Fault("M3", "in that gear the bump throws the car on: say where it lands, one space on or two")
NO_JUMP = Fault("M3", "the car does not jump here: leave the landing out")
FAR_LANDING = Fault("M3", "the jump does not lead there: at the bump's number the car lands one space on, faster two")
WET_LANDING = Fault("M3", "a jump cannot land in water")
FULL_LANDING = Fault("M3", "a jump cannot land on another car")
LOST_ALREADY = {
    "M1": Fault("M1", "control is lost on the space before, above its limit: the plan ends there"),
    "M3": Fault("M3", "control is lost where the jump before lands: the plan ends there"),
}
OVER_THE_LINE = Fault("F1", "the first space behind the finish line ends the plan")
BLOCKED = Fault("M9", "blocked by the cars ahead: the turn ends here, with the time card of the gear")
NO_WAY_ON = Fault("M10", "no way on: the turn ends in gear 0 with the seconds of a loss of control")


@dataclass(frozen=True, slots=True)
class Die:
    """A die as laid: a gear die with a number of brakes, a coast (or leader) die, or a brake driven as a coast die
    (redline).
    """

    kind: str
    gear: int = 0
    brakes: int = 0

    def __str__(self) -> str:
        return f"{self.gear}{'b' * self.brakes}" if self.kind == GEAR else self.kind[0].replace("r", "x")


@dataclass(frozen=True, slots=True)
class Move:
    """One die and the space that the car enters. `landing` is the space where it lands, if it jumps."""

    die: Die
    space: str
    landing: str | None = None

    def __str__(self) -> str:
        return f"{self.die}:{self.space}" + (f"^{self.landing}" if self.landing else "")


_WRITTEN = re.compile(r"(?:([1-9])(b*)|([cx])):([^\s:^]+)(?:\^([^\s:^]+))?", re.ASCII)


def read_plan(text: str) -> tuple[Move, ...]:
    """Parse a written plan: moves separated by spaces.

    Raises: RuleError with the number of the first move that cannot be read (D3).
    """
    moves = []
    if not isinstance(text, str):
        raise RuleError(NOTATION.rule, NOTATION.message)
    for number, word in enumerate(text.split(), 1):
        match = _WRITTEN.fullmatch(word)
        if match is None:
            raise RuleError(NOTATION.rule, NOTATION.message, move=number)
        gear, brakes, letter, space, landing = match.groups()
        die = Die(GEAR, int(gear), len(brakes)) if gear else Die(COAST if letter == "c" else REDLINE)
        moves.append(Move(die, space, landing))
    return tuple(moves)


def write_plan(moves: Sequence[Move]) -> str:
    """Return the text of a plan. `read_plan` reads it back."""
    return " ".join(map(str, moves))

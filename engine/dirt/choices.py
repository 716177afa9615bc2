"""What a driver may do now, in the words of `engine.contract`: ways on from a draft, and what of a draft is legal.

A draft is a plan as text: moves with blanks between them (D3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.chance import By
from engine.contract import Drafted, Orders, RuleError, State, Way, Ways
from engine.dirt import legal_moves, stage
from engine.dirt import turn as turns

LAYING = ("plan", "relay")
"""Phases of a turn in which dice are laid."""
STAND = "stand"
LONGEST = 600
"""Letters of the longest plan that anybody lays, with room to spare."""


def ways(state: State, driver: str, plan: str) -> Ways:
    """Every legal way to go on from a plan, or with a turn that is half made.

    Raises: RuleError for a plan that is illegal, or for who is not to play (O1).
    """
    return _playable(state, driver, _ways(legal_moves.choices(state, driver, plan), plan))


class _Drawn(Exception):
    """Something is drawn, so the orders are legal up to here."""


class _NoChance:
    """Looking at ways draws nothing."""

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        raise _Drawn


def _playable(state: State, driver: str, found: Ways) -> Ways:
    """The ways of a turn that is half made without those that the rules refuse now, such as securing without tokens."""
    if found.phase in LAYING:
        return found
    return replace(found, ways=tuple(way for way in found.ways if _plays(state, driver, way.orders)))


def _plays(state: State, driver: str, orders: Orders) -> bool:
    try:
        stage.play(state, driver, orders, _NoChance())
    except RuleError:
        return False
    except _Drawn:
        return True
    return True


def _ways(found: legal_moves.Choices, plan: str) -> Ways:
    if found.phase not in LAYING:
        on = tuple(way for word in found.orders for way in _word(word))
        return Ways(found.phase, on, facts=found.facts)
    if found.forced:
        on = (Way(STAND, {"do": "lay", "plan": "", "roll": turns.ONE_BY_ONE, "sisu": False}),)
        return Ways(found.phase, on, found.forced, found.why)
    head = f"{plan} " if plan else ""
    on = tuple([_step(found.phase, head, move) for move in found.moves])
    if found.phase == "relay" and "sisu" in found.orders:
        on += _word("sisu")
    return Ways(found.phase, on, facts=found.facts)


def _word(word: str) -> tuple[Way, ...]:
    """The ways of a word: the spare wheel is taken or left (E4)."""
    if word == "spare":
        return tuple(Way(text, {"do": word, "take": take}) for text, take in (("spare", True), ("no spare", False)))
    return (Way(word, {"do": word}),)


def _step(phase: str, head: str, move: legal_moves.Choice) -> Way:
    """A move behind a plan. Dice are laid again up to a loss of control (R6): before it nothing can be sent."""
    orders: Orders = {}
    if phase == "plan":
        orders = {"do": "lay", "plan": head + move.text, "roll": turns.ONE_BY_ONE, "sisu": False}
    elif move.loses:
        orders = {"do": "relay", "plan": head + move.text}
    does = {
        "to": move.to,
        "gear": move.gear,
        "rolls": [[*roll] for roll in move.rolls],
        "loses": move.loses,
        "notes": [*move.notes],
    }
    return Way(move.text, orders, does)


@dataclass(frozen=True, slots=True)
class Part:
    """The legal part of a plan, what may be laid behind it, and the error of the first move that is not legal."""

    choices: legal_moves.Choices
    plan: str
    error: RuleError | None = None


def legal_part(state: State, driver: str, plan: str) -> Part:
    """A plan up to the move that breaks a rule: empty in phases in which nothing is laid, and where the car must stand.

    Raises: RuleError when it is not this driver's turn.
    """
    moves = plan.split()
    first: RuleError | None = None
    while True:
        try:
            found = legal_moves.choices(state, driver, " ".join(moves))
        except RuleError as error:
            if not moves:
                raise
            first = first or error
            moves = moves[: (error.move or 1) - 1]
            continue
        if found.phase not in LAYING:
            return Part(found, "")
        if found.forced and moves:
            return Part(found, "", RuleError(found.forced, found.why, move=1))
        return Part(found, " ".join(moves), first)


def legal(state: State, driver: str, draft: object) -> Drafted:
    """What of a draft is legal, as `legal_part`.

    Raises: RuleError when it is not this driver's turn.
    """
    written = draft if isinstance(draft, str) else ""
    unread = None if isinstance(draft, str) else RuleError("D3", "a plan is written in words")
    if len(" ".join(written.split())) > LONGEST:
        written, unread = "", RuleError("D3", "that is longer than any plan")
    part = legal_part(state, driver, written)
    laying = part.choices.phase in LAYING
    return Drafted(part.plan, _ways(part.choices, part.plan), unread or part.error, laying)

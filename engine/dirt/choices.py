"""The ways to go on that a driver has now, as types of `engine.contract`, and the legal part of a draft.

A draft is a plan as text: moves separated by spaces (D3).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from engine.chance import DrawScope
from engine.contract import Drafted, Orders, RuleError, State, Way, Ways
from engine.dirt import legal_moves, stage
from engine.dirt import turn as turns

LAYING = ("plan", "relay")
"""The phases of a turn in which dice are laid."""
STAND = "stand"
LONGEST = 600
"""The most characters of a plan. No legal plan comes near it."""


def ways(state: State, driver: str, plan: str) -> Ways:
    """Return every legal way to go on from a plan, or in a turn that is half made.

    Raises: RuleError when the plan is illegal, or this driver is not to play (O1).
    """
    return _without_refused(state, driver, _ways(legal_moves.choices(state, driver, plan), plan))


class _Drawn(Exception):
    """The orders draw something, so they are legal up to this point."""


class _NoChance:
    """A Chance that stops play at the first draw."""

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        raise _Drawn


def _without_refused(state: State, driver: str, found: Ways) -> Ways:
    """Return the ways of a turn without those that the rules refuse now, such as securing without tokens."""
    if found.phase in LAYING:
        return found
    return replace(found, ways=tuple(way for way in found.ways if _is_playable(state, driver, way.orders)))


def _is_playable(state: State, driver: str, orders: Orders) -> bool:
    try:
        check(state, driver, orders)
    except RuleError:
        return False
    return True


def check(state: State, driver: str, orders: Orders) -> None:
    """Check whether orders are legal, without a draw.

    Raises: RuleError when they are not.
    """
    with suppress(_Drawn):
        stage.play(state, driver, orders, _NoChance())


def _ways(found: legal_moves.Choices, plan: str) -> Ways:
    if found.phase not in LAYING:
        on = tuple(way for word in found.orders for way in _ways_of_word(word))
        return Ways(found.phase, on, facts=found.facts)
    if found.forced:
        on = (Way(STAND, {"do": "lay", "plan": "", "roll": turns.ONE_BY_ONE, "sisu": False}),)
        return Ways(found.phase, on, found.forced, found.why)
    head = f"{plan} " if plan else ""
    on = tuple([_way_of_move(found.phase, head, move) for move in found.moves])
    if found.phase == "relay" and "sisu" in found.orders:
        on += _ways_of_word("sisu")
    return Ways(found.phase, on, facts=found.facts)


def _ways_of_word(word: str) -> tuple[Way, ...]:
    """Return the ways of an order word. "spare" gives two: the spare wheel is taken or not (E4)."""
    if word == "spare":
        return tuple(Way(text, {"do": word, "take": take}) for text, take in (("spare", True), ("no spare", False)))
    return (Way(word, {"do": word}),)


def _way_of_move(phase: str, head: str, move: legal_moves.Choice) -> Way:
    """Return a move behind a plan as a way. A re-lay must end with a loss of control (R6): before it, the orders are
    empty.
    """
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
    """The legal part of a plan, the choices behind it, and the error of the first move that is not legal."""

    choices: legal_moves.Choices
    plan: str
    error: RuleError | None = None


def legal_part(state: State, driver: str, plan: str) -> Part:
    """Return a plan up to the first move that breaks a rule. The plan is empty in phases in which nothing is laid, and
    when the car cannot move.

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


def changed(plan: str, number: int, move: str) -> str:
    """Return a plan with its move of this number, counted from 1, replaced.

    Raises: RuleError when the plan has no such move.
    """
    moves = plan.split()
    if not 1 <= number <= len(moves):
        raise RuleError("D3", "the plan has no such move")
    moves[number - 1] = move
    return " ".join(moves)


def legal(state: State, driver: str, draft: object) -> Drafted:
    """Return the legal part of a draft, which may be any value, as `legal_part` does for a plan.

    Raises: RuleError when it is not this driver's turn.
    """
    written = draft if isinstance(draft, str) else ""
    unreadable = None if isinstance(draft, str) else RuleError("D3", "a plan is written in words")
    if len(" ".join(written.split())) > LONGEST:
        written, unreadable = "", RuleError("D3", "that is longer than any plan")
    part = legal_part(state, driver, written)
    laying = part.choices.phase in LAYING
    return Drafted(part.plan, _ways(part.choices, part.plan), unreadable or part.error, laying)

"""Drafts: steps that are not sent yet, as one text, such as "use 4 p; do 1" (S9).

Drafted steps are tried on a copy of the run. Nothing is drawn and no round closes: a step that draws, or that ends the
turn, is carried out when it is sent. Steps after a roll are kept as they are written, because they depend on its
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from engine.contract import Json, RuleError
from engine.dust.cards.card_set import CardSet
from engine.dust.state import Table
from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import NoChance, Turn

SEPARATOR = ";"
ROLL: Final = "roll"
END: Final = "end"


@dataclass(frozen=True, slots=True)
class LegalPart:
    """The legal part of a draft: its `steps`, the run after them, and the error of the first step after them.

    `sends` says why the run does not include all of the steps: "roll" for a step that draws, "end" for one that ends
    the turn, "" for neither. `sent` is the number of that step, from 1.
    """

    steps: list[str]
    table: Table
    sends: Literal["", "roll", "end"] = ""
    sent: int = 0
    error: RuleError | None = None


def split_steps(draft: Json) -> list[str]:
    """Return the steps of a draft, in order, each with single spaces between its words.

    Raises: RuleError (S8) when it is not a string.
    """
    if not isinstance(draft, str):
        raise RuleError("S8", "a draft is a text of steps with semicolons between them")
    found = (" ".join(step.split()) for step in draft.split(SEPARATOR))
    return [step for step in found if step]


def join_steps(lined: list[str]) -> str:
    """Return steps as the text of a draft."""
    return f"{SEPARATOR} ".join(lined)


def legal_part(table: Table, seat: str, lined: list[str], cards: CardSet) -> LegalPart:
    """Return the legal part of some steps for a driver who is to play. Nothing is drawn (S9)."""
    now = table
    for place, step in enumerate(lined):
        turn = Turn(now, seat, cards, None)
        try:
            first, words = steps.read(step)
            stepping.act(turn, first, words)
        except NoChance:
            return _with_a_roll(now, lined, place)
        except RuleError as error:
            return LegalPart(lined[:place], now, error=_with_step_number(error, place))
        if first == steps.END:
            error_after_end = (
                RuleError("S2", "it is not this driver's turn", move=place + 2) if lined[place + 1 :] else None
            )
            return LegalPart(lined[: place + 1], now, END, place + 1, error_after_end)
        now = stepping.ended(now, turn).table
    return LegalPart(lined, now)


def _with_a_roll(now: Table, lined: list[str], place: int) -> LegalPart:
    """Return the legal part of steps when the step at `place` draws. Of the steps after it only the form is checked."""
    for later, step in enumerate(lined[place + 1 :], place + 1):
        try:
            steps.read(step)
        except RuleError as error:
            return LegalPart(lined[:later], now, ROLL, place + 1, _with_step_number(error, later))
    return LegalPart(lined, now, ROLL, place + 1)


def _with_step_number(error: RuleError, place: int) -> RuleError:
    return RuleError(error.rule, error.template, move=place + 1, **error.values)


def why_not(table: Table, seat: str, step: str, cards: CardSet) -> RuleError | None:
    """Return the error of a step that is refused now; None for a legal step. Nothing is drawn."""
    try:
        first, words = steps.read(step)
        stepping.act(Turn(table, seat, cards, None), first, words)
    except NoChance:
        return None
    except RuleError as error:
        return error
    return None

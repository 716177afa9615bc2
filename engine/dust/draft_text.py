"""Drafts: steps that are laid and not sent yet, as one text, such as "use 4 p; do 1" (S9).

Laid steps are tried on a copy of the run. Nothing is drawn and no round closes: a step that draws, or that ends the
turn, is carried out when it is sent. What stands behind a roll is kept as it is written, since it is chosen after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from engine.contract import Json, RuleError
from engine.dust import stepping, steps
from engine.dust.cards import CardSet
from engine.dust.state import Table
from engine.dust.step_context import NoChance, Turn

PARTED = ";"
ROLL: Final = "roll"
END: Final = "end"


@dataclass(frozen=True, slots=True)
class Laid:
    """What of a draft is legal: its `steps`, the run after them, and the error of what follows.

    `sends` says why the run does not show the last of them: a "roll" draws, an "end" closes the turn; "" is neither.
    `sent` is the place of the step that does so, from 1.
    """

    steps: list[str]
    table: Table
    sends: Literal["", "roll", "end"] = ""
    sent: int = 0
    error: RuleError | None = None


def parted(draft: Json) -> list[str]:
    """Return the steps of a draft, in order, each with single blanks between its words.

    Raises:
        RuleError: S8, it is no text.
    """
    if not isinstance(draft, str):
        raise RuleError("S8", "a draft is a text of steps with semicolons between them")
    found = (" ".join(step.split()) for step in draft.split(PARTED))
    return [step for step in found if step]


def joined(lined: list[str]) -> str:
    """Return steps as the text of a draft."""
    return f"{PARTED} ".join(lined)


def laid(table: Table, seat: str, lined: list[str], cards: CardSet) -> Laid:
    """Return what of some steps is legal for a driver who is to play. Nothing is drawn (S9)."""
    now = table
    for place, step in enumerate(lined):
        turn = Turn(now, seat, cards, None)
        try:
            first, words = steps.read(step)
            stepping.act(turn, first, words)
        except NoChance:
            return _with_a_roll(now, lined, place)
        except RuleError as error:
            return Laid(lined[:place], now, error=_placed(error, place))
        if first == steps.END:
            behind = RuleError("S2", "this driver is not to play", move=place + 2) if lined[place + 1 :] else None
            return Laid(lined[: place + 1], now, END, place + 1, behind)
        now = stepping.ended(now, turn).table
    return Laid(lined, now)


def _with_a_roll(now: Table, lined: list[str], place: int) -> Laid:
    """Steps of which one draws: those behind it must be ones that can be read, and no more is known of them."""
    for later, step in enumerate(lined[place + 1 :], place + 1):
        try:
            steps.read(step)
        except RuleError as error:
            return Laid(lined[:later], now, ROLL, place + 1, _placed(error, later))
    return Laid(lined, now, ROLL, place + 1)


def _placed(error: RuleError, place: int) -> RuleError:
    return RuleError(error.rule, error.template, move=place + 1, **error.values)


def why_not(table: Table, seat: str, step: str, cards: CardSet) -> RuleError | None:
    """Return why a step is refused now, None for one that is legal. Nothing is drawn."""
    try:
        first, words = steps.read(step)
        stepping.act(Turn(table, seat, cards, None), first, words)
    except NoChance:
        return None
    except RuleError as error:
        return error
    return None

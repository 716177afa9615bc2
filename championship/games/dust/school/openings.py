"""The situations of the scenes: one driver in a round of a stage, with the hand, the board and the dice that the scene
needs. The pupil is driver 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from championship.runs.watch.scenes import Opening
from engine.contract import State
from engine.dust.cards import card_set_reading
from engine.dust.game import game
from engine.dust.scenario import start_position

PUPIL = "1"
STAGE, CHARACTER = "saltwind", "harry"
HAND = ("bolts", "engine-tuning", "ready", "ready", "under-way")
"""The five starting cards."""


def on(
    *,
    dice: Sequence[int] = (),
    draws: Sequence[int] = (),
    ghost: str = "",
    ghost_rolls: Sequence[int] = (),
    **start: Any,
) -> partial[Opening]:
    """Return what makes an opening, new each time.

    `dice`: the player dice as they have fallen; none for a round that is not prepared. `ghost`: the level of a ghost,
    `ghost_rolls` its draws. `draws`: the draws behind the dice: the popularity die where the pupil holds it, the risk
    dice, then those of the scene. `start`: what differs from the set-up, as in a scenario file: hand, board, space,
    keys, traction, popularity, risk, hits, flipped.
    """
    return partial(_opened, tuple(dice), tuple(draws), ghost, tuple(ghost_rolls), start)


def _opened(
    dice: tuple[int, ...],
    draws: tuple[int, ...],
    ghost: str,
    ghost_rolls: tuple[int, ...],
    start: Mapping[str, Any],
) -> Opening:
    rules, own = game(), card_set_reading.own()
    hand = list(start.get("hand", HAND))
    document: dict[str, Any] = {
        "stage": STAGE,
        "drivers": [{"id": PUPIL, "driver": CHARACTER, "start": {**start, "hand": hand}}],
        "options": {"ghost": ghost} if ghost else {},
    }
    table = start_position(document, own)
    state = cast(State, {**table, "set": card_set_reading.own_document(), "digest": own.digest})
    if dice:
        laid = _Laid((*ghost_rolls, *(value - 1 for value in dice), *draws))
        state, _events = rules.play(state, PUPIL, {"do": "steps", "steps": ["prepare"]}, laid)
        draws = laid.left
    course = rules.read_course({"stage": STAGE})
    options = rules.clean_options({"ghost": ghost} if ghost else {})
    return Opening(course, options, state, PUPIL, (PUPIL,), draws)


class _Laid:
    """The laid draws, of which `left` are left."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        self.left = draws

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        """Return the next laid number."""
        found, self.left = self.left[0], self.left[1:]
        return found % ends

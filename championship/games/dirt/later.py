"""The later moves of a turn as data for a page that goes on without a connection (static/dirt/later.js)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.games.dirt import maps, move_choices
from championship.games.dirt.words import die_shown, space_words
from engine.contract import State
from engine.dirt.onward import LaterMove, Onward, onward

LOST = "!"
"""The sign behind a die that loses control for certain."""


@dataclass(frozen=True, slots=True)
class LaterMoves:
    """The moves of a driver's turn that begins in this state, computed only where a page shows them."""

    state: State
    driver: str

    def moves(self) -> dict[str, Any]:
        """Return where the turn begins, its dice, the moves from each space in each gear, and the spaces on the map;
        {} where nothing can be laid. The dice of each space are together: "3,4!:2.1.l c:2.1.r".
        """
        found = onward(self.state, self.driver)
        if found is None:
            return {}
        places = sorted({move.to for moves in found.moves.values() for move in moves})
        return {
            "at": [found.space, found.gear],
            "dice": {"gears": found.gears, "coasts": found.coasts, "brakes": found.brakes},
            "moves": {f"{space} {gear}": _grouped(moves) for (space, gear), moves in found.moves.items()},
            "places": {
                name: [*spot, space_words(name)] for name, spot in maps.spots(self.state["stage"], places).items()
            },
            "signs": _signs(found),
        }


def _signs(found: Onward) -> dict[str, list[str]]:
    """Return each die by its sign in a plan: as drawn, and its name."""
    names = {move_choices.COAST: "leader" if found.leads else "coast", move_choices.REDLINE: "brake"}
    moves = (move for moves in found.moves.values() for move in moves)
    signs = sorted({move.text.partition(":")[0].rstrip(move_choices.BRAKE) for move in moves})
    dice = {sign: die_shown(names.get(sign, sign)) for sign in signs}
    brake = die_shown("brake")
    return {
        **{sign: [str(die.sign), move_choices.words_of([die])] for sign, die in dice.items()},
        move_choices.BRAKE: [str(brake.sign), _("brake")],
    }


def _grouped(moves: tuple[LaterMove, ...]) -> str:
    """Return moves as text, the dice of each space together."""
    dice: dict[str, list[str]] = {}
    for move in moves:
        die, _colon, space = move.text.partition(":")
        dice.setdefault(space, []).append(die + (LOST if move.loses else ""))
    return " ".join(f"{','.join(each)}:{space}" for space, each in dice.items())

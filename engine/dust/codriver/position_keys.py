"""Keys of positions: equal for positions of a turn that are equivalent for the rest of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.dust.state import Laid
from engine.dust.turn.step_context import Turn


class PositionKeys:
    """Makes the keys for the positions of one driver in one round.

    A turn replaces its lists and dicts instead of changing them, so most positions share most of them. The part of the
    key that such an object gives is made once for each object. `kept` has these objects, so that none of them is freed
    and its id is not given to another.
    """

    def __init__(self) -> None:
        self._boards: dict[int, tuple[tuple[object, ...], ...]] = {}
        self._markers: dict[int, tuple[object, ...]] = {}
        self.kept: list[object] = []

    def of(self, turn: Turn) -> tuple[object, ...]:
        """Return the key of a position."""
        me = turn.me
        board = self.board(me["board"])
        markers = self._markers.get(id(me["markers"]))
        if markers is None:
            markers = self._marked(me["markers"])
        opened = me["open"]
        return (
            me["space"],
            me["speed"],
            me["popularity"],
            me["keys"],
            me["traction"],
            me["risk"],
            me["hits"],
            me["flipped"],
            me["star"],
            me["boosts"],
            tuple(me["dice"]),
            tuple(me["hand"]),
            tuple(me["removed"]),
            board,
            markers,
            tuple([one["card"] for one in me["aside"]]) if me["aside"] else (),
            tuple([pair["blocked"] for pair in turn.ghost["dice"]]) if turn.ghost is not None else (),
            (opened["card"], opened["slot"], *opened["left"]) if opened is not None else (),
        )

    def board(self, board: Mapping[str, Laid]) -> tuple[tuple[object, ...], ...]:
        """Return the part of the key that the cards of a board give, by slot."""
        known = self._boards.get(id(board))
        if known is not None:
            return known
        found = tuple(sorted((slot, laid["card"], laid["covered"], laid["used"]) for slot, laid in board.items()))
        self.kept.append(board)
        self._boards[id(board)] = found
        return found

    def _marked(self, markers: Mapping[str, Any]) -> tuple[object, ...]:
        found = tuple(sorted(markers.items()))
        self.kept.append(markers)
        self._markers[id(markers)] = found
        return found

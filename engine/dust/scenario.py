"""Scenario files of Dirt & Dust: all random results given in advance, and the steps one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import DocumentError, RuleError
from engine.dust import card_set_reading, stepping
from engine.dust.beginning import start_position
from engine.dust.cards import CardSet
from engine.dust.replay_text import printed
from engine.dust.state import Table


class Given:
    """The random results of a scenario: for each driver and kind of draw a list, in the order of the draws (S7)."""

    def __init__(self, lists: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        self._lists = lists
        self._used: dict[tuple[str, str], int] = {}

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        """Return the index in `faces` of the next result in the file.

        Raises: DocumentError when the list is used up, or its next entry is not one of the faces.
        """
        given = self._lists.get(who, {}).get(kind, ())
        used = self._used.get((who, kind), 0)
        if used >= len(given):
            raise DocumentError(f"chance: {who}: {kind} has run out in round {round_}")
        self._used[who, kind] = used + 1
        face = given[used]
        if face not in faces:
            raise DocumentError(f"chance: {who}: {kind} {used + 1}: {face!r:.40} cannot come up")
        return list(faces).index(face)


def play(document: Any) -> tuple[dict[str, Any], bool]:
    """Play a scenario. Return the output to print, and whether all steps were legal.

    Raises: GameError when the document cannot be read, its set-up is refused, or its list of random results is used up.
    """
    cards = card_set_reading.own()
    table, error = ended(document, cards)
    return ({"error": error}, False) if error else (printed(table, cards), True)


def ended(document: Any, cards: CardSet) -> tuple[Table, dict[str, Any] | None]:
    """Return the run after a scenario, and the error of the first refused step, or None.

    Raises: GameError when the document cannot be read, its set-up is refused, or its list of random results is used up.
    """
    table = start_position(document, cards)
    turns = _turns(document)
    chance = Given(_chance(document.get("chance", {})))
    for number, (name, steps) in enumerate(turns, 1):
        for place, step in enumerate(steps, 1):
            try:
                table = stepping.carry_out(table, name, step, cards, chance).table
            except RuleError as error:
                return table, {"turn": number, "step": place, "rule": error.rule, "message": error.message}
    return table, None


def _turns(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    turns = document.get("turns", [])
    if not isinstance(turns, list):
        raise DocumentError("turns: a list is needed")
    read: list[tuple[str, list[str]]] = []
    for number, turn in enumerate(turns, 1):
        name = turn.get("driver") if isinstance(turn, dict) else None
        steps = turn.get("steps") if isinstance(turn, dict) else None
        if not isinstance(name, str) or not isinstance(steps, list) or not all(isinstance(one, str) for one in steps):
            raise DocumentError(f"turns: {number}: a driver and a list of steps are needed")
        read.append((name, steps))
    return read


def _chance(given: Any) -> dict[str, dict[str, Sequence[Any]]]:
    if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
        raise DocumentError("chance: for each driver a table of lists is needed")
    for name, kinds in given.items():
        for kind, faces in kinds.items():
            if not isinstance(faces, str | list):
                raise DocumentError(f"chance: {name}: {kind}: a text or a list is needed")
    return given

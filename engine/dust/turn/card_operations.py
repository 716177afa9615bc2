"""Operations on cards (E7): on the board, on the removed pile, on the piles of the pool, on the deck."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from engine.dust.cards import operations
from engine.dust.cards.operations import Operation
from engine.dust.turn import deck
from engine.dust.turn.arguments import CARD, SLOT, OperationHandler, takes
from engine.dust.turn.step_context import Turn, refuse


def _slots(turn: Turn, one: Operation) -> list[tuple[str, ...]]:
    return [(slot,) for slot in sorted(turn.me["board"])]


def _slot_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if words[0] not in turn.me["board"]:
        refuse("E6", "there is no active card there")


def _has_target(turn: Turn, one: Any) -> bool:
    return turn.this is not None if one.which == "this" else bool(turn.me["board"])


def _target_slots(turn: Turn, one: Any, words: Sequence[str]) -> list[str]:
    if one.which == "all":
        return list(turn.me["board"])
    return [turn.this or ""] if one.which == "this" else [words[0]]


def _discard(turn: Turn, one: operations.Discard, words: Sequence[str]) -> None:
    for slot in _target_slots(turn, one, words):
        turn.discard(slot)


def _remove(turn: Turn, one: operations.Remove, words: Sequence[str]) -> None:
    for slot in _target_slots(turn, one, words):
        turn.remove(slot)


def _empty(turn: Turn) -> list[str]:
    return sorted(slot for slot in turn.cards.slots if slot not in turn.me["board"])


def _return_possible(turn: Turn, one: Operation) -> bool:
    return bool(turn.me["removed"]) and len(turn.me["board"]) < len(turn.cards.slots)


def _return_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if words[0] not in turn.me["removed"]:
        refuse("E6", "there is no such removed card")
    if words[1] in turn.me["board"]:
        refuse("E6", "the slot is not empty")


def _return(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    place = turn.me["removed"].index(words[0])
    turn.me["removed"] = turn.me["removed"][:place] + turn.me["removed"][place + 1 :]
    turn.lay(words[1], {"card": words[0], "covered": False, "used": False})


def _return_ways(turn: Turn, one: Operation) -> Iterable[tuple[str, ...]]:
    return [(card, slot) for card in sorted(set(turn.me["removed"])) for slot in _empty(turn)]


def _uncovered(turn: Turn) -> list[str]:
    """Return the slots with an uncovered card, from left to right (C3)."""
    return [slot for slot in turn.cards.slots if slot in turn.me["board"] and not turn.me["board"][slot]["covered"]]


def _cover(turn: Turn, slot: str) -> None:
    turn.lay(slot, {**turn.me["board"][slot], "covered": True})


def _cover_left(turn: Turn, one: operations.CoverLeft, words: Sequence[str]) -> None:
    for slot in _uncovered(turn)[: one.cards]:
        _cover(turn, slot)


def _cover_any(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    _cover(turn, words[0])


def _cover_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if words[0] not in _uncovered(turn):
        refuse("E6", "there is no uncovered card there")


def _cover_ways(turn: Turn, one: Operation) -> Iterable[tuple[str, ...]]:
    return [(slot,) for slot in sorted(_uncovered(turn))]


def _swap_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if words[0] == words[1] or words[0] not in turn.me["board"] or words[1] not in turn.me["board"]:
        refuse("E6", "two active cards change places")


def _swap(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    first, second = words
    board = turn.me["board"]
    turn.me["board"] = {**board, first: board[second], second: board[first]}
    changed = {first: second, second: first}
    opened = turn.me["open"]
    if opened is not None and opened["slot"] in changed:
        turn.me["open"] = {**opened, "slot": changed[opened["slot"]]}
    if turn.this is not None:
        turn.this = changed.get(turn.this, turn.this)


def _swap_ways(turn: Turn, one: Operation) -> Iterable[tuple[str, ...]]:
    return combinations(sorted(turn.me["board"]), 2)


def _offered(turn: Turn, one: operations.Take) -> list[str]:
    """Return the piles with a printed cost in the range of the operation, empty piles included (B5)."""
    return [pile for pile in turn.table["pool"] if one.least <= turn.card(pile).cost <= one.most]


def _take_possible(turn: Turn, one: operations.Take) -> bool:
    return any(turn.left_of(pile) > 0 for pile in _offered(turn, one))


def _take_fits(turn: Turn, one: operations.Take, words: Sequence[str]) -> None:
    if words[0] not in _offered(turn, one):
        refuse("E6", "there is no pile of such a card at such a cost")
    if turn.left_of(words[0]) <= 0:
        refuse("B2", "the pile has no card left")


def _take(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    turn.me["aside"] = [*turn.me["aside"], {"card": words[0], "paid": None}]


def _take_ways(turn: Turn, one: operations.Take) -> Iterable[tuple[str, ...]]:
    return [(pile,) for pile in sorted(_offered(turn, one)) if turn.left_of(pile) > 0]


def _shuffle(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    deck.shuffle(turn)


def _draw(turn: Turn, one: operations.Draw, words: Sequence[str]) -> None:
    for _ in range(one.cards):
        if not deck.draw(turn):
            return


def _slot_if_any(one: Any) -> tuple[str, ...]:
    return (SLOT,) if one.which == "any" else ()


def _slots_if_any(turn: Turn, one: Any) -> Iterable[tuple[str, ...]]:
    return _slots(turn, one) if one.which == "any" else [()]


def _slot_fits_if_any(turn: Turn, one: Any, words: Sequence[str]) -> None:
    if one.which == "any":
        _slot_fits(turn, one, words)


ON_CARDS: dict[type[Operation], OperationHandler] = {
    operations.Discard: OperationHandler(_discard, _has_target, _slot_if_any, _slot_fits_if_any, _slots_if_any),
    operations.Remove: OperationHandler(_remove, _has_target, _slot_if_any, _slot_fits_if_any, _slots_if_any),
    operations.Return: OperationHandler(_return, _return_possible, takes(CARD, SLOT), _return_fits, _return_ways),
    operations.CoverLeft: OperationHandler(_cover_left, lambda turn, one: bool(_uncovered(turn))),
    operations.CoverAny: OperationHandler(
        _cover_any, lambda turn, one: bool(_uncovered(turn)), takes(SLOT), _cover_fits, _cover_ways
    ),
    operations.Swap: OperationHandler(
        _swap, lambda turn, one: len(turn.me["board"]) > 1, takes(SLOT, SLOT), _swap_fits, _swap_ways
    ),
    operations.Take: OperationHandler(_take, _take_possible, takes(CARD), _take_fits, _take_ways),
    operations.Shuffle: OperationHandler(_shuffle),
    operations.Draw: OperationHandler(_draw, lambda turn, one: deck.can_draw(turn)),
}
"""How each operation on cards is carried out."""

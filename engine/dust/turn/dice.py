"""Operations on dice (E7): `boost`, `set`, `nudge`, `reroll`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.dust.cards import operations
from engine.dust.cards.operations import Operation
from engine.dust.facts import facts
from engine.dust.state import BOOST, PLAYER
from engine.dust.turn.arguments import DIE, DIE_TO, OperationHandler, may_show, takes, value
from engine.dust.turn.step_context import DICE, Turn, refuse, with_one_added


def _boost(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    turn.me["boosts"] += 1
    turn.me["dice"] = with_one_added(turn.me["dice"], BOOST + turn.draw(DICE, player_faces()))


def player_faces() -> Sequence[str]:
    """Return the faces of player and boost dice (C2)."""
    return [str(one) for one in range(1, facts().faces + 1)]


def _set_one_possible(turn: Turn, one: operations.SetOne) -> bool:
    return any(may_show(turn, die[0], shown) for die in turn.me["dice"] for shown in one.values)


def _turn_die(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    die, _, shown = words[0].partition("=")
    turn.change_die(die, die[0] + shown)


def _turn_fits(turn: Turn, word: str, given: Callable[[int], Iterable[int]]) -> None:
    """Check in this order: the die is active (E6), it may show the value (D5), the card gives the value (E6)."""
    die, _, shown = word.partition("=")
    if die not in turn.me["dice"]:
        refuse("E6", "there is no such active die")
    if not may_show(turn, die[0], int(shown)):
        refuse("D5", "the die does not show that value")
    if int(shown) not in given(value(die)):
        refuse("E6", "the card does not give that value")


def _turn_ways(turn: Turn, given: Callable[[int], Iterable[int]]) -> Iterable[tuple[str, ...]]:
    for die in sorted(set(turn.me["dice"])):
        for shown in sorted(set(given(value(die)))):
            if may_show(turn, die[0], shown):
                yield (f"{die}={shown}",)


def _next_to(shown: int) -> Iterable[int]:
    return (shown - 1, shown + 1)


def _set_all_possible(turn: Turn, one: operations.SetAll) -> bool:
    return any(may_show(turn, die[0], one.value) for die in turn.me["dice"])


def _set_all(turn: Turn, one: operations.SetAll, words: Sequence[str]) -> None:
    turn.me["dice"] = sorted(
        die[0] + str(one.value) if may_show(turn, die[0], one.value) else die for die in turn.me["dice"]
    )


def _reroll_ways(turn: Turn, one: Operation) -> list[tuple[str, ...]]:
    return [(die,) for die in sorted(set(turn.me["dice"])) if die[0] in (PLAYER, BOOST)]


def _reroll_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if (words[0],) not in _reroll_ways(turn, one):
        refuse("E6", "there is no such active player or boost die")


def _reroll(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    turn.change_die(words[0], words[0][0] + turn.draw(DICE, player_faces()))


ON_DICE: dict[type[Operation], OperationHandler] = {
    operations.Boost: OperationHandler(_boost, lambda turn, one: turn.me["boosts"] < turn.cards.boost_supply),
    operations.SetOne: OperationHandler(
        _turn_die,
        _set_one_possible,
        takes(DIE_TO),
        lambda turn, one, words: _turn_fits(turn, words[0], lambda shown: one.values),
        lambda turn, one: _turn_ways(turn, lambda shown: one.values),
    ),
    operations.SetAll: OperationHandler(_set_all, _set_all_possible),
    operations.Nudge: OperationHandler(
        _turn_die,
        lambda turn, one: any(True for _ in _turn_ways(turn, _next_to)),
        takes(DIE_TO),
        lambda turn, one, words: _turn_fits(turn, words[0], _next_to),
        lambda turn, one: _turn_ways(turn, _next_to),
    ),
    operations.Reroll: OperationHandler(
        _reroll, lambda turn, one: bool(_reroll_ways(turn, one)), takes(DIE), _reroll_fits, _reroll_ways
    ),
}
"""How each operation on dice is carried out."""

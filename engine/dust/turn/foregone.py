"""The steps that follow another step without a decision: what an open card only brings, and its closing.

A page offers them together with the step, so that one tap lays all of them. Each is an ordinary step: it can be taken
back, and it may be posted without the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.contract import RuleError
from engine.dust.cards.card_set import CardSet
from engine.dust.cards.operations import Gain
from engine.dust.state import Open, Table
from engine.dust.turn import driving, resolving, stepping, steps
from engine.dust.turn.step_context import NoChance, Turn


def with_foregone(table: Table, name: str, cards: CardSet, step: str) -> list[str]:
    """Return a legal step, and after it every step that needs no decision. A card that is played below dice of one kind
    is used at once by one of them. A step that draws is returned alone.
    """
    laid, turn = [step], Turn(table, name, cards, None)
    if _carried_out(turn, step):
        laid += _uses(turn, step)
        laid += _follow(turn, something_done=step.startswith(f"{steps.DO} "))
    return laid


def tables_before(table: Table, name: str, cards: CardSet, laid: Sequence[str]) -> Iterator[Table]:
    """Yield the table before each of some steps that are legal one after the other. A table after a step that draws or
    ends the turn is that before it.
    """
    for step in laid:
        yield table
        turn = Turn(table, name, cards, None)
        if not step.startswith(steps.END) and _carried_out(turn, step):
            table = stepping.ended(table, turn).table


def before_last_tap(tables: Sequence[Table], name: str, cards: CardSet, laid: Sequence[str]) -> int:
    """Return how many of the laid steps stay when what one tap has laid is taken back. `tables`: those before each of
    the steps.
    """
    at = stays = 0
    while at < len(laid):
        stays = at
        together = with_foregone(tables[at], name, cards, laid[at])
        at += len(together) if list(laid[at : at + len(together)]) == together else 1
    return stays


def _uses(turn: Turn, step: str) -> list[str]:
    """Use the card that a step has played by the die above it. Nothing happens under dice of different kinds."""
    first, words = steps.read(step)
    kinds = {die[0] for die in turn.me["dice"] if die[1] == words[1]} if first == steps.PLAY else set()
    used = f"{steps.USE} {words[1]} {kinds.pop()}" if len(kinds) == 1 else ""
    return [used] if used and _carried_out(turn, used) else []


def _follow(turn: Turn, *, something_done: bool) -> list[str]:
    """Carry out what the open card brings without a decision, and close it when nothing else on it can be done. A card
    on which nothing was done stays open. Return these steps.
    """
    laid: list[str] = []
    while (opened := turn.me["open"]) is not None:
        number = _only_brings(turn, opened)
        following = f"{steps.DO} {number}" if number else steps.DONE
        if not number and (not (laid or something_done) or _asks(turn, opened)):
            break
        if not _carried_out(turn, following):
            break
        laid.append(following)
    return laid


def _only_brings(turn: Turn, opened: Open) -> int:
    """Return the number of the first effect that only brings something and costs nothing; 0 for none. On a stage card
    the effects above it would be skipped (N4), so it must be the first that can be done.
    """
    effects = driving.effects_of(turn, opened)
    counts = any(not isinstance(one, Gain) for left in opened["left"] for one in effects[left - 1].operations)
    for number in opened["left"]:
        effect = effects[number - 1]
        gains = [one for one in effect.operations if isinstance(one, Gain)]
        free = effect.payment is None and len(gains) == len(effect.operations)
        if free and resolving.holds(turn, effect) and not (counts and any(one.thing for one in gains)):
            return number
        if driving.on_stage(opened) and any(True for _ in resolving.ways(_at(turn, opened), effect)):
            return 0
    return 0


def _asks(turn: Turn, opened: Open) -> bool:
    """Return whether an effect of the open card can be done."""
    effects = driving.effects_of(turn, opened)
    return any(any(True for _ in resolving.ways(_at(turn, opened), effects[one - 1])) for one in opened["left"])


def _at(turn: Turn, opened: Open) -> Turn:
    tried = turn.fork()
    tried.this = opened["slot"]
    return tried


def _carried_out(turn: Turn, step: str) -> bool:
    """Carry out a step on a turn. Returns False, and changes nothing, when it is refused or draws."""
    tried = turn.fork()
    try:
        stepping.act(tried, *steps.read(step))
    except (RuleError, NoChance):
        return False
    turn.me, turn.ghost, turn.this, turn.paid = tried.me, tried.ghost, tried.this, tried.paid
    return True

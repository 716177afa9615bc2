"""Resolve one effect (P4, P6, E3 to E6): check its conditions, pay its price, carry out its operations in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.dust.cards import operations
from engine.dust.cards.effects import Condition, Effect
from engine.dust.facts import facts
from engine.dust.turn import damage, deck, position_track
from engine.dust.turn.arguments import well_written
from engine.dust.turn.operation_handlers import HANDLERS
from engine.dust.turn.step_context import Turn, refuse


def holds(turn: Turn, effect: Effect) -> bool:
    """Return whether all conditions of an effect hold now (E3)."""
    return not effect.conditions or all(_holds(turn, one) for one in effect.conditions)


def _holds(turn: Turn, one: Condition) -> bool:
    me = turn.me
    if one.kind == "row":
        return position_track.row(me["space"]) == one.name
    if one.kind == "zone":
        return turn.cards.spaces[me["space"]].zone == one.name
    if one.kind == "holder":
        return turn.table["holder"] == turn.name
    if one.kind == "risk":
        return me["risk"] >= one.least
    die = me["open"]["die"] if me["open"] is not None else None
    if die is None:
        return False
    return die[0] == one.name if one.kind == "opened" else one.least <= int(die[1]) <= one.most


def price(turn: Turn, effect: Effect) -> int | None:
    """Return the current price of an effect; None when it cannot be paid (E4)."""
    if effect.payment is None:
        return 0
    has = turn.has(effect.payment.resource)
    due = max(has, 1) if effect.payment.amount is None else effect.payment.amount
    return due if has >= due else None


def begin(turn: Turn, effect: Effect) -> None:
    """Check the conditions and pay (E3, E4).

    Raises: RuleError (E3 or E4) when a condition does not hold or the price cannot be paid.
    """
    if not holds(turn, effect):
        refuse("E3", "a condition of the effect does not hold")
    _pay(turn, effect)


def _pay(turn: Turn, effect: Effect) -> None:
    due = price(turn, effect)
    if due is None:
        refuse("E4", "the effect cannot be paid")
    if effect.payment is not None:
        turn.lose(effect.payment.resource, due)
    turn.paid = due


def carry_out(turn: Turn, effect: Effect, words: Sequence[str]) -> None:
    """Carry out the operations in order (E5, E6). A `void` is skipped, because the caller has carried it out already.

    Raises: RuleError (E5, E6, M3, M4, D5 or B2) when an operation is impossible or an argument is wrong.
    """
    used = 0
    for one in effect.operations:
        if isinstance(one, operations.Void):
            continue
        if isinstance(one, operations.Risk):
            _no_more(words, used)
            damage.take_risk(turn, can_void)
            continue
        handler = HANDLERS[type(one)]
        if not handler.possible(turn, one):
            if effect.must:
                continue
            refuse(handler.rule, "the effect is not possible")
        kinds = handler.takes(one)
        given = words[used : used + len(kinds)]
        if kinds:
            if len(given) < len(kinds):
                refuse("E5", "the effect needs more arguments")
            if not all(well_written(kind, word) for kind, word in zip(kinds, given, strict=True)):
                refuse("E5", "an argument has the wrong form")
        handler.fits(turn, one, given)
        used += len(kinds)
        if one.draws:
            _no_more(words, used)
        handler.do(turn, one, given)
    _no_more(words, used)


def gain(turn: Turn, effect: Effect) -> None:
    """Carry out an effect that only gains (`Effect.gains`)."""
    for one in effect.operations:
        HANDLERS[type(one)].do(turn, one, ())


def _no_more(words: Sequence[str], used: int) -> None:
    if len(words) > used:
        refuse("E5", "the effect has too many arguments")


def ways(turn: Turn, effect: Effect) -> Iterator[tuple[str, ...]]:
    """Yield all arguments with which an effect can be done now; nothing when a condition or the price prevents it."""
    if not holds(turn, effect) or price(turn, effect) is None:
        return
    if effect.payment is not None:
        turn = turn.fork()
        _pay(turn, effect)
    yield from _ways(turn, effect, 0)


def _ways(turn: Turn, effect: Effect, place: int) -> Iterator[tuple[str, ...]]:
    """Yield the arguments for the operations from `place` on. An operation that draws is last, so it need not be
    carried out (E8).
    """
    if place == len(effect.operations) or isinstance(effect.operations[place], operations.Risk):
        yield ()
        return
    one = effect.operations[place]
    if isinstance(one, operations.Void):
        yield from _ways(turn, effect, place + 1)
        return
    handler = HANDLERS[type(one)]
    if not handler.possible(turn, one):
        if effect.must:
            yield from _ways(turn, effect, place + 1)
        return
    last = one.draws or place + 1 == len(effect.operations)
    for words in handler.ways(turn, one):
        if last:
            yield words
            continue
        tried = turn.fork()
        handler.do(tried, one, words)
        for rest in _ways(tried, effect, place + 1):
            yield (*words, *rest)


# Passive effects (A4) and `void` (R6)


def spent(turn: Turn, slot: str) -> bool:
    """Return whether the passive effect on a slot is used up in this round: this card, or all copies of it (A4)."""
    laid = turn.me["board"][slot]
    return laid["used"] or turn.me["passives"].get(laid["card"], 0) >= deck.owned(turn, laid["card"])


def use_passive(turn: Turn, slot: str, effect: Effect, words: Sequence[str]) -> None:
    """Pay for and carry out the passive effect on a slot, and mark it as used (A4).

    Raises: RuleError (E3 to E6, M3, M4, D5 or B2) when the effect or an argument is illegal.
    """
    begin(turn, effect)
    laid = turn.me["board"][slot]
    turn.lay(slot, {**laid, "used": True})
    turn.me["passives"] = {**turn.me["passives"], laid["card"]: turn.me["passives"].get(laid["card"], 0) + 1}
    turn.this = slot
    carry_out(turn, effect, words)


def voids(turn: Turn, slot: str) -> Effect | None:
    """Return the passive effect with `void` that can be used on a slot while a roll is pending (R6), or None.

    The operations after the `void` are not checked.
    """
    laid = turn.laid(slot)
    effect = turn.card(laid["card"]).passive() if laid is not None and not laid["covered"] else None
    if effect is None or not effect.voids or turn.flipped(facts().tokens.no_passive) or spent(turn, slot):
        return None
    return effect if holds(turn, effect) and price(turn, effect) is not None else None


def void_slots(turn: Turn) -> list[str]:
    """Return the slots whose `void` can be used on the pending roll (R6)."""
    return [slot for slot in sorted(turn.me["board"]) if _can_void(turn, slot)]


def _can_void(turn: Turn, slot: str) -> bool:
    """Return whether the whole effect with `void` can be done. The operation that draws is not carried out."""
    effect = voids(turn, slot)
    if effect is None:
        return False
    tried = turn.fork()
    tried.me["pending"] = None
    tried.this = slot
    return any(True for _ in ways(tried, effect))


def can_void(turn: Turn) -> bool:
    """Return whether the driver can void the pending risk roll (R6)."""
    return bool(void_slots(turn))


def passive_ways(turn: Turn, slot: str, effect: Effect) -> Iterator[tuple[str, ...]]:
    """Yield all arguments with which the passive effect on a slot can be used now."""
    tried = turn.fork()
    tried.this = slot
    yield from ways(tried, effect)

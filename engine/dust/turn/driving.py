"""The driving phase: playing and using cards (P), passive effects (A4), buying (B1, B2), markers (N), the end (P10).

A driver may do these in any order and as often as possible (P1). A card that differs from the rules expresses it in
operations of chapter E (P11).
"""

from __future__ import annotations

from engine.dust.cards.card_set import StageCard
from engine.dust.cards.effects import Effect
from engine.dust.facts import facts
from engine.dust.state import DONE, PREPARE, Open
from engine.dust.turn import damage, position_track, resolving
from engine.dust.turn.step_context import Turn, refuse, with_one_removed


def require_nothing_open(turn: Turn) -> None:
    """Check that the turn is prepared, no risk roll is pending and no card is open.

    Raises: RuleError (Q2, R6 or P5) when this does not hold.
    """
    require_prepared(turn)
    if turn.me["open"] is not None:
        refuse("P5", "a card is open")


def require_prepared(turn: Turn) -> None:
    """Check that the turn is prepared and no risk roll is pending.

    Raises: RuleError (Q2 or R6) when this does not hold.
    """
    if turn.me["phase"] == PREPARE:
        refuse("Q2", "the turn begins with prepare")
    if turn.me["pending"] is not None:
        refuse("R6", "a risk roll waits for accept or void")


def play(turn: Turn, card: str, slot: str) -> None:
    """Carry out `play`: put a card from the hand onto an empty slot (P2)."""
    require_nothing_open(turn)
    if card not in turn.me["hand"]:
        refuse("P2", "this card is not in the hand")
    if slot in turn.me["board"]:
        refuse("P2", "the slot is not empty")
    turn.me["hand"] = with_one_removed(turn.me["hand"], card)
    turn.lay(slot, {"card": card, "covered": False, "used": False})


def use(turn: Turn, slot: str, kind: str) -> None:
    """Carry out `use`: a die above a card opens the card (P3), even if it was used before (P7).

    A card without effects for dice closes at once (P5).
    """
    require_nothing_open(turn)
    laid = turn.laid(slot)
    if laid is None:
        refuse("P3", "there is no card there")
    if laid["covered"]:
        refuse("P8", "the card is covered")
    die = kind + slot
    if die not in turn.me["dice"]:
        refuse("P3", "there is no such die above the card")
    turn.spend_die(die)
    left = turn.card(laid["card"]).by_die()
    turn.me["open"] = {"card": laid["card"], "left": left, "slot": slot, "die": die} if left else None


def do(turn: Turn, number: int, words: list[str]) -> None:
    """Carry out `do`: an effect of the open card (P4, N4). The card closes after its last effect (P5)."""
    require_prepared(turn)
    opened = turn.me["open"]
    if opened is None:
        refuse("P5", "no card is open")
    if number not in opened["left"]:
        refuse("P4", "the open card has no such effect left")
    effect = effects_of(turn, opened)[number - 1]
    if on_stage(opened) and mandatory_left(turn, opened, before=number):
        refuse("P6", "a mandatory effect comes before")
    resolving.begin(turn, effect)
    turn.this = opened["slot"]
    turn.me["open"] = _after(opened, number)
    resolving.carry_out(turn, effect, words)


def do_gain(turn: Turn, number: int) -> None:
    """Do an effect of the open card that only gains (`Effect.gains`), like `do`. The caller has checked that it is
    left, that its conditions hold, and that nothing has to be done before.
    """
    opened = turn.me["open"]
    assert opened is not None, "a card is open"
    effect = effects_of(turn, opened)[number - 1]
    turn.this, turn.paid = opened["slot"], 0
    turn.me["open"] = _after(opened, number)
    resolving.gain(turn, effect)


def _after(opened: Open, number: int) -> Open | None:
    """Return the open card after an effect, None when it closes. On a stage card the effects above are skipped (N4)."""
    left = [one for one in opened["left"] if (one > number if on_stage(opened) else one != number)]
    return {**opened, "left": left} if left else None


def on_stage(opened: Open) -> bool:
    """Return whether the open card is a stage card."""
    return isinstance(opened["card"], int)


def effects_of(turn: Turn, opened: Open) -> tuple[Effect, ...]:
    """Return the effects of the open card."""
    card = opened["card"]
    return turn.stage_card(card).effects if isinstance(card, int) else turn.card(card).effects


def mandatory_left(turn: Turn, opened: Open, *, before: int | None = None) -> bool:
    """Return whether a mandatory effect whose conditions hold is left (P6). `before` counts only the effects above this
    number.
    """
    effects = effects_of(turn, opened)
    for one in opened["left"]:
        effect = effects[one - 1]
        if effect.must and (before is None or one < before) and resolving.holds(turn, effect):
            return True
    return False


def done(turn: Turn) -> None:
    """Carry out `done`: close the open card (P5, P6)."""
    require_prepared(turn)
    opened = turn.me["open"]
    if opened is None:
        refuse("P5", "no card is open")
    if mandatory_left(turn, opened):
        refuse("P6", "a mandatory effect is left")
    turn.me["open"] = None


def passive(turn: Turn, slot: str, words: list[str]) -> None:
    """Carry out `passive`: use the passive effect of a card on the board (A4)."""
    require_nothing_open(turn)
    laid = turn.laid(slot)
    if laid is None:
        refuse("A4", "there is no card there")
    if laid["covered"]:
        refuse("P8", "the card is covered")
    effect = turn.card(laid["card"]).passive()
    if effect is None:
        refuse("A4", "the card has no passive effect")
    if turn.flipped(facts().tokens.no_passive):
        refuse("R7", "this damage token allows no passive effects")
    if resolving.spent(turn, slot):
        refuse("A4", "the passive effect has been used in this round")
    if effect.voids:
        resolving.begin(turn, effect)
        refuse("R6", "no risk roll waits")
    resolving.use_passive(turn, slot, effect, words)


def price(turn: Turn, card: str) -> int:
    """Return the price in keys of a card of a pile for this driver (B1)."""
    return turn.card(card).cost + turn.flipped(facts().tokens.dearer_cards)


def buy(turn: Turn, card: str) -> None:
    """Carry out `buy`: order a card of a pile (B1, B2). It is delivered when the round closes (B3)."""
    require_nothing_open(turn)
    if card not in turn.table["piles"]:
        refuse("B1", "there is no such pile")
    if turn.left_of(card) <= 0:
        refuse("B2", "the pile has no card left")
    due = price(turn, card)
    if turn.me["keys"] < due:
        refuse("B1", "there are not enough keys")
    turn.lose("keys", due)
    turn.me["aside"] = [*turn.me["aside"], {"card": card, "paid": due}]


def visible(turn: Turn) -> range:
    """Return the numbers of the open stage cards (U2)."""
    first = turn.table["round"]
    return range(first, min(first + turn.cards.limits.open_stage_cards, turn.table["cards"] + 1))


def marker_price(turn: Turn, card: StageCard) -> int:
    """Return the price in traction of a marker for this driver (N1)."""
    return card.cost + turn.flipped(facts().tokens.dearer_markers)


def place(turn: Turn, number: int) -> None:
    """Carry out `place`: put a pilot marker on an open stage card (N1 to N3). The card is resolved at once and in full
    (N4, N5).

    The conditions of its effects are checked after the move (N6).
    """
    require_nothing_open(turn)
    me, limits = turn.me, turn.cards.limits
    if number not in visible(turn):
        refuse("N1", "this stage card is not open")
    there = me["markers"].get(str(number), 0)
    if there >= (limits.markers_on_card_star if me["star"] else limits.markers_on_card):
        refuse("N2", "no more markers on this card")
    if sum(me["markers"].values()) >= limits.markers:
        refuse("N3", "no marker is left")
    card = turn.stage_card(number)
    due = marker_price(turn, card)
    if me["traction"] < due:
        refuse("N1", "there is not enough traction")
    turn.lose("traction", due)
    me["markers"] = {**me["markers"], str(number): there + 1}
    me["star"] = me["star"] or card.star
    if card.effects:
        left = list(range(1, len(card.effects) + 1))
        me["open"] = {"card": number, "left": left, "slot": None, "die": None}
    if card.move is not None and position_track.ordered(turn, card.move):
        damage.take_risk(turn, resolving.can_void)


def end(turn: Turn) -> None:
    """Carry out `end`: end the driver's turn (P10)."""
    require_nothing_open(turn)
    turn.me["phase"] = DONE

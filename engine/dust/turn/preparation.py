"""The step `prepare` (Q2 to Q4, S6) with the dice phase (D2 to D4), and the answers to a pending risk roll (R6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.dust.cards.card_set import BLANK
from engine.dust.facts import facts
from engine.dust.state import DRIVE, PLAYER, POPULARITY, PREPARE
from engine.dust.turn import damage, deck, resolving
from engine.dust.turn.dice import player_faces
from engine.dust.turn.step_context import DICE, POPULARITY_DIE, RISK, Turn, refuse


def hand_limit(turn: Turn) -> int:
    """Return the number of cards to which a hand is filled (Q3)."""
    tokens = facts().tokens
    return tokens.small_hand_limit if turn.flipped(tokens.small_hand) else turn.cards.limits.hand


def prepare(turn: Turn, given_up: Sequence[str]) -> None:
    """Carry out `prepare`: give up cards, fill the hand, roll the dice (Q2, Q3, D2), in the order of S6."""
    me = turn.me
    if me["phase"] != PREPARE:
        refuse("Q2", "the turn is prepared already")
    _give_up(turn, given_up)
    while len(me["hand"]) < hand_limit(turn) and deck.draw(turn):
        pass
    roll_ghost(turn)
    rolled = [PLAYER + turn.draw(DICE, player_faces()) for _ in range(facts().player_dice)]
    pays = 0
    if turn.table["holder"] == turn.name:
        face = turn.draw(POPULARITY_DIE, turn.cards.popularity_faces)
        if face != BLANK:
            rolled.append(POPULARITY + face)
            pays = int(face)
    me["dice"] = sorted(rolled)
    me["phase"] = DRIVE
    hits, symbols = damage.roll(turn, me["risk"])
    damage.hold_or_resolve(turn, {"hits": hits, "symbols": symbols, "opening": True, "pays": pays}, resolving.can_void)


def _give_up(turn: Turn, given_up: Sequence[str]) -> None:
    """Move cards from the hand to the discard pile, and check that at most the hand limit is kept (Q3)."""
    me = turn.me
    hand = Counter(me["hand"])
    hand.subtract(given_up)
    if any(left < 0 for left in hand.values()):
        refuse("Q3", "a card that is given up is not in the hand")
    kept = sorted(hand.elements())
    if len(kept) > hand_limit(turn):
        refuse("Q3", "too many cards are kept")
    if given_up:
        me["hand"] = kept
        me["discard"] = sorted([*me["discard"], *given_up])


def roll_ghost(turn: Turn) -> None:
    """Roll for each pair of the ghost its die, then its risk die (G3)."""
    if turn.ghost is None:
        return
    ghost = turn.ghost.copy()
    turn.ghost = ghost
    ghost["dice"] = [
        {
            "value": turn.draw_for_ghost(ghost, DICE, player_faces()),
            "face": turn.draw_for_ghost(ghost, RISK, turn.cards.risk_faces),
            "blocked": False,
        }
        for _ in range(ghost["pairs"])
    ]


def accept(turn: Turn) -> None:
    """Carry out `accept`: resolve the pending roll (R6)."""
    rolled = turn.me["pending"]
    if rolled is None:
        refuse("R6", "no risk roll waits")
    turn.me["pending"] = None
    damage.resolve(turn, rolled)


def void(turn: Turn, slot: str) -> None:
    """Carry out `void`: count the pending roll as blank, by the passive effect on a slot (R6)."""
    rolled = turn.me["pending"]
    effect = resolving.voids(turn, slot) if rolled is not None else None
    if rolled is None or effect is None:
        refuse("R6", "no risk roll waits there that can be voided")
    turn.me["pending"] = None
    resolving.use_passive(turn, slot, effect, ())
    damage.pay_for_die(turn, rolled)

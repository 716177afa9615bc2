"""What the rest of a turn may still look at: two positions that differ in nothing else have the same best plan.

It is read from the effects of the cards that can still be used, so it holds for the card set of a club too.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.dust.cards import operations as op
from engine.dust.cards.card_set import CardSet
from engine.dust.cards.effects import Effect
from engine.dust.cards.operations import Operation
from engine.dust.facts import facts
from engine.dust.state import Open, Table
from engine.dust.turn import driving
from engine.dust.turn.step_context import Turn

DICE, PASSIVE, PLACE = "dice", "passive", "place"
"""That a die can still be used, a passive effect, a marker placed."""
TARGETS, EMPTY, RETURN, THIS = "targets", "empty", "return", "this"
"""That an effect may choose a card of the board, count its empty slots, return a removed card, or mean *this card*."""
SLOTS = "slots"
"""That an effect asks which die opened its card."""
RISK, REMOVED, PAYS, LOSES, KEYS, CAR = "risk", "removed", "pays", "loses", "keys", "car"
"""That an effect looks at the risk dice, counts removed cards, may take popularity, may take keys without giving
anything for them, gives keys, or moves the car or looks at its place.
"""
TURNS = "turns"
"""That an effect turns dice."""

_OPERATIONS: dict[type[Operation], str] = {
    op.Swap: TARGETS,
    op.CoverAny: TARGETS,
    op.CoverLeft: TARGETS,
    op.Return: RETURN,
    op.Move: CAR,
    op.Shift: CAR,
    op.Centre: CAR,
    op.Repair: RISK,
    op.SetOne: TURNS,
    op.SetAll: TURNS,
    op.Nudge: TURNS,
}
_THINGS = {"risk": RISK, "removed": REMOVED, "empty": EMPTY}
_CONDITIONS = {"row": CAR, "zone": CAR, "risk": RISK, "die": SLOTS, "opened": SLOTS}


def looks_at(effects: Iterable[Effect]) -> frozenset[str]:
    """Return what effects look at."""
    found = set[str]()
    for effect in effects:
        found |= {_CONDITIONS[one.kind] for one in effect.conditions if one.kind in _CONDITIONS}
        if effect.payment is not None and effect.payment.resource == "popularity":
            found.add(PAYS)
        for one in effect.operations:
            if type(one) in _OPERATIONS:
                found.add(_OPERATIONS[type(one)])
            if isinstance(one, op.Gain):
                found |= {_THINGS[one.thing]} if one.thing in _THINGS else set()
                found |= {KEYS} if one.resource == "keys" else set()
            elif isinstance(one, op.Lose):
                found |= {PAYS} if one.resource == "popularity" else {LOSES} if one.resource == "keys" else set()
            elif isinstance(one, op.Remove | op.Discard):
                found.add(TARGETS if one.which == "any" else THIS)
    return frozenset(found)


class Relevance:
    """What the rest of one driver's turn may look at, by the cards in hand and on the board."""

    def __init__(self, table: Table, cards: CardSet) -> None:
        self.cards = cards
        self.number = table["round"]
        self.stage_card = cards.stages[table["stage"]].cards[self.number - 1]
        moves = frozenset({CAR}) if self.stage_card.move is not None else frozenset[str]()
        self.of_stage_card = looks_at(self.stage_card.effects) | moves
        self.of_cards = {
            name: looks_at(card.effects[number - 1] for number in card.by_die()) for name, card in cards.cards.items()
        }
        self.of_passives = {
            name: looks_at([effect])
            for name, card in cards.cards.items()
            if (effect := card.passive()) is not None and not effect.voids
        }
        """By the cards that have a passive effect to use (A4)."""
        every = [*(card.effects for card in cards.cards.values()), self.stage_card.effects]
        self.most = {
            resource: max(_most(effects, resource, cards) for effects in every) for resource in ("keys", "traction")
        }
        """The most keys and the most traction that one use of a card gives."""
        self._names: dict[tuple[int, int], frozenset[str]] = {}
        self._found: dict[tuple[object, ...], frozenset[str]] = {}
        self._kept: list[object] = []

    def of(self, turn: Turn) -> frozenset[str]:
        """Return what the rest of a turn may look at. A turn replaces its lists and dicts, so their ids stand for
        them.
        """
        me = turn.me
        lists = id(me["hand"]), id(me["board"])
        names = self._names.get(lists)
        if names is None:
            board = [laid["card"] for laid in me["board"].values() if not laid["covered"]]
            names = self._names[lists] = frozenset([*me["hand"], *board])
            self._kept += (me["hand"], me["board"])
        opened, passives = me["open"], not turn.flipped(facts().tokens.no_passive)
        left = (opened["card"], *opened["left"]) if opened is not None else ()
        key = (names, self._may_still_place(turn), bool(me["dice"]), passives, left)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._looks_at(turn, names, opened, passives=passives)
        return found

    def _looks_at(self, turn: Turn, names: frozenset[str], opened: Open | None, *, passives: bool) -> frozenset[str]:
        found = set[str]()
        if passives and (usable := names & self.of_passives.keys()):
            found |= {PASSIVE}.union(*(self.of_passives[name] for name in usable))
        if opened is not None:
            effects = driving.effects_of(turn, opened)
            found |= looks_at(effects[number - 1] for number in opened["left"])
        if self._may_still_place(turn):
            found |= {PLACE, *self.of_stage_card}
        if turn.me["dice"]:
            found |= {DICE}.union(*(self.of_cards[name] for name in names))
        return frozenset(found)

    def _may_still_place(self, turn: Turn) -> bool:
        return self.may_place(turn, star=turn.me["star"] or self.stage_card.star)

    def may_place(self, turn: Turn, *, star: bool) -> bool:
        """Return whether a marker on the last card is allowed (N2, N3), whatever it costs."""
        me, limits = turn.me, self.cards.limits
        most = limits.markers_on_card_star if star else limits.markers_on_card
        there = me["markers"].get(str(self.number), 0)
        return there < most and sum(me["markers"].values()) < limits.markers


def _most(effects: Iterable[Effect], resource: str, cards: CardSet) -> int:
    """Return the most of a resource that a use of a card with these effects may give."""
    gains = [one for effect in effects for one in effect.operations if isinstance(one, op.Gain)]
    limit = cards.limits.keys if resource == "keys" else cards.limits.traction
    return sum(
        (one.amount if one.thing is None else limit if one.most is None else one.most)
        for one in gains
        if one.resource == resource
    )

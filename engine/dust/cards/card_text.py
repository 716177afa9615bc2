"""The text of a card, made from its effects: phrases with named values, which can be translated.

Every operation and condition of chapter E has a phrase. A phrase names an icon from ICONS; the page decides how an icon
looks. The template of a phrase is its English text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.dust.cards import operations as op
from engine.dust.cards.card_set import Card, StageCard
from engine.dust.cards.effects import ROWS, Condition, Effect, Payment
from engine.dust.cards.operations import Operation

Translate = Callable[[str], str]

ICONS = frozenset(
    (
        *("accelerate", "brake", "red", "yellow", "grey", "holder", "risk-pool", "die", "player-die", "boost-die"),
        *("popularity-die", "keys", "traction", "popularity", "speed", "move", "left", "right", "shift", "centre"),
        *("risk", "repair", "boost", "set", "nudge", "reroll", "discard", "remove", "return", "cover", "swap", "take"),
        *("shuffle", "draw", "void", "removed", "empty", "dice", "paid", "most", "must", "passive", "star", "points"),
    )
)
"""Every icon that a phrase may name."""

CONDITIONS = {
    "A": "if accelerating",
    "B": "if braking",
    "red": "if on red",
    "yellow": "if on yellow",
    "grey": "if on grey",
    "holder": "if you have the popularity die this round",
    "risk": "with risk dice in the pool: %(least)d or more",
    "die": "if opened by a die of %(least)d to %(most)d",
    "value": "if opened by a die of %(least)d",
    "p": "if opened by a player die",
    "b": "if opened by a boost die",
    "f": "if opened by the popularity die",
}
"""The texts of conditions (E3), by row, zone, kind of die, or kind of condition."""

GAINED = {
    "keys": "keys +%(number)d",
    "traction": "traction +%(number)d",
    "popularity": "popularity +%(number)d",
    "speed": "speed points +%(number)d",
}
LOST = {
    "keys": "keys -%(number)d",
    "traction": "traction -%(number)d",
    "popularity": "popularity -%(number)d",
}
PAID = {
    "keys": "pay keys: %(number)d",
    "traction": "pay traction: %(number)d",
    "popularity": "pay popularity: %(number)d",
}
PAID_ALL = {
    "keys": "pay all keys, at least 1",
    "traction": "pay all traction, at least 1",
    "popularity": "pay all popularity, at least 1",
}
COUNTED = {
    "risk": "for each risk die in the pool",
    "removed": "for each of your removed cards",
    "empty": "for each empty slot",
    "dice": "for each active die",
    "paid": "for each one paid",
}
COUNTED_BY = {
    "risk": "for risk dice in the pool, by %(every)ds",
    "removed": "for your removed cards, by %(every)ds",
    "empty": "for empty slots, by %(every)ds",
    "dice": "for active dice, by %(every)ds",
    "paid": "for what was paid, by %(every)ds",
}
AT_MOST = "at most %(most)d"
DONE = {
    "move": "move left or right: %(number)d",
    "left": "move left: %(number)d",
    "right": "move right: %(number)d",
    "shift": "change the row",
    "centre": "centre the car",
    "risk": "take a Risk",
    "repair": "repair risk dice: up to %(number)d",
    "boost": "take a boost die",
    "set one": "set an active die to %(values)s",
    "set all": "set all active dice to %(value)d",
    "nudge": "turn an active die up or down by one",
    "reroll": "reroll an active player or boost die",
    "discard this": "discard this card",
    "discard any": "discard an active card",
    "discard all": "discard all active cards",
    "remove this": "remove this card from the game",
    "remove any": "remove an active card from the game",
    "return": "play one of your removed cards",
    "cover left": "cover active cards from the left: %(number)d",
    "cover any": "cover an active card",
    "swap": "swap two active cards",
    "take": "take a card that costs %(least)d to %(most)d, onto your deck",
    "shuffle": "shuffle the discard pile into the deck",
    "draw": "draw cards: %(number)d",
    "void": "treat a risk roll as blank",
}
"""The texts of operations (E7) that neither gain nor lose."""
MUST = "this effect is mandatory"
PASSIVE = "passive, once a round without a die"
ORDERED = {"left": "the car moves left: %(number)d", "right": "the car moves right: %(number)d"}
STAR = "up to %(most)d markers on each stage card from now on"
END_POINTS = "points at the end: %(number)d"
CONDITIONED = "%(conditions)s: %(what)s"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A short text: its icon, its English template, and the values of the template."""

    icon: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def words(self, translate: Translate = str) -> str:
        """Return the text in a language. `translate` returns the template in that language."""
        return translate(self.template) % self.values

    def plain(self) -> dict[str, Any]:
        """Return the phrase as plain JSON."""
        return {"icon": self.icon, "template": self.template, "values": dict(self.values)}


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of an effect: its marks (passive, mandatory), its conditions, its price, and its operations in order."""

    marks: tuple[Phrase, ...]
    when: tuple[Phrase, ...]
    does: tuple[tuple[Phrase, ...], ...]
    pay: Phrase | None = None

    def words(self, translate: Translate = str) -> str:
        """Return the effect as one line."""
        steps = [" ".join(one.words(translate) for one in phrases) for phrases in self.does]
        said = ", ".join([*([self.pay.words(translate)] if self.pay else []), *steps])
        if self.when:
            conditions = ", ".join(one.words(translate) for one in self.when)
            said = translate(CONDITIONED) % {"conditions": conditions, "what": said}
        return " · ".join([*(one.words(translate) for one in self.marks), said])

    def plain(self) -> dict[str, Any]:
        """Return the wording as plain JSON. `words` is the whole line in English."""
        return {
            "marks": [one.plain() for one in self.marks],
            "when": [one.plain() for one in self.when],
            "pay": self.pay.plain() if self.pay else None,
            "does": [[one.plain() for one in phrases] for phrases in self.does],
            "words": self.words(),
        }


def card(one: Card) -> list[Wording]:
    """Return the texts of the effects of a team card, in the order of their numbers."""
    return [effect(each) for each in one.effects]


def stage_card(one: StageCard) -> list[Wording]:
    """Return the texts of the effects of a stage card, in order."""
    return [effect(each) for each in one.effects]


def printed(one: Card | StageCard, *, star: int = 0) -> list[Phrase]:
    """Return the texts of a card other than its effects: end points, or the order to move and the star (M2, N2).

    `star` is the number of markers that fit on a stage card for a driver with the star.
    """
    if isinstance(one, Card):
        return [Phrase("points", END_POINTS, {"number": one.points})] if one.points else []
    found = []
    if one.move is not None:
        way = one.move.direction
        found.append(Phrase(way, ORDERED[way], {"number": one.move.spaces}))
    if one.star:
        found.append(Phrase("star", STAR, {"most": star}))
    return found


def effect(one: Effect) -> Wording:
    """Return the text of an effect."""
    marks = []
    if one.passive:
        marks.append(Phrase("passive", PASSIVE))
    if one.must:
        marks.append(Phrase("must", MUST))
    return Wording(
        tuple(marks),
        tuple(condition(each) for each in one.conditions),
        tuple(tuple(operation(each)) for each in one.operations),
        payment(one.payment) if one.payment is not None else None,
    )


def condition(one: Condition) -> Phrase:
    """Return the text of a condition (E3)."""
    if one.kind == "row":
        return Phrase("accelerate" if one.name == ROWS["accelerate"] else "brake", CONDITIONS[one.name])
    if one.kind == "zone":
        return Phrase(one.name, CONDITIONS[one.name])
    if one.kind == "holder":
        return Phrase("holder", CONDITIONS["holder"])
    if one.kind == "risk":
        return Phrase("risk-pool", CONDITIONS["risk"], {"least": one.least})
    if one.kind == "opened":
        icon = {"p": "player-die", "b": "boost-die", "f": "popularity-die"}[one.name]
        return Phrase(icon, CONDITIONS[one.name])
    if one.least == one.most:
        return Phrase("die", CONDITIONS["value"], {"least": one.least})
    return Phrase("die", CONDITIONS["die"], {"least": one.least, "most": one.most})


def payment(one: Payment) -> Phrase:
    """Return the text of an effect's price (E4)."""
    if one.amount is None:
        return Phrase(one.resource, PAID_ALL[one.resource])
    return Phrase(one.resource, PAID[one.resource], {"number": one.amount})


def operation(one: Operation) -> Iterator[Phrase]:
    """Yield the phrases of an operation (E7): one, or several for a gain that counts things."""
    if isinstance(one, op.Gain):
        yield Phrase(one.resource, GAINED[one.resource], {"number": one.amount})
        if one.thing is not None:
            icon = "risk-pool" if one.thing == "risk" else one.thing
            if one.every == 1:
                yield Phrase(icon, COUNTED[one.thing])
            else:
                yield Phrase(icon, COUNTED_BY[one.thing], {"every": one.every})
        if one.most is not None:
            yield Phrase("most", AT_MOST, {"most": one.most})
    elif isinstance(one, op.Lose):
        yield Phrase(one.resource, LOST[one.resource], {"number": one.amount})
    else:
        icon, name, values = _phrase_parts(one)
        yield Phrase(icon, DONE[name], values)


def _phrase_parts(one: Operation) -> tuple[str, str, dict[str, Any]]:
    """Return the icon, the key in DONE and the values of an operation that neither gains nor loses."""
    match one:
        case op.Move(direction, spaces):
            return direction or "move", direction or "move", {"number": spaces}
        case op.Repair(dice):
            return "repair", "repair", {"number": dice}
        case op.SetOne(values):
            return "set", "set one", {"values": ", ".join(str(value) for value in sorted(set(values)))}
        case op.SetAll(value):
            return "set", "set all", {"value": value}
        case op.Discard(which):
            return "discard", f"discard {which}", {}
        case op.Remove(which):
            return "remove", f"remove {which}", {}
        case op.CoverLeft(cards):
            return "cover", "cover left", {"number": cards}
        case op.CoverAny():
            return "cover", "cover any", {}
        case op.Take(least, most):
            return "take", "take", {"least": least, "most": most}
        case op.Draw(cards):
            return "draw", "draw", {"number": cards}
        case _:
            name = type(one).__name__.lower()
            return name, name, {}

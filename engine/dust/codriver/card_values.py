"""The value of opening a card with a die, in hundredths of a point. It is computed from the effects of the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.dust.cards import operations as op
from engine.dust.cards.card_set import CardSet
from engine.dust.cards.effects import ROWS, Condition, Effect
from engine.dust.cards.operations import Operation
from engine.dust.state import PLAYER
from engine.dust.turn import position_track
from engine.dust.turn.step_context import Turn

Weights = Mapping[str, int]

ANY = "0"
"""The slot of a card whose future slot is unknown, so that a die of any value may open it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The facts that conditions check (E3)."""

    row: str
    zone: str
    holder: bool = False
    risk: int = 0
    slot: str = ANY
    kind: str = PLAYER
    removed: int = 0


_USUAL: Final = (
    (45, Scene(ROWS["accelerate"], "grey")),
    (25, Scene(ROWS["accelerate"], "yellow")),
    (10, Scene(ROWS["accelerate"], "red")),
    (10, Scene(ROWS["brake"], "grey")),
    (10, Scene(ROWS["brake"], "yellow")),
)
"""The usual positions of a car, each with its share in percent."""

_SIMPLE: Final[Mapping[type[Operation], str]] = {
    op.Boost: "boost",
    op.Nudge: "nudge",
    op.Reroll: "reroll",
    op.Take: "take",
    op.Shift: "shift",
    op.Centre: "shift",
    op.Move: "shift",
    op.SetOne: "set_one",
    op.SetAll: "set_all",
    op.Void: "void",
    op.Remove: "remove",
    op.Return: "return",
}
"""Operations with the same value in every scene, and the name of the weight that holds it."""


class CardValues:
    """The values of cards for one driver under some weights. `hits` are the mean hits of a risk die, times 100."""

    def __init__(self, cards: CardSet, weigh: Weights, left: int, removed: int = 0) -> None:
        self._cards = cards
        self._weigh = weigh
        self._left = left
        faces = cards.risk_faces
        self.hits = 100 * sum(int(face.partition("/")[0]) for face in faces) // max(len(faces), 1)
        self._found: dict[tuple[str, Scene], int] = {}
        self._removed = removed
        self._usual: dict[tuple[str, int], int] = {}
        self._now: dict[tuple[str, int, int], dict[tuple[str, str, str], int]] = {}

    def usual(self, card: str, removed: int | None = None) -> int:
        """Return the value of a die on this card later, with so many removed cards (None: as many as now)."""
        key = (card, self._removed if removed is None else removed)
        found = self._usual.get(key)
        if found is None:
            scenes = [(share, replace(scene, removed=key[1])) for share, scene in _USUAL]
            found = sum(share * self.under(card, scene) for share, scene in scenes) // 100
            if (effect := self._cards.cards[card].passive()) is not None:
                found += max(self._effect(effect, scenes[0][1]), 0) // 2
            self._usual[key] = found
        return found

    def now(self, turn: Turn) -> Callable[[str, str, str], int]:
        """Return a function that gives the value of a die now, for a card, the slot of the die and its kind."""
        me = turn.me
        key = (me["space"], me["risk"], len(me["removed"]))
        known = self._now.setdefault(key, {})

        def worth(card: str, slot: str, kind: str) -> int:
            found = known.get((card, slot, kind))
            if found is None:
                zone = self._cards.spaces[me["space"]].zone
                holder = turn.table["holder"] == turn.name
                row = position_track.row(me["space"])
                scene = Scene(row, zone, holder, me["risk"], slot, kind, len(me["removed"]))
                found = known[card, slot, kind] = self.under(card, scene)
            return found

        return worth

    def under(self, card: str, scene: Scene) -> int:
        """Return the value of a die on this card in a scene."""
        key = (card, scene)
        found = self._found.get(key)
        if found is None:
            worth = (
                (effect.must, self._effect(effect, scene))
                for effect in self._cards.cards[card].effects
                if not effect.passive and all(_holds(one, scene) for one in effect.conditions)
            )
            found = self._found[key] = sum(one if must else max(one, 0) for must, one in worth)
        return found

    def _effect(self, effect: Effect, scene: Scene) -> int:
        paid = 0
        total = 0
        if effect.payment is not None:
            paid = 2 if effect.payment.amount is None else effect.payment.amount
            total -= paid * self._resource(effect.payment.resource)
        return total + sum(self._operation(one, scene, paid) for one in effect.operations)

    def _resource(self, name: str) -> int:
        return 100 if name == "speed" else self._weigh["use_" + name]

    def _operation(self, one: Operation, scene: Scene, paid: int) -> int:
        weigh = self._weigh
        if isinstance(one, op.Gain):
            amount = one.amount
            if one.thing is not None:
                things = {"risk": scene.risk, "removed": scene.removed, "empty": 3, "dice": 2, "paid": paid}
                amount = one.amount * (things[one.thing] // one.every)
                amount = amount if one.most is None else min(amount, one.most)
            return amount * self._resource(one.resource)
        if isinstance(one, op.Lose):
            return -one.amount * self._resource(one.resource) * weigh["lost"] // 100
        if isinstance(one, op.Repair):
            return min(one.dice, scene.risk) * self.risk_die()
        if isinstance(one, op.Risk):
            return -self.risk_die() if scene.risk < self._cards.limits.risk_dice else -self._weigh["roll"]
        if isinstance(one, op.Draw):
            return one.cards * weigh["draw"]
        name = _SIMPLE.get(type(one))
        return weigh[name] if name is not None else 0

    def risk_die(self) -> int:
        """Return the cost of a risk die in the pool until the end of the stage."""
        return 100 + self._weigh["roll"] * (self._left + 1)


def _holds(one: Condition, scene: Scene) -> bool:
    if one.kind == "row":
        return scene.row == one.name
    if one.kind == "zone":
        return scene.zone == one.name
    if one.kind == "holder":
        return scene.holder
    if one.kind == "risk":
        return scene.risk >= one.least
    if one.kind == "opened":
        return scene.kind == one.name
    return scene.slot == ANY or one.least <= int(scene.slot) <= one.most

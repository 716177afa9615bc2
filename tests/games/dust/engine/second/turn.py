"""The steps of one driver, implemented a second time: each is a method with its name. Refusals follow the order of the
table in S.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.games.dust.engine.second.effects import Effects, Refused


class Drawn(Exception):
    """A tried step has reached a draw."""


def stops(who: str, kind: str, number: int, faces: list[str]) -> str:
    raise Drawn


class Turn:
    """The steps of one driver, each by its name."""

    def __init__(self, book: Any, name: str) -> None:
        self.book = book
        self.me = book.drivers[name]

    # Chance (S7)

    def asks(self, kind: str) -> str:
        faces = {
            "dice": list("123456"),
            "risk": self.book.document["dice"]["risk"],
            "popularity": self.book.document["dice"]["popularity"],
            "cards": sorted(self.me["deck"]),
        }[kind]
        self.me["asked"][kind] += 1
        return self.book.chance(self.me["id"], kind, self.me["asked"][kind], faces)

    def gains(self, what: str, much: int) -> None:
        """D6."""
        most = {"keys": 10, "traction": 10, "popularity": 15}.get(what)
        self.me[what] += much
        if most is not None:
            self.me[what] = min(self.me[what], most)

    def left_in(self, pile: str) -> int:
        """B2."""
        return int(self.book.piles[pile]) - sum(card == pile for card, _ in self.me["aside"])

    def draws_a_card(self) -> None:
        """Q4."""
        me = self.me
        if not me["top"] and not me["deck"]:
            me["deck"], me["discard"] = me["discard"], []
        if me["top"]:
            me["hand"].append(me["top"].pop())
        elif me["deck"]:
            card = self.asks("cards")
            me["deck"].remove(card)
            me["hand"].append(card)

    # Quiet

    def _quiet(self) -> None:
        self._begun()
        if self.me["open"] is not None:
            raise Refused("P5")

    def _begun(self) -> None:
        if self.me["phase"] == "prepare":
            raise Refused("Q2")
        if self.me["pending"] is not None:
            raise Refused("R6")

    # The steps

    def prepare(self, *cards: str) -> None:
        me = self.me
        if me["phase"] != "prepare":
            raise Refused("Q2")
        limit = 3 if me["flipped"] >= 4 else 5
        for card in cards:
            if card not in me["hand"]:
                raise Refused("Q3")
            me["hand"].remove(card)
            me["discard"].append(card)
        if len(me["hand"]) > limit:
            raise Refused("Q3")
        while len(me["hand"]) < limit and (me["top"] or me["deck"] or me["discard"]):
            self.draws_a_card()
        ghost = self.book.ghost
        if ghost:
            for _ in range(ghost["pairs"]):
                faces = {"dice": list("123456"), "risk": self.book.document["dice"]["risk"]}
                rolled = []
                for kind, of in faces.items():
                    ghost["asked"][kind] += 1
                    rolled.append(self.book.chance("ghost", kind, ghost["asked"][kind], of))
                ghost["dice"].append(rolled)
        me["dice"] = ["p" + self.asks("dice") for _ in range(3)]
        fee = 0
        if self.book.holder == me["id"]:
            face = self.asks("popularity")
            if face != "-":
                me["dice"].append("f" + face)
                fee = int(face)
        me["phase"] = "drive"
        self._rolls(me["risk"], fee)

    def _rolls(self, dice: int, fee: int | None) -> None:
        """R4. `fee`: the cost of the popularity die in the dice phase, None for any other roll."""
        faces = [self.asks("risk").split("/") for _ in range(dice)]
        roll = {"hits": sum(int(a) for a, _ in faces), "symbols": sum(int(b) for _, b in faces), "fee": fee}
        self.me["pending"] = roll
        blank = not roll["hits"] and not roll["symbols"]
        if blank or not any(self._may_void(slot) for slot in self.me["board"]):
            self.accept()

    def accept(self) -> None:
        me, roll = self.me, self.me["pending"]
        if roll is None:
            raise Refused("R6")
        me["pending"] = None
        for _ in range(roll["hits"]):
            me["hits"] += 1
            if me["hits"] == 5:
                me["hits"] = 0
                me["flipped"] += 1
            if me["flipped"] == 8:
                return self._wrecked()
        self.gains("popularity", roll["symbols"])
        self._pays(roll)
        return None

    def _pays(self, roll: dict[str, Any]) -> None:
        """D4."""
        self.me["popularity"] = max(0, self.me["popularity"] - (roll["fee"] or 0))

    def _wrecked(self) -> None:
        """R5."""
        self.me.update(phase="out", flipped=7, hits=0, speed=0, popularity=0)
        self.me.update(markers={}, aside=[], dice=[], open=None, pending=None)

    def _void_effect(self, slot: str) -> dict[str, Any] | None:
        """Return the passive effect with `void` that can be used there, whatever comes after it (R6)."""
        laid = self.me["board"].get(slot)
        if laid is None or laid["covered"] or self.me["flipped"] >= 6 or self._is_used(laid):
            return None
        effect = self._passive_of(laid)
        if effect is None or effect["do"].split(";")[0].strip() != "void":
            return None
        effects = Effects(self)
        try:
            effects.due(effect)
        except Refused:
            return None
        return effect if effects.holds(effect, None) else None

    def _may_void(self, slot: str) -> bool:
        tried = copy.copy(self.book)
        tried.drivers = copy.deepcopy(self.book.drivers)
        tried.chance = stops
        try:
            Turn(tried, self.me["id"]).void(slot)
        except Refused:
            return False
        except Drawn:
            return True
        return True

    def void(self, slot: str) -> None:
        me, roll = self.me, self.me["pending"]
        effect = None if roll is None else self._void_effect(slot)
        if roll is None or effect is None:
            raise Refused("R6")
        me["pending"] = None
        self._uses(me["board"][slot], effect, [])
        if me["phase"] != "out":
            self._pays(roll)

    def play(self, card: str, slot: str) -> None:
        self._quiet()
        if card not in self.me["hand"] or slot in self.me["board"]:
            raise Refused("P2")
        self.me["hand"].remove(card)
        self.me["board"][slot] = {"card": card, "covered": False, "used": False}

    def use(self, slot: str, kind: str) -> None:
        self._quiet()
        laid = self.me["board"].get(slot)
        if laid is None:
            raise Refused("P3")
        if laid["covered"]:
            raise Refused("P8")
        if kind + slot not in self.me["dice"]:
            raise Refused("P3")
        self.me["dice"].remove(kind + slot)
        self.me["spent"].append(kind + slot)
        effects = self.book.card(laid["card"]).get("effects", [])
        left = [number for number, one in enumerate(effects, 1) if not one.get("passive")]
        if left:
            self.me["open"] = {"name": laid["card"], "left": left, "this": laid, "die": kind + slot}

    def _effects(self) -> list[dict[str, Any]]:
        name = self.me["open"]["name"]
        table = self.book.stage[name - 1] if isinstance(name, int) else self.book.card(name)
        found: list[dict[str, Any]] = table.get("effects", [])
        return found

    def _owed(self, before: int) -> bool:
        """P6: a mandatory effect whose condition holds, with a number under `before`, has not been used."""
        opened, effects = self.me["open"], self._effects()
        return any(
            effects[one - 1].get("must") and Effects(self).holds(effects[one - 1], opened["die"])
            for one in opened["left"]
            if one < before
        )

    def do(self, number: str, *words: str) -> None:
        self._begun()
        opened, chosen = self.me["open"], int(number)
        if opened is None:
            raise Refused("P5")
        if chosen not in opened["left"]:
            raise Refused("P4")
        on_stage = isinstance(opened["name"], int)
        if on_stage and self._owed(chosen):
            raise Refused("P6")
        effect = self._effects()[chosen - 1]
        left = [one for one in opened["left"] if (one > chosen if on_stage else one != chosen)]
        this = opened["this"]
        effects = Effects(self)
        if effects.holds(effect, opened["die"]):
            self.me["open"] = {**opened, "left": left} if left else None
        effects.resolve(effect, list(words), this, opened["die"])

    def done(self) -> None:
        self._begun()
        if self.me["open"] is None:
            raise Refused("P5")
        if self._owed(99):
            raise Refused("P6")
        self.me["open"] = None

    def _passive_of(self, laid: dict[str, Any]) -> dict[str, Any] | None:
        effects = self.book.card(laid["card"]).get("effects", [])
        return next((one for one in effects if one.get("passive")), None)

    def _is_used(self, laid: dict[str, Any]) -> bool:
        """A4, by copy."""
        me, name = self.me, laid["card"]
        owns = sum(pile.count(name) for pile in (me["hand"], me["deck"], me["top"], me["discard"], me["removed"]))
        owns += sum(one["card"] == name for one in me["board"].values())
        return bool(laid["used"] or me["passives"][name] >= owns)

    def _uses(self, laid: dict[str, Any], effect: dict[str, Any], words: list[str]) -> None:
        laid["used"] = True
        self.me["passives"][laid["card"]] += 1
        Effects(self).resolve(effect, words, laid, None)

    def passive(self, slot: str, *words: str) -> None:
        self._quiet()
        laid = self.me["board"].get(slot)
        if laid is None:
            raise Refused("A4")
        if laid["covered"]:
            raise Refused("P8")
        effect = self._passive_of(laid)
        if effect is None:
            raise Refused("A4")
        if self.me["flipped"] >= 6:
            raise Refused("R7")
        if self._is_used(laid):
            raise Refused("A4")
        if effect["do"].split(";")[0].strip() == "void":
            if not Effects(self).holds(effect, None):
                raise Refused("E3")
            Effects(self).due(effect)
            raise Refused("R6")
        self._uses(laid, effect, list(words))

    def buy(self, card: str) -> None:
        self._quiet()
        if card not in self.book.piles:
            raise Refused("B1")
        if self.left_in(card) <= 0:
            raise Refused("B2")
        price = self.book.card(card)["cost"] + (self.me["flipped"] >= 2)
        if price > self.me["keys"]:
            raise Refused("B1")
        self.me["keys"] -= price
        self.me["aside"].append((card, price))

    def place(self, number: str) -> None:
        self._quiet()
        me, chosen = self.me, int(number)
        if not self.book.round <= chosen <= min(self.book.round + 5, len(self.book.stage)):
            raise Refused("N1")
        if me["markers"].get(chosen, 0) >= (3 if me["star"] else 1):
            raise Refused("N2")
        if sum(me["markers"].values()) >= 10:
            raise Refused("N3")
        card = self.book.stage[chosen - 1]
        price = card["cost"] + (me["flipped"] >= 3)
        if price > me["traction"]:
            raise Refused("N1")
        me["traction"] -= price
        me["markers"][chosen] = me["markers"].get(chosen, 0) + 1
        me["star"] = me["star"] or card.get("star", False)
        left = list(range(1, len(card.get("effects", [])) + 1))
        me["open"] = {"name": chosen, "left": left, "this": None, "die": None} if left else None
        if "move" in card:
            way, spaces = card["move"].split()
            for _ in range(int(spaces) + (me["flipped"] >= 1) + (me["flipped"] >= 5)):
                beside = self.book.beside(me["space"], way, 1)
                if beside is None:
                    return self.takes_a_risk()
                me["space"] = beside
        return None

    def takes_a_risk(self) -> None:
        """R1, R2."""
        if self.me["risk"] < 3:
            self.me["risk"] += 1
        self._rolls(1, None)

    def steer(self, way: str, number: str) -> None:
        self._quiet()
        if self.me["space"][0] != "B":
            raise Refused("A1")
        if int(number) > self.me["traction"]:
            raise Refused("A1")
        to = self.book.beside(self.me["space"], way, int(number))
        if to is None:
            raise Refused("M3")
        self.me["traction"] -= int(number)
        self.me["space"] = to

    def tune(self, turned: str) -> None:
        self._quiet()
        die, value = turned.split("=")
        if die not in self.me["dice"]:
            raise Refused("A2")
        if not self.book.shows(die, int(value)):
            raise Refused("D5")
        pips = abs(int(value) - int(die[1]))
        if pips == 0 or pips > self.me["keys"]:
            raise Refused("A2")
        self.me["keys"] -= pips
        self.me["dice"].remove(die)
        self.me["dice"].append(die[0] + value)

    def risk(self) -> None:
        self._quiet()
        if self.me["risk"] >= 3:
            raise Refused("A3")
        self.gains("traction", 2)
        self.takes_a_risk()

    def block(self, pair: str, die: str) -> None:
        self._quiet()
        ghost, place = self.book.ghost, int(pair) - 1
        if not ghost or place >= len(ghost["dice"]) or die not in self.me["dice"]:
            raise Refused("G4")
        if ghost["dice"][place][0] != die[1] or place in ghost["blocked"]:
            raise Refused("G4")
        self.me["dice"].remove(die)
        self.me["spent"].append(die)
        ghost["blocked"].add(place)

    def end(self) -> None:
        self._quiet()
        self.me["phase"] = "done"

"""A second implementation of the rules of Dirt & Dust: simple and slow, written from the numbered rules alone.

It imports nothing from `engine.dust`, so an error in reading the rules would have to be made twice. `Book` starts with
a scenario document and the plain document of a card set, plays steps and prints what `replay` prints.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.games.dust.engine.second.effects import Refused
from tests.games.dust.engine.second.turn import Drawn, Turn, stops

Chance = Callable[[str, str, int, list[str]], str]
"""Called with the driver, the kind, the number of this draw in the round, and the faces (S7). Returns a face."""

LEVELS = {
    "plain": (0, [1, 2, 3]),
    "amateur": (0, [2, 3, 4]),
    "novice": (0, [3, 4, 5]),
    "rookie": (0, [4, 5, 6]),
    "daredevil": (1, [1, 2]),
    "veteran": (2, [1]),
    "devil": (3, []),
}
SHAPES = {
    "prepare": None,
    "accept": (),
    "void": ("[1-6]",),
    "play": (".*", "[1-6]"),
    "use": ("[1-6]", "[pbf]"),
    "do": ("[1-9]", None),
    "done": (),
    "passive": ("[1-6]", None),
    "buy": (".*",),
    "place": ("[1-9][0-9]?",),
    "steer": ("left|right", "[1-9][0-9]?"),
    "tune": ("[pbf][1-6]=[1-6]",),
    "risk": (),
    "block": ("[1-3]", "[pbf][1-6]"),
    "end": (),
}


class Book:
    """A game: drivers by ID, piles, the ghost, the round."""

    def __init__(self, scenario: dict[str, Any], document: dict[str, Any], chance: Chance) -> None:
        self.document = document
        self.chance = chance
        self.cards = {one["name"]: one for one in document["card"]}
        self.slots = [str(slot) for slot in document["team_board"]["slots"]]
        stage, options = document["stages"][scenario["stage"]], scenario.get("options", {})
        self.training = stage.get("training", False)
        self.stage = stage["cards"][: options.get("cards", 10)]
        self.round = scenario.get("round", 1)
        self.over = False
        pool = options.get("pool", "basic")
        pool = document["pools"]["training" if self.training else pool] if isinstance(pool, str) else pool
        self.piles = {name: scenario.get("piles", {}).get(name, 8) for name in pool}
        self.ghost = self._ghost(options.get("ghost"), scenario.get("ghost", {}))
        self.drivers = {one["id"]: self._driver(one, scenario) for one in scenario["drivers"]}
        self.holder = self._leader()

    def _ghost(self, level: str | None, given: dict[str, Any]) -> dict[str, Any] | None:
        if level is None:
            return None
        pairs, cards = LEVELS[level]
        ghost = {"speed": 0, "popularity": 0, "pairs": pairs, "cards": cards, "dice": [], "blocked": set()}
        return {**ghost, **given, "asked": Counter()}

    def _driver(self, one: dict[str, Any], scenario: dict[str, Any]) -> dict[str, Any]:
        """U1, U3, U4, T2."""
        chosen = [other.get("driver") for other in scenario["drivers"]]
        left = [name for name in self.document["drivers"] if name not in chosen]
        place = [other["id"] for other in scenario["drivers"] if "driver" not in other]
        character = one.get("driver") or left[place.index(one["id"])]
        deck = [card["name"] for card in self.cards.values() if card["set"] == "start" for _ in range(card["copies"])]
        if self.training:
            deck += self.document["training"]["deck"]
        else:
            own = [card for card in self.cards.values() if card.get("driver") == character]
            deck += [card["name"] for card in own for _ in range(card["copies"])]
        me: dict[str, Any] = {"id": one["id"], "driver": character, "phase": "prepare", "deck": deck}
        me |= dict.fromkeys(("speed", "popularity", "keys", "traction", "risk", "hits"), 0)
        me |= {"flipped": scenario.get("options", {}).get("damaged", 0), "star": False}
        me |= {"space": self.document["cockpit"]["centre"], "open": None, "pending": None}
        me |= {name: [] for name in ("hand", "top", "discard", "removed", "dice", "spent", "aside")}
        me |= {"boosts": 0, "passives": Counter(), "asked": Counter()}
        start = copy.deepcopy(one.get("start", {}))
        me["board"] = {slot: self._laid(laid) for slot, laid in start.pop("board", {}).items()}
        me["markers"] = {int(card): many for card, many in start.pop("markers", {}).items()}
        return {**me, **start}

    def _laid(self, given: Any) -> dict[str, Any]:
        one = {"card": given} if isinstance(given, str) else given
        return {"covered": False, **one, "used": False}

    def card(self, name: str) -> dict[str, Any]:
        return self.cards[name]

    # The track (M1, M4)

    def row(self, space: str) -> list[dict[str, Any]]:
        row: list[dict[str, Any]] = self.document["cockpit"]["upper" if space[0] == "A" else "lower"]
        return row

    def space(self, space: str) -> dict[str, Any]:
        return self.row(space)[int(space[1:]) - 1]

    def beside(self, space: str, way: str, spaces: int) -> str | None:
        """M3: the space so far away in the row, or None when there is none."""
        place = int(space[1:]) + (spaces if way == "right" else -spaces)
        return f"{space[0]}{place}" if 1 <= place <= len(self.row(space)) else None

    def leads(self, space: str) -> list[str]:
        found: list[str] = self.document["cockpit"]["down" if space[0] == "A" else "up"][int(space[1:]) - 1]
        return found

    def shows(self, die: str, value: int) -> bool:
        """D5."""
        return value in (1, 2) if die[0] == "f" else 1 <= value <= 6

    # Who plays (S2, T3)

    def next(self) -> list[str]:
        if self.over:
            return []
        waits = [name for name, one in self.drivers.items() if one["phase"] in ("prepare", "drive")]
        if not self.training:
            return waits
        may = [name for name in waits if self.drivers[name]["phase"] == "prepare" or self.drivers[name]["pending"]]
        return [name for name in waits if name in may or name == waits[0]]

    def verdict(self, name: str, step: str) -> str | None:
        """Return the rule that refuses a step, or None when it is legal. Changes nothing."""
        tried = copy.copy(self)
        tried.drivers = {**self.drivers, name: copy.deepcopy(self.drivers[name])} if name in self.drivers else {}
        tried.ghost = copy.deepcopy(self.ghost)
        tried.chance = stops
        try:
            tried.act(name, step)
        except Refused as refused:
            return refused.rule
        except Drawn:
            return None
        return None

    def play(self, name: str, step: str) -> None:
        """Play a legal step, and the closing that follows it (S4)."""
        self.act(name, step)
        me = self.drivers[name]
        if self.training and me["phase"] == "done":
            self._settles([name])
        if all(one["phase"] in ("done", "out") for one in self.drivers.values()):
            self._closes()

    def act(self, name: str, step: str) -> None:
        if name not in self.next():
            raise Refused("S2")
        words = step.split()
        if not words or words[0] not in SHAPES:
            raise Refused("S8")
        shape = SHAPES[words[0]]
        if shape is not None:
            more = shape[-1:] == (None,)
            shape = shape[:-1] if more else shape
            if len(words) - 1 < len(shape) or (len(words) - 1 > len(shape) and not more):
                raise Refused("S8")
            if not all(re.fullmatch(str(kind), word, re.ASCII) for kind, word in zip(shape, words[1:], strict=False)):
                raise Refused("S8")
        getattr(Turn(self, name), words[0])(*words[1:])

    # The closing (S4)

    def _in(self) -> list[dict[str, Any]]:
        return [one for one in self.drivers.values() if one["phase"] != "out"]

    def _closes(self) -> None:
        back = self._settles(list(self.drivers))
        self._assesses()
        if self.round == len(self.stage) or not self._in():
            self.over, self.holder = True, None
            for one in self._in():
                one["phase"] = "finished"
            return
        for one in self._in():
            self._clears(one, back[one["id"]])
        self.round += 1
        self.holder = self._leader()
        if self.ghost:
            self.ghost.update(dice=[], blocked=set(), asked=Counter())

    def _clears(self, one: dict[str, Any], back: int) -> None:
        """Q1, Q5."""
        if "1" in one["board"]:
            one["discard"].append(one["board"].pop("1")["card"])
        one["board"] = {str(int(slot) - 1): {**laid, "used": False} for slot, laid in one["board"].items()}
        one.update(phase="prepare", dice=[], spent=[], boosts=0, passives=Counter(), asked=Counter())
        if one["flipped"] >= 7:
            one.update(keys=back, traction=0)

    def _settles(self, names: list[str]) -> Counter[str]:
        """B3 to B6 for the orders of these drivers. Returns the keys that came back."""
        got: dict[str, Counter[str]] = {}
        for pile, lies in self.piles.items():
            wants = {name: sum(one[0] == pile for one in self.drivers[name]["aside"]) for name in names}
            got[pile] = Counter()
            if sum(wants.values()) <= lies:
                got[pile].update(wants)
            else:
                self._serves(pile, wants, got[pile])
        for pile, filled in got.items():
            self.piles[pile] -= sum(filled.values())
        return Counter({name: self._delivers(self.drivers[name], got) for name in names})

    def _delivers(self, me: dict[str, Any], got: dict[str, Counter[str]]) -> int:
        """Fill orders, the earlier ones first (B6). Returns the keys that came back."""
        back = 0
        for card, paid in me["aside"]:
            if got[card][me["id"]] > 0:
                got[card][me["id"]] -= 1
                me["top" if paid is None else "discard"].append(card)
            else:
                room = min(paid or 0, 10 - me["keys"])
                me["keys"] += room
                back += room
        me["aside"] = []
        return back

    def _serves(self, pile: str, wants: dict[str, int], got: Counter[str]) -> None:
        """B4 for a pile without enough cards."""
        lies = self.piles[pile]
        order = sorted({(-self.drivers[name]["popularity"], self.drivers[name]["speed"]) for name in wants})
        for key in order:
            group = [name for name in wants if key == (-self.drivers[name]["popularity"], self.drivers[name]["speed"])]
            for copy_ in range(1, max(wants[name] for name in group) + 1):
                still = [name for name in group if wants[name] >= copy_]
                if lies < len(still):
                    return
                lies -= len(still)
                got.update(still)

    def _assesses(self) -> None:
        """V1 to V3, G5, G2."""
        for one in self._in():
            markers = one["markers"].pop(self.round, 0)
            space = self.space(one["space"])
            one["speed"] += markers * space.get("speed", 0)
            one["popularity"] = min(15, one["popularity"] + markers * space.get("popularity", 0))
        if self.ghost:
            for place, (_, face) in enumerate(self.ghost["dice"]):
                if place not in self.ghost["blocked"]:
                    hits, symbols = face.split("/")
                    self.ghost["speed"] += int(hits)
                    self.ghost["popularity"] = min(15, self.ghost["popularity"] + int(symbols))
            self.ghost["pairs"] += self.round in self.ghost["cards"]

    def _leader(self) -> str | None:
        """D1."""
        has = [(one["popularity"], one["id"]) for one in self._in()]
        if self.ghost:
            has.append((self.ghost["popularity"], "ghost"))
        most = max(has)[0]
        first = [name for number, name in has if number == most]
        return first[0] if most > 0 and len(first) == 1 else None

    # What replay prints

    def printed(self) -> dict[str, Any]:
        ended = self._ended() if self.over else {}
        ghost = None
        if self.ghost:
            score = ended.get("ghost", {"points": None, "place": None})
            ghost = {name: self.ghost[name] for name in ("speed", "popularity", "pairs")}
            ghost["dice"] = [" ".join(pair) for pair in self.ghost["dice"]]
            ghost |= {"points": score["points"], "place": score["place"]}
        last = min(self.round + 5, len(self.stage))
        return {
            "round": self.round,
            "over": self.over,
            "holder": self.holder,
            "visible": [] if self.over else list(range(self.round, last + 1)),
            "piles": self.piles,
            "next": self.next(),
            "ghost": ghost,
            "drivers": {name: self._printed(one, ended.get(name)) for name, one in self.drivers.items()},
        }

    def _printed(self, one: dict[str, Any], ended: dict[str, Any] | None) -> dict[str, Any]:
        numbers = ("speed", "popularity", "keys", "traction", "risk", "hits", "flipped")
        shown: dict[str, Any] = {name: one[name] for name in ("driver", "phase", *numbers, "space", "star", "top")}
        shown |= {name: sorted(one[name]) for name in ("hand", "deck", "discard", "removed", "dice", "spent")}
        shown["board"] = one["board"]
        shown["aside"] = [order[0] for order in one["aside"]]
        shown["markers"] = {str(card): many for card, many in one["markers"].items() if many}
        opened, roll = one["open"], one["pending"]
        shown["open"] = None if opened is None else {"card": opened["name"], "left": sorted(opened["left"])}
        shown["pending"] = None if roll is None else f"{roll['hits']}/{roll['symbols']}"
        return {**shown, **(ended or {"points": None, "place": None, "seconds": None})}

    def _ended(self) -> dict[str, dict[str, Any]]:
        """F2 to F5."""
        rows = [(one["id"], one["speed"] + self._owned(one), one["popularity"], one["flipped"]) for one in self._in()]
        if self.ghost:
            rows.append(("ghost", self.ghost["speed"], self.ghost["popularity"], 0))
        numbers = sorted({row[2] for row in rows if row[2] > 0}, reverse=True)
        prize = dict(zip(numbers, (3, 1), strict=False))
        ranked = {name: (-points - prize.get(fame, 0), -fame, tokens) for name, points, fame, tokens in rows}
        times = [900 + 5 * key[0] for name, key in ranked.items() if name != "ghost"]
        told: dict[str, dict[str, Any]] = {}
        for name in [*self.drivers, *(["ghost"] if self.ghost else [])]:
            if name in ranked:
                place = 1 + sum(key < ranked[name] for key in ranked.values())
                points = -ranked[name][0]
                told[name] = {"points": points, "place": place, "seconds": 900 - 5 * points}
            else:
                told[name] = {"points": None, "place": 1 + len(ranked), "seconds": max(times, default=900) + 60}
        return told

    def _owned(self, one: dict[str, Any]) -> int:
        held = one["deck"] + one["top"] + one["hand"] + one["discard"]
        held += [laid["card"] for laid in one["board"].values()]
        return sum(self.card(name).get("points", 0) for name in held) - int(one["risk"])

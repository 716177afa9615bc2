"""The effect language (chapter E), implemented a second time from the rules: it carries out the words of a card
directly.

It imports nothing from `engine.dust`. A card on a board is an object, and *this card* is identified by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

RISK_OPERATION, VOID = "risk", "void"


class Refused(Exception):
    """A rule refuses the step."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class Effects:
    """Carries out effects for one driver. `turn` is the `Turn` of `second.book`."""

    def __init__(self, turn: Any) -> None:
        self.turn = turn
        self.book = turn.book
        self.me = turn.me

    # E3, E4

    def holds(self, effect: dict[str, Any], die: str | None) -> bool:
        return all(self._holds(word, die) for word in effect.get("when", "").split())

    def _holds(self, word: str, die: str | None) -> bool:
        me = self.me
        if word in ("accelerate", "brake"):
            return bool(me["space"][0] == {"accelerate": "A", "brake": "B"}[word])
        if word in ("red", "yellow", "grey"):
            return bool(self.book.space(me["space"])["zone"] == word)
        if word == "holder":
            return bool(self.book.holder == me["id"])
        if word.startswith("risk>="):
            return bool(me["risk"] >= int(word[6:]))
        if die is None:
            return False
        if word.startswith("kind="):
            return die[0] == {"player": "p", "boost": "b", "popularity": "f"}[word[5:]]
        low, _, high = word[4:].partition("-")
        return int(low) <= int(die[1]) <= int(high or low)

    def due(self, effect: dict[str, Any]) -> tuple[str, int]:
        """Return what must be paid. Refused by E4 when that is impossible."""
        if "pay" not in effect:
            return "keys", 0
        resource, much = effect["pay"].split()
        due = self.me[resource] if much == "all" else int(much)
        if self.me[resource] < due or (much == "all" and due < 1):
            raise Refused("E4")
        return resource, due

    def resolve(self, effect: dict[str, Any], words: list[str], this: Any, die: str | None) -> None:
        """E3, E4, then operation by operation. The step has already handled `void`."""
        if not self.holds(effect, die):
            raise Refused("E3")
        resource, due = self.due(effect)
        self.me[resource] -= due
        self.paid, self.this, self.words = due, this, list(words)
        operations = [one.split() for one in effect["do"].split(";")]
        for operation in operations:
            if operation[0] != VOID:
                self._carry_out(operation, effect.get("must", False))
        if self.words:
            raise Refused("E5")

    def _carry_out(self, operation: list[str], must: bool) -> None:
        name, rest = operation[0], operation[1:]
        why = self._impossible(name, rest)
        if why is not None:
            if must:
                return
            raise Refused(why)
        given = self._arguments(name, rest)
        if (name in ("boost", "reroll", "draw") or (name == RISK_OPERATION and not rest)) and self.words:
            if name == "reroll":
                self._fits(name, rest, given)
            raise Refused("E5")
        self._fits(name, rest, given)
        self._does(name, rest, given)

    # E6, M3: impossible operations

    def _impossible(self, name: str, rest: list[str]) -> str | None:
        me, book = self.me, self.book
        board = list(me["board"].values())
        if name == "move":
            ways = [rest[0]] if len(rest) == 2 else ["left", "right"]
            return None if any(book.beside(me["space"], way, int(rest[-1])) for way in ways) else "M3"
        possible: dict[str, Callable[[], bool]] = {
            "repair": lambda: me["risk"] > 0,
            "boost": lambda: me["boosts"] < book.document["dice"]["boost_supply"],
            "set": lambda: any(book.shows(die, int(value)) for die in me["dice"] for value in rest[1:]),
            "nudge": lambda: bool(me["dice"]),
            "reroll": lambda: any(die[0] in "pb" for die in me["dice"]),
            "discard": lambda: bool(board),
            "remove": lambda: bool(board),
            "return": lambda: bool(me["removed"]) and len(board) < 6,
            "cover": lambda: any(not one["covered"] for one in board),
            "swap": lambda: len(board) >= 2,
            "take": lambda: any(self.turn.left_in(card) > 0 for card in self._cheap(rest[0])),
            "draw": lambda: bool(me["top"] or me["deck"] or me["discard"]),
        }
        if rest[:1] == ["this"]:
            return None if any(one is self.this for one in board) else "E6"
        return None if possible.get(name, lambda: True)() else "E6"

    def _cheap(self, costs: str) -> list[str]:
        low, high = costs.split("-")
        return [card for card in self.book.piles if int(low) <= self.book.card(card)["cost"] <= int(high)]

    # E5: the driver's arguments

    def _arguments(self, name: str, rest: list[str]) -> list[str]:
        slot, turned = "[1-6]", "[pbf][1-6]=[1-6]"
        kinds = {
            "shift": [".*"],
            "nudge": [turned],
            "reroll": [".*"],
            "return": [".*", slot],
            "swap": [slot, slot],
            "take": [".*"],
        }.get(name, [])
        if name == "move" and len(rest) == 1:
            kinds = ["left|right"]
        elif name == "set" and rest[0] == "one":
            kinds = [turned]
        elif rest == ["any"]:
            kinds = [slot]
        given, self.words = self.words[: len(kinds)], self.words[len(kinds) :]
        if len(given) < len(kinds):
            raise Refused("E5")
        if any(not re.fullmatch(kind, word, re.ASCII | re.DOTALL) for kind, word in zip(kinds, given, strict=True)):
            raise Refused("E5")
        return given

    # Well-formed arguments that do not fit

    def _fits(self, name: str, rest: list[str], given: list[str]) -> None:
        me, book, board = self.me, self.book, self.me["board"]
        if name == "move" and not book.beside(me["space"], given[0] if given else rest[0], int(rest[-1])):
            raise Refused("M3")
        if name == "shift" and given[0] not in book.leads(me["space"]):
            raise Refused("M4")
        if name == "nudge" or (name == "set" and given):
            die, value = given[0].split("=")
            if die not in me["dice"]:
                raise Refused("E6")
            if not book.shows(die, int(value)):
                raise Refused("D5")
            if abs(int(value) - int(die[1])) != 1 if name == "nudge" else value not in rest[1:]:
                raise Refused("E6")
        if name == "reroll" and (given[0] not in me["dice"] or given[0][0] not in "pb"):
            raise Refused("E6")
        if rest == ["any"] and (given[0] not in board or (name == "cover" and board[given[0]]["covered"])):
            raise Refused("E6")
        if name == "return" and (given[0] not in me["removed"] or given[1] in board):
            raise Refused("E6")
        if name == "swap" and (given[0] == given[1] or not {*given} <= {*board}):
            raise Refused("E6")
        if name == "take":
            if given[0] not in self._cheap(rest[0]):
                raise Refused("E6")
            if self.turn.left_in(given[0]) <= 0:
                raise Refused("B2")

    # E7: the effects of operations

    def _does(self, name: str, rest: list[str], given: list[str]) -> None:
        if name in ("keys", "traction", "popularity", "speed"):
            self.turn.gains(name, self._much(rest))
        elif name == RISK_OPERATION:
            self.turn.takes_a_risk()
        elif name in ("discard", "remove", "return", "cover", "swap"):
            self._on_board(name, rest, given)
        elif name in ("boost", "set", "nudge", "reroll"):
            self._on_dice(name, rest, given)
        else:
            self._else(name, rest, given)

    def _much(self, rest: list[str]) -> int:
        much = int(rest[0])
        if len(rest) == 1:
            return much
        after = rest[2:]
        every = int(after.pop(0)) if after[0].isdigit() else 1
        counted = {
            "risk": self.me["risk"],
            "removed": len(self.me["removed"]),
            "empty": 6 - len(self.me["board"]),
            "dice": len(self.me["dice"]),
            "paid": self.paid,
        }[after[0]]
        much *= counted // every
        return min(much, int(after[2])) if len(after) > 1 else much

    def _off(self, one: Any, to: str) -> None:
        """Move a card from the board to a pile."""
        slot = next(slot for slot, other in self.me["board"].items() if other is one)
        del self.me["board"][slot]
        self.me[to].append(one["card"])

    def _on_board(self, name: str, rest: list[str], given: list[str]) -> None:
        me, board = self.me, self.me["board"]
        if name in ("discard", "remove"):
            meant = [self.this] if rest == ["this"] else list(board.values()) if rest == ["all"] else [board[given[0]]]
            for one in meant:
                self._off(one, "discard" if name == "discard" else "removed")
        elif name == "return":
            me["removed"].remove(given[0])
            board[given[1]] = {"card": given[0], "covered": False, "used": False}
        elif name == "swap":
            board[given[0]], board[given[1]] = board[given[1]], board[given[0]]
        elif rest == ["any"]:
            board[given[0]]["covered"] = True
        else:
            bare = [board[slot] for slot in self.book.slots if slot in board and not board[slot]["covered"]]
            for one in bare[: int(rest[1])]:
                one["covered"] = True

    def _on_dice(self, name: str, rest: list[str], given: list[str]) -> None:
        me = self.me
        if name == "boost":
            me["boosts"] += 1
            me["dice"].append("b" + self.turn.asks("dice"))
        elif name == "reroll":
            me["dice"].remove(given[0])
            me["dice"].append(given[0][0] + self.turn.asks("dice"))
        elif name == "set" and rest[0] == "all":
            me["dice"] = [die[0] + rest[1] if self.book.shows(die, int(rest[1])) else die for die in me["dice"]]
        else:
            die, value = given[0].split("=")
            me["dice"].remove(die)
            me["dice"].append(die[0] + value)

    def _else(self, name: str, rest: list[str], given: list[str]) -> None:
        me = self.me
        if name == "lose":
            me[rest[0]] -= min(int(rest[1]), me[rest[0]])
        elif name == "move":
            me["space"] = self.book.beside(me["space"], given[0] if given else rest[0], int(rest[-1]))
        elif name == "shift":
            me["space"] = given[0]
        elif name == "centre":
            me["space"] = self.book.document["cockpit"]["centre"]
        elif name == "repair":
            me["risk"] -= min(int(rest[0]), me["risk"])
        elif name == "take":
            me["aside"].append((given[0], None))
        elif name == "shuffle":
            me["deck"] += me["top"] + me["discard"]
            me["top"], me["discard"] = [], []
        elif name == "draw":
            for _ in range(int(rest[0])):
                self.turn.draws_a_card()
        else:
            raise AssertionError(name)

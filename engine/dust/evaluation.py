"""What a codriver thinks a position is worth, in hundredths of a point. Reads nothing of others that is sealed (S3).

Two views of one position: `settled` is the worth if the turn ended now; `hoped` adds what the active dice may still do.
What markers may bring in later rounds follows a ladder: the cheapest stage cards with room first, as far as the
traction of now and of the rounds to come reaches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from engine.dust import position_track
from engine.dust.cards import CardSet
from engine.dust.effects import ROWS
from engine.dust.facts import codrivers, facts
from engine.dust.handiness import ANY, Handiness, Weights
from engine.dust.state import GHOST, OUT, PLAYER, POPULARITY, Driver, Table
from engine.dust.step_context import Turn

LEAST_IN_USE = 3
"""Cards that come to be used even of the smallest deck."""

Ladder = tuple[tuple[int, ...], tuple[int, ...]]
"""Traction added up and worth added up, a step each marker."""


def weights(manner: str) -> Weights:
    """Return what things are thought to be worth: those of a manner over those of all."""
    return {**codrivers()["planned"], **codrivers().get(manner, {})}


class Outlook:
    """The worth of positions of one driver in one round. Everything that the round settles is looked up once."""

    def __init__(self, table: Table, name: str, cards: CardSet, weigh: Weights) -> None:
        self.weigh = weigh
        self.cards = cards
        self.name = name
        self.round = table["round"]
        self.left = table["cards"] - table["round"]
        self.stage = cards.stages[table["stage"]].cards[: table["cards"]]
        self.last = table["cards"]
        me = table["drivers"][name]
        self.handy = Handiness(cards, weigh, self.left, len(me["removed"]))
        self.rivals = _rivals(table, name)
        self._ladders: dict[tuple[bool, bool, tuple[tuple[str, int], ...], int], Ladder] = {}
        self._decks: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        self._spending: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[int, ...]] = {}
        owned = [*me["hand"], *me["deck"], *me["top"], *me["discard"], *me["removed"]]
        self._owned = Counter([*owned, *(laid["card"] for laid in me["board"].values())])
        """Cards by name, removed ones too: no turn changes them."""
        self._points = sum(cards.cards[card].points * copies for card, copies in self._owned.items())
        self._middling: dict[int, int] = {}
        self._slots = [(slot, int(slot)) for slot in cards.slots]
        self._piles = [pile for pile in table["pool"] if table["piles"].get(pile, 0) > 0]

    def settled(self, turn: Turn) -> int:
        """Return what the position is worth if the turn ends now."""
        me = turn.me
        if me["phase"] == OUT:
            return -self.weigh["wrecked"]
        total = 100 * (me["speed"] + self._ends(me))
        total += self._falling(me) + self._popularity(me) - self._damage(me) + self._ordered(me)
        total += self._keys(turn)
        if turn.ghost is not None:
            total -= self._ghost(turn)
        if self.left:
            total += self._later(me, self.round + 1) + self._place(me) + self._board(me)
            total -= self.weigh["removed"] * len(me["removed"])
        return total

    def hoped(self, turn: Turn) -> int:
        """Return what the position is worth with dice, keys and traction still to be used in this turn."""
        me = turn.me
        total = self.settled(turn)
        if me["phase"] == OUT:
            return total
        now = self._later(me, self.round)
        then = self._later(me, self.round + 1) if self.left else 0
        return total + max(now - then, 0) + self._dice(turn)

    # What the parts are worth

    def _ends(self, me: Driver) -> int:
        """Points of cards and risk dice at the end (F2), quickly: within a turn only `removed` takes cards away."""
        points = self._points - sum(self.cards.cards[name].points for name in me["removed"])
        return points + self.cards.score.risk_die * me["risk"]

    def _falling(self, me: Driver) -> int:
        """Markers on the card that falls now (V2), and on later ones."""
        space = self.cards.spaces[me["space"]]
        here = me["markers"].get(str(self.round), 0)
        speed = here * space.speed * 100
        gained = min(me["popularity"] + here * space.popularity, self.cards.limits.popularity) - me["popularity"]
        later = sum(me["markers"].values()) - here
        each = self.weigh["popularity"] if self.left else 0  # at the end `_popularity` counts it
        return speed + gained * each + later * self.weigh["marker"]

    def _popularity(self, me: Driver) -> int:
        """Popularity by the piece, for being first at the end (F3), and for the popularity die (D1)."""
        has = me["popularity"]
        if not self.left:
            space = self.cards.spaces[me["space"]]
            gained = me["markers"].get(str(self.round), 0) * space.popularity
            has = min(has + gained, self.cards.limits.popularity)
        more = sum(has > rival for rival in self.rivals)
        score = self.cards.score
        bonus = 0
        if has and self.rivals:
            best = max(self.rivals)
            first, second = 100 * score.popularity_first, 100 * score.popularity_second
            bonus = first if has >= best else second if more >= len(self.rivals) - 1 else 0
            if self.left:
                bonus = bonus * self.weigh["first_share"] // 100 + (self.weigh["holder"] if has > best else 0)
        elif has:
            bonus = 100 * score.popularity_first
        each = self.weigh["popularity"] if self.left else self.weigh["popularity_last"]
        return bonus + each * has

    def _damage(self, me: Driver) -> int:
        """Hits, tokens, and what the risk dice in the pool will bring in the rounds that are left."""
        weigh, limits = self.weigh, self.cards.limits
        rolls = me["risk"] * self.left
        coming = rolls * self.handy.hits // 100
        cost = weigh["hit"] * me["hits"] + weigh["token"] * me["flipped"]
        cost = cost * (self.left + 1) // (self.last + 1) + weigh["roll"] * rolls
        margin = (limits.damage_tokens - me["flipped"] + 1) * limits.damage_track - me["hits"]
        if 2 * coming >= margin:
            cost += weigh["wreck_near"] * (2 * coming - margin + 1)
        return cost

    def _ordered(self, me: Driver) -> int:
        """Cards that lie aside: their end points, and what they and those removed make of the deck."""
        names = _aside(me)
        total = self._deck(names, tuple(me["removed"]))
        return total + sum(100 * self.cards.cards[name].points for name in names) if names else total

    def _deck(self, ordered: tuple[str, ...], removed: tuple[str, ...]) -> int:
        """What the deck brings in the rounds that are left, with cards ordered and without those removed.

        The best part of the cards comes to be used: each bad one that lies among them makes the good ones rarer. Some
        are worth more the more cards are removed.
        """
        found = self._decks.get((ordered, removed))
        if found is None:
            left = self._owned.copy()
            left.update(ordered)
            left.subtract(removed)
            worth = sorted((self.handy.usual(card, len(removed)) for card in left.elements()), reverse=True)
            dice = facts().player_dice * self.weigh["dice_used"]
            found = _best(worth, self.weigh["cards_used"]) * dice * max(2 * self.left - 1, 0) // 20000
            self._decks[ordered, removed] = found
        return found

    def _keys(self, turn: Turn) -> int:
        """Keys: spent on the best cards that they buy, or kept."""
        me = turn.me
        key = (_aside(me), tuple(me["removed"]))
        table = self._spending.get(key)
        if table is None:
            table = self._spending[key] = self._spent(*key, turn)
        return table[min(me["keys"], len(table) - 1)]

    def _spent(self, names: tuple[str, ...], removed: tuple[str, ...], turn: Turn) -> tuple[int, ...]:
        dearer = int(turn.flipped(facts().tokens.dearer_cards))
        base = self._deck(names, removed)
        each = self.weigh["key"] if self.left > 1 else self.weigh["key_late"] if self.left else 0
        best = [each * keys for keys in range(self.cards.limits.keys + 1)]
        offers = []
        for pile in self._piles:
            if turn.left_of(pile) > 0:
                gain = self._deck(tuple(sorted((*names, pile))), removed) - base + 100 * self.cards.cards[pile].points
                offers.append((self.cards.cards[pile].cost + dearer, gain))
        for keys in range(len(best)):
            for cost, gain in offers:
                if 0 < cost <= keys:
                    best[keys] = max(best[keys], best[keys - cost] + gain)
        return tuple(best)

    def _later(self, me: Driver, first: int) -> int:
        """What traction brings on the stage cards from `first` on, beyond what later rounds would bring alone."""
        key = (me["star"], me["flipped"] >= facts().tokens.dearer_markers, tuple(me["markers"].items()), first)
        ladder = self._ladders.get(key)
        if ladder is None:
            ladder = self._ladders[key] = self._ladder(me, first)
        return _climbed(ladder, 100 * me["traction"] + self.weigh["income"] * self.left)

    def _ladder(self, me: Driver, first: int) -> Ladder:
        """Markers that can still be placed, the cheapest first."""
        limits, weigh = self.cards.limits, self.weigh
        dearer = int(me["flipped"] >= facts().tokens.dearer_markers)
        stars = [number for number in range(first, self.last + 1) if self.stage[number - 1].star]
        opens = min(stars) - limits.open_stage_cards + 1 if stars else self.last + 1
        steps: list[tuple[int, int]] = []
        for number in range(first, self.last + 1):
            there = me["markers"].get(str(number), 0)
            cost = 100 * (self.stage[number - 1].cost + dearer)
            likely = weigh["marker"] - weigh["marker_far"] * (number - first)
            most = limits.markers_on_card_star if me["star"] else limits.markers_on_card
            steps += [(cost, likely)] * max(most - there, 0)
            if not me["star"] and number >= opens:
                hoped = limits.markers_on_card_star - max(there, limits.markers_on_card)
                steps += [(cost, likely * weigh["star_hope"] // 100)] * max(hoped, 0)
        steps.sort(key=lambda one: one[0] * 1000 // max(one[1], 1))
        dear: list[int] = [0]
        worth: list[int] = [0]
        for cost, likely in steps:
            dear.append(dear[-1] + max(cost, 1))
            worth.append(worth[-1] + likely)
        return tuple(dear), tuple(worth)

    def _place(self, me: Driver) -> int:
        """Where the car stands for the next card."""
        space = self.cards.spaces[me["space"]]
        gives = self.weigh["space"] * space.speed + self.weigh["space_red"] * space.popularity
        if position_track.row(me["space"]) == ROWS["accelerate"]:
            gives += self.weigh["upper"]
        return gives * (1 + 2 * me["markers"].get(str(self.round + 1), 0))

    def _board(self, me: Driver) -> int:
        """Cards that stay on the board (Q1), against what could be played in their place."""
        total, removed = 0, len(me["removed"])
        usual = self._middling.get(removed)
        if usual is None:
            worth = sorted((self.handy.usual(card, removed) for card in self._owned.elements()), reverse=True)
            usual = self._middling[removed] = worth[len(worth) // 3] if worth else 0
        last = self.cards.slots[-1]
        for slot, laid in me["board"].items():
            if slot != last:
                total += (0 if laid["covered"] else self.handy.usual(laid["card"], removed)) - usual
        return total * self.weigh["board"] // 100

    def _dice(self, turn: Turn) -> int:
        """What the active dice may open, tuned where that pays."""
        me = turn.me
        if not me["dice"]:
            return 0
        now = self.handy.now(turn)
        hand = max((now(card, ANY, PLAYER) for card in me["hand"]), default=0)
        total, key, keys, board = 0, self.weigh["key"], me["keys"], me["board"]
        for die in me["dice"]:
            best, kind, value = 0, die[0], int(die[1])
            for slot, number in self._slots:
                pips = abs(number - value)
                if pips > keys or (pips and kind == POPULARITY):
                    continue
                laid = board.get(slot)
                if laid is None:
                    worth = hand - key * pips
                else:
                    worth = 0 if laid["covered"] else now(laid["card"], slot, kind) - key * pips
                if worth > best:
                    best = worth
            total += best
        return total * self.weigh["hope"] // 100

    def _ghost(self, turn: Turn) -> int:
        """What the ghost scores with the dice that are not blocked (G5)."""
        pairs = turn.ghost["dice"] if turn.ghost is not None else []
        return sum(self.weigh["ghost_hit"] * int(pair["face"][0]) for pair in pairs if not pair["blocked"])


def _aside(me: Driver) -> tuple[str, ...]:
    """The names of the cards ordered, sorted."""
    return tuple(sorted([one["card"] for one in me["aside"]])) if me["aside"] else ()


def _rivals(table: Table, name: str) -> list[int]:
    """The popularity of the others as it was to see when the round opened (S3)."""
    seen = [one["popularity"] for other, one in table["opened"].items() if other != name and one["phase"] != OUT]
    return [*seen, table["ghost"]["popularity"]] if table["ghost"] is not None and name != GHOST else seen


def _climbed(ladder: Ladder, supply: int) -> int:
    """The worth of a supply: whole steps, and a part of the next one."""
    dear, worth = ladder
    place = bisect_right(dear, supply) - 1
    if place + 1 >= len(dear):
        return worth[-1]
    part = (worth[place + 1] - worth[place]) * (supply - dear[place]) // (dear[place + 1] - dear[place])
    return worth[place] + part


def _best(worth: list[int], share: int) -> int:
    """The mean of the best cards, in hundredths: so many hundredths of all, three at least. `worth` begins with the
    best.
    """
    most = max(len(worth) * share, 100 * LEAST_IN_USE)
    whole, part = divmod(most, 100)
    rest = part * worth[whole] if whole < len(worth) else 0
    return 100 * (100 * sum(worth[:whole]) + rest) // most

"""A codriver's estimate of the value of a position, in hundredths of a point. It reads nothing sealed of others (S3).

Each position has two estimates: `settled` is its value if the turn ended now, `hoped` adds what the active dice may
still bring. Markers of later rounds are estimated with a ladder: a sorted list of the markers that can be placed, the
best value for its price first, as far as the traction of this and later rounds pays for them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from engine.dust.cards.card_set import CardSet
from engine.dust.cards.effects import ROWS
from engine.dust.codriver.card_values import ANY, CardValues, Weights
from engine.dust.codriver.position_keys import PositionKeys
from engine.dust.facts import codrivers, facts
from engine.dust.state import GHOST, OUT, PLAYER, POPULARITY, Driver, Table
from engine.dust.turn import position_track
from engine.dust.turn.step_context import Turn

LEAST_IN_USE = 3
"""The least number of cards that are counted as used, even in the smallest deck."""

Ladder = tuple[tuple[int, ...], tuple[int, ...]]
"""Two cumulative sums, with one step for each marker: the traction paid, and the value gained."""


def weights(manner: str) -> Weights:
    """Return the weights of a manner: those of `[planned]`, with the changes of the manner."""
    return {**codrivers()["planned"], **codrivers().get(manner, {})}


class Outlook:
    """The estimates for the positions of one driver in one round. Values fixed in the round are computed once."""

    def __init__(self, table: Table, name: str, cards: CardSet, weigh: Weights) -> None:
        self.weigh = weigh
        self.cards = cards
        self.name = name
        self.round = table["round"]
        self._opened, self._table_piles = table["opened"], table["piles"]
        self.left = table["cards"] - table["round"]
        self.stage = cards.stages[table["stage"]].cards[: table["cards"]]
        self.last = table["cards"]
        me = table["drivers"][name]
        self.card_values = CardValues(cards, weigh, self.left, len(me["removed"]))
        self.rivals = _rivals(table, name)
        self._ladders: dict[tuple[bool, bool, tuple[tuple[str, int], ...], int], Ladder] = {}
        self._decks: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        self._spending: dict[tuple[tuple[str, ...], tuple[str, ...], bool], tuple[int, ...]] = {}
        self._owned = _owned(me)
        """The driver's cards by name, removed ones included. A turn does not change them."""
        self._points = sum(cards.cards[card].points * copies for card, copies in self._owned.items())
        self._usual_on_board: dict[int, int] = {}
        self.keys = PositionKeys()
        self._best_of_dice: dict[tuple[tuple[object, ...], str, int], int] = {}
        self._slot_values: dict[tuple[tuple[object, ...], str], list[tuple[int, int, bool]]] = {}
        self._parts: dict[tuple[object, ...], int] = {}
        self._tractions: dict[tuple[int, int, bool, int], tuple[int, int]] = {}
        self._slots = [(slot, int(slot)) for slot in cards.slots]
        self._piles = [pile for pile in table["pool"] if table["piles"].get(pile, 0) > 0]

    def holds_for(self, table: Table) -> bool:
        """Return whether this is also the outlook of a later position of the driver. It is until the round closes or a
        character is chosen, and on the training stage until cards are delivered (T3).
        """
        same = table["opened"] is self._opened and table["piles"] is self._table_piles
        return same and _owned(table["drivers"][self.name]) == self._owned

    def estimates(self, turn: Turn) -> tuple[int, int]:
        """Return `hoped` and `settled`."""
        settled = self.settled(turn)
        me = turn.me
        if me["phase"] == OUT:
            return settled, settled
        now, then = self._traction(me)
        return settled + max(now - then, 0) + self._dice_value(turn), settled

    def hoped(self, turn: Turn) -> int:
        """Return the value of the position with its dice, keys and traction, which this turn can still use."""
        return self.estimates(turn)[0]

    def settled(self, turn: Turn) -> int:
        """Return the value of the position if the turn ends now. Each part is computed once for what it depends on."""
        me, parts = turn.me, self._parts
        if me["phase"] == OUT:
            return -self.weigh["wrecked"]
        track = ("track", me["space"], me["popularity"], id(me["markers"]))
        damage = ("damage", me["risk"], me["hits"], me["flipped"])
        cards = ("cards", id(me["aside"]), id(me["removed"]), me["keys"], me["flipped"])
        total = 100 * me["speed"]
        total += parts[track] if track in parts else self._keep(track, self._on_track(me), me["markers"])
        total += parts[damage] if damage in parts else self._keep(damage, self._damaged(me))
        if cards in parts:
            total += parts[cards]
        else:
            total += self._keep(cards, self._in_cards(turn), me["aside"], me["removed"])
        if turn.ghost is not None:
            total -= self._ghost(turn)
        if self.left:
            board = ("board", id(me["board"]), len(me["removed"]))
            total += parts[board] if board in parts else self._keep(board, self._board(me), me["board"])
            total += self._traction(me)[1]
        return total

    def _keep(self, key: tuple[object, ...], value: int, *by_id: object) -> int:
        """Keep a part of an estimate, and the lists and dicts whose ids are in its key (see `PositionKeys`)."""
        self._parts[key] = value
        self.keys.kept += by_id
        return value

    def _on_track(self, me: Driver) -> int:
        """Return the value of the car's space, markers and popularity."""
        return self._marker_value(me) + self._popularity(me) + (self._place(me) if self.left else 0)

    def _damaged(self, me: Driver) -> int:
        """Return the value of damage and of risk dice, below 0."""
        return 100 * self.cards.score.risk_die * me["risk"] - self._damage(me)

    def _in_cards(self, turn: Turn) -> int:
        """Return the value of owned, removed and ordered cards, and of the keys that buy more."""
        me = turn.me
        kept = self.weigh["removed"] * len(me["removed"]) if self.left else 0
        return 100 * self._ends(me) + self._ordered(me) + self._keys(turn) - kept

    def _traction(self, me: Driver) -> tuple[int, int]:
        """Return the value of traction for markers of this and later rounds, and of later rounds only."""
        key = (me["traction"], id(me["markers"]), me["star"], me["flipped"])
        found = self._tractions.get(key)
        if found is None:
            then = self._traction_value(me, self.round + 1) if self.left else 0
            found = self._tractions[key] = (self._traction_value(me, self.round), then)
            self.keys.kept.append(me["markers"])
        return found

    def _dice_value(self, turn: Turn) -> int:
        me = turn.me
        if not me["dice"]:
            return 0
        lists = id(me["dice"]), id(me["hand"]), id(me["board"])
        key = ("dice", *lists, me["keys"], me["space"], me["risk"], len(me["removed"]))
        found = self._parts.get(key)
        return found if found is not None else self._keep(key, self._dice(turn), me["dice"], me["hand"], me["board"])

    # Parts of the estimate

    def _ends(self, me: Driver) -> int:
        """Return the points of cards at the end (F2). Within a turn only `removed` takes cards away."""
        return self._points - sum(self.cards.cards[name].points for name in me["removed"])

    def _marker_value(self, me: Driver) -> int:
        """Return the value of markers on the stage card of this round (V2) and on later ones."""
        space = self.cards.spaces[me["space"]]
        here = me["markers"].get(str(self.round), 0)
        speed = here * space.speed * 100
        gained = min(me["popularity"] + here * space.popularity, self.cards.limits.popularity) - me["popularity"]
        later = sum(me["markers"].values()) - here
        each = self.weigh["popularity"] if self.left else 0  # in the last round `_popularity` counts it
        return speed + gained * each + later * self.weigh["marker"]

    def _popularity(self, me: Driver) -> int:
        """Return the value of popularity: for each point, for being first or second at the end (F3), and for the
        popularity die (D1).
        """
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
        """Return the cost of hits, of flipped tokens, and of rolling the risk dice in the pool in the rounds left."""
        weigh, limits = self.weigh, self.cards.limits
        rolls = me["risk"] * self.left
        coming = rolls * self.card_values.hits // 100
        cost = weigh["hit"] * me["hits"] + weigh["token"] * me["flipped"]
        cost = cost * (self.left + 1) // (self.last + 1) + weigh["roll"] * rolls
        margin = (limits.damage_tokens - me["flipped"] + 1) * limits.damage_track - me["hits"]
        if 2 * coming >= margin:
            cost += weigh["wreck_near"] * (2 * coming - margin + 1)
        return cost

    def _ordered(self, me: Driver) -> int:
        """Return the value of ordered cards: their end points, and the value of the deck with them and without removed
        cards.
        """
        names = _ordered_names(me)
        total = self._deck(names, tuple(me["removed"]))
        return total + sum(100 * self.cards.cards[name].points for name in names) if names else total

    def _deck(self, ordered: tuple[str, ...], removed: tuple[str, ...]) -> int:
        """Return the value of the deck in the rounds left, with the ordered cards and without the removed ones.

        Only the best part of the cards is counted as used. Each bad card in the deck makes the good cards rarer. Some
        cards gain value with each removed card.
        """
        found = self._decks.get((ordered, removed))
        if found is None:
            left = self._owned.copy()
            left.update(ordered)
            left.subtract(removed)
            worth = sorted((self.card_values.usual(card, len(removed)) for card in left.elements()), reverse=True)
            dice = facts().player_dice * self.weigh["dice_used"]
            found = _best(worth, self.weigh["cards_used"]) * dice * max(2 * self.left - 1, 0) // 20000
            self._decks[ordered, removed] = found
        return found

    def _keys(self, turn: Turn) -> int:
        """Return the value of the keys: spent on the best cards that they can buy, or kept."""
        me = turn.me
        dearer = turn.flipped(facts().tokens.dearer_cards)
        key = (_ordered_names(me), tuple(me["removed"]), dearer)
        table = self._spending.get(key)
        if table is None:
            table = self._spending[key] = self._best_spending(*key, turn)
        return table[min(me["keys"], len(table) - 1)]

    def _best_spending(
        self, names: tuple[str, ...], removed: tuple[str, ...], dearer: bool, turn: Turn
    ) -> tuple[int, ...]:
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

    def _traction_value(self, me: Driver, first: int) -> int:
        """Return the value of markers on the stage cards from `first` on, paid with the traction of now and of the
        income of later rounds.
        """
        key = (me["star"], me["flipped"] >= facts().tokens.dearer_markers, tuple(me["markers"].items()), first)
        ladder = self._ladders.get(key)
        if ladder is None:
            ladder = self._ladders[key] = self._ladder(me, first)
        return _climbed(ladder, 100 * me["traction"] + self.weigh["income"] * self.left)

    def _ladder(self, me: Driver, first: int) -> Ladder:
        """Return the ladder of the markers that can still be placed, the best value for its price first."""
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
        """Return the value of the car's space for the next stage card."""
        space = self.cards.spaces[me["space"]]
        gives = self.weigh["space"] * space.speed + self.weigh["space_red"] * space.popularity
        if position_track.row(me["space"]) == ROWS["accelerate"]:
            gives += self.weigh["upper"]
        return gives * (1 + 2 * me["markers"].get(str(self.round + 1), 0))

    def _board(self, me: Driver) -> int:
        """Return the value of the cards that stay on the board (Q1), compared with a usual card in their place."""
        total, removed = 0, len(me["removed"])
        usual = self._usual_on_board.get(removed)
        if usual is None:
            worth = sorted((self.card_values.usual(card, removed) for card in self._owned.elements()), reverse=True)
            usual = self._usual_on_board[removed] = worth[len(worth) // 3] if worth else 0
        last = self.cards.slots[-1]
        for slot, laid in me["board"].items():
            if slot != last:
                total += (0 if laid["covered"] else self.card_values.usual(laid["card"], removed)) - usual
        return total * self.weigh["board"] // 100

    def _dice(self, turn: Turn) -> int:
        """Return the value of what the active dice may open, with tuning when it pays."""
        me = turn.me
        total, keys = 0, me["keys"]
        best = self._best_of_dice
        scene = (id(me["board"]), id(me["hand"]), me["space"], me["risk"], len(me["removed"]))
        for die in me["dice"]:
            found = best.get((scene, die, keys))
            if found is None:
                found = best[scene, die, keys] = self._die(turn, die, self._on_slots(turn, scene, die[0]))
            total += found
        return total * self.weigh["hope"] // 100

    def _die(self, turn: Turn, die: str, slots: list[tuple[int, int, bool]]) -> int:
        """Return the best value that an active die may open, with tuning when it pays."""
        best, kind, value = 0, die[0], int(die[1])
        key, keys = self.weigh["key"], turn.me["keys"]
        for number, worth, usable in slots:
            pips = abs(number - value)
            if pips > keys or not usable or (pips and kind == POPULARITY):
                continue
            best = max(best, worth - key * pips)
        return best

    def _on_slots(self, turn: Turn, scene: tuple[object, ...], kind: str) -> list[tuple[int, int, bool]]:
        """Return for each slot its number, what a die of a kind opens there, and whether it opens anything."""
        found = self._slot_values.get((scene, kind))
        if found is None:
            me, now = turn.me, self.card_values.now(turn)
            hand = max((now(card, ANY, PLAYER) for card in me["hand"]), default=0)
            found = []
            for slot, number in self._slots:
                laid = me["board"].get(slot)
                usable = laid is None or not laid["covered"]
                found.append((number, hand if laid is None else now(laid["card"], slot, kind), usable))
            self._slot_values[scene, kind] = found
        return found

    def _ghost(self, turn: Turn) -> int:
        """Return the value of the ghost's score with the dice that are not blocked (G5)."""
        pairs = turn.ghost["dice"] if turn.ghost is not None else []
        return sum(self.weigh["ghost_hit"] * int(pair["face"][0]) for pair in pairs if not pair["blocked"])


def _owned(me: Driver) -> Counter[str]:
    """Return the driver's cards by name, removed ones included."""
    laid = (laid["card"] for laid in me["board"].values())
    return Counter([*me["hand"], *me["deck"], *me["top"], *me["discard"], *me["removed"], *laid])


def _ordered_names(me: Driver) -> tuple[str, ...]:
    """Return the names of the ordered cards, sorted."""
    return tuple(sorted([one["card"] for one in me["aside"]])) if me["aside"] else ()


def _rivals(table: Table, name: str) -> list[int]:
    """Return the popularity of the others as it was visible when the round opened (S3)."""
    seen = [one["popularity"] for other, one in table["opened"].items() if other != name and one["phase"] != OUT]
    return [*seen, table["ghost"]["popularity"]] if table["ghost"] is not None and name != GHOST else seen


def _climbed(ladder: Ladder, supply: int) -> int:
    """Return the value that a supply of traction reaches on a ladder: whole steps, and a share of the next one."""
    dear, worth = ladder
    place = bisect_right(dear, supply) - 1
    if place + 1 >= len(dear):
        return worth[-1]
    part = (worth[place + 1] - worth[place]) * (supply - dear[place]) // (dear[place + 1] - dear[place])
    return worth[place] + part


def _best(worth: list[int], share: int) -> int:
    """Return the mean value of the best cards, times 100. `share` is the percentage of all cards that counts, but at
    least three cards count. `worth` is sorted, the best first.
    """
    most = max(len(worth) * share, 100 * LEAST_IN_USE)
    whole, part = divmod(most, 100)
    rest = part * worth[whole] if whole < len(worth) else 0
    return 100 * (100 * sum(worth[:whole]) + rest) // most

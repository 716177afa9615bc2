"""All plans of a turn of the last round that draw nothing, and the points of the best one.

A position is tried once: `_key` is equal for positions that differ in nothing that the rest of the turn looks at. Steps
that lose nothing by waiting are tried only where they count:

- a card is played directly before it is used, and a die tuned directly before that; earlier only where an effect may
  choose the card, or where keys would be lost (D6);
- cards are bought at the end, by what they give for the keys; earlier only where keys would be lost;
- the car steers at the end; earlier only where an effect or an order looks at its place, or traction would be lost;
- an effect that only gains is done at once, unless a part would be lost: more is never worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.dust.cards.effects import ROWS, Effect
from engine.dust.cards.operations import DIRECTIONS, Gain
from engine.dust.codriver.position_keys import PositionKeys
from engine.dust.facts import facts
from engine.dust.last_round import relevance
from engine.dust.last_round.endings import Endings, worthy
from engine.dust.last_round.relevance import Relevance
from engine.dust.state import DRIVE
from engine.dust.turn import driving, position_track, resolving, stepping, steps
from engine.dust.turn.arguments import may_show
from engine.dust.turn.step_context import NoChance, Turn

NEVER = -(10**6)
"""The points of what cannot be done without a draw."""
LOOKED_AT = frozenset({relevance.TARGETS, relevance.EMPTY, relevance.RETURN})

Words = tuple[str, ...]


class TooMany(Exception):
    """Raised when there are more positions than may be tried."""


class Beginning(NamedTuple):
    """A way to begin a turn: its first steps, and the points of the best plan that begins so."""

    points: int
    steps: Words


class PlanSearch:
    """The plans of one driver in a position of the last round in which no roll is pending. `most`: how many positions
    may be tried.
    """

    def __init__(self, root: Turn, *, most: int) -> None:
        self.root = root
        self.cards = root.cards
        self.most = most
        self.endings = Endings(root.table, root.name, root.cards)
        self.relevance = Relevance(root.table, root.cards)
        self.number = str(root.table["round"])
        self.tried: dict[tuple[object, ...], int] = {}
        self._enough = max([1, *self.endings.rivals])
        """More popularity than this gives no more points where no effect takes any, and no ghost drives (F3)."""
        self._boards = PositionKeys()

    def points(self) -> int:
        """Return the points of the best plan.

        Raises: TooMany when there are too many positions.
        """
        return self._points(self.root)

    def beginnings(self) -> list[Beginning]:
        """Return every way to begin, the best first. To end at once is one of them.

        Raises: TooMany when there are too many positions.
        """
        points, last = self._ended(self.root)
        found = [Beginning(points, (*last, steps.END))]
        found += [Beginning(self._after(self.root, words), words) for words in self._next(self.root)]
        return sorted((one for one in found if one.points > NEVER), key=lambda one: -one.points)

    def plan(self, begun: Words = ()) -> Words:
        """Return the steps of the best plan that begins so, up to `end`."""
        turn, words = self.root, list(begun)
        for step in begun:
            turn = _carried_out(turn, step)
        while turn.me["phase"] == DRIVE:
            turn, gained = self._gained(turn)
            words += gained
            here = self._points(turn)
            if turn.me["open"] is None:
                last = self._ended(turn)
                if last[0] == here:
                    return (*words, *last[1], steps.END)
            following = next(one for one in self._next(turn) if self._after(turn, one) == here)
            words += following
            for step in following:
                turn = _carried_out(turn, step)
        return tuple(words)

    # Values ---------------------------------------------------------------------------------------

    def _points(self, turn: Turn) -> int:
        if turn.me["open"] is not None:
            turn, _words = self._gained(turn)
        basis, key = self.endings.basis(turn), self._key(turn)
        found = self.tried.get(key)
        if found is None:
            if len(self.tried) >= self.most:
                raise TooMany
            self.tried[key] = NEVER
            best = NEVER if turn.me["open"] is not None else self._ended(turn)[0]
            for words in self._next(turn):
                best = max(best, self._after(turn, words))
            found = self.tried[key] = best - basis
        return max(NEVER, found + basis)

    def _after(self, turn: Turn, words: Words) -> int:
        """Return the points of the best plan after steps; NEVER when the last one draws."""
        try:
            for step in words:
                turn = _carried_out(turn, step)
        except NoChance:
            return NEVER
        return self._points(turn)

    def _ended(self, turn: Turn) -> tuple[int, Words]:
        """Return the points if the turn ends now, and the steps before `end`: the last steering (A1) and purchases."""
        best = self.endings.points(turn), Words()
        for words in self._steers(turn):
            points = self.endings.points(_carried_out(turn, words[0]))
            if points > best[0]:
                best = points, words
        return best[0], (*best[1], *(f"{steps.BUY} {card}" for card in self.endings.purchase(turn).cards))

    def _key(self, turn: Turn) -> tuple[object, ...]:
        me, at = turn.me, self.relevance.of(turn)
        opened, popularity = me["open"], me["popularity"]
        if relevance.PAYS not in at and turn.ghost is None:
            popularity = min(popularity, self._enough)
        hand, board = self._cards_that_matter(turn, at)
        slot = opened["slot"] if opened is not None and at & {relevance.TARGETS, relevance.THIS} else None
        return (
            me["space"],
            popularity,
            me["keys"],
            me["traction"],
            me["risk"] if relevance.RISK in at else 0,
            me["star"],
            tuple(me["dice"]),
            hand,
            board,
            tuple(me["removed"]) if at & {relevance.RETURN, relevance.REMOVED} else (),
            me["markers"].get(self.number, 0),
            tuple([one["card"] for one in me["aside"] if self._runs_out(turn, one["card"])]) if me["aside"] else (),
            tuple(sorted(me["passives"].items())) if relevance.PASSIVE in at else (),
            tuple([pair["blocked"] for pair in turn.ghost["dice"]]) if turn.ghost is not None else (),
            (opened["card"], opened["die"] if relevance.SLOTS in at else "", slot, *opened["left"]) if opened else (),
        )

    def _cards_that_matter(self, turn: Turn, at: frozenset[str]) -> tuple[object, object]:
        """Return what of the hand and of the board the rest of the turn may look at."""
        me = turn.me
        if relevance.DICE not in at and not at & {relevance.TARGETS, relevance.EMPTY, relevance.THIS}:
            if relevance.PASSIVE not in at:
                return (), ()
            usable, board = self.relevance.of_passives, me["board"]
            laid = sorted(
                (one["card"], one["used"]) for one in board.values() if one["card"] in usable and not one["covered"]
            )
            hand = [card for card in me["hand"] if card in usable]
            return tuple(hand), (len(board) < len(self.cards.slots), *laid)
        board_key = self._boards.board(me["board"])
        changes = {relevance.TURNS, relevance.KEYS} & self.relevance.of_stage_card if relevance.PLACE in at else ()
        if len(me["dice"]) != 1 or me["open"] is not None or changes or at & LOOKED_AT or relevance.PASSIVE in at:
            return tuple(me["hand"]), board_key
        near = [slot for slot in self.cards.slots if _pips(turn, me["dice"][0], slot) <= me["keys"]]
        in_reach = tuple([one for one in board_key if one[0] in near])
        return tuple(sorted(set(me["hand"]))) if len(in_reach) < len(near) else (), in_reach

    def _runs_out(self, turn: Turn, card: str) -> bool:
        """Return whether the rest of a pile may be too small for what keys can buy."""
        return turn.left_of(card) * driving.price(turn, card) < self.cards.limits.keys

    # Steps ----------------------------------------------------------------------------------------

    def _gained(self, turn: Turn) -> tuple[Turn, Words]:
        """Return the turn after the effects of the open card that only gain, and these steps."""
        words: list[str] = []
        while (number := self._sure_gain(turn)) is not None:
            turn = turn.fork()
            driving.do_gain(turn, number)
            words.append(f"{steps.DO} {number}")
        return turn, tuple(words)

    def _sure_gain(self, turn: Turn) -> int | None:
        """Return the number of an effect that only gains, now or never as much. On a stage card it must be the first
        that can be done (N4).
        """
        opened = turn.me["open"]
        if opened is None:
            return None
        effects, on_stage = driving.effects_of(turn, opened), driving.on_stage(opened)
        if any(one.payment and one.payment.amount is None for one in (effects[left - 1] for left in opened["left"])):
            return None
        for number in opened["left"]:
            effect = effects[number - 1]
            if resolving.holds(turn, effect):
                if effect.gains and self._fits(turn, effect):
                    return number
                if on_stage:
                    return None
        return None

    def _fits(self, turn: Turn, effect: Effect) -> bool:
        """Return whether gains have a fixed amount and no limit cuts them (D6)."""
        limits = self.cards.limits
        most = {"keys": limits.keys, "traction": limits.traction, "popularity": limits.popularity}
        total: dict[str, int] = {}
        for one in effect.operations:
            if not isinstance(one, Gain) or one.thing is not None:
                return False
            total[one.resource] = total.get(one.resource, 0) + one.amount
        return all(what == "speed" or turn.has(what) + amount <= most[what] for what, amount in total.items())

    def _next(self, turn: Turn) -> Iterator[Words]:
        """Yield the groups of steps to try next. The last step of a group may draw; then it is not carried out."""
        if turn.me["open"] is not None:
            yield from self._with_a_card_open(turn)
            return
        at = self.relevance.of(turn)
        yield from self._uses(turn, at)
        if relevance.PASSIVE in at:
            yield from self._passives(turn, at)
        yield from self._plays(turn, at)
        if self.relevance.may_place(turn, star=turn.me["star"]) and (
            turn.me["traction"] >= driving.marker_price(turn, self.relevance.stage_card)
        ):
            yield (f"{steps.PLACE} {self.number}",)
        full = turn.me["traction"] + self.relevance.most["traction"] > self.cards.limits.traction
        if relevance.CAR in at or (full and at):
            yield from (words for words in self._steers(turn) if words[0].endswith(" 1"))
        yield from self._blocks(turn)
        if relevance.LOSES in at or turn.me["keys"] + self.relevance.most["keys"] > self.cards.limits.keys:
            yield from self._thrift(turn)

    def _with_a_card_open(self, turn: Turn) -> Iterator[Words]:
        opened = turn.me["open"]
        assert opened is not None, "a card is open"
        effects, on_stage = driving.effects_of(turn, opened), driving.on_stage(opened)
        if not driving.mandatory_left(turn, opened):
            yield (steps.DONE,)
        tried = turn.fork()
        tried.this = opened["slot"]
        for number in opened["left"]:
            if not on_stage or not driving.mandatory_left(turn, opened, before=number):
                for words in resolving.ways(tried, effects[number - 1]):
                    yield (" ".join((steps.DO, str(number), *words)),)

    def _uses(self, turn: Turn, at: frozenset[str]) -> Iterator[Words]:
        """Yield each die on each card that it can open. Where nothing else can ask for the slot, the last die plays a
        card on the nearest empty one.
        """
        me, slots = turn.me, self.cards.slots
        hand = [card for card in sorted(set(me["hand"])) if turn.card(card).by_die()]
        last = len(me["dice"]) == 1 and not at & {relevance.TARGETS, relevance.PASSIVE}
        for die in sorted(set(me["dice"])):
            near = [(pips, slot) for slot in slots if (pips := _pips(turn, die, slot)) <= me["keys"]]
            empty = [(pips, slot) for pips, slot in near if slot not in me["board"]]
            for pips, slot in near:
                tuned = (f"{steps.TUNE} {die}={slot}",) if pips else ()
                used = f"{steps.USE} {slot} {die[0]}"
                laid = me["board"].get(slot)
                if laid is None:
                    for card in hand:
                        asked = relevance.SLOTS in self.relevance.of_cards[card]
                        if asked or not last or (pips, slot) == min(empty):
                            yield (*tuned, f"{steps.PLAY} {card} {slot}", used)
                elif not laid["covered"] and turn.card(laid["card"]).by_die():
                    yield (*tuned, used)

    def _passives(self, turn: Turn, at: frozenset[str]) -> Iterator[Words]:
        """Yield the uses of passive effects (A4). Where nothing can ask for the slot, a card returns to one of them."""
        seen = set[Words]()
        slots_count = at & {relevance.DICE, relevance.TARGETS, relevance.EMPTY}
        for slot, laid in turn.me["board"].items():
            effect = None if laid["covered"] else turn.card(laid["card"]).passive()
            if effect is None or effect.voids or resolving.spent(turn, slot):
                continue
            for words in resolving.passive_ways(turn, slot, effect):
                alike = (slot, *(words if slots_count else [word for word in words if word not in self.cards.slots]))
                if alike not in seen:
                    seen.add(alike)
                    yield (" ".join((steps.PASSIVE, slot, *words)),)

    def _plays(self, turn: Turn, at: frozenset[str]) -> Iterator[Words]:
        """Yield cards that are played without being used: for their passive effect, or as the target of an effect."""
        empty = [slot for slot in self.cards.slots if slot not in turn.me["board"]]
        for card in sorted(set(turn.me["hand"])):
            if relevance.TARGETS in at:
                yield from ((f"{steps.PLAY} {card} {slot}",) for slot in empty)
            elif card in self.relevance.of_passives and relevance.PASSIVE in at:
                slots = empty if turn.me["dice"] else empty[:1]
                yield from ((f"{steps.PLAY} {card} {slot}",) for slot in slots)

    def _steers(self, turn: Turn) -> Iterator[Words]:
        """Yield how the car can steer (A1)."""
        me, each = turn.me, facts().steer_traction
        if position_track.row(me["space"]) != ROWS["brake"]:
            return
        for way in DIRECTIONS:
            for spaces in range(1, me["traction"] // each + 1):
                if position_track.moved(self.cards, me["space"], way, spaces):
                    yield (f"{steps.STEER} {way} {spaces}",)

    def _blocks(self, turn: Turn) -> Iterator[Words]:
        """Yield dice that block a pair of the ghost (G4), tuned to its value where needed."""
        for number, pair in enumerate(turn.ghost["dice"] if turn.ghost is not None else [], 1):
            for die in () if pair["blocked"] else sorted(set(turn.me["dice"])):
                pips, shown = _pips(turn, die, pair["value"]), die[0] + pair["value"]
                if pips <= turn.me["keys"]:
                    tuned = (f"{steps.TUNE} {die}={pair['value']}",) if pips else ()
                    yield (*tuned, f"{steps.BLOCK} {number} {shown}")

    def _thrift(self, turn: Turn) -> Iterator[Words]:
        """Yield what spends keys that may be lost later: purchases, and tuned dice."""
        keys = turn.me["keys"]
        yield from ((f"{steps.BUY} {pile}",) for pile in worthy(turn) if driving.price(turn, pile) <= keys)
        for die in sorted(set(turn.me["dice"])):
            for slot in self.cards.slots:
                if 0 < _pips(turn, die, slot) <= keys:
                    yield (f"{steps.TUNE} {die}={slot}",)


def _pips(turn: Turn, die: str, slot: str) -> int:
    """Return how many keys it takes to turn a die to the value of a slot (A2, D5); more than anybody has where it may
    not.
    """
    pips = abs(int(slot) - int(die[1])) * facts().tune_keys
    return pips if not pips or may_show(turn, die[0], int(slot)) else turn.cards.limits.keys + 1


def _carried_out(turn: Turn, step: str) -> Turn:
    tried = turn.fork()
    stepping.act(tried, *steps.read(step))
    return tried

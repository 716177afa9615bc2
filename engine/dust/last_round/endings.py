"""The points of a driver whose turn of the last round ends now, and what the keys still buy.

What a driver can know counts: the others as they stood when the round opened (S3), with the markers that they had then,
as if they ended without a step. Their popularity (F3) is that after the assessment (V2). An order counts as filled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from engine.dust import closing, final_score
from engine.dust.cards.card_set import CardSet
from engine.dust.facts import facts
from engine.dust.state import DONE, OUT, Driver, Table
from engine.dust.turn import driving, stepping
from engine.dust.turn.step_context import Turn


def is_last_round(table: Table) -> bool:
    """Return whether the round that is driven is the last one (F1)."""
    return not table["over"] and table["round"] == table["cards"]


def played_out(turn: Turn) -> int:
    """Return the points of an ended turn by the rules: the round is closed (S4) and the game scored (F2, F3). A wrecked
    driver has none.
    """
    table, name = turn.table, turn.name
    before = table["drivers"] if table["training"] else table["opened"]
    others = {
        other: cast(Driver, {**one, "phase": OUT if one["phase"] == OUT else DONE, "aside": []})
        for other, one in before.items()
        if other != name
    }
    alone: Table = {**table, "drivers": {**others, name: turn.me}, "ghost": turn.ghost}
    alone["drivers"] = {other: alone["drivers"][other] for other in table["order"]}
    closed = closing.close(stepping.ended(alone, turn).before_closing, turn.cards)[0]
    return final_score.standings(closed, turn.cards)[name].points or 0


@dataclass(frozen=True, slots=True)
class Purchase:
    """What keys buy: the end points, and the cards."""

    points: int = 0
    cards: tuple[str, ...] = ()


class Endings:
    """The points of one driver in one round, by the position in which the turn ends. It is the same as `played_out`,
    and faster.
    """

    def __init__(self, table: Table, name: str, cards: CardSet) -> None:
        self.cards = cards
        self.number = str(table["round"])
        me = table["drivers"][name]
        held = [*me["hand"], *me["deck"], *me["top"], *me["discard"], *me["removed"]]
        held += [laid["card"] for laid in me["board"].values()]
        self._held = sum(cards.cards[card].points for card in held)
        before = table["drivers"] if table["training"] else table["opened"]
        self.rivals = [self._popularity(one) for other, one in before.items() if other != name and one["phase"] != OUT]
        self._bought: dict[tuple[int, bool, tuple[str, ...]], Purchase] = {}

    def _popularity(self, driver: Driver) -> int:
        """Return the popularity of a driver after the assessment (V2)."""
        gained = driver["markers"].get(self.number, 0) * self.cards.spaces[driver["space"]].popularity
        return min(driver["popularity"] + gained, self.cards.limits.popularity)

    def basis(self, turn: Turn) -> int:
        """Return the points that a position has already, and that nothing takes away but a wreck: speed points, end
        points of held and ordered cards, risk dice (F2).
        """
        me, points = turn.me, self.cards.cards
        total = me["speed"] + self._held + self.cards.score.risk_die * me["risk"]
        if me["removed"]:
            total -= sum(points[card].points for card in me["removed"])
        return total + sum(points[one["card"]].points for one in me["aside"])

    def points(self, turn: Turn) -> int:
        """Return the points if the turn ends now, and before it the keys buy what they can."""
        me = turn.me
        if me["phase"] == OUT:
            return 0
        here = me["markers"].get(self.number, 0) * self.cards.spaces[me["space"]].speed
        return self.basis(turn) + here + self._bonus(turn) + self.purchase(turn).points

    def _bonus(self, turn: Turn) -> int:
        """Return the points for popularity (F3)."""
        rivals, has, score = self.rivals, self._popularity(turn.me), self.cards.score
        if turn.ghost is not None:
            symbols = sum(int(pair["face"].partition("/")[2]) for pair in turn.ghost["dice"] if not pair["blocked"])
            rivals = [*rivals, min(turn.ghost["popularity"] + symbols, self.cards.limits.popularity)]
        before = {rival for rival in rivals if rival > has}
        if has < 1 or len(before) > 1:
            return 0
        return score.popularity_second if before else score.popularity_first

    def purchase(self, turn: Turn) -> Purchase:
        """Return what the keys buy for the most end points (B1, B2, F2), each copy of a pile once."""
        me = turn.me
        key = (me["keys"], turn.flipped(facts().tokens.dearer_cards), tuple([one["card"] for one in me["aside"]]))
        found = self._bought.get(key)
        if found is None:
            found = self._bought[key] = self._best_purchase(turn)
        return found

    def _best_purchase(self, turn: Turn) -> Purchase:
        best = [Purchase()] * (turn.me["keys"] + 1)
        for pile in worthy(turn):
            due, points = driving.price(turn, pile), turn.card(pile).points
            copies = turn.left_of(pile)
            for _copy in range(min(copies, turn.me["keys"] // due) if due else copies):
                with_one = [
                    Purchase(less.points + points, (*less.cards, pile)) for less in best[: max(len(best) - due, 0)]
                ]
                better = [
                    max(best[keys], with_one[keys - due], key=lambda one: one.points) if keys >= due else best[keys]
                    for keys in range(len(best))
                ]
                if better == best:
                    break
                best = better
        return best[-1]


def worthy(turn: Turn) -> list[str]:
    """Return the piles whose cards can be ordered and give end points."""
    return [pile for pile in turn.table["pool"] if turn.left_of(pile) > 0 and turn.card(pile).points > 0]

"""A codriver who plans the whole turn: a beam over actions, and steps that draw weighed over all that can come up.

A plan ends with `end` or with a step that draws: what follows a roll is planned after it (S9). A step that draws is
weighed by planning on from every outcome, in small, each with its exact chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.dust import driving, steps
from engine.dust.cards import CardSet
from engine.dust.codriver_actions import Actions, Draw, Position, answers, carry_out, like
from engine.dust.evaluation import Outlook, weights
from engine.dust.possible import outcomes
from engine.dust.preparation import hand_limit
from engine.dust.state import DRIVE, PREPARE, Table
from engine.dust.step_context import NoChance, Turn

DEEPEST = 40
"""Actions in a turn. More is none."""

FOLLOWED = (6, 3, 2)
"""Faces followed of the first, the second and each further draw of one step. One die is followed exactly."""


class Plan(NamedTuple):
    """Steps, and what they are worth."""

    worth: int
    steps: tuple[str, ...]


class Search:
    """The planning of one driver in one position."""

    def __init__(self, table: Table, name: str, cards: CardSet, manner: str) -> None:
        self.root = Turn(table, name, cards, None)
        self.outlook = Outlook(table, name, cards, weights(manner))
        self.weigh = self.outlook.weigh

    def steps(self) -> list[str]:
        """Return the next steps: up to the first that draws, or to the end of the turn."""
        me = self.root.me
        if me["phase"] == PREPARE:
            return [self._prepare()]
        if me["pending"] is not None:
            return [self._word()]
        actions = Actions(self.outlook, self._budget())
        plan = self._planned(self._begun(self.root, actions), actions, self.weigh["width"], self.weigh["draws"])
        return list(plan.steps)

    def _budget(self) -> int:
        """Positions to look at: fewer after many draws in one turn, so that a whole turn takes a bounded time."""
        drawn = sum(self.root.me["drawn"].values())
        return self.weigh["positions"] * self.weigh["draws_usual"] // max(drawn, self.weigh["draws_usual"])

    def _begun(self, turn: Turn, actions: Actions) -> list[Position]:
        """The quiet positions to plan from: an open card is ended first."""
        if turn.me["open"] is not None:
            return actions.resolved(turn, ())
        return [Position(turn, (), self.outlook.hoped(turn))]

    def _planned(self, begun: list[Position], actions: Actions, width: int, draws: int) -> Plan:
        """The best plan from these positions. `draws`: how many steps that draw are weighed by planning on."""
        beam = sorted(begun, key=lambda one: -one.worth)[:width]
        best: Plan | None = None
        seen = {like(one.turn) for one in beam}
        for _ in range(DEEPEST):
            for one in beam:
                if best is None or self.outlook.settled(one.turn) > best.worth:
                    best = Plan(self.outlook.settled(one.turn), self._ended(one))
            following: list[Position] = []
            for one in beam:
                for new in actions.of(one):
                    alike = like(new.turn)
                    if alike not in seen:
                        seen.add(alike)
                        following.append(new)
            if not following:
                break
            following.sort(key=lambda one: -one.worth)
            beam = following[:width]
        return self._drawn(best, actions.drawing, draws)

    def _drawn(self, best: Plan | None, drawing: Iterable[Draw], draws: int) -> Plan:
        """The best plan, or a step that draws where that promises more."""
        if not draws:
            if best is not None:
                return best
            return max((Plan(self._promise(one), one.steps) for one in drawing), key=lambda plan: plan.worth)
        promising = sorted(((self._promise(one), one) for one in drawing), key=lambda pair: -pair[0])
        for _, one in promising[:draws]:
            worth = self._weighed(one)
            if best is None or worth > best.worth:
                best = Plan(worth, one.steps)
        assert best is not None, "every position can be ended, or goes on with a step that draws"
        return best

    def _promise(self, draw: Draw) -> int:
        """What a step that draws promises at first sight: the mean of all outcomes."""
        return round(sum(chance * self._glance(turn) for chance, turn in outcomes(draw.turn, draw.steps[-1], FOLLOWED)))

    def _glance(self, turn: Turn) -> int:
        if turn.me["pending"] is not None:
            return max(self._answered(turn, answer)[0] for answer in answers(turn))
        return self.outlook.hoped(turn)

    def _answered(self, turn: Turn, answer: str) -> tuple[int, Turn]:
        """What is hoped after an answer to a roll (R6), and the turn; one that draws again counts as not answered."""
        tried = turn.fork()
        try:
            carry_out(tried, answer)
        except NoChance:
            return self.outlook.hoped(turn), turn
        return self.outlook.hoped(tried), tried

    def _weighed(self, draw: Draw) -> int:
        """What a step that draws is worth: the mean over all outcomes of a small plan from each."""
        return round(sum(chance * self._small(turn) for chance, turn in outcomes(draw.turn, draw.steps[-1], FOLLOWED)))

    def _small(self, turn: Turn) -> int:
        if turn.me["pending"] is not None:
            worth, turn = max((self._answered(turn, one) for one in answers(turn)), key=lambda found: found[0])
            if turn.me["pending"] is not None:
                return worth
        if turn.me["phase"] != DRIVE:
            return self.outlook.settled(turn)
        actions = Actions(self.outlook, self.weigh["positions_small"])
        return self._planned(self._begun(turn, actions), actions, self.weigh["width_small"], 0).worth

    def _ended(self, at: Position) -> tuple[str, ...]:
        """The steps of a plan with its purchases and `end`."""
        turn = at.turn.fork()
        words = list(at.steps)
        while (card := self._purchase(turn)) is not None:
            driving.buy(turn, card)
            words.append(f"{steps.BUY} {card}")
        return (*words, steps.END)

    def _purchase(self, turn: Turn) -> str | None:
        """The card whose purchase makes things better, if one does."""
        best, found = self.outlook.settled(turn), None
        have = turn.me["keys"]
        for card in turn.table["pool"]:
            if turn.left_of(card) > 0 and driving.price(turn, card) <= have:
                tried = turn.fork()
                driving.buy(tried, card)
                worth = self.outlook.settled(tried)
                if worth > best or (worth == best and found is None):
                    best, found = worth, card
        return found

    def _word(self) -> str:
        """`accept` or `void` (R6), whichever leaves more."""
        return max(answers(self.root), key=lambda answer: self._answered(self.root, answer)[0])

    def _prepare(self) -> str:
        """`prepare`, giving up the cards that are worse than what may be drawn (Q3)."""
        me, usual = self.root.me, self.outlook.handy.usual
        hand = sorted(me["hand"], key=lambda card: (usual(card), card))
        limit = hand_limit(self.root)
        given = hand[: max(len(hand) - limit, 0)]
        drawn = [*me["deck"], *me["top"]]
        if len(drawn) < limit:
            drawn += me["discard"]
        if drawn:
            mean = sum(usual(card) for card in drawn) // len(drawn)
            given += [card for card in hand[len(given) :] if usual(card) + self.weigh["keep"] < mean]
        return " ".join([steps.PREPARE, *sorted(given)])

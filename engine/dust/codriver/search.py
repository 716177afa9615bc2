"""A codriver that plans the whole turn: a beam search over actions, and a mean over all results of steps that draw.

A plan ends with `end` or with a step that draws, because the steps after a roll are chosen after it (S9). The value of
a step that draws is the mean of a small plan from each outcome, weighted by its chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.dust.cards.card_set import CardSet
from engine.dust.codriver.actions import Actions, Draw, Position, answers, carry_out
from engine.dust.codriver.evaluation import Outlook, weights
from engine.dust.codriver.step_outcomes import mean, outcomes
from engine.dust.state import DRIVE, PREPARE, Table
from engine.dust.turn import driving, steps
from engine.dust.turn.preparation import hand_limit
from engine.dust.turn.step_context import NoChance, Turn

DEEPEST = 40
"""The most actions in one plan. No turn needs more."""

FOLLOWED = (6, 3, 2)
"""How many faces are followed of the first, the second and each further draw of one step. One die is exact."""


class Plan(NamedTuple):
    """Steps with their value."""

    worth: int
    steps: tuple[str, ...]


class Search:
    """The planning of one driver in one position."""

    def __init__(self, table: Table, name: str, cards: CardSet, manner: str, known: Outlook | None = None) -> None:
        """`known` is the outlook of an earlier position, which is used again when it holds for this one."""
        self.root = Turn(table, name, cards, None)
        if known is None or not known.holds_for(table):
            known = Outlook(table, name, cards, weights(manner))
        self.outlook = known
        self.weigh = self.outlook.weigh

    def steps(self) -> list[str]:
        """Return the next steps, up to the first step that draws or to the end of the turn."""
        me = self.root.me
        if me["phase"] == PREPARE:
            return [self._prepare()]
        if me["pending"] is not None:
            return [self._answer()]
        return list(self.best().steps)

    def best(self) -> Plan:
        """Return the best plan from here that is found, in a turn in which no roll is pending."""
        actions = Actions(self.outlook, self._budget())
        begun = self._start_positions(self.root, actions)
        return self._planned(begun, actions, self.weigh["width"], self.weigh["draws"], whole=True)

    def worth_of_end(self, turn: Turn) -> int:
        """Return the value of a turn that is ended now."""
        return self.outlook.settled(turn)

    def worth_of_draw(self, turn: Turn, step: str) -> int:
        """Return the value of going on with a step that draws, before the draw."""
        return self._planned_value(Draw(turn, (step,)))

    def estimate(self, turn: Turn) -> int:
        """Return a quick estimate of a position, also of one with a pending roll. Nothing is planned."""
        return self._outcome_estimate(turn)

    def answer_worths(self) -> dict[str, int]:
        """Return the value after each answer to the pending roll (R6)."""
        return {answer: self._answered(self.root, answer)[0] for answer in answers(self.root)}

    def _budget(self) -> int:
        """Return how many positions to try: fewer after many draws in one turn, so that the time of a turn
        is bounded.
        """
        drawn = sum(self.root.me["drawn"].values())
        return self.weigh["positions"] * self.weigh["draws_usual"] // max(drawn, self.weigh["draws_usual"])

    def _start_positions(self, turn: Turn, actions: Actions) -> list[Position]:
        """Return the positions from which to plan. An open card is closed first."""
        if turn.me["open"] is not None:
            return actions.resolved(turn, ())
        return [Position(turn, (), *self.outlook.estimates(turn))]

    def _planned(self, begun: list[Position], actions: Actions, width: int, draws: int, *, whole: bool = False) -> Plan:
        """Return the best plan from these positions. `draws` is the number of steps that draw whose outcomes are
        planned. Only a `whole` plan has its purchases and `end`; of others the value is used alone.
        """
        beam = sorted(begun, key=lambda one: -one.worth)[:width]
        key_of = self.outlook.keys.of
        best: Position | None = None
        seen = {key_of(one.turn) for one in beam}
        for _ in range(DEEPEST):
            for one in beam:
                if best is None or one.settled > best.settled:
                    best = one
            following: list[Position] = []
            for one in beam:
                for new in actions.of(one):
                    alike = key_of(new.turn)
                    if alike not in seen:
                        seen.add(alike)
                        following.append(new)
            if not following:
                break
            following.sort(key=lambda one: -one.worth)
            beam = following[:width]
        ended = None if best is None else Plan(best.settled, self._completed(best) if whole else best.steps)
        return self._best_with_draws(ended, actions.drawing, draws)

    def _best_with_draws(self, best: Plan | None, drawing: Iterable[Draw], draws: int) -> Plan:
        """Return the best plan, or a plan that ends with a step that draws when its value is higher."""
        if not draws:
            if best is not None:
                return best
            return max((Plan(self._quick_estimate(one), one.steps) for one in drawing), key=lambda plan: plan.worth)
        estimated = sorted(((self._quick_estimate(one), one) for one in drawing), key=lambda pair: -pair[0])
        for _, one in estimated[:draws]:
            worth = self._planned_value(one)
            if best is None or worth > best.worth:
                best = Plan(worth, one.steps)
        assert best is not None, "every position can be ended, or goes on with a step that draws"
        return best

    def _quick_estimate(self, draw: Draw) -> int:
        """Return a quick estimate of a step that draws: the mean of the estimates of all outcomes, without planning."""
        return mean(
            (chance, self._outcome_estimate(turn)) for chance, turn in outcomes(draw.turn, draw.steps[-1], FOLLOWED)
        )

    def _outcome_estimate(self, turn: Turn) -> int:
        if turn.me["pending"] is not None:
            return max(self._answered(turn, answer)[0] for answer in answers(turn))
        return self.outlook.hoped(turn)

    def _answered(self, turn: Turn, answer: str) -> tuple[int, Turn]:
        """Return the estimate after an answer to a pending roll (R6), and the turn. An answer that draws again is not
        carried out.
        """
        tried = turn.fork()
        try:
            carry_out(tried, answer)
        except NoChance:
            return self.outlook.hoped(turn), turn
        return self.outlook.hoped(tried), tried

    def _planned_value(self, draw: Draw) -> int:
        """Return the value of a step that draws: the mean of a small plan from each outcome."""
        return mean((chance, self._small_plan(turn)) for chance, turn in outcomes(draw.turn, draw.steps[-1], FOLLOWED))

    def _small_plan(self, turn: Turn) -> int:
        if turn.me["pending"] is not None:
            worth, turn = max((self._answered(turn, one) for one in answers(turn)), key=lambda found: found[0])
            if turn.me["pending"] is not None:
                return worth
        if turn.me["phase"] != DRIVE:
            return self.outlook.settled(turn)
        actions = Actions(self.outlook, self.weigh["positions_small"])
        return self._planned(self._start_positions(turn, actions), actions, self.weigh["width_small"], 0).worth

    def _completed(self, at: Position) -> tuple[str, ...]:
        """Return the steps of a plan, followed by its purchases and `end`."""
        turn = at.turn.fork()
        words = list(at.steps)
        while (card := self._purchase(turn)) is not None:
            driving.buy(turn, card)
            words.append(f"{steps.BUY} {card}")
        return (*words, steps.END)

    def _purchase(self, turn: Turn) -> str | None:
        """Return the card whose purchase raises the value most, or None. A card that keeps the value equal is bought
        too.
        """
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

    def _answer(self) -> str:
        """Return the answer to a pending roll, `accept` or `void` (R6), with the best estimate after it."""
        return max(answers(self.root), key=lambda answer: self._answered(self.root, answer)[0])

    def _prepare(self) -> str:
        """Return `prepare` with the cards to give up: those that are worse than the mean of the cards to draw (Q3)."""
        me, usual = self.root.me, self.outlook.card_values.usual
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

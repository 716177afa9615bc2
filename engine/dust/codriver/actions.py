"""The actions that a codriver tries in a position. An action is a group of steps, such as using a card with effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.dust import choices
from engine.dust.cards.effects import ROWS, Effect
from engine.dust.cards.operations import DIRECTIONS
from engine.dust.codriver.evaluation import Outlook
from engine.dust.facts import facts
from engine.dust.state import POPULARITY
from engine.dust.turn import driving, position_track, resolving, stepping, steps
from engine.dust.turn.step_context import NoChance, Turn

MOST_ENDS = 5
"""How many of the positions after a card's effects are kept."""

MOST_EFFECTS = 12
"""The most steps for one open card: its effects, of which S8 allows at most nine, and its closing."""


class Position(NamedTuple):
    """A position in a turn, the steps that led to it, and its estimates by `Outlook.hoped` and `Outlook.settled`."""

    turn: Turn
    steps: tuple[str, ...]
    worth: int
    settled: int


class Draw(NamedTuple):
    """A turn before a step that draws. `steps` includes this step."""

    turn: Turn
    steps: tuple[str, ...]


class Actions:
    """Generates the actions of positions. `drawing` collects the steps that draw; no step can follow them yet.

    `budget` is the number of positions that may still be tried. When it is used up, a position has no actions, and only
    one continuation of an open card is followed.
    """

    def __init__(self, outlook: Outlook, budget: int) -> None:
        self.outlook = outlook
        self.budget = budget
        self.options = outlook.weigh["options"]
        self.drawing: list[Draw] = []

    def of(self, at: Position) -> Iterator[Position]:
        """Yield the position after each possible action. In `at` no card is open and no roll is pending."""
        if self.budget <= 0:
            return
        yield from self._uses(at)
        yield from self._passives(at)
        yield from self._markers(at)
        yield from self._steers(at)
        yield from self._blocks(at)
        if at.turn.me["risk"] < at.turn.cards.limits.risk_dice:
            self.drawing.append(Draw(at.turn, (*at.steps, steps.RISK)))

    # Cards and dice

    def _uses(self, at: Position) -> Iterator[Position]:
        found = sorted(self._ways_to_use(at.turn), key=lambda one: -one[0])
        for _, words in found[: self.options if self.budget > 0 else 0]:
            tried = at.turn.fork()
            for step in words:
                carry_out(tried, step)
            yield from self.resolved(tried, (*at.steps, *words))

    def _ways_to_use(self, turn: Turn) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield each die on each card that it can open, with its estimate and its steps. The die is tuned if needed."""
        me, now, key = turn.me, self.outlook.card_values.now(turn), self.outlook.weigh["key"]
        hand = sorted(set(me["hand"]))
        for die in sorted(set(me["dice"])):
            kind, shown = die[0], int(die[1])
            blocked = die[1] in me["board"]
            for slot in turn.cards.slots:
                pips = abs(int(slot) - shown)
                if pips * facts().tune_keys > me["keys"] or (pips and not _may_turn(turn, kind, int(slot))):
                    continue
                laid = me["board"].get(slot)
                if laid is not None and not laid["covered"]:
                    worth = now(laid["card"], slot, kind) - key * pips
                    yield worth, _use(die, slot, None)
                elif laid is None and (blocked or not pips):
                    for card in hand:
                        worth = now(card, slot, kind) - key * pips
                        yield worth, _use(die, slot, card)

    def resolved(self, turn: Turn, done: tuple[str, ...]) -> list[Position]:
        """Return the best positions after the open card is closed, or the position itself when no card is open. Steps
        that draw are collected in `drawing`.
        """
        key_of = self.outlook.keys.of
        ends: list[Position] = []
        frontier = [(turn, done)]
        seen = set()
        for _ in range(MOST_EFFECTS):
            following: list[Position] = []
            for one, words in frontier:
                for end in self._effects(one, words):
                    if (key_of_end := key_of(end.turn)) in seen:
                        continue
                    seen.add(key_of_end)
                    (ends if end.turn.me["open"] is None else following).append(end)
            following.sort(key=lambda one: -one.worth)
            frontier = [(one.turn, one.steps) for one in following[: MOST_ENDS if self.budget > 0 else 1]]
            if not frontier:
                break
        ends.sort(key=lambda one: -one.worth)
        return ends[:MOST_ENDS]

    def _effects(self, turn: Turn, done: tuple[str, ...]) -> Iterator[Position]:
        """Yield the positions after one more effect of the open card, or after closing it. Effects that can only help
        are done first.
        """
        turn, done = _do_pure_gains(turn, done)
        opened = turn.me["open"]
        if opened is None:
            yield Position(turn, done, *self.outlook.estimates(turn))
            return
        effects, on_stage = driving.effects_of(turn, opened), driving.on_stage(opened)
        tried = turn.fork()
        tried.this = opened["slot"]
        for number in opened["left"]:
            if on_stage and driving.mandatory_left(turn, opened, before=number):
                continue
            for words in resolving.ways(tried, effects[number - 1]):
                yield from self._tried(turn, (*done, " ".join((steps.DO, str(number), *words))))
        if not driving.mandatory_left(turn, opened):
            closed = turn.fork()
            driving.done(closed)
            yield Position(closed, (*done, steps.DONE), *self.outlook.estimates(closed))

    def _tried(self, turn: Turn, done: tuple[str, ...]) -> Iterator[Position]:
        """Yield the position after the last of these steps. A step that draws is collected in `drawing`."""
        self.budget -= 1
        tried = turn.fork()
        try:
            carry_out(tried, done[-1])
        except NoChance:
            self.drawing.append(Draw(turn, done))
            return
        yield Position(tried, done, *self.outlook.estimates(tried))

    def _passives(self, at: Position) -> Iterator[Position]:
        """Yield the uses of passive effects (A4), also of cards in the hand, which are played first."""
        me = at.turn.me
        if at.turn.flipped(facts().tokens.no_passive):
            return
        for card in sorted(set(me["hand"])):
            effect = at.turn.card(card).passive()
            free = [slot for slot in at.turn.cards.slots if slot not in me["board"]]
            if effect is not None and free and not effect.voids:
                laid = at.turn.fork()
                driving.play(laid, card, free[0])
                if not resolving.spent(laid, free[0]):
                    yield from self._passive(laid, free[0], effect, (*at.steps, f"{steps.PLAY} {card} {free[0]}"))
        for slot, laid_card in me["board"].items():
            effect = None if laid_card["covered"] else at.turn.card(laid_card["card"]).passive()
            if effect is not None and not effect.voids and not resolving.spent(at.turn, slot):
                yield from self._passive(at.turn, slot, effect, at.steps)

    def _passive(self, turn: Turn, slot: str, effect: Effect, done: tuple[str, ...]) -> Iterator[Position]:
        for words in resolving.passive_ways(turn, slot, effect):
            yield from self._tried(turn, (*done, " ".join((steps.PASSIVE, slot, *words))))

    # Markers, steering, the ghost

    def _markers(self, at: Position) -> Iterator[Position]:
        me, limits = at.turn.me, at.turn.cards.limits
        if sum(me["markers"].values()) >= limits.markers:
            return
        most = limits.markers_on_card_star if me["star"] else limits.markers_on_card
        for number in driving.visible(at.turn):
            price = driving.marker_price(at.turn, at.turn.stage_card(number))
            if me["markers"].get(str(number), 0) >= most or me["traction"] < price:
                continue
            for end in self._tried(at.turn, (*at.steps, f"{steps.PLACE} {number}")):
                if end.turn.me["open"] is None:
                    yield end
                else:
                    yield from self.resolved(end.turn, end.steps)

    def _steers(self, at: Position) -> Iterator[Position]:
        if position_track.row(at.turn.me["space"]) != ROWS["brake"] or at.turn.me["traction"] < facts().steer_traction:
            return
        for way in DIRECTIONS:
            if position_track.moved(at.turn.cards, at.turn.me["space"], way, 1):
                yield from self._tried(at.turn, (*at.steps, f"{steps.STEER} {way} 1"))

    def _blocks(self, at: Position) -> Iterator[Position]:
        for step in choices.blocks(at.turn):
            yield from self._tried(at.turn, (*at.steps, step))


def _may_turn(turn: Turn, kind: str, shown: int) -> bool:
    return kind != POPULARITY or shown in turn.cards.popularity_values


def _use(die: str, slot: str, card: str | None) -> tuple[str, ...]:
    """Return the steps to tune a die, play a card and use it. Steps that are not needed are left out."""
    words: list[str] = []
    if die[1] != slot:
        words.append(f"{steps.TUNE} {die}={slot}")
    if card is not None:
        words.append(f"{steps.PLAY} {card} {slot}")
    return (*words, f"{steps.USE} {slot} {die[0]}")


def _do_pure_gains(turn: Turn, done: tuple[str, ...]) -> tuple[Turn, tuple[str, ...]]:
    """Do the effects of the open card that only gain. On a stage card only the next effect counts."""
    opened = turn.me["open"]
    if opened is None:
        return turn, done
    effects, on_stage = driving.effects_of(turn, opened), driving.on_stage(opened)
    gained: list[int] = []
    for number in opened["left"]:
        if effects[number - 1].gains and resolving.holds(turn, effects[number - 1]):
            gained.append(number)
        elif on_stage:
            break
    if not gained:
        return turn, done
    turn = turn.fork()
    for number in gained:
        driving.do_gain(turn, number)
    return turn, (*done, *[f"{steps.DO} {number}" for number in gained])


def answers(turn: Turn) -> list[str]:
    """Return the steps that can answer a pending risk roll (R6)."""
    return [steps.ACCEPT, *(f"{steps.VOID} {slot}" for slot in resolving.void_slots(turn))]


def carry_out(turn: Turn, step: str) -> None:
    """Carry out a step. It changes the given turn.

    Raises: RuleError when the step is refused.
    Raises: NoChance when the step draws and the turn has no chance.
    """
    stepping.act(turn, *steps.read(step))

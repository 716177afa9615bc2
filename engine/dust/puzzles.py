"""Turns of Dirt & Dust as questions (engine/contract/puzzles.py): the dice lie, it is the last round, which plan that
draws nothing brings the most points?

An answer is played out by the rules: the turn ends where the answer ends, the round is closed and the game scored. The
others count as they stood when the round opened (last_round/endings.py). So every value is exact. A turn with more
plans than can be counted is not asked. An answer that draws is refused, and a turn is not asked where a club driver
draws and gains by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import cast

from engine.contract import Json, Measure, Orders, RuleError, State
from engine.contract.puzzles import Question, Scale, Weighed
from engine.dust.cards import card_set_reading
from engine.dust.codriver.actions import answers
from engine.dust.codriver.search import Search
from engine.dust.codriver.step_outcomes import outcomes
from engine.dust.last_round.endings import is_last_round, played_out
from engine.dust.last_round.search import Beginning, PlanSearch, TooMany
from engine.dust.state import DRIVE, OUT, Table
from engine.dust.turn import driving, stepping, steps
from engine.dust.turn.step_context import NoChance, Turn
from engine.ledger import HUNDREDTHS

VERSION = "1"
MARKER, TUNED, BOUGHT, PLACE, REPAIRED, TWICE, ADMIRED = THEMES = (
    *("marker on the last card", "tuned die", "cards for end points", "place of the car"),
    *("risk die repaired", "card used twice", "popularity"),
)
SCALE = Scale(Measure("points", "most"), equal=0, least=100, share=0, ways=2, obvious=200, whole_turns=True)
"""One stage in five has a turn whose obvious plan gives up so much (docs/puzzles.md)."""
OBVIOUS = "learner"
"""The codriver whose plan is the obvious one: it looks one way at a time."""
MOST_POSITIONS = 6_000
"""A turn in which more positions would have to be tried is not asked. So many take a second or two."""
DRAWER = "club"
"""The codriver whose plan must not gain by a draw."""
MOST_AFTER_A_DRAW = 2_000
"""The most positions after each outcome of its draw."""
MOST_STEPS = 300
STEPS = "steps"
NOT_ASKED = RuleError("F1", "that is not the question here: plan a turn of the last round")
NO_DRAWS = "that draws: here the question is the best plan that draws nothing"


def question(state: State, seat: str) -> Question | None:
    """Return what can be asked of the driver: the plan of a turn of the last round, before its first step. None in
    every other position, and where there are too many plans.
    """
    table = cast(Table, state)
    if not _is_asked(table, seat):
        return None
    turn = _turn(table, seat)
    search = PlanSearch(turn, most=MOST_POSITIONS)
    try:
        beginnings = search.beginnings()
        best = beginnings[0]
        drawn = _drawn(table, seat)
        if len({one.points for one in beginnings}) < 2 or (drawn is not None and drawn > best.points):
            return None
    except TooMany:
        return None
    second = next((one for one in beginnings if best.points - one.points > SCALE.equal // HUNDREDTHS), None)
    mine, theirs = search.plan(best.steps), _obvious(table, seat)
    obvious = HUNDREDTHS * played_out(_driven(turn, theirs))
    return Question(
        best=_as_way(best, mine),
        second=None if second is None else _as_way(second, search.plan(second.steps)),
        obvious=Weighed(_orders(theirs), obvious),
        ways=len({one.points for one in beginnings}),
        themes=tuple(_themes(turn, mine, theirs)) if obvious < HUNDREDTHS * best.points else (),
    )


def prepared(state: State, seat: str) -> Json:
    """Return None: an answer is played out at once."""
    return None


def weighed(state: State, seat: str, orders: Orders, prepared: Json = None) -> Weighed:
    """Return what a plan is worth. It may end early: the turn ends where the plan ends, and an open card is closed.

    Raises: RuleError for steps that are refused, for a step that draws (S9), and for orders that are no steps.
    """
    table = cast(Table, state)
    if not _is_asked(table, seat) or orders.get("do") != STEPS:
        raise NOT_ASKED
    plan = orders.get(STEPS)
    if not isinstance(plan, list | tuple) or not plan or len(plan) > MOST_STEPS:
        raise RuleError("S8", "there is no step" if not plan else "steps are a list of texts")
    turn = _turn(table, seat)
    for move, step in enumerate(plan, 1):
        try:
            if not isinstance(step, str):
                raise RuleError("S8", "steps are a list of texts")
            if turn.me["phase"] != DRIVE:
                raise RuleError("S2", "it is not this driver's turn")
            stepping.act(turn, *steps.read(step))
        except RuleError as error:
            raise RuleError(error.rule, error.template, move=move, **error.values) from None
        except NoChance:
            raise RuleError("S9", NO_DRAWS, move=move) from None
    return Weighed(_orders(plan), HUNDREDTHS * played_out(_ended(turn)))


def _is_asked(table: Table, seat: str) -> bool:
    """Return whether the driver is to begin a turn of the last round whose dice lie."""
    me = table["drivers"].get(seat)
    if me is None or not is_last_round(table) or seat not in stepping.to_play(table) or me["phase"] != DRIVE:
        return False
    return me["pending"] is None and me["open"] is None and not (me["spent"] or me["aside"] or me["passives"])


def _turn(table: Table, seat: str) -> Turn:
    return Turn(table, seat, card_set_reading.of_document(table["set"], table["digest"]), None)


def _ended(turn: Turn) -> Turn:
    """Return a turn that is ended now. An open card is closed first.

    Raises: RuleError (P6) when a mandatory effect is left.
    """
    turn = turn.fork()
    if turn.me["open"] is not None:
        driving.done(turn)
    if turn.me["phase"] == DRIVE:
        driving.end(turn)
    return turn


def _driven(turn: Turn, plan: Sequence[str]) -> Turn:
    turn = turn.fork()
    for step in plan:
        stepping.act(turn, *steps.read(step))
    return _ended(turn)


def _orders(plan: Sequence[str]) -> dict[str, Json]:
    return {"do": STEPS, STEPS: list(plan)}


def _as_way(beginning: Beginning, plan: Sequence[str]) -> Weighed:
    return Weighed(_orders(plan), HUNDREDTHS * beginning.points)


def _obvious(table: Table, seat: str) -> tuple[str, ...]:
    """Return the plan of a driver who looks one way at a time. Before a step that draws it ends."""
    turn = _turn(table, seat)
    plan = Search(table, seat, turn.cards, OBVIOUS).best().steps
    return plan if plan[-1] == steps.END else (*_closed(turn, plan[:-1]), steps.END)


def _drawn(table: Table, seat: str) -> Fraction | None:
    """Return the exact mean of the points where a club driver draws, with the best plan without draws after each
    outcome; None where this driver draws nothing.

    Raises: TooMany when there are too many positions.
    """
    turn = _turn(table, seat)
    plan = Search(table, seat, turn.cards, DRAWER).best().steps
    if plan[-1] == steps.END:
        return None
    for step in plan[:-1]:
        stepping.act(turn, *steps.read(step))
    return sum((chance * _after_a_draw(after) for chance, after in outcomes(turn, plan[-1])), Fraction(0))


def _after_a_draw(turn: Turn) -> int:
    """Return the points of the best plan after a draw. A pending roll is answered in the better way (R6)."""
    if turn.me["phase"] == OUT:
        return 0
    if turn.me["pending"] is None:
        return PlanSearch(turn, most=MOST_AFTER_A_DRAW).points()
    answered = []
    for answer in answers(turn):
        tried = turn.fork()
        stepping.act(tried, *steps.read(answer))
        answered.append(_after_a_draw(tried))
    return max(answered)


def _closed(turn: Turn, plan: Sequence[str]) -> tuple[str, ...]:
    """Return the steps without those of a card that cannot be closed after them, and with the closing of an open
    card.
    """
    turn, kept = turn.fork(), 0
    for number, step in enumerate(plan, 1):
        stepping.act(turn, *steps.read(step))
        opened = turn.me["open"]
        if opened is None:
            kept = number
    opened = turn.me["open"]
    if opened is not None and not driving.mandatory_left(turn, opened):
        return (*plan, steps.DONE)
    return tuple(plan[:kept])


# What it is about ---------------------------------------------------------------------------------


def _themes(root: Turn, best: Sequence[str], obvious: Sequence[str]) -> Iterator[str]:
    """Yield what the best plan is about, beside the obvious one."""
    mine, theirs = _driven(root, best).me, _driven(root, obvious).me
    does, they_do = (Counter(step.split()[0] for step in plan) for plan in (best, obvious))
    number = str(root.table["round"])
    if mine["phase"] == OUT or theirs["phase"] == OUT:
        return
    if mine["markers"].get(number, 0) > theirs["markers"].get(number, 0):
        yield MARKER
    if does[steps.TUNE] > they_do[steps.TUNE]:
        yield TUNED
    if Counter(one["card"] for one in mine["aside"]) != Counter(one["card"] for one in theirs["aside"]):
        yield BOUGHT
    if mine["space"] != theirs["space"]:
        yield PLACE
    if mine["risk"] < theirs["risk"]:
        yield REPAIRED
    if _most_uses(best) > max(1, _most_uses(obvious)):
        yield TWICE
    if mine["popularity"] > theirs["popularity"]:
        yield ADMIRED


def _most_uses(plan: Sequence[str]) -> int:
    """Return how often the same slot is used, where it is used most."""
    return max(Counter(step.split()[1] for step in plan if step.startswith(f"{steps.USE} ")).values(), default=0)

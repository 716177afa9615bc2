"""A greedy codriver: it takes the step with the best estimate after it, until no step is better than to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.dust import choices
from engine.dust.cards.card_set import CardSet
from engine.dust.cards.operations import Operation
from engine.dust.codriver import absent_driver
from engine.dust.facts import codrivers
from engine.dust.final_score import end_points
from engine.dust.state import DRIVE, OUT, PREPARE, Driver, Table
from engine.dust.turn import driving, resolving, stepping, steps
from engine.dust.turn.step_context import Turn

MANNER = "greedy"


def weights() -> Mapping[str, int]:
    """Return the weights of the estimates, in hundredths of a point."""
    return codrivers()[MANNER]


class _AverageDraws:
    """Draws that always give an average result: the face in the middle of the list."""

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        return len(faces) // 2


def next_step(table: Table, name: str, cards: CardSet) -> str:
    """Return the next step of a codriver, at any point of a turn."""
    me = table["drivers"][name]
    if me["phase"] == PREPARE:
        return absent_driver.prepare(Turn(table, name, cards, None))
    ways = choices.choices(table, name, cards)
    if me["pending"] is not None:
        return _best(table, name, cards, ways, least=None) or steps.ACCEPT
    if me["open"] is not None:
        return _best(table, name, cards, [way for way in ways if way != steps.DONE], least=None, gain=True) or (
            steps.DONE if steps.DONE in ways else absent_driver.next_step(table, name, cards)
        )
    return _best(table, name, cards, [way for way in ways if way != steps.END], least=None, gain=True) or steps.END


def _best(
    table: Table, name: str, cards: CardSet, ways: Sequence[str], *, least: int | None, gain: bool = False
) -> str | None:
    """Return the step with the best estimate. With `gain`, only a step that is better than the current position."""
    best, found = (worth(table, name, cards) if gain else least), None
    for step in ways:
        after = _after(table, name, step, cards)
        if best is None or after > best:
            best, found = after, step
    return found


def _after(table: Table, name: str, step: str, cards: CardSet) -> int:
    """Return the estimate after a step and after the best effects of the card that it opens."""
    turn = Turn(table, name, cards, _AverageDraws())
    stepping.act(turn, *steps.read(step))
    first = step.split()[0]
    while first in (steps.USE, steps.PLACE, steps.DO) and turn.me["open"] is not None and turn.me["pending"] is None:
        following = _after_best_effect(turn)
        if following is None:
            break
        turn = following
    return _worth(turn)


def _after_best_effect(turn: Turn) -> Turn | None:
    """Return the turn after the best effect of the open card; None when no effect improves it. A mandatory effect is
    taken even if it does not.
    """
    best, found = _worth(turn), None
    opened = turn.me["open"]
    if opened is None:
        return None
    effects = driving.effects_of(turn, opened)
    for number in opened["left"]:
        if driving.on_stage(opened) and driving.mandatory_left(turn, opened, before=number):
            continue
        tried = turn.fork()
        tried.this = opened["slot"]
        for words in resolving.ways(tried, effects[number - 1]):
            after = turn.fork()
            after.draw_log = []
            driving.do(after, number, list(words))
            value = _worth(after)
            if effects[number - 1].must or value > best:
                best, found = value, after
        if found is not None and effects[number - 1].must:
            return found
    return found


def worth(table: Table, name: str, cards: CardSet) -> int:
    """Return the estimate of a driver's position, in hundredths of a point."""
    return _worth(Turn(table, name, cards, None))


def _worth(turn: Turn) -> int:
    me, weigh, cards = turn.me, weights(), turn.cards
    if me["phase"] == OUT:
        return -weigh["wrecked"]
    left = turn.table["cards"] - turn.table["round"]
    total = weigh["speed"] * (me["speed"] + end_points(me, cards)) + weigh["popularity"] * me["popularity"]
    if left:
        total += weigh["keys"] * me["keys"] + weigh["traction"] * me["traction"]
    else:
        total += me["keys"] + me["traction"]
    total -= weigh["risk_die"] * me["risk"] * left // turn.table["cards"]
    total -= weigh["hit"] * me["hits"] + weigh["token"] * me["flipped"] + weigh["removed"] * len(me["removed"])
    total += sum(
        weigh["speed"] * turn.card(one["card"]).points + weigh["ordered"] * turn.card(one["card"]).cost * left
        for one in me["aside"]
    )
    return total + _markers(turn, weigh) + (_dice(turn, me, weigh) if me["phase"] == DRIVE else 0)


def _markers(turn: Turn, weigh: Mapping[str, int]) -> int:
    """Return the value of markers: by the car's space on the stage card of this round, by a fixed weight on others."""
    space = turn.cards.spaces[turn.me["space"]]
    gives = weigh["speed"] * space.speed + weigh["marker_red"] * space.popularity
    falls = str(turn.table["round"])
    total = weigh["space"] * space.speed
    for card, count in turn.me["markers"].items():
        total += count * (gives if card == falls else weigh["marker"])
    return total


def _dice(turn: Turn, me: Driver, weigh: Mapping[str, int]) -> int:
    """Return the value of active dice, by the card below each, and of cards with passive effects."""
    total = 0
    playable = len(me["hand"])
    for slot in {die[1] for die in me["dice"]}:
        dice = sum(die[1] == slot for die in me["dice"])
        laid = me["board"].get(slot)
        if laid is not None:
            useful = not laid["covered"] and bool(_operations(turn, laid["card"]))
            total += dice * weigh["die_on_card" if useful else "die"]
        else:
            total += dice * weigh["die_on_free_slot" if playable else "die"]
    for laid in me["board"].values():
        if not laid["covered"] and turn.card(laid["card"]).passive() is not None:
            total += weigh["kept_passive"]
    return total


def _operations(turn: Turn, card: str) -> list[Operation]:
    """Return the operations of a card that a die can open."""
    return [one for effect in turn.card(card).effects if not effect.passive for one in effect.operations]

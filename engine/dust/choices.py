"""All legal next steps of a driver, as texts: exactly the steps that `stepping.carry_out` accepts.

There are two exceptions. `prepare` without arguments represents all its forms (Q3). `swap` is listed only with the
lower slot first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.dust import characters
from engine.dust.cards.card_set import CardSet
from engine.dust.cards.effects import ROWS
from engine.dust.cards.operations import DIRECTIONS
from engine.dust.facts import facts
from engine.dust.state import CHOOSE, PREPARE, Table
from engine.dust.turn import driving, position_track, resolving, stepping, steps
from engine.dust.turn.arguments import may_show, value
from engine.dust.turn.preparation import hand_limit
from engine.dust.turn.step_context import Turn


def choices(table: Table, name: str, cards: CardSet) -> list[str]:
    """Return all legal next steps of a driver, sorted; none for a driver who is not to play (S2)."""
    if name not in stepping.to_play(table):
        return []
    return sorted(_steps(Turn(table, name, cards, None)))


def preparations(table: Table, name: str, cards: CardSet) -> list[str]:
    """Return all forms of `prepare`, one for each hand that may be kept (Q3), the largest hand first."""
    turn = Turn(table, name, cards, None)
    hand = Counter(turn.me["hand"])
    ways: list[list[str]] = [[]]
    for card in sorted(hand):
        ways = [[*given, *[card] * copies] for given in ways for copies in range(hand[card] + 1)]
    least = len(turn.me["hand"]) - hand_limit(turn)
    legal = sorted((given for given in ways if len(given) >= least), key=lambda given: (len(given), given))
    return [" ".join([steps.PREPARE, *given]) for given in legal]


def _steps(turn: Turn) -> Iterator[str]:
    me = turn.me
    if me["phase"] == CHOOSE:
        yield from (f"{steps.CHOOSE} {character}" for character in characters.free(turn.table, turn.cards))
    elif me["phase"] == PREPARE:
        yield steps.PREPARE
    elif me["pending"] is not None:
        yield steps.ACCEPT
        yield from (f"{steps.VOID} {slot}" for slot in resolving.void_slots(turn))
    elif me["open"] is not None:
        yield from _with_a_card_open(turn)
    else:
        yield from _quiet(turn)


def _with_a_card_open(turn: Turn) -> Iterator[str]:
    """Yield the effects of the open card (P4, P6, N4) and `done`."""
    opened = turn.me["open"]
    if opened is None:
        return
    effects = driving.effects_of(turn, opened)
    for number in opened["left"]:
        if driving.on_stage(opened) and driving.mandatory_left(turn, opened, before=number):
            continue
        tried = turn.fork()
        tried.this = opened["slot"]
        for words in resolving.ways(tried, effects[number - 1]):
            yield " ".join((steps.DO, str(number), *words))
    if not driving.mandatory_left(turn, opened):
        yield steps.DONE


def _quiet(turn: Turn) -> Iterator[str]:
    """Yield the steps that are legal while no roll is pending and no card is open."""
    yield steps.END
    yield from _cards(turn)
    yield from _passives(turn)
    yield from _shopping(turn)
    yield from _special(turn)


def _cards(turn: Turn) -> Iterator[str]:
    me = turn.me
    empty = [slot for slot in turn.cards.slots if slot not in me["board"]]
    for card in set(me["hand"]):
        for slot in empty:
            yield f"{steps.PLAY} {card} {slot}"
    for die in set(me["dice"]):
        laid = turn.laid(die[1])
        if laid is not None and not laid["covered"]:
            yield f"{steps.USE} {die[1]} {die[0]}"


def _passives(turn: Turn) -> Iterator[str]:
    """Yield the uses of passive effects (A4) other than `void` (R6); none with the token that forbids them (R7)."""
    if turn.flipped(facts().tokens.no_passive):
        return
    for slot, laid in turn.me["board"].items():
        effect = None if laid["covered"] else turn.card(laid["card"]).passive()
        if effect is None or effect.voids or resolving.spent(turn, slot):
            continue
        for words in resolving.passive_ways(turn, slot, effect):
            yield " ".join((steps.PASSIVE, slot, *words))


def _shopping(turn: Turn) -> Iterator[str]:
    """Yield the purchases of cards (B1, B2) and markers (N1 to N3)."""
    me, limits = turn.me, turn.cards.limits
    for card in turn.table["pool"]:
        if turn.left_of(card) > 0 and me["keys"] >= driving.price(turn, card):
            yield f"{steps.BUY} {card}"
    if sum(me["markers"].values()) >= limits.markers:
        return
    most = limits.markers_on_card_star if me["star"] else limits.markers_on_card
    for number in driving.visible(turn):
        dear = driving.marker_price(turn, turn.stage_card(number))
        if me["markers"].get(str(number), 0) < most and me["traction"] >= dear:
            yield f"{steps.PLACE} {number}"


def _special(turn: Turn) -> Iterator[str]:
    """Yield the special actions (A1 to A3) and blocks (G4)."""
    me, known = turn.me, facts()
    if position_track.row(me["space"]) == ROWS["brake"]:
        for direction in DIRECTIONS:
            for spaces in range(1, me["traction"] // known.steer_traction + 1):
                if position_track.moved(turn.cards, me["space"], direction, spaces):
                    yield f"{steps.STEER} {direction} {spaces}"
    for die in set(me["dice"]):
        reach = me["keys"] // known.tune_keys
        for shown in range(1, known.faces + 1):
            if 0 < abs(shown - value(die)) <= reach and may_show(turn, die[0], shown):
                yield f"{steps.TUNE} {die}={shown}"
    if me["risk"] < turn.cards.limits.risk_dice:
        yield steps.RISK
    yield from blocks(turn)


def blocks(turn: Turn) -> Iterator[str]:
    """Yield the steps that put a die on a pair of the ghost (G4)."""
    pairs = turn.ghost["dice"] if turn.ghost is not None else []
    for number, pair in enumerate(pairs, 1):
        if not pair["blocked"]:
            for die in {die for die in turn.me["dice"] if die[1] == pair["value"]}:
                yield f"{steps.BLOCK} {number} {die}"

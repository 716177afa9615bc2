"""Steps to try in a position: all readable ones, and steps with one argument of an effect changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations

from engine.contract import RuleError
from engine.dust.cards.card_set import CardSet
from engine.dust.state import Table
from engine.dust.turn import stepping
from engine.dust.turn.step_context import NoChance

SLOTS = "123456"
DICE = [kind + value for kind in "pbf" for value in SLOTS]
WORDS = ["left", "right", *SLOTS, *DICE, *(f"{die}={value}" for die in DICE for value in SLOTS), "nonsense"]


def accepted(table: Table, name: str, step: str, cards: CardSet) -> bool:
    """Return whether a step is carried out. A step that needs chance has passed every check (E8)."""
    try:
        stepping.carry_out(table, name, step, cards, None)
    except RuleError:
        return False
    except NoChance:
        return True
    return True


def normal(step: str) -> str:
    """Return a step in the form that `choices` uses: `prepare` for all its forms."""
    return "prepare" if step.startswith("prepare") else step


def plain(table: Table, cards: CardSet) -> Iterator[str]:
    """Yield every step without arguments of effects."""
    yield from ("prepare", "accept", "done", "risk", "end", "", "sleep")
    for card in cards.cards:
        yield f"buy {card}"
        yield from (f"play {card} {slot}" for slot in SLOTS)
    for slot in SLOTS:
        yield from (f"use {slot} {kind}" for kind in "pbf")
        yield from (f"void {slot}", f"passive {slot}")
    yield from (f"place {number}" for number in range(1, table["cards"] + 3))
    yield from (f"steer {way} {spaces}" for way in ("left", "right") for spaces in range(1, 12))
    for die in DICE:
        yield from (f"tune {die}={value}" for value in SLOTS)
        yield from (f"block {pair} {die}" for pair in "123")
    yield from (f"do {number}" for number in range(1, 10))


def one_argument(table: Table, cards: CardSet) -> Iterator[str]:
    """Yield every effect with one argument of any kind."""
    words = [*WORDS, *cards.cards, *cards.spaces]
    for word in words:
        yield from (f"do {number} {word}" for number in range(1, 5))
        yield from (f"passive {slot} {word}" for slot in SLOTS)


def changed(listed: Iterable[str], words: Sequence[str]) -> Iterator[str]:
    """Yield listed steps with a word less, a word more, two words swapped, or a word replaced."""
    for step in listed:
        first, *rest = step.split()
        if first not in ("do", "passive"):
            continue
        yield " ".join([first, *rest[:-1]])
        yield " ".join([first, *rest, "1"])
        for left, right in combinations(range(1, len(rest)), 2):
            swapped = rest.copy()
            swapped[left], swapped[right] = swapped[right], swapped[left]
            yield " ".join([first, *swapped])
        for place in range(1, len(rest)):
            yield from (" ".join([first, *rest[:place], word, *rest[place + 1 :]]) for word in words)


def swaps_turned(step: str) -> set[str]:
    """Return all ways to write a step with two slots swapped: `swap` accepts either order."""
    first, *rest = step.split()
    return {" ".join([first, *rest[:1], *order]) for order in permutations(rest[1:])} if len(rest) < 7 else {step}

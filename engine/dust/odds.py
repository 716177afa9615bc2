"""The possible results of a step that draws, and the value of markers on the car's space. All is exact; nothing is
drawn.

A chance is a pair of whole numbers: numerator and denominator. Rolls are shown before a `void` (R6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from engine.dust.cards.card_set import BLANK, CardSet
from engine.dust.cards.operations import DIRECTIONS
from engine.dust.state import OUT, Driver
from engine.dust.turn import position_track, stepping, steps
from engine.dust.turn.dice import player_faces
from engine.dust.turn.step_context import CARDS, DICE, POPULARITY_DIE, RISK, Turn, with_one_removed


class _CountedDraws:
    """Draws that always give the first face. It records how often the driver draws each kind, and the driver's state at
    the first draw of it.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.kinds: Counter[str] = Counter()
        self.stood: dict[str, Driver] = {}

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        if who == self._turn.name:
            self.kinds[kind] += 1
            self.stood.setdefault(kind, self._turn.me.copy())
        return 0


def of_step(turn: Turn, step: str) -> dict[str, Any]:
    """Return the possible results of one step. "draws" lists the kinds of draws that it makes; often there are none.

    Raises: RuleError when the step is refused.
    """
    tried = turn.fork()
    counted = _CountedDraws(tried)
    tried.draws, tried.draw_log = counted, []
    first, words = steps.read(step)
    stepping.act(tried, first, words)
    told: dict[str, Any] = {"draws": sorted(counted.kinds)}
    if RISK in counted.kinds:
        told["risk"] = risk(turn.cards, counted.stood[RISK], counted.kinds[RISK])
    if DICE in counted.kinds:
        stood = counted.stood[DICE]
        active = with_one_removed(stood["dice"], words[-1]) if words and words[-1] in stood["dice"] else stood["dice"]
        told["dice"] = dice(stood, counted.kinds[DICE], active)
    if POPULARITY_DIE in counted.kinds:
        faces = turn.cards.popularity_faces
        told["popularity"] = [_face(face, count, len(faces)) for face, count in sorted(Counter(faces).items())]
    new = Counter(counted.stood.get(CARDS, tried.me)["hand"])
    new.subtract(_kept(turn.me, first, words))
    known = sorted(new.elements())
    if known or CARDS in counted.kinds:
        told["cards"] = drawn_cards(known, counted.stood.get(CARDS, tried.me), counted.kinds[CARDS])
    return told


def _kept(me: Driver, first: str, words: Sequence[str]) -> Sequence[str]:
    """Return the hand before cards are drawn. `prepare` gives up some of them first (Q3)."""
    left = Counter(me["hand"])
    if first == steps.PREPARE:
        left.subtract(words)
    return list(left.elements())


def _face(face: str, count: int, of: int) -> dict[str, Any]:
    return {"value": 0 if face == BLANK else int(face), "chance": _pair(Fraction(count, of))}


def _pair(chance: Fraction) -> list[int]:
    return [chance.numerator, chance.denominator]


# Risk dice


def rolled(cards: CardSet, number: int) -> dict[tuple[int, int], Fraction]:
    """Return the chance of each total of hits and symbols for so many risk dice (R4)."""
    found = {(0, 0): Fraction(1)}
    faces = Counter(cards.risk_faces)
    for _ in range(number):
        new: dict[tuple[int, int], Fraction] = {}
        for (hits, symbols), chance in found.items():
            for face, count in faces.items():
                hit, _, symbol = face.partition("/")
                total = (hits + int(hit), symbols + int(symbol))
                new[total] = new.get(total, Fraction(0)) + chance * Fraction(count, len(cards.risk_faces))
        found = new
    return found


def risk(cards: CardSet, me: Driver, number: int) -> dict[str, Any]:
    """Return the possible results of rolling so many risk dice: hits, popularity, flipped tokens, the wreck (R3, R5).

    `next_token` is the number of hits that flip the next token. `token` is the chance that at least one is flipped.
    """
    limits = cards.limits
    hits: dict[int, Fraction] = {}
    symbols: dict[int, Fraction] = {}
    tokens: dict[int, Fraction] = {}
    wrecked = Fraction(0)
    for (hit, symbol), chance in rolled(cards, number).items():
        flips = (me["hits"] + hit) // limits.damage_track
        hits[hit] = hits.get(hit, Fraction(0)) + chance
        if me["flipped"] + flips > limits.damage_tokens:
            wrecked += chance
            flips = limits.damage_tokens - me["flipped"]
            symbol = 0
        symbols[symbol] = symbols.get(symbol, Fraction(0)) + chance
        tokens[flips] = tokens.get(flips, Fraction(0)) + chance
    return {
        "dice": number,
        "next_token": limits.damage_track - me["hits"],
        "hits": _listed(hits),
        "popularity": _listed(symbols),
        "tokens": _listed(tokens),
        "token": _pair(sum((chance for flips, chance in tokens.items() if flips), Fraction(0))),
        "wrecked": _pair(wrecked),
        "expected_hits": _pair(sum((hit * chance for hit, chance in hits.items()), Fraction(0))),
    }


def _listed(chances: Mapping[int, Fraction]) -> list[dict[str, Any]]:
    return [{"number": number, "chance": _pair(chances[number])} for number in sorted(chances)]


# Player and boost dice, cards


def dice(me: Driver, number: int, active: Sequence[str]) -> dict[str, Any]:
    """Return for each value the chance that at least one of so many dice shows it (C2).

    `opens` is the card that such a die can open (P3, P8). `active` is the number of other active dice with that value.
    """
    faces = player_faces()
    none = Fraction(len(faces) - 1, len(faces)) ** number
    told = []
    for face in faces:
        laid = me["board"].get(face)
        opens = laid["card"] if laid is not None and not laid["covered"] else None
        others = sum(die[1] == face for die in active)
        told.append({"value": int(face), "chance": _pair(1 - none), "opens": opens, "active": others})
    return {"number": number, "values": told}


def drawn_cards(known: Sequence[str], me: Driver, number: int) -> dict[str, Any]:
    """Return the cards that are drawn (Q4): those that are known, and `number` others, with the chance of each card.

    When the deck has fewer cards, all of them are drawn and the rest comes from the discard pile.
    """
    pile, certain = me["deck"], list(known)
    if number > len(pile):
        certain += pile
        number, pile = number - len(pile), me["discard"]
    if number and number == len(pile):
        certain += pile
        number = 0
    chances = {}
    for card, copies in sorted(Counter(pile).items()) if number else ():
        missed = Fraction(comb(len(pile) - copies, number), comb(len(pile), number))
        chances[card] = _pair(1 - missed)
    return {"known": sorted(certain), "number": number, "chances": chances}


# Markers


def markers(turn: Turn) -> list[dict[str, Any]]:
    """Return for each stage card with markers their gains if it were resolved now (V2): if the car stays, moves by one
    space, or changes the row.

    `left` and `right` are None, and `shift` is empty, where the car cannot go. A driver who is out has no entries.
    """
    me = turn.me
    if me["phase"] == OUT:
        return []
    space = me["space"]
    ways = {way: position_track.moved(turn.cards, space, way, 1) for way in DIRECTIONS}
    told = []
    for card, count in sorted(me["markers"].items(), key=lambda one: int(one[0])):
        told.append(
            {
                "card": int(card),
                "markers": count,
                "falls": int(card) == turn.table["round"],
                "stays": _gain(turn, space, count),
                **{way: None if to is None else _gain(turn, to, count) for way, to in ways.items()},
                "shift": [_gain(turn, to, count) for to in turn.cards.shifts[space]],
            }
        )
    return told


def _gain(turn: Turn, name: str, count: int) -> dict[str, Any]:
    """Return the gains of so many markers on a space. Popularity is limited (D6)."""
    space, has = turn.cards.spaces[name], turn.me["popularity"]
    popularity = min(has + count * space.popularity, turn.cards.limits.popularity) - has
    return {"space": name, "speed": count * space.speed, "popularity": popularity}

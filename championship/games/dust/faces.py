"""A card as a picture: the data that `dust/card.html` draws.

    face = faces.card(cards, "turbo")                     a card of the team board
    face = faces.stage_card(cards, "saltwind", 3)         a card of a stage
    {% include "dust/card.html" with face=face %}         the whole card
    {% include "dust/card.html" with face=face small=1 %} icons only; screen readers still get the words

Each effect has its icons and its words. Both are made from the effect itself, so every card has text.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext

from championship.games.dust import card_words as words
from championship.games.dust.card_words import STAGE, figure, said
from engine.dust.cards import card_text
from engine.dust.cards.card_set import TEAM, Card, CardSet, StageCard
from engine.dust.cards.card_text import Phrase, Wording
from engine.dust.cards.effects import Effect


@dataclass(frozen=True, slots=True)
class Sign:
    """An icon of the sheet `dust/icons.svg`, the figure beside it, and the two in words."""

    icon: str
    figure: str
    words: str


@dataclass(frozen=True, slots=True)
class EffectShown:
    """An effect with its number: signs for its kind, its condition, its cost, and each thing that it does."""

    number: int
    marks: tuple[Sign, ...]
    when: tuple[Sign, ...]
    pay: Sign | None
    does: tuple[tuple[Sign, ...], ...]
    words: str
    must: bool
    passive: bool


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn. `cost` is in the unit of `cost_icon`; None for a card that is not for sale. `number` is
    that of the pile, or of the stage card. `notes` describe the state of the card on the board.
    """

    name: str
    title: str
    kind: str
    kind_words: str
    cost: int | None
    cost_icon: str
    cost_words: str
    number: int | None
    number_words: str
    printed: tuple[Sign, ...]
    effects: tuple[EffectShown, ...]
    covered: bool = False
    used: bool = False
    notes: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The card's name among the places of a run: a tap on the card shows its words there. "" for a name that an
        address cannot hold.
        """
        return "" if "/" in self.name else f"{'stage' if self.kind == STAGE else 'card'}-{self.name}"

    @property
    def points(self) -> Sign | None:
        """The end points, for the corner of the card."""
        return next((sign for sign in self.printed if sign.icon == "points"), None)

    @property
    def orders(self) -> tuple[Sign, ...]:
        """The signs above the effects: the order to move, the star."""
        return tuple(sign for sign in self.printed if sign.icon != "points")

    @property
    def words(self) -> str:
        """The whole card as one text."""
        what = [self.number_words, self.cost_words, *self.notes, *(sign.words for sign in self.printed)]
        effects = [f"{shown.number}: {shown.words}" for shown in self.effects]
        return f"{self.title} ({self.kind_words}). " + "; ".join([*filter(None, what), *effects])


def card(cards: CardSet, name: str, *, cost: int | None = None, covered: bool = False, used: bool = False) -> Face:
    """Return a card of the team board. `cost`: the price for this driver now, when it is not the printed price (B1).

    Raises: KeyError when the set has no such card.
    """
    one = cards.cards[name]
    for_sale = one.set in TEAM
    price = (one.cost if cost is None else cost) if for_sale else None
    notes = [str(words.COVERED)] if covered else []
    notes += [str(words.USED)] if used else []
    return Face(
        name=name,
        title=words.title_of(cards, name),
        kind=one.set,
        kind_words=_kind_of(cards, one),
        cost=price,
        cost_icon="keys",
        cost_words="" if price is None else words.COST_KEYS % {"number": price},
        number=one.number if for_sale else None,
        number_words=_number(one.set, one.number) if for_sale else "",
        printed=tuple(map(_sign, card_text.printed(one))),
        effects=_effects(one),
        covered=covered,
        used=used,
        notes=tuple(notes),
    )


def stage_card(cards: CardSet, stage: str, number: int, *, cost: int | None = None) -> Face:
    """Return a card of a stage by its number, from 1. `cost`: the price of a marker for this driver now (N1).

    Raises: KeyError when the set has no such stage.
    Raises: IndexError when the stage has no such card.
    """
    one = cards.stages[stage].cards[number - 1]
    price = one.cost if cost is None else cost
    return Face(
        name=str(number),
        title=words.stage_title(cards, stage),
        kind=STAGE,
        kind_words=str(words.KINDS[STAGE]),
        cost=price,
        cost_icon="traction",
        cost_words=str(words.COST_TRACTION) % {"number": price},
        number=number,
        number_words=_number(STAGE, number),
        printed=tuple(map(_sign, card_text.printed(one, star=cards.limits.markers_on_card_star))),
        effects=_effects(one),
    )


def placed(cards: CardSet, stage: str, place: str) -> Face | None:
    """Return the card that `Face.place` names, None when the set or the stage has no such card."""
    kind, _dash, name = place.partition("-")
    if kind == "card" and name in cards.cards:
        return card(cards, name)
    numbers = [str(number) for number in range(1, len(cards.stages[stage].cards) + 1)]
    return stage_card(cards, stage, int(name)) if kind == "stage" and name in numbers else None


def effect_words(cards: CardSet, name: str, number: int) -> str:
    """Return one effect of a card of the team board as a line, for lists of ways."""
    return card_text.effect(cards.cards[name].effects[number - 1]).words(gettext)


def _kind_of(cards: CardSet, one: Card) -> str:
    driver = cards.characters.get(one.driver or "")
    return driver or str(words.KINDS[one.set])


def _number(kind: str, number: int | None) -> str:
    return "" if number is None else str(words.NUMBERED[kind]) % {"number": number}


def _effects(one: Card | StageCard) -> tuple[EffectShown, ...]:
    return tuple(_shown(number, effect) for number, effect in enumerate(one.effects, 1))


def _shown(number: int, effect: Effect) -> EffectShown:
    made: Wording = card_text.effect(effect)
    return EffectShown(
        number=number,
        marks=tuple(map(_sign, made.marks)),
        when=tuple(map(_sign, made.when)),
        pay=_sign(made.pay) if made.pay else None,
        does=tuple(tuple(map(_sign, phrases)) for phrases in made.does),
        words=made.words(gettext),
        must=effect.must,
        passive=effect.passive,
    )


def _sign(phrase: Phrase) -> Sign:
    return Sign(phrase.icon, figure(phrase), said(phrase))

"""Dirt & Dust's words for the things that all games have, and a step of a turn in words, for buttons, drafts and lists
(S8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from championship.catalogue import Words
from championship.catalogue.pads import Pad, PadField
from championship.catalogue.words import MANNERS
from championship.games.dust import card_words, faces
from engine.dust.cards.card_set import CardSet
from engine.dust.turn import steps

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

OPTIONS = {
    "basic": gettext_lazy("the basic cards"),
    "advanced": gettext_lazy("the advanced cards"),
    "mixed": gettext_lazy("a mix, chosen pile by pile below"),
    "10": gettext_lazy("all ten"),
    "5": gettext_lazy("five: a short stage"),
    "none": gettext_lazy("no ghost"),
    "plain": gettext_lazy("the ghost of the rulebook"),
    "amateur": gettext_lazy("easier: amateur"),
    "novice": gettext_lazy("easier: novice"),
    "rookie": gettext_lazy("easiest: rookie"),
    "daredevil": gettext_lazy("harder: daredevil"),
    "veteran": gettext_lazy("harder: veteran"),
    "devil": gettext_lazy("hardest: devil"),
    "dealt": gettext_lazy("dealt in starting order"),
    "chosen": gettext_lazy("each driver chooses, in starting order"),
}
"""Labels of the values of the options."""

WORDS = Words(
    notice=gettext_lazy("Dirt & Dust is played with this service's own cards or with a club's."),
    manners={**MANNERS, "bold": gettext_lazy("Crowd-pleaser")},
    order=gettext_lazy("Who is driving"),
    seats=gettext_lazy("Cockpits"),
    result_told=gettext_lazy("Points are the speed points of the drive, the end points of its cards, and popularity."),
    result_rule="F2",
    facts=gettext_lazy("The nine piles of a mixed racing team"),
    options=OPTIONS,
)

DICE: dict[str, _StrPromise] = {
    "p": gettext_lazy("player die %(value)s"),
    "b": gettext_lazy("boost die %(value)s"),
    "f": gettext_lazy("popularity die %(value)s"),
}
PLAIN: dict[str, _StrPromise] = {
    steps.PREPARE: gettext_lazy("Prepare: draw cards and roll"),
    steps.ACCEPT: gettext_lazy("Take the risk roll as it is"),
    steps.DONE: gettext_lazy("Close the card"),
    steps.RISK: gettext_lazy("Take a Risk"),
    steps.END: gettext_lazy("End the turn"),
}
DIRECTIONS: dict[str, _StrPromise] = {
    "left": pgettext_lazy("direction", "left"),
    "right": pgettext_lazy("direction", "right"),
}

_DIE = re.compile("[pbf][1-6]")
_DIE_TO = re.compile("([pbf][1-6])=([1-6])")


def die_words(die: str) -> str:
    """Return a die by its kind and value, such as "boost die 5" for `b5`."""
    return str(DICE[die[0]]) % {"value": die[1:]}


def argument(cards: CardSet, word: str) -> str:
    """Return one word after the name of a step in the reader's language: a die, a direction, a slot, a space, a card
    (E5).
    """
    if word in DIRECTIONS:
        return str(DIRECTIONS[word])
    if turned := _DIE_TO.fullmatch(word):
        return _("%(die)s to %(value)s") % {"die": die_words(turned[1]), "value": turned[2]}
    if _DIE.fullmatch(word):
        return die_words(word)
    if word in cards.slots:
        return _("slot %(slot)s") % {"slot": word}
    if word in cards.spaces:
        return _("to %(space)s") % {"space": word}
    return card_words.title_of(cards, word)


def arguments(cards: CardSet, words: Sequence[str]) -> str:
    """Return the words after the name of a step as one text."""
    return ", ".join(argument(cards, word) for word in words)


def step_words(cards: CardSet, me: Mapping[str, Any], stage: str, step: str) -> str:
    """Return a step in words; `me` is the driver before it. A step that cannot be read is returned unchanged."""
    first, *words = step.split() or [""]
    if first in PLAIN:
        given = f" ({_('give up')}: {arguments(cards, words)})" if words else ""
        return f"{PLAIN[first]}{given}"
    try:
        return _readable_step(cards, me, stage, first, words)
    except (KeyError, IndexError, ValueError, TypeError):
        return step


def _readable_step(cards: CardSet, me: Mapping[str, Any], stage: str, first: str, words: list[str]) -> str:
    match first:
        case steps.CHOOSE:
            return _("Drive as %(character)s") % {"character": cards.characters[words[0]]}
        case steps.PLAY:
            return _("Play %(card)s on slot %(slot)s") % {"card": argument(cards, words[0]), "slot": words[1]}
        case steps.USE:
            return _("Use %(card)s with the %(die)s") % {
                "card": card_words.title_of(cards, me["board"][words[0]]["card"]),
                "die": die_words(words[1] + words[0]),
            }
        case steps.BUY:
            return _("Buy %(card)s") % {"card": argument(cards, words[0])}
        case steps.PLACE:
            return _("Marker on stage card %(number)d") % {"number": int(words[0])}
        case steps.STEER:
            return _("Steer %(direction)s: %(number)d") % {
                "direction": argument(cards, words[0]),
                "number": int(words[1]),
            }
        case steps.TUNE:
            return _("Turn %(die)s") % {"die": argument(cards, words[0])}
        case steps.BLOCK:
            return _("Block pair %(pair)s with %(die)s") % {"pair": words[0], "die": die_words(words[1])}
        case steps.VOID:
            return _("Make the roll blank with %(card)s") % {"card": _card_on_slot(cards, me, words[0])}
        case steps.PASSIVE:
            return _("Passive effect of %(card)s") % {"card": _card_on_slot(cards, me, words[0])} + _suffix(
                cards, words[1:]
            )
        case steps.DO:
            effect = _effect(cards, me, stage, int(words[0]))
            return f"{effect}{_suffix(cards, words[1:])}"
    return " ".join([first, *words])


def _card_on_slot(cards: CardSet, me: Mapping[str, Any], slot: str) -> str:
    return card_words.title_of(cards, me["board"][slot]["card"])


def _suffix(cards: CardSet, words: Sequence[str]) -> str:
    return f": {arguments(cards, words)}" if words else ""


def _effect(cards: CardSet, me: Mapping[str, Any], stage: str, number: int) -> str:
    """Return the effect of the open card that a step does."""
    opened = me["open"]["card"]
    if isinstance(opened, int):
        shown = faces.stage_card(cards, stage, opened).effects[number - 1].words
    else:
        shown = faces.effect_words(cards, opened, number)
    return shown[:1].upper() + shown[1:]


def pad_of(options: Mapping[str, Any]) -> Pad:
    """The pad for these options of a rally: the points of a stage, typed by tens, fives and ones."""
    points = _("Points")
    return Pad(
        fields=(
            PadField(name="points", label=_("Points of the cards"), worth=1, most=999, steps=(1, 5, 10), group=points),
            PadField(name="lost", label=_("Points lost"), worth=-1, most=999, steps=(1, 5, 10), group=points),
        )
    )

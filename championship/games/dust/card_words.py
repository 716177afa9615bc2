"""Words and figures of cards: kinds, titles of the cards of our own set, and the figure beside an icon.

The texts of effects are phrases of the engine (`engine.dust.cards.card_text`), templates with named values. The
translation catalogue contains each of them. A figure is the short form beside the icon: "+2" beside keys, "1–3" beside
a die.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from engine.dust.cards import card_set_reading, card_text
from engine.dust.cards.card_set import ADVANCED, BASIC, DRIVER, START, CardSet
from engine.dust.cards.card_text import Phrase

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

STAGE = "stage"
KINDS: dict[str, _StrPromise] = {
    START: _("Starting card"),
    DRIVER: _("Driver's card"),
    BASIC: _("Racing team, basic"),
    ADVANCED: _("Racing team, advanced"),
    STAGE: _("Stage card"),
}
COST_KEYS = ngettext_lazy("costs %(number)d key", "costs %(number)d keys", "number")
COST_TRACTION = _("costs %(number)d traction")
NUMBERED = {BASIC: _("pile %(number)d"), ADVANCED: _("pile %(number)d"), STAGE: _("card %(number)d")}
COVERED = _("covered: no effect until it leaves the board")
USED = _("its passive effect is used this round")

ALL, ANY, THIS = (
    pgettext_lazy("on a card", "all"),
    pgettext_lazy("on a card", "any"),
    pgettext_lazy("on a card", "this"),
)

FIGURES: dict[str, str | _StrPromise] = {
    card_text.CONDITIONS["risk"]: "%(least)d+",
    card_text.CONDITIONS["die"]: "%(least)d\u2013%(most)d",
    card_text.CONDITIONS["value"]: "%(least)d",
    **dict.fromkeys(card_text.GAINED.values(), "+%(number)d"),
    **dict.fromkeys(card_text.LOST.values(), "\u2212%(number)d"),
    **dict.fromkeys(card_text.PAID.values(), "%(number)d"),
    **dict.fromkeys(card_text.PAID_ALL.values(), ALL),
    **dict.fromkeys(card_text.COUNTED_BY.values(), "%(every)d"),
    card_text.AT_MOST: "%(most)d",
    card_text.DONE["move"]: "%(number)d",
    card_text.DONE["left"]: "%(number)d",
    card_text.DONE["right"]: "%(number)d",
    card_text.DONE["repair"]: "%(number)d",
    card_text.DONE["set one"]: "%(values)s",
    card_text.DONE["set all"]: "%(value)d",
    card_text.DONE["nudge"]: "\u00b11",
    card_text.DONE["discard this"]: THIS,
    card_text.DONE["discard any"]: ANY,
    card_text.DONE["discard all"]: ALL,
    card_text.DONE["remove this"]: THIS,
    card_text.DONE["remove any"]: ANY,
    card_text.DONE["cover left"]: "%(number)d",
    card_text.DONE["cover any"]: ANY,
    card_text.DONE["take"]: "%(least)d\u2013%(most)d",
    card_text.DONE["draw"]: "%(number)d",
    card_text.ORDERED["left"]: "%(number)d",
    card_text.ORDERED["right"]: "%(number)d",
    card_text.STAR: "%(most)d",
    card_text.END_POINTS: "%(number)d",
}
"""The figure beside the icon, by the template of the phrase. A phrase that is not listed here has only its icon."""

TITLES: dict[str, _StrPromise] = {
    "ready": pgettext_lazy("card", "Crew Ready"),
    "under-way": pgettext_lazy("card", "Under Way"),
    "bolts": pgettext_lazy("card", "Tightening Bolts"),
    "engine-tuning": pgettext_lazy("card", "Engine Tuning"),
    "harry-showman": pgettext_lazy("card", "Harry Jordan: Showman"),
    "harry-crowd": pgettext_lazy("card", "Harry Jordan: Crowd Pleaser"),
    "harry-dial": pgettext_lazy("card", "Harry Jordan: Hand on the Dial"),
    "sofia-nerves": pgettext_lazy("card", "Sofia Fernandez: Nerves of Steel"),
    "sofia-limit": pgettext_lazy("card", "Sofia Fernandez: On the Limit"),
    "sofia-edge": pgettext_lazy("card", "Sofia Fernandez: Living on the Edge"),
    "aiko-memory": pgettext_lazy("card", "Aiko Yamamoto: Long Memory"),
    "aiko-lighten": pgettext_lazy("card", "Aiko Yamamoto: Lighter Every Mile"),
    "aiko-focus": pgettext_lazy("card", "Aiko Yamamoto: Pure Focus"),
    "ferenc-scout": pgettext_lazy("card", "Ferenc Kovacs: Talent Scout"),
    "ferenc-sprint": pgettext_lazy("card", "Ferenc Kovacs: Short Sprint"),
    "ferenc-sweep": pgettext_lazy("card", "Ferenc Kovacs: Clean Sweep"),
    "tyre-change": pgettext_lazy("card", "Tyre Change"),
    "suspension": pgettext_lazy("card", "Suspension Setup"),
    "split-times": pgettext_lazy("card", "Split Times"),
    "service-park": pgettext_lazy("card", "Service Park"),
    "roadbook": pgettext_lazy("card", "Roadbook"),
    "fan-zone": pgettext_lazy("card", "Fan Zone"),
    "drift-school": pgettext_lazy("card", "Drift School"),
    "turbo": pgettext_lazy("card", "Turbocharger"),
    "racing-line": pgettext_lazy("card", "Racing Line"),
    "quick-swap": pgettext_lazy("card", "Quick Swap"),
    "differential": pgettext_lazy("card", "Active Differential"),
    "data-room": pgettext_lazy("card", "Data Room"),
    "helicopter": pgettext_lazy("card", "TV Helicopter"),
    "bivouac": pgettext_lazy("card", "Bivouac"),
    "test-drive": pgettext_lazy("card", "Test Drive"),
    "hairpins": pgettext_lazy("card", "Hairpins"),
    "flat-out": pgettext_lazy("card", "Flat Out"),
    "title-sponsor": pgettext_lazy("card", "Title Sponsor"),
}
"""Translated titles of the cards of our own set. A club's cards keep their titles."""

STAGES: dict[str, _StrPromise] = {
    "saltwind": pgettext_lazy("stage", "Saltwind Coast"),
    "oldtown": pgettext_lazy("stage", "Old Town Sprint"),
    "harrow": pgettext_lazy("stage", "Harrow Pass"),
    "fernwood": pgettext_lazy("stage", "Fernwood Trail"),
    "nightowl": pgettext_lazy("stage", "Night Owl"),
    "training": pgettext_lazy("stage", "Training Stage"),
}


def said(phrase: Phrase) -> str:
    """Return a phrase of a card in the active language."""
    return phrase.words(gettext)


def figure(phrase: Phrase) -> str:
    """Return the figure beside the icon of a phrase; "" when the icon is enough."""
    shape = FIGURES.get(phrase.template)
    return "" if shape is None else str(shape) % phrase.values


def title_of(cards: CardSet, name: str) -> str:
    """Return the title of a card of the team board, in the active language when the card is ours."""
    if name not in cards.cards:
        return name
    return str(TITLES[name]) if is_own(cards) and name in TITLES else cards.cards[name].title


def stage_title(cards: CardSet, name: str) -> str:
    """Return the title of a stage, in the active language when the stage is ours."""
    return str(STAGES[name]) if is_own(cards) and name in STAGES else cards.stages[name].title


def is_own(cards: CardSet) -> bool:
    """Return whether this is an edition of the set in the engine's own data."""
    return card_set_reading.is_own(cards.digest)

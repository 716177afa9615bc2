"""The possible outcomes of a roll in words: exact chances as percentages (`engine.dust.odds`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dust import card_words
from engine.dust.cards.card_set import CardSet


@dataclass(frozen=True, slots=True)
class Chance:
    """One possible outcome, and its probability."""

    what: str
    percent: str
    share: int


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll or a draw: its title, and all its possible outcomes."""

    title: str
    chances: list[Chance]
    notes: list[str]


def rolls(found: Mapping[str, Any], cards: CardSet) -> list[Roll]:
    """Return all possible outcomes of a step with random draws, kind by kind; empty when nothing is drawn."""
    shown = []
    if "risk" in found:
        shown.append(_risk(found["risk"]))
    if "dice" in found:
        shown.append(_dice(found["dice"], cards))
    if "popularity" in found:
        shown.append(_popularity(found["popularity"]))
    if "cards" in found:
        shown.append(_drawn(found["cards"], cards))
    return shown


def percent(pair: Sequence[int]) -> str:
    """Return a chance as a percentage: 1 of 6 is 17 %. It is 0 % only when impossible and 100 % only when certain."""
    most, of = pair
    share = 100 * most / of if of else 0.0
    if 0 < share < 1 or 99 < share < 100:
        near = min(max(round(share, 1), 0.1), 99.9)
        return _("%(number)s %%") % {"number": number_format(near, 1)}
    return _("%(number)s %%") % {"number": number_format(round(share))}


def _chance(what: str, pair: Sequence[int]) -> Chance:
    return Chance(what, percent(pair), 100 * pair[0] // pair[1])


def _risk(found: Mapping[str, Any]) -> Roll:
    title = ngettext("%(number)d risk die", "%(number)d risk dice", found["dice"]) % {"number": found["dice"]}
    chances = [
        _chance(ngettext("%(number)d hit", "%(number)d hits", one["number"]) % {"number": one["number"]}, one["chance"])
        for one in found["hits"]
    ]
    notes = [
        _("Hits to the next damage token: %(number)d. A token is flipped with %(chance)s.")
        % {"number": found["next_token"], "chance": percent(found["token"])}
    ]
    popularity = [one for one in found["popularity"] if one["number"]]
    if popularity:
        shown = (f"+{one['number']}: {percent(one['chance'])}" for one in popularity)
        notes.append(_("Popularity: %(chances)s") % {"chances": ", ".join(shown)})
    if found["wrecked"][0]:
        notes.append(_("The car is wrecked with %(chance)s (R5).") % {"chance": percent(found["wrecked"])})
    return Roll(title, chances, notes)


def _dice(found: Mapping[str, Any], cards: CardSet) -> Roll:
    title = ngettext("%(number)d die", "%(number)d dice", found["number"]) % {"number": found["number"]}
    chances = []
    for one in found["values"]:
        what = _("a %(value)d") % {"value": one["value"]}
        if one["opens"]:
            what = _("a %(value)d, for %(card)s") % {
                "value": one["value"],
                "card": card_words.title_of(cards, one["opens"]),
            }
        chances.append(_chance(what, one["chance"]))
    return Roll(
        title, chances, [_("Each value is the chance of at least one such die.")] if found["number"] > 1 else []
    )


def _popularity(found: Sequence[Mapping[str, Any]]) -> Roll:
    chances = [
        _chance(
            _("a %(value)d: that much popularity is paid") % {"value": one["value"]} if one["value"] else _("blank"),
            one["chance"],
        )
        for one in found
    ]
    return Roll(_("Popularity die"), chances, [])


def _drawn(found: Mapping[str, Any], cards: CardSet) -> Roll:
    count = len(found["known"]) + found["number"]
    title = ngettext("%(number)d card drawn", "%(number)d cards drawn", count) % {"number": count}
    chances = [_chance(card_words.title_of(cards, card), chance) for card, chance in found["chances"].items()]
    known = ", ".join(card_words.title_of(cards, card) for card in found["known"])
    return Roll(title, chances, [_("Certain: %(cards)s") % {"cards": known}] if known else [])

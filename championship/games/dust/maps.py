"""Stages of this game on pages (stages.stage_pages.StageMaps): a strip of cards, and the cards in words. Also the link
from a club's library to its card sets (stages.stage_pages.Workshop).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship.clubs.models import Club
from championship.games.dust import card_words, faces
from championship.stages.stage_pages import Land, Spec, Table
from engine.contract import GameError, StageError
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet, Stage, StageCard

WIDE, HIGH, GAP = 46, 64, 6
"""A card of the strip, in units of its viewBox."""
PER_ROW = 5
MOST_SHOWN = 30
"""The largest number of cards in a strip."""
GENTLE, DEMANDING = 2.5, 3.3
"""Mean costs of the cards up to which a stage is gentle, and from which it is demanding."""


def ways(club: Club) -> list[tuple[str, str]]:
    """Return the link to the pages of card sets."""
    return [(_("Card sets"), reverse("dust_sets:all", args=[club.slug]))]


def map_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the cards of the stage as a picture, in rows of five."""
    return _strip(spec, title)


def small_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """Return the same picture: it is small enough for lists."""
    return _strip(spec, title)


def land(road: str) -> Land:
    """Refuse to draw: a stage of cards has no land.

    Raises: StageError when called.
    """
    raise StageError(_("The game %(game)s draws no maps."), game="Dirt & Dust")


def summary(spec: Spec) -> str:
    """Return the number of the stage's cards, and the title of their set; "" when they cannot be read."""
    found = _read(spec)
    if found is None:
        return ""
    cards, stage = found
    count = len(stage.cards)
    said = ngettext("%(count)d stage card", "%(count)d stage cards", count) % {"count": count}
    return f"{said} \u00b7 {cards.title} {cards.version}"


def character(spec: Spec) -> str:
    """Return the number of the stage's cards and what they cost on average; "" when they cannot be read."""
    found = _read(spec)
    if found is None or not found[1].cards:
        return ""
    costs = [card.cost for card in found[1].cards]
    mean = sum(costs) / len(costs)
    pace = (
        pgettext("character of a stage", "gentle")
        if mean <= GENTLE
        else pgettext("character of a stage", "demanding")
        if mean >= DEMANDING
        else pgettext("character of a stage", "even")
    )
    said = ngettext("%(count)d stage card", "%(count)d stage cards", len(costs)) % {"count": len(costs)}
    last = [_("the last one costs most")] if costs[-1] == max(costs) > costs[0] else []
    return ", ".join([said, pace, *last])


def table(spec: Spec) -> Table | None:
    """Return the cards in words: number, cost, order to move and star, effects; None when they cannot be read."""
    found = _read(spec)
    if found is None:
        return None
    cards, stage = found
    rows: list[tuple[str, ...]] = []
    for number in range(1, len(stage.cards) + 1):
        face = faces.stage_card(cards, stage.name, number)
        orders = "; ".join(sign.words for sign in face.orders)
        effects = "; ".join(f"{effect.number}: {effect.words}" for effect in face.effects)
        rows.append((str(number), str(face.cost), orders or "\u2013", effects or "\u2013"))
    heads = (_("Card"), _("Traction"), _("Order to move, star"), _("Effects"))
    return Table(_("The stage, card by card"), heads, rows)


def rating(result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
    """Return nothing: codrivers rate no stages of this game."""
    return []


def read_text(text: str) -> dict[str, Any]:
    """Refuse the text: a stage comes with its card set, which has its own pages.

    Raises: StageError when called.
    """
    raise StageError(_("A stage of this game comes with a card set. Bring the set."))


def write_text(spec: Spec) -> str:
    """Return nothing: the text of a card set is on its own page."""
    return ""


def _read(spec: Spec) -> tuple[CardSet, Stage] | None:
    """Return the set and the stage; None for a spec that cannot be read, for example one from a damaged archive. The
    digest in the spec is not trusted.
    """
    try:
        cards = card_set_reading.of_document(spec["set"])
        return cards, cards.stages[spec["stage"]]
    except (AttributeError, KeyError, TypeError, GameError):
        return None


def _strip(spec: Spec, title: str) -> SafeString:
    found = _read(spec)
    if found is None:
        return SafeString("")
    cards, stage = found
    shown = stage.cards[:MOST_SHOWN]
    columns = min(PER_ROW, len(shown))
    rows = -(-len(shown) // PER_ROW)
    wide, high = columns * (WIDE + GAP) + GAP, rows * (HIGH + GAP) + GAP
    drawn = format_html_join(
        "",
        '<g transform="translate({} {})">{}</g>',
        (
            (GAP + place % PER_ROW * (WIDE + GAP), GAP + place // PER_ROW * (HIGH + GAP), _card(place + 1, card))
            for place, card in enumerate(shown)
        ),
    )
    label = title or card_words.stage_title(cards, stage.name)
    return format_html(
        '<svg class="card-strip small" viewBox="0 0 {} {}" role="img" aria-label="{}" font-weight="800" '
        'text-anchor="middle">{}</svg>',
        wide,
        high,
        f"{label}. {summary(spec)}",
        drawn,
    )


def _card(number: int, card: StageCard) -> SafeString:
    """Return a card of the strip: number and cost on a dark band, the order to move below, a star if the card has
    one.
    """
    return format_html(
        '<rect width="{w}" height="{h}" rx="6" fill="#faf6ec" stroke="#7b6850" stroke-width="1.5"/>'
        '<path d="M0 22V6a6 6 0 0 1 6-6h{inner}a6 6 0 0 1 6 6v16z" fill="#1e1812"/>'
        '<path d="M0 22h{w}" stroke="#f2be22" stroke-width="2" stroke-dasharray="6 4"/>'
        '<text x="10" y="16" font-size="13" fill="#f5ecdb">{number}</text>'
        '<circle cx="{coin}" cy="11" r="8" fill="#fffdf6"/>'
        '<text x="{coin}" y="15.5" font-size="12" fill="#1e1812">{cost}</text>{move}{star}',
        w=WIDE,
        h=HIGH,
        inner=WIDE - 12,
        coin=WIDE - 12,
        number=number,
        cost=card.cost,
        move=_order(card),
        star=format_html('<text x="{}" y="60" font-size="14" fill="#a8740a">\u2605</text>', WIDE // 2)
        if card.star
        else "",
    )


def _order(card: StageCard) -> SafeString:
    if card.move is None:
        return SafeString("")
    arrow = "M33 38H13M20 31l-7 7 7 7" if card.move.direction == "left" else "M13 38h20M26 31l7 7-7 7"
    return format_html(
        '<path d="{}" fill="none" stroke="#7d3510" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>'
        '<text x="{}" y="58" font-size="13" fill="#1e1812">{}</text>',
        arrow,
        10 if card.star else WIDE // 2,
        card.move.spaces,
    )

"""The table as far as a viewer may know it: each driver's dials, and all cars on the position track (S3, U6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from championship.games.dust import card_words
from championship.games.dust.words import die_words
from championship.runs.models import Seat
from engine.contract import SeatResult
from engine.dust.cards.card_set import CardSet
from engine.dust.facts import facts

ZONES = {
    "red": gettext_lazy("red"),
    "yellow": gettext_lazy("yellow"),
    "grey": gettext_lazy("grey"),
}


@dataclass(frozen=True, slots=True)
class Dial:
    """A resource on its dial: its value, its maximum, and the lit part of the circle in percent."""

    name: str
    words: str
    value: int
    most: int

    @property
    def term(self) -> str:
        """What the rulebook explains about it (rulebook/figures.toml)."""
        return "speed-points" if self.name == "speed" else self.name

    @property
    def lit(self) -> int:
        """The lit part of the circle, in percent."""
        return min(100, 100 * self.value // self.most) if self.most else 0


@dataclass(frozen=True, slots=True)
class OnRoad:
    """A space of the position track: what it gives (M6), and the cars on it."""

    name: str
    zone: str
    icon: str
    gives: int
    words: str
    cars: list[Seat]
    mine: bool = False


@dataclass(frozen=True, slots=True)
class SeatShown:
    """What a viewer knows of a driver."""

    seat: Seat
    character: str
    dials: list[Dial]
    space: str
    damage: str
    risk: int
    hand: int
    deck: int
    board: list[tuple[str, str, bool]]
    dice: list[str]
    markers: list[tuple[int, int]]
    plays: bool
    ended: bool
    out: bool
    mine: bool
    result: SeatResult | None = None


def dials(one: Mapping[str, Any], cards: CardSet) -> list[Dial]:
    """Return a driver's dials (D6)."""
    limits = cards.limits
    return [
        Dial("speed", _("Speed points"), one["speed"], facts().speed_dial),
        Dial("popularity", _("Popularity"), one["popularity"], limits.popularity),
        Dial("keys", pgettext("dials", "Keys"), one["keys"], limits.keys),
        Dial("traction", _("Traction"), one["traction"], limits.traction),
    ]


def damage(one: Mapping[str, Any], cards: CardSet) -> str:
    """Return a driver's damage in words (R3)."""
    hits = _("%(hits)d of %(most)d hits") % {"hits": one["hits"], "most": cards.limits.damage_track}
    if not one["flipped"]:
        return hits
    flipped = ngettext("%(number)d token flipped", "%(number)d tokens flipped", one["flipped"])
    return f"{hits}, {flipped % {'number': one['flipped']}}"


def seats(
    view: Mapping[str, Any],
    cards: CardSet,
    seats: Sequence[Seat],
    playing: Collection[str],
    ended: Mapping[str, SeatResult],
) -> list[SeatShown]:
    """Return what a view contains about each driver, in starting order."""
    return [_seat(view, cards, seat, seat.name in playing, ended.get(seat.name)) for seat in seats]


def _seat(view: Mapping[str, Any], cards: CardSet, seat: Seat, plays: bool, result: SeatResult | None) -> SeatShown:
    one = view["drivers"][seat.name]
    board = [
        (slot, card_words.title_of(cards, one["board"][slot]["card"]), one["board"][slot]["covered"])
        for slot in cards.slots
        if slot in one["board"]
    ]
    return SeatShown(
        seat=seat,
        character=""
        if cards.stages[view["stage"]].training  # T2: there the cards are not those of a character
        else cards.characters.get(one["driver"], one["driver"]) or _("no character yet"),
        dials=dials(one, cards),
        space=one["space"],
        damage=damage(one, cards),
        risk=one["risk"],
        hand=_count(one["hand"]),
        deck=_count(one["deck"]),
        board=board,
        dice=[die_words(die) for die in one["dice"]],
        markers=[(int(card), count) for card, count in sorted(one["markers"].items(), key=lambda each: int(each[0]))],
        plays=plays,
        ended=one["ended"],
        out=one["phase"] == "out",
        mine=view["viewer"] == seat.name,
        result=result,
    )


def _count(cards: Any) -> int:
    """Return the number of cards; the view may contain only that number (U6)."""
    return cards if isinstance(cards, int) else len(cards)


def track(view: Mapping[str, Any], cards: CardSet, seats: Sequence[Seat]) -> list[list[OnRoad]]:
    """Return both rows of the position track from left to right, with the cars that still race (M1)."""
    stand: dict[str, list[Seat]] = {}
    for seat in seats:
        one = view["drivers"][seat.name]
        if one["phase"] != "out":
            stand.setdefault(one["space"], []).append(seat)
    return [[_space(cards, name, stand.get(name, []), view["viewer"]) for name in row] for row in cards.rows.values()]


def _space(cards: CardSet, name: str, cars: list[Seat], viewer: str | None) -> OnRoad:
    space = cards.spaces[name]
    icon, gives = ("popularity", space.popularity) if space.popularity else ("speed", space.speed)
    what = _("popularity") if space.popularity else _("speed points")
    words = _("%(space)s, %(zone)s: %(gives)d %(what)s a marker") % {
        "space": name,
        "zone": ZONES.get(space.zone, space.zone),
        "gives": gives,
        "what": what,
    }
    return OnRoad(name, space.zone, icon, gives, words, cars, any(seat.name == viewer for seat in cars))

"""How a round ended, for all drivers of the run: orders and their results, contested piles, scores (S4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dust import card_words
from championship.runs.models import Post, Seat
from engine.dust.cards.card_set import CardSet
from engine.dust.run_events import CLOSED
from engine.dust.state import GHOST, OUT


@dataclass(frozen=True, slots=True)
class Fate:
    """One driver's orders from a contested pile: how many were wanted and filled, and the popularity and speed that
    decided (B4).
    """

    seat: Seat
    popularity: int
    speed: int
    wanted: int
    got: int
    back: int


@dataclass(frozen=True, slots=True)
class Contest:
    """A pile from which more cards were ordered than it had."""

    title: str
    there: int
    wanted: int
    fates: list[Fate]


@dataclass(frozen=True, slots=True)
class Scored:
    """A driver's result of the round: where the car is, the cards they got, what the stage card brought (V2)."""

    seat: Seat
    space: str
    got: list[str]
    lost: list[str]
    markers: int
    speed: int
    popularity: int
    holder: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A round that has closed."""

    number: int
    seats: list[Scored]
    contests: list[Contest]
    ghost: str = ""
    over: bool = False


def last_closed(posts: Sequence[Post]) -> Mapping[str, Any] | None:
    """Return the event that closed the newest round in these posts, which are sorted newest first."""
    events = (event.data for post in posts for event in reversed(list(post.events.all())))
    return next((event for event in events if event["kind"] == CLOSED), None)


def summary(event: Mapping[str, Any], state: Mapping[str, Any], cards: CardSet, seats: Sequence[Seat]) -> Summary:
    """Return how the newest round ended, from the event that closed it and the current state of the run. It reads only
    what everybody saw when the next round opened.
    """
    stood = state["drivers"] if state["over"] else state["opened"]
    scored = [_scored(event, stood, state["holder"], cards, seat) for seat in seats]
    orders: dict[str, list[Mapping[str, Any]]] = {}
    for order in event["settled"]:
        orders.setdefault(order["card"], []).append(order)
    contests = [
        _contest(card, settled, event, stood, state["piles"][card], cards, seats)
        for card, settled in orders.items()
        if not all(order["filled"] for order in settled)
    ]
    return Summary(event["round"], scored, contests, _ghost(event), state["over"])


def _scored(
    event: Mapping[str, Any], stood: Mapping[str, Any], holder: str | None, cards: CardSet, seat: Seat
) -> Scored:
    one = stood[seat.name]
    mine = [order for order in event["settled"] if order["seat"] == seat.name]
    scored = event["assessed"].get(seat.name, {})
    return Scored(
        seat=seat,
        space="" if one["phase"] == OUT else one["space"],
        got=[card_words.title_of(cards, order["card"]) for order in mine if order["filled"]],
        lost=[card_words.title_of(cards, order["card"]) for order in mine if not order["filled"]],
        markers=scored.get("markers", 0),
        speed=scored.get("speed", 0),
        popularity=scored.get("popularity", 0),
        holder=holder == seat.name,
    )


def _contest(
    card: str,
    settled: Sequence[Mapping[str, Any]],
    event: Mapping[str, Any],
    stood: Mapping[str, Any],
    left: int,
    cards: CardSet,
    seats: Sequence[Seat],
) -> Contest:
    """Return a pile from which too many cards were ordered; `left` is its number of cards now. Popularity and speed
    points are those before the stage card (B4).
    """
    fates = []
    for seat in seats:
        mine = [order for order in settled if order["seat"] == seat.name]
        if not mine:
            continue
        scored, one = event["assessed"].get(seat.name, {}), stood[seat.name]
        fates.append(
            Fate(
                seat=seat,
                popularity=one["popularity"] - scored.get("popularity", 0),
                speed=one["speed"] - scored.get("speed", 0),
                wanted=len(mine),
                got=sum(order["filled"] for order in mine),
                back=sum(order["back"] for order in mine),
            )
        )
    fates.sort(key=lambda fate: (-fate.popularity, fate.speed))
    there = left + sum(order["filled"] for order in settled)
    return Contest(card_words.title_of(cards, card), there, len(settled), fates)


def _ghost(event: Mapping[str, Any]) -> str:
    """Return what the ghost scored (G5); "" without a ghost."""
    scored = event["assessed"].get(GHOST)
    if scored is None:
        return ""
    speed = ngettext("%(number)d speed point", "%(number)d speed points", scored["speed"])
    fame = _("%(number)d popularity") % {"number": scored["popularity"]}
    return f"{speed % {'number': scored['speed']}}, {fame}"

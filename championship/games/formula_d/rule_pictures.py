"""The pictures of the rulebook (championship.runs.rulebook.figures): examples played by the engine, signs, dice.

A view shows the cars, the path of the order to come, and below what the order before has brought. The only view of a
figure shows what the order to come brings. A figure may also say `around`, the cars that its pictures show (all without
it), and `also`, spaces that they show as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from championship.games.formula_d.drawing import Car, Circuit, Scene, circuit, part_svg
from championship.games.formula_d.drawing.scene import symbols
from championship.games.formula_d.event_sentences import sentence
from championship.games.formula_d.words import area_words, gear_words, space_words
from championship.runs.rulebook.figures import Figure, Picture
from engine.contract import Event, Json, RuleError
from engine.formula_d import scenario
from engine.formula_d.race import OUT, Race, wet

EDGE, WIDE, TALL, LOW = 1.6, 8.0, 5.4, 4.4
"""EDGE: land around the spaces of a picture. WIDE: its least width, TALL: that of a picture that is higher than wide,
LOW: its least height. All in units of the plane.
"""
TOLD = ("spin", "out", "finish", "box")
"""Kinds of event that are told in words under a picture. Those with a die are told to screen readers only."""
BLACK = "black"
STOPS = ("stops-1", "stops-2", "stops-3")
GEARS = ("gear-1", "gear-2", "gear-3", "gear-4", "gear-5", "gear-6")
TYRES = ("tyres-hard", "tyres-soft", "tyres-wet")

Moment = tuple[Race, Sequence[Event]]
Order = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Below:
    """A thing under a picture. A die has a `die` (a gear or `black`) and a face, a loss has none of them."""

    words: str
    die: str = ""
    face: str = ""


def figure(figure: Figure) -> Sequence[Picture]:
    """Play the scenario and draw each of its views."""
    moments, refused = _played(figure.scenario)
    orders: Sequence[Order] = figure.scenario.get("orders", ())
    box = _box(circuit(figure.scenario["track"]), _shown(figure, moments, orders))
    drawn = []
    for view in figure.views:
        number = figure.moment(view, len(orders))
        reached = min(number, len(moments) - 1)
        order = orders[reached] if reached < len(orders) else None
        ident = f"{figure.name}-{view}"
        told = reached + 1 if len(figure.views) == 1 and reached + 1 < len(moments) else reached
        below = _below(*moments[told], refused if reached == len(moments) - 1 else None)
        drawn.append(Picture(view, _map(moments[reached][0], order, box, ident), below))
    return drawn


def _played(document: Mapping[str, Any]) -> tuple[list[Moment], RuleError | None]:
    """Return the moments of a scenario, and the error of the order that is refused."""
    moments: list[Moment] = []
    try:
        for moment in scenario.moments(document):
            moments.append(moment)
    except RuleError as error:
        return moments, error
    return moments, None


# The map ---------------------------------------------------------------------------------------------


def _map(race: Race, order: Order | None, box: tuple[float, float, float, float], ident: str) -> SafeString:
    cars = [
        Car(space=car["space"], colour=colour, number=seat, label=_called(seat), out=car["status"] == OUT)
        for colour, (seat, car) in enumerate(_cars(race))
        if car["space"] is not None
    ]
    scene = Scene(cars=cars, path=_path(race, order) if order else (), debris=race["markers"], wet=wet(race))
    told = [
        _("%(car)s on %(space)s, %(gear)s.")
        % {"car": _called(seat), "space": space_words(car["space"]), "gear": gear_words(car["gear"])}
        for seat, car in _cars(race)
        if car["space"] is not None
    ]
    return part_svg(race["track"], scene, box, title=_("Drawn example"), told=" ".join(told), ident=ident)


def _cars(race: Race) -> list[tuple[str, Mapping[str, Any]]]:
    return [(seat, race["cars"][seat]) for seat in race["entered"]]


def _path(race: Race, order: Order) -> list[str]:
    """Return the whole way of a turn, from the space of its car; [] for a turn without one."""
    parts = [order.get("path", ()), *(slip["path"] for slip in order.get("slip", ())), order.get("out", ())]
    spaces = [space for part in parts for space in part]
    return [race["cars"][order["car"]]["space"], *spaces] if spaces else []


def _shown(figure: Figure, moments: Sequence[Moment], orders: Sequence[Order]) -> list[str]:
    """Return the spaces that all pictures of a figure show."""
    around = figure.shows.get("around", [seat for seat, _car in _cars(moments[0][0])])
    found = list(figure.shows.get("also", ()))
    for number, (race, _events) in enumerate(moments):
        found += [car["space"] for seat, car in _cars(race) if seat in around and car["space"]]
        if number < len(orders) and orders[number]["car"] in around:
            found += _path(race, orders[number])
    return found


def _box(drawing: Circuit, names: Sequence[str]) -> tuple[float, float, float, float]:
    """Return the part of the map with these spaces, and some land around it."""
    spots = [spot for name in names if (spot := drawing.spot(name))]
    xs, ys = [spot.x for spot in spots], [spot.y for spot in spots]
    top, bottom = _widened(min(ys) - EDGE, max(ys) + EDGE, LOW)
    left, right = _widened(min(xs) - EDGE, max(xs) + EDGE, TALL if bottom - top > WIDE else WIDE)
    return left, top, right, bottom


def _widened(low: float, high: float, least: float) -> tuple[float, float]:
    more = max(0.0, least - (high - low)) / 2
    return low - more, high + more


# Below it --------------------------------------------------------------------------------------------


def _called(seat: str) -> str:
    return pgettext("a racing car", "Car %(number)s") % {"number": seat}


def _below(race: Race, events: Sequence[Event], refused: RuleError | None) -> SafeString:
    """Return the dice as they fell, what was lost, and what came of it. Without events these are the gears."""
    names = {seat: _called(seat) for seat, _car in _cars(race)}
    colours = {seat: colour for colour, (seat, _car) in enumerate(_cars(race))}
    context = {
        "gears": [] if events else [(colours[seat], seat, gear_words(car["gear"])) for seat, car in _driving(race)],
        "turns": [
            (colours[seat], seat, [thing for _seat, thing in things])
            for seat, things in groupby(_things(events, names), key=itemgetter(0))
        ],
        "told": [sentence(event, names).text for event in events if event["kind"] in TOLD],
        "refused": refused.words(_) if refused else "",
    }
    return mark_safe(render_to_string("formula_d/rule_below.html", context))  # noqa: S308 - a template


def _driving(race: Race) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the cars that are in a gear."""
    return [(seat, car) for seat, car in _cars(race) if car["gear"]]


def _things(events: Sequence[Event], names: Mapping[str, str]) -> Iterator[tuple[str, Below]]:
    """Yield the dice, the losses and the repairs of an order, each with its car."""
    for event in events:
        kind = event["kind"]
        if kind in ("wear", "repair"):
            sign = "−" if kind == "wear" else "+"
            yield event["seat"], Below(f"{area_words(event['area'])} {sign}{event['number']}")
        elif kind == "roll":
            yield event["seat"], Below(sentence(event, names).text, str(event["gear"]), str(event["spaces"]))
        elif event.get("die") is not None and "seat" in event:
            yield event["seat"], Below(sentence(event, names).text, BLACK, str(event["die"]))


# Signs -----------------------------------------------------------------------------------------------


def sign(name: str) -> SafeString:
    """Draw a die, the badge of a corner, debris or tyres.

    Raises: KeyError when there is no such sign.
    """
    if name in GEARS:
        return _die(name[-1], name[-1])
    if name == "black-die":
        return _die(BLACK, "20")
    if name in STOPS:
        return _badge(int(name[-1]))
    if name in TYRES:
        return format_html('<span class="fd-tyre" data-tyres="{}"></span>', name.partition("-")[2])
    if name == "debris":
        drawn = re.sub(r' id="[^"]*"', "", symbols("pieces.svg")["debris"])
        return mark_safe(f'<svg viewBox="-12 -9 26 18" aria-hidden="true">{drawn}</svg>')  # noqa: S308 - our file
    raise KeyError(name)


def _die(die: Json, face: str) -> SafeString:
    return format_html('<span class="fd-die" data-gear="{}" aria-hidden="true"><b>{}</b></span>', die, face)


def _badge(stops: int) -> SafeString:
    """Draw the badge that stands beside a corner (road_drawing.plates)."""
    return format_html(
        '<svg class="circuit-land" viewBox="-14 -14 28 29" aria-hidden="true"><g class="plate s{stops}">'
        '<path class="board" d="M-12-12h24v16l-12 9l-12-9z"/><text dy="3.6">{stops}</text></g></svg>',
        stops=stops,
    )

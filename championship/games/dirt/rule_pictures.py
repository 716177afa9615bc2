"""The pictures of the rulebook (championship.runs.rulebook.figures): examples played by the engine, signs, dice.

All views of a figure show the same part of the road: that of the cars and of the plans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import Box, box_of, wrapped
from championship.games.dirt.drawing import map_background, map_drawing, paths
from championship.games.dirt.drawing.layout import Drawing, draw
from championship.games.dirt.drawing.overlay import car_poses, overlay
from championship.games.dirt.drawing.scenery import sign_places
from championship.games.dirt.event_sentences import sentence
from championship.games.dirt.marks import Car, Step
from championship.games.dirt.words import DieShown, die_shown, space_words
from championship.runs.rulebook.figures import Figure, Picture
from engine.contract import Event, RuleError, State
from engine.dirt import scenario
from engine.dirt.facts import faces
from engine.dirt.game import game

TOLD = ("sisu", "sisu stays", "relay", "loss", "card", "token", "spare", "finish", "retire")
"""Kinds of event that are told in words under a picture."""
EDGE, LEAST = 0.5, 1.5
"""Land around the cars and plans of a picture, and the least width of it, in sides of a hexagon."""

PLACES: Mapping[str, tuple[str, str, float]] = {
    "start": ("202a", "1.l", 0.55),
    "finish": ("203a", "2.l", 0.55),
    "lanes": ("205a", "2.l", 0.45),
    "bend": ("217a", "2.o2", 0.6),
    "cut": ("217a", "2.i1", 0.34),
    "drift": ("217a", "2.o2", 0.34),
    "slide": ("217a", "1.s1", 0.4),
    "shortcut": ("223b", "k1.1", 0.5),
    "bump": ("205b", "2.l", 0.42),
    "water": ("208b", "2.l", 0.5),
    "single": ("231a", "2.m", 0.45),
    "limit": ("217a", "2.i1", 0.17),
}
"""Signs that are a part of the map: the face of a tile, the space in the middle, and half the width in sides."""
HAZARDS = {"yellow": "205a", "orange": "205b", "red": "221a"}
"""A face of a tile with each warning sign."""
SIGN_REACH = 0.2


def figure(figure: Figure) -> Sequence[Picture]:
    """Play the scenario and draw each of its views: the cars, the plan of the turn to come, and below what the turn
    before has brought.
    """
    moments: list[tuple[State, Sequence[Event]]] = []
    refused: RuleError | None = None
    try:
        for moment in scenario.moments(figure.scenario):
            moments.append(moment)
    except RuleError as error:
        refused = error
    turns = figure.scenario["turns"]
    box = _box([state for state, _events in moments], turns)
    drawn = []
    for view in figure.views:
        number = figure.moment(view, len(turns))
        reached = min(number, len(moments) - 1)
        plan = turns[reached] if reached < len(turns) else None
        below = _below(*moments[reached], refused if number > reached else None)
        drawn.append(Picture(view, _map(moments[reached][0], plan, f"{figure.name}-{view}", box), below))
    return drawn


def _map(state: State, turn: Mapping[str, Any] | None, ident: str, box: Box) -> SafeString:
    """Return the cars of a state and the plan of the turn to come, on the part of the road in `box`."""
    shown = game().view(state, None)
    drawing = draw(state["stage"])
    moving = overlay(
        drawing,
        cars=_cars(shown),
        path=_steps(turn, shown["drivers"]) if turn else (),
        targets=(),
        mud={int(tile): sum(thrown.values()) for tile, thrown in shown["mud"].items()},
        highlight=None,
        ident=ident,
        swap=False,
    )
    told = [
        _("%(car)s on %(space)s, gear %(gear)d.")
        % {"car": _called(name), "space": space_words(one["space"]), "gear": one["gear"]}
        for name, one in shown["drivers"].items()
    ]
    body = f"{_land(drawing)}{map_drawing.pieces(ident)}{moving}"
    return wrapped(box, body, ident=ident, kind="drawn", title=_("Drawn example"), about=" ".join(told), static=True)


def _land(drawing: Drawing) -> str:
    """Return the picture of the land, in its place."""
    x, y, width, height = map_drawing.viewbox(drawing)
    road = map_background.road_of(drawing)
    address = reverse("stages:land", args=["dirt", map_background.edition(), get_language() or "en", road])
    return f'<image href="{address}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _cars(shown: Mapping[str, Any]) -> list[Car]:
    return [
        Car(space=one["space"], colour=number, number=name, label=_called(name), on_track=one["on_track"])
        for number, (name, one) in enumerate(shown["drivers"].items())
        if not one["retired"]
    ]


def _box(states: Sequence[State], turns: Sequence[Mapping[str, Any]]) -> Box:
    """Return the part of the road on which the cars stand in these states, and over which the turns lead."""
    drawing = draw(states[0]["stage"])
    points = [
        (pose.x, pose.y)
        for state in states
        for _car, pose, _scale in car_poses(drawing, _cars(game().view(state, None)))
    ]
    spaces = [space for turn in turns for move in turn.get("plan", "").split() for space in re.split("[:^]", move)[1:]]
    points += [(drawing.spaces[space].middle.x, drawing.spaces[space].middle.y) for space in spaces]
    (left, right), (top, bottom) = (_widened(values) for values in zip(*points, strict=True))
    return box_of((left, top, right, bottom), paths.SCALE)


def _widened(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest of some coordinates with land around them."""
    least, greatest = min(values) - EDGE, max(values) + EDGE
    more = max(0.0, LEAST - (greatest - least)) / 2
    return least - more, greatest + more


def _steps(turn: Mapping[str, Any], drivers: Mapping[str, Any]) -> list[Step]:
    """Return the plan of a turn, from the space of its car."""
    steps = [Step(space=drivers[turn["driver"]]["space"])]
    for move in turn.get("plan", "").split():
        die, _colon, space = move.partition(":")
        steps.append(Step(space=space.split("^")[-1], label=die.replace("c", "→").replace("x", "R")))
    return steps


def _called(name: str) -> str:
    return _("Car %(number)s") % {"number": name}


def _below(state: State, events: Sequence[Event], refused: RuleError | None) -> SafeString:
    """Return the dice as they fell and what came of them, or the gears of the cars before the first turn."""
    drivers = game().view(state, None)["drivers"]
    names = {name: _called(name) for name in drivers}
    context = {
        "cars": [(number, name, one["gear"]) for number, (name, one) in enumerate(drivers.items())],
        "dice": [] if refused else list(_dice(events)),
        "told": [sentence(event, names).text for event in events if event["kind"] in TOLD and not refused],
        "refused": refused.words(_) if refused else "",
        "rule": refused.rule if refused else "",
    }
    return mark_safe(render_to_string("dirt/rule_below.html", context))  # noqa: S308 - a template


def _dice(events: Sequence[Event]) -> Iterator[DieShown]:
    for event in events:
        if event["kind"] == "secure":
            yield from (die_shown(die, "secured") for die in event["dice"])
        elif event["kind"] in ("roll", "roll all"):
            at_once = event["kind"] == "roll all"
            dice = chain.from_iterable(event["dice"]) if at_once else event["dice"]
            faces = chain.from_iterable(event["faces"]) if at_once else event["faces"]
            for die, warns in zip(dice, faces, strict=True):
                yield die_shown(die, "warning" if warns else "clear")


def sign(name: str) -> SafeString:
    """Draw a sign of the map, or a die ("die-3", "die-coast-warning").

    Raises: KeyError when there is no such sign.
    """
    kind, _dash, rest = name.partition("-")
    if kind == "die":
        die, _dash, face = rest.partition("-")
        return die_shown(die, face or "unrolled").sign
    if kind == "hazard":
        drawing = _alone(HAZARDS[rest])
        x, y = drawing.tiles[0].placed(*sign_places(drawing.tiles[0].layout)[0])
        return _cut_out(drawing, x, y, SIGN_REACH)
    if kind == "mud":
        return _mud()
    face, space, reach = PLACES[name]
    drawing = _alone(face)
    middle = drawing.spaces[f"1.{space}"].middle
    return _cut_out(drawing, middle.x, middle.y, reach)


def _alone(face: str) -> Drawing:
    """Lay out a single tile."""
    return draw({"tiles": [{"tile": face, "via": faces()[face].edges}]})


def _mud() -> SafeString:
    """Draw a mud marker where it lies: on the bend of a tile."""
    drawing = _alone("217a")
    middle = drawing.spaces["1.2.o1"].middle
    moving = overlay(drawing, cars=(), path=(), targets=(), mud={1: 1}, highlight=None, ident="sign-mud", swap=False)
    return _cut_out(drawing, middle.x, middle.y, 0.5, map_drawing.pieces("sign-mud") + moving)


def _cut_out(drawing: Drawing, x: float, y: float, reach: float, over: str = "") -> SafeString:
    """Return a square of the land with its middle at (x, y)."""
    left, top, width, height = box_of((x - reach, y - reach, x + reach, y + reach), paths.SCALE)
    return mark_safe(  # noqa: S308 - numbers and an address of our own
        f'<svg class="drawn" viewBox="{left} {top} {width} {height}" aria-hidden="true">{_land(drawing)}{over}</svg>'
    )

"""The chosen way and the best one of a ledger, on the part of the circuit where they are (runs.ways_on_map)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.games.formula_d.drawing import Car, Circuit, Scene, circuit, part_svg
from championship.games.formula_d.words import space_words
from championship.runs.models import Run, Seat
from engine.formula_d.race import OUT, wet

AROUND = 1.6
"""How far a picture reaches beyond the ways, in spaces."""
LEAST = 7.0
"""The smallest width and height of a picture, in spaces."""
Box = tuple[float, float, float, float]
"""Left, top, right and bottom in units of the plane."""


def ways(
    run: Run, state: Mapping[str, Any], seat: Seat, facts: Mapping[str, Any]
) -> tuple[SafeString, SafeString] | None:
    """Return the chosen path and the best one, each on the same part of the circuit with the cars that were there. One
    query.
    """
    own, best = facts.get("path"), facts.get("best way")
    if not isinstance(own, list) or not isinstance(best, dict):
        return None
    begin, better = state["cars"][seat.name]["space"], best.get("path", [])
    if begin is None or own == better:
        return None
    drawing = circuit(state["track"])
    box = _box(drawing, [begin, *own, *better])
    if box is None:
        return None
    colours = {each.name: each.entry.colour for each in run.seats.select_related("entry")}
    cars = [
        Car(car["space"], colours.get(name, 0), name, mine=name == seat.name, out=car["status"] == OUT)
        for name, car in state["cars"].items()
        if car["space"] is not None
    ]

    def picture(path: Sequence[str], ident: str, title: str) -> SafeString:
        scene = Scene(cars=cars, path=[begin, *path] if path else (), debris=state["markers"], wet=wet(dict(state)))
        told = space_words(path[-1]) if path else _("The car stays.")
        return part_svg(state["track"], scene, box, title=title, told=told, ident=ident)

    return picture(own, "own-way", _("The way that was chosen")), picture(better, "best-way", _("The best way"))


def _box(drawing: Circuit, names: Sequence[str]) -> Box | None:
    """Return the part of the circuit around these spaces; None where none of them is on it."""
    spots = [spot for name in names if (spot := drawing.spot(name)) is not None]
    if not spots:
        return None
    left, right = min(spot.x for spot in spots) - AROUND, max(spot.x for spot in spots) + AROUND
    top, bottom = min(spot.y for spot in spots) - AROUND, max(spot.y for spot in spots) + AROUND
    wider, taller = max(0.0, LEAST - (right - left)) / 2, max(0.0, LEAST - (bottom - top)) / 2
    return left - wider, top - taller, right + wider, bottom + taller

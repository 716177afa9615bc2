"""The chosen way and the best one of a ledger, on the part of the map where they are (runs.ways_on_map)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import wrapped
from championship.games.dirt.drawing import map_background, map_drawing, paths
from championship.games.dirt.drawing.centre_lines import Pose
from championship.games.dirt.drawing.layout import GRID, Drawing, draw
from championship.games.dirt.drawing.overlay import overlay
from championship.games.dirt.marks import Car, Step, step_of
from championship.runs.models import Run, Seat

AROUND = 0.9
"""How far a picture reaches beyond the ways, in sides of a hexagon."""
Box = tuple[str, str, str, str]
"""Left, top, width and height in the units of the map, as they are written."""
LEAST = 3.4
"""The smallest width and height of a picture, in sides of a hexagon."""


def ways(
    run: Run, state: Mapping[str, Any], seat: Seat, facts: Mapping[str, Any]
) -> tuple[SafeString, SafeString] | None:
    """Return the chosen plan and the best one, each on the same part of the map."""
    chosen, best = facts.get("chosen"), facts.get("best")
    if not isinstance(chosen, str) or not isinstance(best, str) or chosen == best:
        return None
    half, me = state.get("turn"), state["drivers"][seat.name]
    begin = half["space"] if half else me["space"]
    own, better = ([Step(space=begin), *map(step_of, plan.split())] for plan in (chosen, best))
    drawing = draw(run.stage)
    box = _box(drawing, [*own, *better])
    if box is None:
        return None
    car = Car(begin, seat.entry.colour, seat.name[:3], on_track=me["on_track"], mine=True)
    return (
        _picture(drawing, box, car, own, ident="own-way", title=_("The way that was chosen")),
        _picture(drawing, box, car, better, ident="best-way", title=_("The best way")),
    )


def _box(drawing: Drawing, steps: Sequence[Step]) -> Box | None:
    """Return the part of the map around these steps; None where none of them is on it."""
    found = [pose for step in steps if (pose := _pose(drawing, step.space)) is not None]
    if not found:
        return None
    left, right = min(pose.x for pose in found) - AROUND, max(pose.x for pose in found) + AROUND
    top, bottom = min(pose.y for pose in found) - AROUND, max(pose.y for pose in found) + AROUND
    width, height = max(right - left, LEAST), max(bottom - top, LEAST)
    x, y = (left + right - width) / 2, (top + bottom - height) / 2
    left_, top_, wide, tall = (paths.number(value * paths.SCALE) for value in (x, y, width, height))
    return left_, top_, wide, tall


def _pose(drawing: Drawing, name: str) -> Pose | None:
    if name == GRID:
        centre_line, _first, line = drawing.grid()
        return centre_line.at(max(line - 0.1, 0.0))
    space = drawing.spaces.get(name)
    return space.middle if space else None


def _picture(
    drawing: Drawing,
    box: Box,
    car: Car,
    path: Sequence[Step],
    *,
    ident: str,
    title: str,
) -> SafeString:
    x, y, width, height = map_drawing.viewbox(drawing)
    named = ["dirt", map_background.edition(), get_language() or "en", map_background.road_of(drawing)]
    where = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    land = f'<image class="land" href="{reverse("stages:land", args=named)}" {where}/>'
    moving = overlay(
        drawing, cars=[car], path=path, targets=(), mud={}, highlight=None, ident=ident, swap=False
    )  # fmt: skip
    about = " ".join(step.label for step in path if step.label)
    body = f'<g aria-hidden="true">{land}</g>{map_drawing.pieces(ident)}{moving}'
    return wrapped(box, body, ident=ident, kind="drawn", title=title, about=about, static=True)

"""The map of a draft: its tiles, the open hexagon, and the directions in which the road can continue.

The land is the same picture that stage maps fetch. The rest is links, each of which is also in the panel beside the
map. The links cannot be focused by keyboard, because keyboard users use the panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import box_of, wrapped
from championship.games.dirt.drawing import map_background, map_drawing, paths
from championship.games.dirt.drawing.centre_lines import APOTHEM, EDGES, middle
from championship.games.dirt.drawing.layout import MARGIN, Drawing, corners, draw
from championship.games.dirt.tile_choices import FINISH, RoadDirection
from engine.dirt.course.layout import NEIGHBOURS, Laid, chain

IDENT = "builder-map"
RING = (2.5, 3 * APOTHEM)
"""The distance from a hexagon's middle to the outer edges of its neighbours, across and up."""
RECENT = 4
"""The number of tiles at the open end that the map zooms in on together."""


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """The hexagon for which tiles are offered: its position, whether it is empty, the directions in which the road can
    go on, and the selected one.
    """

    at: tuple[int, int]
    empty: bool
    directions: Sequence[RoadDirection]
    direction: str


def builder_map(draft: Mapping[str, Any], end: OpenEnd | None, selected: int | None) -> SafeString:
    """Return the map of a draft. `selected`: the selected tile."""
    road = chain(draft["tiles"])
    whole = bool(road) and any(section.kind == FINISH for section in road[-1].face.sections)
    drawing = draw({**draft, "service": bool(draft["service"]) and whole}) if road else None
    box = box_of(_bounds(drawing, end), paths.SCALE)
    body = "".join(
        (
            _land(drawing),
            _around(end, road) if end and end.empty else "",
            _spots(road, selected),
            _open(end) if end else _extent(box),
        )
    )
    count = len(road)
    about = ngettext("%(count)d tile is laid.", "%(count)d tiles are laid.", count) % {"count": count}
    return wrapped(box, body, ident=IDENT, kind="drawn", title=_("The stage in the draft"), about=about, static=False)


def open_end(
    road: Sequence[Laid], selected: int | None, directions: Sequence[RoadDirection], direction: str
) -> OpenEnd | None:
    """Return the hexagon for which tiles are offered; None when the stage is complete."""
    if selected is not None:
        return OpenEnd(road[selected - 1].at, False, directions, direction)
    if not directions:
        return None
    return OpenEnd(road[-1].leads_to if road else (0, 0), True, directions, direction)


def _bounds(drawing: Drawing | None, end: OpenEnd | None) -> tuple[float, float, float, float]:
    boxes = [drawing.bounds] if drawing else []
    if end:
        x, y = middle(*end.at)
        wide, high = (reach + MARGIN for reach in (RING if end.empty else (1, APOTHEM)))
        boxes.append((x - wide, y - high, x + wide, y + high))
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _land(drawing: Drawing | None) -> str:
    """Return the sketch, which is visible until the picture over it has loaded."""
    if drawing is None:
        return ""
    x, y, width, height = map_drawing.viewbox(drawing)
    address = reverse(
        "stages:land", args=["dirt", map_background.edition(), get_language() or "en", map_background.road_of(drawing)]
    )
    return (
        f'<g aria-hidden="true"><g class="sketch">{map_drawing.sketch(drawing)}</g>'
        f'<image class="land" href="{address}" x="{x}" y="{y}" width="{width}" height="{height}"/></g>'
    )


def _spots(road: Sequence[Laid], selected: int | None) -> str:
    """Return each tile as a link that selects it; the link of the selected tile deselects it. The nearest tiles are
    targets on which the map zooms in.
    """
    found = []
    for number, laid in enumerate(road, 1):
        mine = number == selected
        near = abs(number - selected) <= 1 if selected else number > len(road) - RECENT
        recent = " target" if near else ""
        name = _("Tile %(number)d, %(face)s") % {"number": number, "face": laid.face.name}
        outline = paths.polygon(corners(middle(*laid.at)))
        found.append(
            _link(f"spot{recent}", {} if mine else {"tile": number}, name, f'<path class="area" d="{outline}"/>')
        )
        if mine:
            found.append(f'<path class="chosen" d="{outline}"/>')
    return "".join(found)


def _around(end: OpenEnd, road: Sequence[Laid]) -> str:
    """Return the hexagons beyond the open one to which its road can lead, each as a link."""
    enters = (road[-1].way_out + len(EDGES) // 2) % len(EDGES) if road else 0
    found = []
    for direction in end.directions:
        if direction.key == FINISH:
            continue
        edge = (enters + int(direction.key)) % len(EDGES)
        q, r = end.at[0] + NEIGHBOURS[edge][0], end.at[1] + NEIGHBOURS[edge][1]
        x, y = middle(q, r)
        here, there = middle(*end.at), (x, y)
        # The arrow is a little beyond the edge that both hexagons share.
        ax, ay = (here[place] + (there[place] - here[place]) * 0.62 for place in (0, 1))
        at = f"{paths.number(ax * paths.SCALE)} {paths.number(ay * paths.SCALE)}"
        chip = (
            f'<g class="way-chip" transform="translate({at})">'
            f'<circle r="17"/><path d="M0 9V-7M-7-1L0-8L7-1" transform="rotate({edge * 60})"/></g>'
        )
        outline = f'<path class="area" d="{paths.polygon(corners(there))}"/>'
        current = " current" if direction.key == end.direction else ""
        label = ngettext("%(way)s: %(count)d tile", "%(way)s: %(count)d tiles", direction.count)
        words = label % {"way": direction.name, "count": direction.count}
        found.append(_link(f"way target{current}", {"go": direction.key}, words, outline + chip))
    return f'<g class="around">{"".join(found)}</g>'


def _open(end: OpenEnd) -> str:
    """Return the hexagon for the next tile, with an element for its picture."""
    x, y = middle(*end.at)
    left, top, width, height = box_of(
        (x - 1 - MARGIN, y - APOTHEM - MARGIN, x + 1 + MARGIN, y + APOTHEM + MARGIN), paths.SCALE
    )
    sign = ""
    if end.empty:
        cx, cy = paths.number(x * paths.SCALE), paths.number(y * paths.SCALE)
        sign = (
            f'<path class="open-hexagon" d="{paths.polygon(corners((x, y)))}"/>'
            f'<path class="plus" d="M-16 0h32M0-16v32" transform="translate({cx} {cy})"/>'
        )
    return (
        f'<g class="place-open" data-open="" aria-hidden="true">{sign}'
        f'<image class="ghost" x="{left}" y="{top}" width="{width}" height="{height}"/></g>'
    )


def _extent(box: tuple[str, str, str, str]) -> str:
    """Return a target that covers the whole stage, so that the map shows all of it."""
    x, y, width, height = box
    return f'<rect class="target extent" x="{x}" y="{y}" width="{width}" height="{height}" aria-hidden="true"/>'


def _link(kind: str, query: Mapping[str, Any], label: str, body: str) -> str:
    address = escape(f"?{urlencode(query)}")
    return (
        f'<a class="{kind}" href="{address}" hx-get="{address}" tabindex="-1" aria-label="{escape(label)}">{body}</a>'
    )

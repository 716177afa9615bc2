"""This game's side of the registry (championship.stages.games.StageMaps)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.stages.games import Car, Spec, Step, Target
from championship.stages.games.dirt import svg
from championship.stages.games.dirt.drawing import Drawing, draw
from championship.stages.games.dirt.overlay import overlay
from championship.stages.games.dirt.tile_list import read_text, rows, summary, write_text

__all__ = ["map_svg", "overlay_svg", "read_text", "rows", "small_svg", "summary", "write_text"]


def map_svg(
    spec: Spec,
    *,
    cars: Sequence[Car] = (),
    path: Sequence[Step] = (),
    targets: Sequence[Target] = (),
    mud: Mapping[int, int] | None = None,
    highlight: int | None = None,
    title: str = "",
    ident: str = "map",
) -> SafeString:
    """The whole map: the land, and the overlay inside it."""
    drawing = draw(spec)
    land = svg.land(drawing, ident, svg.Words(_("START"), _("FINISH"), _("SERVICE")))
    moving = overlay(
        drawing,
        cars=cars,
        path=path,
        targets=targets,
        mud=mud or {},
        highlight=highlight,
        ident=ident,
        swap=False,
    )
    body = f'<g aria-hidden="true">{land}</g>{moving}'
    return svg.wrapped(drawing, body, ident=ident, title=title or _("Stage map"), about=_about(drawing), static=False)


def overlay_svg(
    spec: Spec,
    *,
    cars: Sequence[Car] = (),
    path: Sequence[Step] = (),
    targets: Sequence[Target] = (),
    mud: Mapping[int, int] | None = None,
    highlight: int | None = None,
    ident: str = "map",
    swap: bool = False,
) -> SafeString:
    """Only what moves, for the map of the same `ident`."""
    return overlay(
        draw(spec),
        cars=cars,
        path=path,
        targets=targets,
        mud=mud or {},
        highlight=highlight,
        ident=ident,
        swap=swap,
    )


def small_svg(spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
    """The road over its hexagons, without detail."""
    drawing = draw(spec)
    body = f'<g aria-hidden="true">{svg.sketch(drawing)}</g>'
    return svg.wrapped(drawing, body, ident=ident, title=title or _("Stage map"), about=_about(drawing), static=True)


def _about(drawing: Drawing) -> str:
    count = len(drawing.tiles)
    return ngettext("A stage of %(count)d tile.", "A stage of %(count)d tiles.", count) % {"count": count}

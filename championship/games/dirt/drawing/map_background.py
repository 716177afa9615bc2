"""The land of a stage as a picture with its own URL. It never changes, so a browser fetches it once and caches it.

    drawing  →  "202a.DA.0.0.0~…~s"  →  the same tiles  →  an SVG document with its own colours

The URL contains everything that the picture depends on, so every process can answer it and an answer never becomes
stale. A new way of drawing has a new edition, and with it new URLs.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import document, minified, source_of
from championship.games.dirt.drawing import map_drawing
from championship.games.dirt.drawing.centre_lines import SIXTH
from championship.games.dirt.drawing.layout import Drawing, draw
from championship.stages.stage_pages import Land
from engine.contract import StageError

IDENT = "land"
PARK = "s"
TILE = re.compile(r"([0-9]{1,3}[ab])\.([A-F]{2})\.(-?[0-9]{1,3})\.(-?[0-9]{1,3})\.([0-5])")


@cache
def edition() -> str:
    """Return a name for the current way of drawing. It changes with the code, the symbols and the colours."""
    digest = hashlib.sha256()
    for name in sorted(
        file.name for file in files(map_drawing.PACKAGE).iterdir() if file.name.endswith((".py", ".svg", ".css"))
    ):
        digest.update((files(map_drawing.PACKAGE) / name).read_bytes())
    return digest.hexdigest()[:10]


def road_of(drawing: Drawing) -> str:
    """Return the tiles of a drawing as they are written in a URL."""
    tiles = []
    for tile in drawing.tiles:
        edges = tile.layout.face.edges
        via = edges[::-1] if tile.backwards else edges
        tiles.append(f"{tile.name}.{via}.{tile.at[0]}.{tile.at[1]}.{round(tile.angle / SIXTH)}")
    return "~".join([*tiles, PARK] if drawing.service else tiles)


def spec_of(road: str) -> dict[str, Any]:
    """Return the stage document that a URL describes.

    Raises: StageError when the URL describes no stage.
    """
    *tiles, last = road.split("~")
    service = last == PARK
    found = []
    for place, text in enumerate(tiles if service else [*tiles, last], 1):
        tile = TILE.fullmatch(text)
        if tile is None:
            raise StageError("a tile in an address is its face, way, hexagon and turn", piece=place)
        name, via, q, r, turn = tile.groups()
        found.append({"tile": name, "via": via, "at": [int(q), int(r)], "turn": int(turn)})
    return {"tiles": found, "service": service}


def land(road: str) -> Land:
    """Return the picture at that URL, in the active language.

    Raises: StageError when the URL describes no stage.
    """
    drawing = draw(spec_of(road))
    body = map_drawing.land(drawing, IDENT, map_drawing.MapLabels(_("START"), _("FINISH"), _("SERVICE")))
    colours = _colours()
    text = document(map_drawing.viewbox(drawing), body, kind="drawn", title=_("Stage map"), css=colours)
    return Land(text, edition(), source_of(colours))


@cache
def _colours() -> str:
    return minified((files(map_drawing.PACKAGE) / "land.css").read_text("utf-8"))

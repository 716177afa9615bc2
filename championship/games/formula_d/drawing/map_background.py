"""The land of a ready-made track as a picture with its own URL. It never changes, so a browser fetches it once and
caches it.

    "monza"  →  an SVG document with its own colours

The URL contains everything that the picture depends on, so every process can answer it and an answer never becomes
stale. A new way of drawing has a new edition, and with it new URLs. An imported track is too long for a URL; its land
is part of the page.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import box_of, document, minified, source_of
from championship.games.formula_d.drawing.geometry import Circuit, circuit
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.scene import land
from championship.games.formula_d.drawing.scenery import PACKAGE
from championship.stages.stage_pages import Land

IDENT = "land"
APP = "championship.games.formula_d"
COLOURS = ("static", "formula_d", "circuit-land.css")
"""The style sheet with the colours of the land. A picture contains it; a page with the land of an imported track loads
it.
"""


@cache
def edition() -> str:
    """Return a name for the current way of drawing. It changes with the code, the symbols, the colours and the
    tracks.
    """
    digest = hashlib.sha256()
    tracks = files("engine.formula_d").joinpath("data", "tracks")
    drawn = [file for folder in (files(PACKAGE), tracks) for file in folder.iterdir()]
    for file in sorted(drawn, key=lambda file: file.name):
        if file.name.endswith((".py", ".svg", ".toml", ".csv")):
            digest.update(file.read_bytes())
    digest.update(_colours().encode())
    return digest.hexdigest()[:10]


def road_of(drawing: Circuit) -> str:
    """Return the track as it is written in a URL; "" for one that is too long."""
    return "" if "\n" in drawing.source else drawing.source


def picture(road: str) -> Land:
    """Return the picture at that URL, in the active language.

    Raises: StageError when there is no such track.
    """
    drawing = circuit({"track": road})
    colours = _colours()
    body = land(drawing, IDENT)
    text = document(box_of(drawing.bounds, SCALE), body, kind="circuit-land", title=_("Circuit"), css=colours)
    return Land(text, edition(), source_of(colours))


@cache
def _colours() -> str:
    return minified(files(APP).joinpath(*COLOURS).read_text("utf-8"))

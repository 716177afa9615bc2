"""The land of a ready-made track as a picture with an address of its own: what never moves is fetched once and kept.

    "monza"  →  an SVG document that brings its own colours

The address says everything, so that any process can answer it and an answer never grows old: a new drawing has a new
edition, and with it new addresses. A brought track is too long for an address; its land lies on the page itself.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from django.utils.translation import gettext as _

from championship.games.formula_d.drawing.geometry import Circuit, circuit
from championship.games.formula_d.drawing.paths import SCALE
from championship.games.formula_d.drawing.scene import land
from championship.games.formula_d.drawing.scenery import PACKAGE
from championship.games.svg_elements import box_of, document, minified, source_of
from championship.stages.games import Land

IDENT = "land"
APP = "championship.games.formula_d"
COLOURS = ("static", "formula_d", "circuit-land.css")
"""Where the colours of land lie: a picture brings them along, a page with the land of a brought track loads them."""


@cache
def edition() -> str:
    """A name for how land is drawn now: changes with the code, the symbols, the colours and the tracks."""
    told = hashlib.sha256()
    tracks = files("engine.formula_d").joinpath("data", "tracks")
    drawn = [file for folder in (files(PACKAGE), tracks) for file in folder.iterdir()]
    for file in sorted(drawn, key=lambda file: file.name):
        if file.name.endswith((".py", ".svg", ".toml", ".csv")):
            told.update(file.read_bytes())
    told.update(_colours().encode())
    return told.hexdigest()[:10]


def road_of(drawing: Circuit) -> str:
    """The track as it stands in an address; "" for one that is too long for it."""
    return "" if "\n" in drawing.track else drawing.track


def picture(road: str) -> Land:
    """The picture at that address, in the language that is active.

    Raises:
        StageError: there is no such track.
    """
    drawing = circuit({"track": road})
    colours = _colours()
    body = land(drawing, IDENT)
    text = document(box_of(drawing.bounds, SCALE), body, kind="circuit-land", title=_("Circuit"), css=colours)
    return Land(text, edition(), source_of(colours))


@cache
def _colours() -> str:
    return minified(files(APP).joinpath(*COLOURS).read_text("utf-8"))

"""The drawing of a circuit: its picture, the moving things on it, a small picture for lists.

circuit({"track": "monza"})                       →  Circuit: the position of each space
circuit_svg(course, Scene(cars=..., wet=True))    →  the whole map for a page
part_svg(course, Scene(...), bounds, ...)         →  a part of it, as a picture
overlay_svg(course, Scene(...), swap=True)        →  only the moving things, to replace those of the same ident
space_at(course, x, y), outline_of(course, name)  →  the space at a point; the outline of a space as path data
"""

from championship.games.formula_d.drawing.geometry import Circuit, circuit
from championship.games.formula_d.drawing.maps import (
    circuit_svg,
    outline_of,
    overlay_svg,
    part_svg,
    small_svg,
    space_at,
)
from championship.games.formula_d.drawing.marks import Car, Chance, Scene, Target

__all__ = [
    "Car",
    "Chance",
    "Circuit",
    "Scene",
    "Target",
    "circuit",
    "circuit_svg",
    "outline_of",
    "overlay_svg",
    "part_svg",
    "small_svg",
    "space_at",
]

"""The drawing of a circuit: its picture, what moves on it, a small one for lists.

circuit({"track": "monza"})                       →  Circuit: where each space lies
circuit_svg(course, Scene(cars=..., wet=True))    →  the whole map for a page
overlay_svg(course, Scene(...), swap=True)        →  only what moves, to be swapped into the map of the same ident
space_at(course, x, y), outline_of(course, name)  →  what lies at a point; the outline of a space as path data
"""

from championship.games.formula_d.drawing.geometry import Circuit, circuit
from championship.games.formula_d.drawing.maps import circuit_svg, outline_of, overlay_svg, small_svg, space_at
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
    "small_svg",
    "space_at",
]

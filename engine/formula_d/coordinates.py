"""The coordinates of the spaces of a track on its drawing, from the track file."""

from __future__ import annotations

import csv
from functools import lru_cache
from typing import NamedTuple

from engine.formula_d.track import file_of, heading


class Coordinates(NamedTuple):
    """The middle of a space and the driving direction there.

    `x` runs to the right and `y` downwards, in any unit; `heading` is in degrees, 0 to the right, clockwise.
    """

    x: float
    y: float
    heading: float


@lru_cache(maxsize=64)
def coordinates_of_spaces(name: str) -> tuple[Coordinates, ...]:
    """Return the coordinates of all spaces in the order of the file. `name` is the name of a ready-made track or the
    checked text of a club's own track.

    Raises: StageError when there is no such track.
    """
    text = name if "\n" in name else file_of(name)
    _, skipped = heading(text)
    rows = csv.DictReader(text.splitlines()[skipped:])
    return tuple(Coordinates(float(row["x"]), float(row["y"]), float(row["heading"])) for row in rows)

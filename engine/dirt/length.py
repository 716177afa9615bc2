"""About how long a stage takes, before anybody has driven it.

Measured with the careful codriver over the ready-made stages, alone and with six cars: 24 to 39 spaces of road took 5
to 11 turns. Cars start one behind the other (O2), so that the last is home so many rounds later.
"""

from __future__ import annotations

from typing import Any

from engine.contract import Length
from engine.dirt.compiled_stage import compiled

_TENTHS_A_TURN = 46
"""Spaces of road in a turn, in tenths."""


def length(stage: Any, seats: int) -> Length:
    """Return about how many turns a car needs, and rounds so many cars."""
    road = max(space.distance for space in compiled(stage).spaces)
    turns = -(-10 * road // _TENTHS_A_TURN)
    return Length(turns, turns + seats - 1)

"""Estimate how long a stage takes, before anybody has driven it.

Measured with the cautious codriver on the ready-made stages, alone and with six cars: 24 to 39 spaces of road took 5 to
11 turns. One car starts in each round (O2), so the last car finishes that many rounds later.
"""

from __future__ import annotations

from typing import Any

from engine.contract import Length
from engine.dirt.compiled_stage import compiled

_TENTHS_A_TURN = 46
"""Sections of road that a car drives in a turn, in tenths."""


def length(stage: Any, seats: int) -> Length:
    """Return about how many turns one car needs, and how many rounds `seats` cars need."""
    road = max(space.distance for space in compiled(stage).spaces)
    turns = -(-10 * road // _TENTHS_A_TURN)
    return Length(turns, turns + seats - 1)

"""About how long a race takes, before anybody has driven it.

Measured with the codriver over the eight tracks, four cars and a lap: 295 to 409 spaces of track took 14 to 21 turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.contract import Length
from engine.formula_d.field import field

_SPACES_A_TURN = 19
_LATE = 8
"""One round in so many is added by the slowest car."""


def length(track: Any, options: Mapping[str, Any]) -> Length:
    """Return about how many turns a car needs, and rounds a race."""
    turns = -(-max(field(track).along) * int(options["laps"]) // _SPACES_A_TURN)
    return Length(turns, turns + turns // _LATE)

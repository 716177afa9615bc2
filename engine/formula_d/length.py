"""An estimate of the length of a race before it is driven.

Measured with the codriver on the eight tracks, with four cars and one lap: 295 to 409 spaces of track took 14 to 21
turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.contract import Length
from engine.formula_d.track import load_track

_SPACES_A_TURN = 19
_LATE = 8
"""The slowest car adds one round for every so many turns."""


def length(track: Any, options: Mapping[str, Any]) -> Length:
    """Return an estimate of the turns of a car and of the rounds of the race."""
    turns = -(-max(load_track(track).along) * int(options["laps"]) // _SPACES_A_TURN)
    return Length(turns, turns + turns // _LATE)

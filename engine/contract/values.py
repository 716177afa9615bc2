"""Values that games and the service hand each other: plain JSON, and the names of seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Any
"""A value of plain JSON. Its shape is the game's own."""

State = dict[str, Any]
"""A run as its game sees it. Opaque to all others."""

Event = dict[str, Any]
"""One thing that happened. `kind` names it; `seat` tells whose it is, where it is somebody's.

`only`, where it stands, lists the seats that may read the event. An event without it is open to all. `until` says how
long the others wait. "phase": an open event with `closes` True opens every earlier event that says "phase", of whatever
`kind`; the event with `closes` can be read by all. "over": the event opens when `result` gives the end of the run.
"""

Orders = Mapping[str, Any]
"""What a driver sends. `do` names the step; the rest is the game's own."""

SeatName = str

"""The values that games and the service exchange: plain JSON, and the names of seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Any
"""A value of plain JSON. Each game defines its shape."""

State = dict[str, Any]
"""The state of a run. Only its game reads it."""

Event = dict[str, Any]
"""One thing that happened in a run. `kind` names it. `seat` is the seat that it belongs to, if it belongs to one.

`only`, when it is there, lists the seats that may read the event. An event without it is public. `until` says when a
sealed event becomes public. "phase": a public event with `closes` True makes every earlier event with "phase" public,
of any `kind`. "over": the event becomes public when `result` returns the end of the run.
"""

Orders = Mapping[str, Any]
"""The orders that a driver sends. `do` names the step; each game defines the other keys."""

SeatName = str

"""The demo rallies that a game provides, on its ready-made courses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from championship.catalogue import Part


@dataclass(frozen=True, slots=True)
class DemoRally:
    """A rally of the demo's club: its name, and the courses of its stages by their names in the game's library.

    `options`: those of the game. `in_season`: it is a round of the demo's championship; the rounds come in the order in
    which they are listed, and only the first is started. A rally beside the championship is started at once.
    """

    name: str
    courses: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)
    in_season: bool = False


DEMO: Part[Sequence[DemoRally]] = Part("rallies of the demo")

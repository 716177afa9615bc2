"""The demo rallies that a game provides, on its ready-made courses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from championship.catalogue import Part
from engine.contract import Decision, State


@dataclass(frozen=True, slots=True)
class DemoRally:
    """A rally of the demo: its name, and the courses of its stages by their names in the game's library.

    `options`: those of the game. `in_season`: it is a round of the demo's championship; the rounds come in the order in
    which they are listed. A rally beside the championship is under way, with so many `cars`. `elsewhere`: it belongs to
    the demo's public club; the first of these is over, the second is under way.

    `interest`: how much the next turn of a seat tempts a visitor, the higher the more, 0 for not at all. It decides
    where the recording of a rally under way stops. `card`: a driver's answers to the decisions between two stages.
    Both are asked only while the demo is recorded. `recorded`: the game's file of rallies that are under way in the
    demo, if this is one of them.
    """

    name: str
    courses: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)
    in_season: bool = False
    cars: int = 4
    elsewhere: bool = False
    interest: Callable[[State, str], int] | None = None
    card: Callable[[Sequence[Decision]], Mapping[str, Any]] | None = None
    recorded: Path | None = None


DEMO: Part[Sequence[DemoRally]] = Part("rallies of the demo")

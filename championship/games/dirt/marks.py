"""What a map of Rallyman: DIRT can show besides its road: cars, a plan, spaces to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Car:
    """A car on the map. `colour` 0 to 9 as on the plates; `number` its start number; `label` the text for screen
    readers. Off the track it is drawn beside its space. `mine` and `plays` highlight it; with `href` it is a link.
    """

    space: str
    colour: int
    number: str
    label: str = ""
    on_track: bool = True
    mine: bool = False
    plays: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a plan: the space where it ends, and the text on its die. A step without a label is the start of the
    plan. With `href` its die is a link, and `number` says which move of the plan it is.
    """

    space: str
    label: str = ""
    loses_control: bool = False
    href: str = ""
    number: int = 0


def step_of(move: str) -> Step:
    """Return a move of a plan, as the engine writes it, as a step on the map."""
    die, _colon, space = move.partition(":")
    return Step(space=space.split("^")[-1], label=die.replace("c", "→").replace("x", "R"))


@dataclass(frozen=True, slots=True)
class Target:
    """A space that may be chosen: a link, so it works by keyboard and without script. `label` is its accessible name,
    `chip` the short text on the map (a die), `chip_lost` the part of it that loses control for certain, there or behind
    it; with `loses_control` all of it does. `attributes` are added to the link by name (such as hx-get).
    """

    space: str
    href: str
    label: str
    chip: str = ""
    chip_lost: str = ""
    loses_control: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)

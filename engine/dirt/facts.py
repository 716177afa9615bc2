"""The printed facts of Rallyman: DIRT, read once from `data/`: tiles, rallies, dice, cards, tokens, options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine.contract import Option

CRASH_COLOURS = ("yellow", "orange", "red")
"""The colours of tiles, the safest first."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of road on a tile as printed: a row (lanes), a bend, a single space or a line, with its features."""

    kind: str
    slide: bool = False
    water: bool = False
    jump: int | None = None
    limit: int | None = None
    inside: str | None = None
    inner: tuple[int, ...] = ()
    outer: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Spaces beside the road: the limit of each space, and the sections whose inside touches the first space (`leaves`)
    and the last one (`joins`).
    """

    limits: tuple[int, ...]
    leaves: tuple[int, ...]
    joins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Face:
    """One side of a tile, in the order of its printed `edges`. A face without a road is the service park."""

    name: str
    edges: str
    shape: str
    hazard: str
    sections: tuple[Section, ...]
    shortcuts: tuple[Shortcut, ...] = ()

    @property
    def number(self) -> str:
        """The number of the face's tile: "216" for "216a"."""
        return self.name.rstrip("ab")


@dataclass(frozen=True, slots=True)
class Facts:
    """The numbers of the ruleset. `warnings` by die ("1".."6", coast, leader, brake); `decks` by gear; `bag` by
    two-sided token.
    """

    name: str
    title: str
    version: str
    most_on_a_stage: int
    faces: int
    warnings: Mapping[str, int]
    gear_dice: int
    coast_dice: int
    brake_dice: int
    warning_limit: int
    top_gear: int
    retirement_seconds: int
    decks: Mapping[int, Mapping[str, int]]
    bag: Mapping[str, int]
    online_wheel_seconds: int
    penalty_seconds: int
    most_penalties: int
    options: tuple[Option, ...]


def _document(name: str) -> dict[str, Any]:
    return tomllib.loads((files("engine.dirt") / "data" / name).read_text("utf-8"))


def _section(text: str) -> Section:
    """Parse a section of the tile file: "row slide", "row jump=3", "bend inside=right inner=1 outer=2,2", "single
    limit=5".
    """
    kind, *rest = text.split()
    words = {word.partition("=")[0]: word.partition("=")[2] for word in rest}
    return Section(
        kind=kind,
        slide="slide" in words,
        water="water" in words,
        jump=int(words["jump"]) if "jump" in words else None,
        limit=int(words["limit"]) if "limit" in words else None,
        inside=words.get("inside"),
        inner=tuple(int(limit) for limit in words.get("inner", "").split(",") if limit),
        outer=tuple(int(limit) for limit in words.get("outer", "").split(",") if limit),
    )


def _shortcut(printed: Mapping[str, Any]) -> Shortcut:
    return Shortcut(tuple(printed["limits"]), tuple(printed["from"]), tuple(printed["to"]))


@cache
def faces() -> Mapping[str, Face]:
    """Return all faces of the core box by name."""
    return {
        name: Face(
            name=name,
            edges=printed["edges"],
            shape=printed.get("shape", printed.get("kind", "")),
            hazard=printed.get("hazard", ""),
            sections=tuple(_section(text) for text in printed.get("sections", ())),
            shortcuts=tuple(_shortcut(shortcut) for shortcut in printed.get("shortcuts", ())),
        )
        for name, printed in _document("tiles.toml")["tiles"].items()
    }


@cache
def rallies() -> Mapping[str, Mapping[str, Any]]:
    """Return ready-made stages: "rally/stage" → {"name": str, "tiles": [...], "service": bool, "boxes": int,
    "designer": str}.
    """
    found = {}
    for rally, printed in _document("rallies.toml")["rallies"].items():
        for stage, laid in printed["stages"].items():
            found[f"{rally}/{stage}"] = {**laid, "designer": printed["designer"]}
    return found


@cache
def facts() -> Facts:
    """Return the numbers of the ruleset."""
    read = _document("ruleset.toml")
    gears = sorted(int(gear) for gear in read["cards"]["backs"])
    return Facts(
        name=read["name"],
        title=read["title"],
        version=read["version"],
        most_on_a_stage=read["most_on_a_stage"],
        faces=read["dice"]["faces"],
        warnings=read["dice"]["warnings"],
        gear_dice=read["dashboard"]["gear_dice"],
        coast_dice=read["dashboard"]["coast_dice"],
        brake_dice=read["dashboard"]["brake_dice"],
        warning_limit=read["dashboard"]["warning_limit"],
        top_gear=gears[-1],
        retirement_seconds=read["cards"]["retirement_seconds"],
        decks={gear: read["cards"]["backs"][str(gear)] for gear in gears},
        bag=read["tokens"]["bag"],
        online_wheel_seconds=read["spare_wheel"]["online_seconds"],
        penalty_seconds=read["time_control"]["penalty_seconds"],
        most_penalties=read["time_control"]["most_penalties"],
        options=tuple(Option(**{**option, "choices": tuple(option.get("choices", ()))}) for option in read["options"]),
    )


@cache
def codrivers() -> Mapping[str, Mapping[str, float]]:
    """Return the numbers that steer the codrivers: by name of codriver, and "outlook" for all of them."""
    return _document("codrivers.toml")

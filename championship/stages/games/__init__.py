"""How a game's stages are read and drawn: the registry of games, and what a map can show.

    maps = games.get("dirt")
    maps.map_svg(spec, cars=[Car("2.1.l", 0, "7")], title="Special stage 1")  →  SVG, safe to put on a page

Texts in these values are plain text; the maps escape them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from django.utils.safestring import SafeString

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Car:
    """A car on the map. `colour` 0 to 7 as on the plates; `number` its start number; `label` what a screen reader says.
    Off the track it stands beside its space. `mine` and `plays` make it stand out; with `href` it is a link."""

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
    """A move of a laid plan: where it ends, and what is written on its die. Without a label: where the plan begins."""

    space: str
    label: str = ""
    loses_control: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A space that may be chosen: a link, so it works by keyboard and without script. `label` is its accessible name,
    `chip` the short text on the map (a die); `attributes` go onto the link as they are named (such as hx-get)."""

    space: str
    href: str
    label: str
    chip: str = ""
    loses_control: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One tile of a stage for a table: its place, and texts for what it is."""

    number: int
    tile: str
    road: str
    sections: str
    hazard: str


@dataclass(frozen=True, slots=True)
class Land:
    """The picture of a stage without anything that moves: an SVG document, the edition of its drawing, and the source
    by which a content policy may allow the one stylesheet in it."""

    text: str
    edition: str
    style: str


class StageMaps(Protocol):
    """What a game gives to the pages about its stages. A spec that is no stage raises engine.ruleset.StageError."""

    def map_svg(
        self,
        spec: Spec,
        *,
        cars: Sequence[Car] = (),
        path: Sequence[Step] = (),
        targets: Sequence[Target] = (),
        mud: Mapping[int, int] | None = None,
        highlight: int | None = None,
        title: str = "",
        ident: str = "map",
    ) -> SafeString:
        """The whole map, its land fetched as a picture (`land`). `mud` counts markers by tile, `highlight` is a tile,
        both from 1; `ident` prefixes all ids."""

    def overlay_svg(
        self,
        spec: Spec,
        *,
        cars: Sequence[Car] = (),
        path: Sequence[Step] = (),
        targets: Sequence[Target] = (),
        mud: Mapping[int, int] | None = None,
        highlight: int | None = None,
        ident: str = "map",
        swap: bool = False,
    ) -> SafeString:
        """The part that changes, element `{ident}-overlay`, to replace the one inside the map of the same `ident`.
        `swap` marks it for htmx as to be swapped out of band."""

    def land(self, road: str) -> Land:
        """The picture that a map fetches, `road` as it stands in its address, in the active language. Errors:
        engine.ruleset.StageError."""

    def place_at(self, spec: Spec, x: float, y: float) -> tuple[int, str] | None:
        """What lies at a point of the map, in units of its viewBox: the tile from 1, and the space ("" beside the
        road); None outside."""

    def outline_of(self, spec: Spec, place: str) -> str:
        """The outline of a tile ("3") or a space ("3.1.l") as SVG path data; empty when there is none."""

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """A small picture for lists."""

    def summary(self, spec: Spec) -> str:
        """How long the stage is, in words."""

    def rows(self, spec: Spec) -> list[Row]:
        """The stage's tiles for a table."""

    def read_text(self, text: str) -> dict[str, Any]:
        """A spec from what a person typed. Errors: engine.ruleset.StageError."""

    def write_text(self, spec: Spec) -> str:
        """The text that `read_text` reads back."""


GAMES: Mapping[str, str] = {"dirt": "championship.stages.games.dirt.maps"}
"""Names of games, as in the engine's registry, and the module that draws each."""


def get(name: str) -> StageMaps:
    """The maps of a game; KeyError when it has none."""
    return cast(StageMaps, import_module(GAMES[name]))


def names() -> tuple[str, ...]:
    """The games whose stages can be drawn."""
    return tuple(sorted(GAMES))

"""How a game's stages are read and drawn: what a game gives to pages about them.

    maps = games.get(design.game)
    maps.map_svg(design.spec, title="Special stage 1")  →  SVG, safe to put on a page

Texts in these values are plain text; the maps escape them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.safestring import SafeString

from championship.clubs.models import Club
from championship.games import Part, offers
from championship.games import get as registered

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A stage in words, piece by piece: what the table is called, a head for each column, and the rows. The first cell
    of a row names it.
    """

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Land:
    """The picture of a stage without anything that moves: an SVG document, the edition of its drawing, and the source
    by which a content policy may allow the one stylesheet in it."""

    text: str
    edition: str
    style: str


class StageMaps(Protocol):
    """What a game gives to the pages about its stages. A spec that is no stage raises StageError."""

    def map_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """The whole map, its land fetched as a picture (`land`). `ident` prefixes all ids."""

    def land(self, road: str) -> Land:
        """The picture that a map fetches, `road` as it stands in its address, in the active language.

        Raises: StageError.
        """

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """A small picture for lists."""

    def summary(self, spec: Spec) -> str:
        """How long the stage is, in words."""

    def table(self, spec: Spec) -> Table | None:
        """The stage in words, piece by piece; None where there is nothing to say."""

    def rating(self, result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
        """What a rating says, as the engine made it: each fact with its name, in words. `short`: the first of them."""

    def read_text(self, text: str) -> dict[str, Any]:
        """A spec from what a person typed.

        Raises: StageError.
        """

    def write_text(self, spec: Spec) -> str:
        """The text that `read_text` reads back."""


class Workshop(Protocol):
    """What a game gives to a club's shelf besides stages: pages of its own on which stages are made."""

    def ways(self, club: Club) -> list[tuple[str, str]]:
        """The pages for a club, each with its words and its address. No queries."""


MAPS: Part[StageMaps] = Part("maps of a course")
WORKSHOP: Part[Workshop] = Part("pages of its own on which stages are made")


def get(name: str) -> StageMaps:
    """The maps of a game, plain ones for a game that draws none.

    Raises: UnknownGame.
    """
    from championship.stages.plain import PlainMaps

    return MAPS.of(name) or PlainMaps(name)


def workshops(club: Club) -> list[tuple[str, list[tuple[str, str]]]]:
    """Pages that games have of their own for a club's stages: each game with its pages, by words and address."""
    found = [(str(registered(name)), WORKSHOP.of(name)) for name in offers(WORKSHOP)]
    return [(game, workshop.ways(club)) for game, workshop in found if workshop is not None]


def names() -> tuple[str, ...]:
    """The games whose stages can be drawn."""
    return offers(MAPS)

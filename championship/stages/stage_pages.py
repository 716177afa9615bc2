"""The interface between pages about stages and a game: how its stages are parsed and drawn.

    maps = games.get(design.game)
    maps.map_svg(design.spec, title="Special stage 1")  →  SVG, safe to put on a page

Titles are plain text; the maps escape them. For a game that draws none, `PlainMaps` has no picture, no words, and TOML
as the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.catalogue import Part, offers
from championship.catalogue import get as registered
from championship.clubs.models import Club
from engine import registry
from engine.contract import CourseImport, StageError, offered
from engine.toml_text import toml_of

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
    """The picture of a stage without anything that moves: an SVG document, the edition of the drawing code, and the
    source expression that allows its one stylesheet in a content security policy."""

    text: str
    edition: str
    style: str


class StageMaps(Protocol):
    """The interface that a game implements for the pages about its stages. Methods raise StageError when the spec is
    not a stage.
    """

    def map_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """The whole map. The browser fetches its background as a separate picture (`land`). `ident` is the prefix of
        all ids.
        """

    def land(self, road: str) -> Land:
        """The picture that a map fetches, in the active language. `road` is the road as the picture's URL encodes it.

        Raises: StageError when `road` is not a road.
        """

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """A small picture for lists."""

    def summary(self, spec: Spec) -> str:
        """How long the stage is, in words."""

    def table(self, spec: Spec) -> Table | None:
        """The stage in words, piece by piece; None when the game describes no pieces."""

    def rating(self, result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
        """The facts of a rating that the engine made, as pairs of name and value in words. `short`: only the first."""

    def read_text(self, text: str) -> dict[str, Any]:
        """Parse a spec from text that a person typed.

        Raises: StageError when the text is not a stage.
        """

    def write_text(self, spec: Spec) -> str:
        """The text that `read_text` reads back."""


class Characters(Protocol):
    """What a game says about the character of its stages."""

    def character(self, spec: Spec) -> str:
        """The length and the character of a stage in a few words, drawn from its shape; "" for one that cannot be
        read. It never raises: the words are beside the names of stages everywhere.
        """


class Workshop(Protocol):
    """A game's own pages on which clubs make stages, linked from the club's library."""

    def ways(self, club: Club) -> list[tuple[str, str]]:
        """The pages for a club, as pairs of label and URL. No queries."""


MAPS: Part[StageMaps] = Part("maps of a course")
CHARACTER: Part[Characters] = Part("character of a course")
_plain: list[Callable[[str], StageMaps]] = []
WORKSHOP: Part[Workshop] = Part("pages of its own on which stages are made")


def get(name: str) -> StageMaps:
    """The maps of a game; `PlainMaps` for a game that draws none.

    Raises: UnknownGame when no such game is installed.
    """
    return MAPS.of(name) or _plain[0](name)


def character_of(game: str, spec: Spec) -> str:
    """The length and the character of a stage in a few words; "" where its game says nothing, or is not installed."""
    words = CHARACTER.of(game) if game in offers(CHARACTER) else None
    return words.character(spec) if words is not None and spec else ""


def register_plain(maps: Callable[[str], StageMaps]) -> None:
    """Set what makes the maps of a game that draws none, from the game's name."""
    _plain[:] = [maps]


def workshops(club: Club) -> list[tuple[str, list[tuple[str, str]]]]:
    """The games' own pages on which a club makes stages: each game's title with its pages (label and URL)."""
    found = [(str(registered(name)), WORKSHOP.of(name)) for name in offers(WORKSHOP)]
    return [(game, workshop.ways(club)) for game, workshop in found if workshop is not None]


def names() -> tuple[str, ...]:
    """The games whose stages can be drawn."""
    return offers(MAPS)


@dataclass(frozen=True, slots=True)
class PlainMaps:
    """The maps of the game `game`, which has none of its own."""

    game: str

    def map_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """An empty string."""
        return SafeString("")

    def land(self, road: str) -> Land:
        """Raises: StageError always, because there is no picture to fetch."""
        raise StageError(_("The game %(game)s draws no maps."), game=self.game)

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        """An empty string."""
        return SafeString("")

    def summary(self, spec: Spec) -> str:
        """An empty string."""
        return ""

    def table(self, spec: Spec) -> Table | None:
        """None always."""
        return None

    def rating(self, result: Mapping[str, Any], *, short: bool = False) -> list[tuple[str, str]]:
        """The texts and whole numbers in the rating, each with its name."""
        return [
            (_(name.replace("_", " ")), str(value)) for name, value in result.items() if isinstance(value, str | int)
        ]

    def read_text(self, text: str) -> dict[str, Any]:
        """Parse a spec from TOML.

        Raises: StageError when the text is not TOML.
        """
        try:
            return toml_of(text)
        except ValueError as error:
            raise StageError(_("This is not TOML: %(why)s"), why=str(error)) from error

    def write_text(self, spec: Spec) -> str:
        """The text that the game writes; "" when it writes none."""
        course_import = offered(registry.get(self.game), CourseImport)
        return course_import.write_course(dict(spec)) if course_import else ""


RATINGS: Part[Path] = Part("ratings of the ready-made stages")
"""A JSON file with a game's summary of driven runs for each of its ready-made stages, by source, as the capability
`Rating` gives it.
"""

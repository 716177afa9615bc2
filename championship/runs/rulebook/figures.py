"""The drawn examples of a rulebook, and what its game gives for them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from championship import catalogue
from championship.catalogue import Part

NOTHING = SafeString("")
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn example. `scenario` is a document that the module `scenario` of the game's engine plays. `views` are the
    moments that are drawn: `before`, `after`, or the number of orders that have been carried out. `says` are facts
    about the end, by their path in what the engine prints ("drivers.ana.place"), which a test checks. `shows` is
    everything else that the figure's table holds: the game's own words for how it is drawn.
    """

    name: str
    scenario: Mapping[str, Any]
    views: tuple[str | int, ...]
    says: Mapping[str, Any]
    shows: Mapping[str, Any]

    def moment(self, view: str | int, orders: int) -> int:
        """Return how many of the orders have been carried out at a view."""
        return {BEFORE: 0, AFTER: orders}[view] if isinstance(view, str) else view


@dataclass(frozen=True, slots=True)
class Picture:
    """A view of a figure, as the game draws it. `below` is a line of markup under it, as HTML."""

    view: str | int
    drawn: SafeString
    below: SafeString = NOTHING


@dataclass(frozen=True, slots=True)
class Term:
    """A thing on the table that a reader may ask about: the topic of the rulebook that explains it, and its picture."""

    topic: str
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """The file figures.toml of a game: its figures, the terms that can be asked about, the topic that explains each
    option of a rally, and the rule numbers that no paragraph needs, each with the reason. `also`: by language and
    topic, words that readers search for and that no paragraph uses.
    """

    figures: Mapping[str, Figure]
    about: Mapping[str, Term]
    left_out: Mapping[str, str]
    options: Mapping[str, str]
    also: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class RulePictures(Protocol):
    """How a game draws the pictures of its rulebook. It may be a module."""

    def figure(self, figure: Figure) -> Sequence[Picture]:
        """Play a figure's scenario and draw its views, in the active language. Elements with an id have one that begins
        with the figure's name.
        """

    def sign(self, name: str) -> SafeString:
        """Draw a single sign, or another thing on the table, without a caption.

        Raises: KeyError when there is no such sign.
        """


RULE_PICTURES: Part[RulePictures] = Part("pictures of the rules")


@cache
def figures_in(folder: Path) -> Figures:
    """Return what the file figures.toml of a folder holds. Without the file there are none.

    Raises: KeyError or TypeError when a figure has no scenario or no views.
    """
    path = folder / "figures.toml"
    read = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    left_out, about, options, also = (read.pop(name, {}) for name in ("left_out", "about", "options", "also"))
    found = {name: _figure(name, dict(table)) for name, table in read.items()}
    return Figures(found, {name: Term(**term) for name, term in about.items()}, left_out, options, also)


def _figure(name: str, table: dict[str, Any]) -> Figure:
    scenario, views, says = table.pop("scenario"), tuple(table.pop("views")), table.pop("says", {})
    return Figure(name, scenario, views, says, table)


def figures_of(game: str) -> Figures:
    """Return the figures of a game, none for one without a rulebook."""
    folder = catalogue.get(game).rulebook
    return figures_in(folder) if folder else Figures({}, {}, {}, {})


def drawn(game: str, name: str) -> Sequence[Picture]:
    """Return the views of a figure in the reader's language. They are drawn once in each process.

    Raises: KeyError when the game has no such figure.
    """
    return _drawn(game, name, get_language())


@lru_cache(maxsize=400)
def _drawn(game: str, name: str, language: str | None) -> Sequence[Picture]:
    pictures = RULE_PICTURES.of(game)
    return pictures.figure(figures_of(game).figures[name]) if pictures else ()


def sign(game: str, name: str) -> SafeString:
    """Return a single sign of a game in the reader's language, "" for a game that draws none."""
    return _sign(game, name, get_language())


@lru_cache(maxsize=400)
def _sign(game: str, name: str, language: str | None) -> SafeString:
    pictures = RULE_PICTURES.of(game)
    return pictures.sign(name) if pictures else NOTHING

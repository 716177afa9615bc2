"""The registry of games: what each game provides for the pages.

A game is its own Django app, listed in the setting GAME_APPS. It registers itself in its `AppConfig.ready()`:

    register(Game("toy", engine="toy.rules", parts=[PAGES.by(pages)]))

Pages get a game by its name, or one part of it:

    games.get("toy").words.course         what it calls a course
    PAGES.of("toy")                       its pages of a run, None when it has none of its own

A `Part` is declared by the app that uses it (`championship.runs.run_pages.PAGES`), together with the protocol that its
implementations follow. So this package imports no page, no model and no game, and all apps that use it may import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from django.utils.functional import lazystr
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from championship.catalogue.nouns import Noun, Nouns
from championship.catalogue.units import Unit
from championship.catalogue.words import Words
from engine import contract, registry
from engine.contract import UnknownGame


@dataclass(frozen=True, slots=True)
class Files:
    """Style sheets and scripts, by their names as static files. Both are loaded before those of the page."""

    css: tuple[str, ...] = ()
    js: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAssets:
    """The files for each kind of page. `every`: every page of the site, because maps appear on many of them; style
    sheets only. `home`: the first page. `run`: a run, its log, a place of its course, a record. `replay` and `builder`:
    the replay and the stage builder. `rules`: the rulebook for players.
    """

    every: Files = field(default_factory=Files)
    home: Files = field(default_factory=Files)
    run: Files = field(default_factory=Files)
    replay: Files = field(default_factory=Files)
    builder: Files = field(default_factory=Files)
    rules: Files = field(default_factory=Files)


@dataclass(frozen=True, slots=True)
class Kept:
    """One of a game's own tables. `model` is its label in Django ("toy.Deck"); `club` is the lookup from a row to its
    club. A column of the table that refers to a person must be nullable.
    """

    model: str
    club: str


__all__ = [
    "DuplicateGame",
    "Files",
    "FilledPart",
    "Game",
    "Kept",
    "Noun",
    "Nouns",
    "PageAssets",
    "Part",
    "RulesNameMismatch",
    "Unit",
    "UnknownGame",
    "Words",
    "get",
    "kept",
    "names",
    "offers",
    "register",
    "unit_called",
    "verify_command",
    "words_of",
]

T = TypeVar("T")


class DuplicateGame(ValueError):
    """Two games have the same name."""


class RulesNameMismatch(ValueError):
    """The name of the rules differs from the name of the game."""


@dataclass(frozen=True, slots=True, eq=False)
class Part(Generic[T]):
    """A part of the pages that a game may provide. `name` is for messages only: parts with the same name are not
    equal.
    """

    name: str

    def by(self, given: T) -> FilledPart:
        """Return this part filled by a game, with an object or a module that implements the part's protocol."""
        return FilledPart(self, given)

    def later(self, module: str) -> FilledPart:
        """Return this part filled by a module of that dotted name, which is imported when a page first asks for it:
        most processes never do.
        """
        return FilledPart(self, Later(module))

    def of(self, name: str) -> T | None:
        """Return what the game of that name fills this part with, None when it does not.

        Raises: UnknownGame when no game has that name.
        """
        found: T | None = get(name).part(self)
        return found


@dataclass(frozen=True, slots=True)
class Later:
    """A module that is not imported yet, by its dotted name."""

    module: str


@dataclass(frozen=True, slots=True)
class FilledPart:
    """A part, and the object with which a game fills it."""

    part: Part[Any]
    given: Any


@dataclass(frozen=True, slots=True)
class Game:
    """A game as the pages know it. Only the name and the engine are required.

    `engine` is the rules, as `engine.contract.Game` describes them, or the dotted name of a module that holds them
    (`engine.registry.rules_of`). `rules` is the Markdown document of the numbered rules that pages
    cite. `rulebook` is the folder of the rulebook for players (docs/rulebooks.md). `home` is a template for
    the first page. `urls` is the dotted name of a module of URLs: the game's own pages, below the
    game's name. `keeps` are the game's own tables.
    """

    name: str
    engine: str | contract.Game
    title: str = ""
    words: Words = field(default_factory=Words)
    parts: Iterable[FilledPart] = ()
    rules: Path | None = None
    rulebook: Path | None = None
    home: str = ""
    urls: str = ""
    keeps: Iterable[Kept] = ()
    assets: PageAssets = field(default_factory=PageAssets)
    _parts: Mapping[Part[Any], Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", {filled.part: filled.given for filled in self.parts})

    def __str__(self) -> str:
        return str(self.title or self.name)

    @property
    def has_rules(self) -> bool:
        """Whether the game has rules to read."""
        return self.rules is not None or self.rulebook is not None

    def part(self, part: Part[T]) -> T | None:
        """Return what this game fills a part with, None when it does not."""
        given: Any = self._parts.get(part)
        if isinstance(given, Later):
            given = import_module(given.module)
        found: T | None = given
        return found


_GAMES: dict[str, Game] = {}


def register(game: Game) -> None:
    """Add a game. Called from the `ready` of its app. The engine's registry then also finds its rules by name, in
    whatever package they are.

    Raises: DuplicateGame when another game has that name.
    Raises: RulesNameMismatch when the rules have another name than the game.
    """
    if game.name in _GAMES:
        raise DuplicateGame(f"two games are called {game.name!r:.40}")
    module = game.engine if isinstance(game.engine, str) else ""
    rules = registry.rules_of(game.engine) if isinstance(game.engine, str) else game.engine
    if rules.name != game.name:
        raise RulesNameMismatch(f"the rules of the game {game.name!r:.40} are called {rules.name!r:.40}")
    registry.add(rules, module=module)
    _GAMES[game.name] = game


def get(name: str) -> Game:
    """Return the game of that name.

    Raises: UnknownGame when no game has that name.
    """
    if name not in _GAMES:
        raise UnknownGame(f"no game is called {name!r:.40}; there are: {', '.join(_GAMES)}")
    return _GAMES[name]


def knowing(feat: str) -> list[Game]:
    """Return the games that say who did this feat, one of `engine.contract.FEATS`."""
    return [
        game
        for game in map(get, names())
        if (found := contract.offered(registry.get(game.name), contract.Feats)) is not None and feat in found.feats
    ]


def names() -> tuple[str, ...]:
    """Return the names of the games in the order in which their apps are installed."""
    return tuple(_GAMES)


def words_of(name: str) -> Words:
    """Return a game's words; the neutral words for a game that is not installed."""
    return get(name).words if name in _GAMES else Words()


def unit_called(name: str) -> Unit | None:
    """Return the words for a game's own unit of results, None for a unit that no game has words for. Games that use the
    same name mean the same unit: the words are those of the first of them.
    """
    return next((game.words.units[name] for game in _GAMES.values() if name in game.words.units), None)


def verify_command(name: str) -> str:
    """Return the command that verifies a record of this game, in the file record.json. It installs the rules of a game
    from outside the engine. "" for a game that no module holds: the command line cannot be told of it.
    """
    module = registry.module_of(name)
    if module:
        return f"python -m engine --game {module} verify record.json"
    return "" if name in registry.outside() else "python -m engine verify record.json"


def offers(part: Part[Any]) -> tuple[str, ...]:
    """Return the names of the games that fill a part, in their order."""
    return tuple(name for name, game in _GAMES.items() if game.part(part) is not None)


def kept() -> tuple[Kept, ...]:
    """Return the games' own tables, in the order of the games."""
    return tuple(kept for game in _GAMES.values() for kept in game.keeps)


class _Value:
    """A value that is translated only when it is rendered: in the reader's language, and when all games are
    registered.
    """

    def __init__(self, game: str, value: str) -> None:
        self.game, self.value = game, value

    def __str__(self) -> str:
        called = get(self.game).words.options
        if self.value in called:
            return str(called[self.value])
        return pgettext("option", self.value) if self.value else _("none")


def value_words(game: str, value: str) -> str:
    """Return the text for a value of the game's options: the game's own if it has one, else a translation of the value,
    and "none" for "". The text is lazy.
    """
    return cast(str, lazystr(_Value(game, value)))

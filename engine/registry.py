"""The installed games: packages of this folder, and games that were added at run time.

A package of this folder is a game if it has a module `game`; the package's function `game` returns the game. It may
have two more modules. `scenario` reads and plays its scenario files. `commands` adds commands to the command line.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import engine
from engine.contract import Game, UnknownGame

_added: dict[str, Game] = {}
_modules: dict[str, str] = {}
"""The modules that games were added from, by the games' names."""


@cache
def packages() -> Mapping[str, str]:
    """Return the name of each game in this folder and its package."""
    found = (module.name for module in pkgutil.iter_modules(engine.__path__) if module.ispkg)
    return {name: f"engine.{name}" for name in sorted(found) if _is_game(name)}


def _is_game(name: str) -> bool:
    """Return whether a package of this folder has a module `game`, without importing it."""
    folders = [str(Path(folder) / name) for folder in engine.__path__]
    return any(module.name == "game" for module in pkgutil.iter_modules(folders))


def add(game: Game, *, module: str = "") -> None:
    """Install a game from outside this folder. It cannot replace a game of this folder. `module` is where `rules_of`
    finds it; without one it is the module of its class.
    """
    if game.name not in packages():
        _added[game.name] = game
        _modules[game.name] = module or type(game).__module__


def rules_of(module: str) -> Game:
    """Return the game that a module holds under the name `game`: the game itself, or a function that returns it.

    Raises: UnknownGame when there is no such module, or it holds no game.
    """
    missing = UnknownGame(f"there is no module {module!r:.80} with a game in it")
    if not all(part.isidentifier() for part in module.split(".")):
        raise missing
    try:
        found: Any = getattr(import_module(module), "game", None)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise missing from None
        raise
    game: Game = found() if callable(found) else found
    if not isinstance(getattr(game, "name", None), str):
        raise missing
    return game


def module_of(name: str) -> str:
    """Return the module in which `rules_of` finds an added game, so that the command line can be told of it. "" for a
    game of this folder, and for one that its module does not hold.
    """
    module = _modules.get(name, "") if name in _added else ""
    try:
        return module if module and rules_of(module).name == name else ""
    except UnknownGame:
        return ""


def remove(name: str) -> None:
    """Remove a game that was added. Games of this folder stay."""
    _added.pop(name, None)
    _modules.pop(name, None)


def outside() -> tuple[str, ...]:
    """Return the names of the games that were added."""
    return tuple(sorted(_added))


def names() -> tuple[str, ...]:
    """Return the names of all games."""
    return tuple(sorted({*packages(), *_added}))


def get(name: str) -> Game:
    """Return the game of that name.

    Raises: UnknownGame when no game has this name.
    """
    if name in _added:
        return _added[name]
    game: Game = _package(name).game()
    return game


def _package(name: str) -> ModuleType:
    if name not in packages():
        raise UnknownGame(f"no game is called {name!r:.40}; there are: {', '.join(names())}")
    return import_module(packages()[name])


def module(name: str, part: str) -> ModuleType | None:
    """Return the module `part` of a game, or None when the game has no such module.

    Raises: UnknownGame when no game has this name.
    """
    if name in _added:
        return None
    path = f"{_package(name).__name__}.{part}"
    return import_module(path) if find_spec(path) else None

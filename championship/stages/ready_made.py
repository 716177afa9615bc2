"""The ready-made courses of every game that is installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from championship import catalogue
from championship.stages.models import LONGEST_NAME, name_by_source
from engine import registry
from engine.contract import Courses, Game, Json, offered

ONLY = "only"
"""The source of the single placeholder course of a game that has no courses."""


@dataclass(frozen=True, slots=True)
class ReadyMadeCourse:
    """A course of a game's library. `source` is "collection/course", or the course's name. `name` is the course's own
    `name` or `title` where it has one.
    """

    game: str
    source: str
    name: str
    designer: str
    spec: Json


def library() -> Iterator[ReadyMadeCourse]:
    """Yield the courses of all games. A game without courses has one that is empty and named like the game."""
    for name in catalogue.names():
        yield from _courses(registry.get(name))


def _courses(game: Game) -> Iterator[ReadyMadeCourse]:
    courses = offered(game, Courses)
    if courses is None:
        yield ReadyMadeCourse(game.name, ONLY, game.title, "", {})
        return
    for source, printed in courses.library().items():
        said = printed if isinstance(printed, Mapping) else {}
        own = next((said[key] for key in ("name", "title") if isinstance(said.get(key), str) and said[key]), "")
        name = own[:LONGEST_NAME] or name_by_source(source)
        yield ReadyMadeCourse(game.name, source, name, said.get("designer", ""), courses.read_course(printed))

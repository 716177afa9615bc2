"""How a game's stages are driven on a page: the registry of games, and what each gives to the stage page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import Any, Protocol, cast

from django.http import QueryDict
from django.utils.safestring import SafeString

from championship.runs.selectors import RunPage


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of the log: who, when, in sentences, with the rules behind them; `kind` colours it."""

    who: str
    kind: str
    text: str
    rules: tuple[str, ...] = ()
    number: int = 0
    at: datetime | None = None
    by_codriver: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """What the address of the stage page asks for: a half-made plan, and the space the driver looks at."""

    plan: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A stage page in a game's own words. `panel`, `road_order` and `cars` are templates: for the driver whose turn
    it is, for who plays when, for what each car has aboard. `context` is what they and the page read; `problem` says
    what is wrong with the draft.
    """

    panel: str
    road_order: str
    cars: str
    log: list[Line]
    context: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """A record on a page: the map as it ends, who came in with which time, the log from the beginning."""

    map: SafeString
    finishes: list[tuple[str, int | None, bool]]
    log: list[Line]


class RunPages(Protocol):
    """What a game gives to the pages of runs."""

    def show(self, page: RunPage, draft: Draft) -> Shown:
        """The stage page. No queries: `page` holds what there is to know."""

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """The engine's orders from a form. Raises Refused with the field that makes no sense."""

    def log(self, page: RunPage) -> list[Line]:
        """The log of the posts that `page` holds."""

    def look(self, document: Mapping[str, Any]) -> Looked:
        """A record that somebody brings, as it ends."""


GAMES: Mapping[str, str] = {"dirt": "championship.runs.games.dirt.pages"}
"""Names of games, as in the engine's registry, and the module that shows each."""


def get(name: str) -> RunPages:
    """The pages of a game; KeyError when it has none."""
    return cast(RunPages, import_module(GAMES[name]))

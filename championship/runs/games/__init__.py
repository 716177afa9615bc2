"""How a game's stages are driven on a page: the registry of games, and what each gives to the stage page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import Any, Protocol, cast

from django.http import QueryDict
from django.utils.safestring import SafeString

from championship.rallies.models import Entry
from championship.runs.selectors import RunPage


@dataclass(frozen=True, slots=True)
class Sentence:
    """An event in words, with the numbers of the rules behind it; `kind` colours it. What is `passing` is told step by
    step in a replay, but left out of the log.
    """

    text: str
    kind: str
    rules: tuple[str, ...] = ()
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A post in sentences, or the round it opened. `anchor` names the line on its page, `moment` is the number of the
    last event told, as the replay counts them; a record that somebody brings has neither.
    """

    kind: str
    text: str
    rules: tuple[str, ...] = ()
    at: datetime | None = None
    by_codriver: bool = False
    anchor: str = ""
    moment: int = 0


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A turn, or as much of it as is told: whose it is (nobody's where a round begins), its lines in their order."""

    who: str
    lines: list[Line]
    number: int = 0
    entry: Entry | None = None

    @property
    def at(self) -> datetime | None:
        """When it came to its end, as far as told."""
        return self.lines[-1].at

    @property
    def by_codriver(self) -> bool:
        """Whether the codriver or the clock gave all its orders."""
        return all(line.by_codriver for line in self.lines)


@dataclass(frozen=True, slots=True)
class Moment:
    """The stage as it stood after an event: its map (or only what moves on it), and a template for the cars and the
    dice on the table, with its context.
    """

    map: SafeString
    template: str
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """What the stage page is to show as laid: a half-made plan, and the space the driver looks at. `kept`: the plan is
    the driver's draft, legal when it was laid; else it stands in the address, or was typed. `orders`: the standing
    orders that go with it.
    """

    plan: str = ""
    at: str = ""
    kept: bool = False
    orders: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stage page in a game's own words. `panel`, `road_order` and `cars` are templates: for the driver whose turn
    it is, for who plays when, for what each car has aboard; `dice` is one for the turns whose dice have fallen,
    `ahead` one for the driver who waits for the turn, "" where there is nothing to lay before it.
    `context` is what they and the page read; `problem` says what is wrong with the draft.
    """

    panel: str
    road_order: str
    cars: str
    log: list[TurnTold]
    context: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    rule: str = ""
    dice: str = ""
    ahead: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile or a space in words: a template and its context, what the place is called, its outline as path data."""

    template: str
    title: str
    outline: str
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Looked:
    """A record on a page: the map as it ends, who came in with which time, the log from the beginning."""

    map: SafeString
    finishes: list[tuple[str, int | None, bool]]
    log: list[TurnTold]


class RunPages(Protocol):
    """What a game gives to the pages of runs."""

    def show(self, page: RunPage, draft: Draft) -> Shown:
        """The stage page. No queries: `page` holds what there is to know."""

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """The engine's orders from a form. Raises Refused with the field that makes no sense."""

    def read_standing(self, data: QueryDict) -> dict[str, Any]:
        """The engine's standing orders from a form, the plan left out. Raises Refused as `read_orders`."""

    def log(self, page: RunPage) -> list[TurnTold]:
        """The log of the posts that `page` holds, turn by turn, the newest first; the lines of a turn as they came."""

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """An event of any kind in words. `drivers`: names by the engine's driver."""

    def most_telling(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Of the kinds of sentence in which these events are told, the most telling."""

    def round_of(self, state: Mapping[str, Any]) -> int:
        """The number of the round that a state of the run is in."""

    def round_begun(self, event: Mapping[str, Any]) -> int | None:
        """The number of the round that an event opens, None for all other events."""

    def moment(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> Moment:
        """The run as it stood in an earlier state, `acting` the driver whose turn it was, `turn` the events of that
        turn so far; `overlay`: only what moves on the map. No queries.
        """

    def place_at(self, page: RunPage, x: float, y: float) -> str:
        """The name of what lies at a point of the map, in units of its viewBox; "" for nothing. No queries."""

    def place(self, page: RunPage, name: str) -> Placed | None:
        """What is known of a place by its name; None when the stage has none. No queries."""

    def look(self, document: Mapping[str, Any]) -> Looked:
        """A record that somebody brings, as it ends."""


GAMES: Mapping[str, str] = {"dirt": "championship.runs.games.dirt.pages"}
"""Names of games, as in the engine's registry, and the module that shows each."""


def get(name: str) -> RunPages:
    """The pages of a game; KeyError when it has none."""
    return cast(RunPages, import_module(GAMES[name]))

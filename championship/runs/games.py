"""How a game's stages are driven on a page: what a game gives to the stage page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.games import Part
from championship.rallies.models import Entry
from championship.runs.models import Seat
from championship.runs.selectors import RunPage

NO_MAP = SafeString("")


@dataclass(frozen=True, slots=True)
class Sentence:
    """An event in words, with the numbers of the rules behind it; `kind` colours it. What is `passing` is told step by
    step in a replay, but left out of the log. `whose` names the car where the words alone do not say it.
    """

    text: str
    kind: str
    rules: tuple[str, ...] = ()
    passing: bool = False
    whose: str = ""

    def below(self, name: str) -> str:
        """The words below the headline of `name`, beginning with whose they are where that is somebody else."""
        if self.whose in ("", name):
            return self.text
        return _("%(who)s: %(text)s") % {"who": self.whose, "text": self.text}


Telling = Callable[[Mapping[str, Any]], Sentence]
"""Tells events of one run."""


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
    """The stage as it stood after an event: its map (or only what moves on it), and a template for what lies on the
    table, with its context. `say` tells events of this run where its words depend on more than the event.
    """

    map: SafeString
    template: str
    context: dict[str, Any] = field(default_factory=dict)
    say: Telling | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What the stage page is to show as laid: a half-made plan, and the space the driver looks at. `kept`: the plan is
    the driver's draft, legal when it was laid; else it stands in the address, or was typed. `orders`: the standing
    orders that go with it. `sent`: the fields of a form that was refused, as they were typed.
    """

    plan: str = ""
    at: str = ""
    kept: bool = False
    orders: Mapping[str, Any] = field(default_factory=dict)
    sent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stage page in a game's own words. `map` is the picture of the course with all that stands on it, "" for none;
    `playing` are those who are waited for. `problem` says what is wrong with the draft, `rule` by which rule.

    All others are names of templates, which read `context`. `panel` is for the driver whose turn it is, `ahead` for one
    who waits for the turn; `road_order` says who plays when, `cars` what each car has aboard. Those that a game leaves
    out are "": `drawn` and `drawn_before`, what has just been drawn and what was drawn before it; `around`, the course
    in words; `keys`, rows for the list of keys.

    What stands below them (`road_order`, `cars`, `around`, `keys`, and the log) depends on no draft: the answer to a
    draft leaves it out, and the reader's page keeps it.
    """

    panel: str
    road_order: str
    cars: str
    map: SafeString = NO_MAP
    playing: Sequence[Seat] = ()
    context: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    rule: str = ""
    drawn: str = ""
    drawn_before: str = ""
    ahead: str = ""
    around: str = ""
    keys: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A place of the course in words: a template with its context, what it is called, its outline as path data."""

    template: str
    title: str
    outline: str
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Looked:
    """A record on a page: the map as it ends, "" for none; who came in with which result, and whether they retired, the
    best first; the log from the beginning.
    """

    map: SafeString
    finishes: list[tuple[str, int | None, bool]]
    log: list[TurnTold]


class RunPages(Protocol):
    """What a game gives to the pages of runs."""

    def show(self, page: RunPage, draft: Draft) -> Shown:
        """The stage page. No queries: `page` holds what there is to know."""

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """The engine's orders from a form.

        Raises: Refused with the field that makes no sense.
        """

    def brings_standing(self, data: QueryDict) -> bool:
        """Whether a form that was sent has the fields of standing orders, whatever stands in them."""

    def read_standing(self, data: QueryDict) -> dict[str, Any]:
        """The engine's standing orders from a form, the plan left out.

        Raises: Refused as `read_orders`.
        """

    def standing_of(self, orders: Mapping[str, Any]) -> dict[str, Any]:
        """The standing orders in the orders of a post, as `read_standing` gives them; none where there are none."""

    def log(self, page: RunPage) -> list[TurnTold]:
        """The log of the posts that `page` holds, turn by turn, the newest first; the lines of a turn as they came."""

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """An event of any kind in words. `drivers`: names by the engine's driver."""

    def most_telling(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Of the kinds of sentence in which these events are told, the most telling."""

    def round_of(self, state: Mapping[str, Any]) -> int:
        """The number of the round that a state of the run is in, 0 where turns are told without rounds."""

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


PAGES: Part[RunPages] = Part("pages of a run")


def get(name: str) -> RunPages:
    """The pages of a game: its own, or the plain ones that the core has for each game.

    Raises:
        UnknownGame: no game has that name.
    """
    from championship.runs.plain import PlainPages  # it shows what is declared here

    return PAGES.of(name) or PlainPages()

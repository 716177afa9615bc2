"""The interface between a game and the pages of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.catalogue import Part
from championship.rallies.models import Entry
from championship.runs.models import Seat
from championship.runs.watch.selectors import RunPage

NO_MAP = SafeString("")


@dataclass(frozen=True, slots=True)
class Sentence:
    """An event as a sentence, with the numbers of the rules behind it; `kind` colours it. A `passing` sentence is shown
    in a replay, but left out of the log. `whose` names the car where the sentence alone does not.
    """

    text: str
    kind: str
    rules: tuple[str, ...] = ()
    passing: bool = False
    whose: str = ""

    def below(self, name: str) -> str:
        """Return the text below the headline of `name`. It begins with `whose` where that is another car."""
        if self.whose in ("", name):
            return self.text
        return _("%(who)s: %(text)s") % {"who": self.whose, "text": self.text}


SentenceMaker = Callable[[Mapping[str, Any]], Sentence]
"""A function that puts events of one run into sentences."""


@dataclass(frozen=True, slots=True)
class Line:
    """A post in sentences, or the round it opened. `anchor` names the line on its page. `moment` is the replay's number
    of the last event in the line. An uploaded record has neither.
    """

    kind: str
    text: str
    rules: tuple[str, ...] = ()
    at: datetime | None = None
    by_codriver: bool = False
    anchor: str = ""
    moment: int = 0


@dataclass(frozen=True, slots=True)
class TurnLog:
    """A turn, or the part of it that is shown: its driver (nobody where a round begins) and its lines in order."""

    who: str
    lines: list[Line]
    number: int = 0
    entry: Entry | None = None

    @property
    def at(self) -> datetime | None:
        """When its last line happened."""
        return self.lines[-1].at

    @property
    def by_codriver(self) -> bool:
        """Whether the codriver or the clock gave all its orders."""
        return all(line.by_codriver for line in self.lines)


@dataclass(frozen=True, slots=True)
class ReplayFrame:
    """The stage after an event: its map (or only what moves on it), and a template for what is on the table, with its
    context. `say` puts events of this run into sentences where these depend on more than the event.
    """

    map: SafeString
    template: str
    context: dict[str, Any] = field(default_factory=dict)
    say: SentenceMaker | None = None


@dataclass(frozen=True, slots=True)
class DraftShown:
    """What the stage page shows as laid: an unfinished plan, the space that the driver looks at, and the number of the
    move to be changed in place, from 1; 0 for none. `kept`: the plan
    is the driver's stored draft, which was legal when it was laid; otherwise the plan comes from the address, or was
    typed. `orders`: the standing orders of the plan. `sent`: the fields of a refused form, as they were typed.
    `asks`: the page asks which way is the best, so that the panel neither says it nor proposes it.
    """

    plan: str = ""
    at: str = ""
    change: int = 0
    kept: bool = False
    orders: Mapping[str, Any] = field(default_factory=dict)
    sent: Mapping[str, str] = field(default_factory=dict)
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A stage page as the game builds it. `map` is the picture of the course with everything on it, "" for none.
    `playing` are the seats that are waited for. `problem` says what is wrong with the draft, `rule` by which rule.

    All other fields are names of templates, which read `context`. `panel` is for the driver whose turn it is, `ahead`
    for a driver who waits for the turn; `road_order` shows who plays when, `cars` what each car has aboard. Fields that
    a game leaves out are "": `drawn` and `drawn_before`, what was just drawn and what was drawn before it; `around`,
    the course in words; `keys`, rows for the list of keys; `with_results`, what the game tells beside the results of a
    run that is over, when they stand in place of `road_order`; `at_finish`, what it tells on the finish card of a
    drive, as `told`, from its capability `Highlights`.

    `hand_over`: the panel contains `{% hand_over_on_run_page page %}` (`runs_wheel`), where the form of the turn ends.
    Otherwise the page shows that fold below the panel.

    The parts below the panel (`road_order`, `cars`, `around`, `keys`, and the log) do not depend on the draft. The
    response to a change of the draft leaves them out, and the reader's page keeps its own.
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
    with_results: str = ""
    at_finish: str = ""
    hand_over: bool = False


@dataclass(frozen=True, slots=True)
class PlaceShown:
    """A place of the course in words: a template with its context, its title, and its outline as path data."""

    template: str
    title: str
    outline: str
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordShown:
    """A record on a page: the map at the end, "" for none; the drivers with their results and whether they retired,
    best first; the log from the beginning.
    """

    map: SafeString
    finishes: list[tuple[str, int | None, bool]]
    log: list[TurnLog]


class RunPages(Protocol):
    """What a game provides for the pages of runs."""

    def show(self, page: RunPage, draft: DraftShown) -> Shown:
        """Return the stage page. No queries: `page` holds all the data."""

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """Return the engine's orders from a form.

        Raises: Refused with the field that is invalid.
        """

    def brings_standing(self, data: QueryDict) -> bool:
        """Return whether a form has the fields of standing orders, whatever their values."""

    def read_standing(self, data: QueryDict) -> dict[str, Any]:
        """Return the engine's standing orders from a form, without the plan.

        Raises: Refused with the field that is invalid.
        """

    def standing_of(self, orders: Mapping[str, Any]) -> dict[str, Any]:
        """Return the standing orders in the orders of a post, as `read_standing` returns them; empty where there are
        none.
        """

    def log(self, page: RunPage) -> list[TurnLog]:
        """Return the log of the posts of `page` by turn, newest first; the lines of a turn are in the order of their
        posts.
        """

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """Return an event of any kind as a sentence. `drivers`: names by the engine's driver."""

    def most_telling(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Return the most significant kind among the sentences of these events."""

    def round_of(self, state: Mapping[str, Any]) -> int:
        """Return the number of the round of a state; 0 where turns are shown without rounds."""

    def round_begun(self, event: Mapping[str, Any]) -> int | None:
        """Return the number of the round that an event opens, None for all other events."""

    def frame_at(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> ReplayFrame:
        """Return the run in an earlier state. `acting` is the driver whose turn it was, `turn` the events of that turn
        so far. `overlay`: only what moves on the map. No queries.
        """

    def place_at(self, page: RunPage, x: float, y: float) -> str:
        """Return the name of the place at a point of the map, in units of its viewBox; "" for nothing. No queries."""

    def place(self, page: RunPage, name: str) -> PlaceShown | None:
        """Return the description of a place by its name; None when the stage has no such place. No queries."""

    def record_shown(self, document: Mapping[str, Any]) -> RecordShown:
        """Return an uploaded record at its end."""


PAGES: Part[RunPages] = Part("pages of a run")
_plain: list[Callable[[], RunPages]] = []


def get(name: str) -> RunPages:
    """Return the pages of a game: its own, or the plain ones.

    Raises: UnknownGame when no game has that name.
    """
    return PAGES.of(name) or _plain[0]()


def register_plain(pages: Callable[[], RunPages]) -> None:
    """Set what makes the pages of a game that has none of its own."""
    _plain[:] = [pages]

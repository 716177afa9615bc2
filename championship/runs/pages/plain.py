"""Default pages of a run, for a game without pages of its own: a list of ways, a table of the seats, a log, and
sentences for events and ways.

    PAGES.by(PlainPages(tells={"rolled": gettext_lazy("%(seat)s rolls %(face)s.")}))

This gives the game its own sentences. A game without pages gets `PlainPages()`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from championship.runs.models import Seat
from championship.runs.pages.log import LogWords, names_of, record_turns, run_turns
from championship.runs.run_pages import (
    NO_MAP,
    DraftShown,
    Line,
    PlaceShown,
    RecordShown,
    ReplayFrame,
    Sentence,
    SentenceMaker,
    Shown,
    TurnLog,
)
from championship.runs.watch import watching
from championship.runs.watch.selectors import RunPage
from engine import record, registry
from engine.contract import Game, SeatResult, StageResult, Way

Sentences = Mapping[str, "str | Promise"]
"""Templates by name, such as {"rolled": _("%(seat)s rolls %(face)s.")}."""

FRAME = ("kind", "seat", "only", "until", "closes")
"""The technical fields of an event. All other fields say what happened."""

SHARED, OWN = "round", "move"
"""The colours of a line about all seats, and of one about a single seat."""
ORDERS_LENGTH = 20_000
"""The longest orders that a form may send, in characters."""


def word(name: str) -> str:
    """Return a short word of a game in the reader's language, where a catalogue translates it."""
    return _(name.replace("_", " ")) if name else ""


def sentence(event: Mapping[str, Any], names: Mapping[str, str], tells: Sentences) -> Sentence:
    """Return an event as a sentence. `names` are the people's by seat, `tells` the game's own templates by kind.

    An event without a template becomes "Kind: field value, field value", and the sentence has `whose`.
    """
    who = names.get(event.get("seat") or "", event.get("seat") or "")
    kind = OWN if event.get("seat") is not None else SHARED
    values = {field: value_in_words(value, names) for field, value in event.items() if field not in FRAME}
    template = tells.get(event["kind"])
    if template is not None:
        return Sentence(str(template) % {**values, "seat": who}, kind)
    told = word(event["kind"])
    said = told[:1].upper() + told[1:]
    facts = ", ".join(f"{word(field)} {value}" for field, value in values.items())
    return Sentence(f"{said}: {facts}." if facts else f"{said}.", kind, whose=who)


def value_in_words(value: Any, names: Mapping[str, str]) -> str:
    """Return a plain value for a reader: seats by the names of their people, yes and no, lists and
    tables in one line.
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        pairs = (f"{names.get(key, word(key))} {value_in_words(one, names)}" for key, one in value.items())
        return "; ".join(pairs) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(value_in_words(one, names) for one in value) or "–"
    return names.get(value, word(value)) if isinstance(value, str) else str(value)


def table_of(view: Mapping[str, Any], seats: Sequence[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """Return the columns and rows of the table of seats in a view.

    The table is `view["seats"]`, which has a mapping of values for each seat. A value that only some seats have, such
    as the viewer's own secrets, is a column too. Values that are mappings or lists are left out. The result is empty
    for a view without such a table.
    """
    found = view.get("seats")
    if not isinstance(found, Mapping) or not all(isinstance(found.get(seat), Mapping) for seat in seats):
        return [], {seat: [] for seat in seats}
    columns = [
        column
        for column in dict.fromkeys(column for seat in seats for column in found[seat])
        if all(not isinstance(found[seat].get(column), Mapping | list) for seat in seats)
    ]
    return columns, {seat: [found[seat].get(column) for column in columns] for seat in seats}


def facts_of(view: Mapping[str, Any], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the facts about the table as a whole: the single values of the view, each with its name in words."""
    single = {field: value for field, value in view.items() if not isinstance(value, Mapping | list | tuple)}
    return [(word(field), value_in_words(value, names)) for field, value in single.items()]


@dataclass(frozen=True, slots=True)
class WayShown:
    """A way to go on as a button: its words, its effect, and the orders that it sends."""

    words: str
    does: str
    orders: str


@dataclass(frozen=True, slots=True)
class SeatShown:
    """A row of the table: the seat, its values in the view, whether it plays, and its result."""

    seat: Seat
    values: list[str]
    plays: bool
    result: SeatResult | None


@dataclass(frozen=True, slots=True)
class PlainPages:
    """Pages built from the game's own `choices`, `view`, events and `result`.

    `tells` are sentence templates by kind of event. `ways` are templates for a way by its text. Both may use the values
    of the event, or the effect of the way, as %(name)s.
    """

    tells: Sentences = field(default_factory=dict)
    ways: Sentences = field(default_factory=dict)

    def show(self, page: RunPage, draft: DraftShown) -> Shown:
        """Return the stage page. Nothing is laid in such a game before orders are sent."""
        playing = _playing(page)
        result = watching.result_of(page.run)
        context = self._table(page, watching.view_of(page.run, page.seat), {one.name for one in playing}, result)
        if page.my_turn is not None and page.mine is not None:
            context |= self._choices(registry.get(page.run.game), page.run.state, page.mine.name, names_of(page))
        return Shown(
            panel="runs/plain/panel.html",
            road_order="runs/plain/order.html",
            cars="runs/plain/seats.html",
            playing=playing,
            context=context,
            hand_over=True,
        )

    def _table(
        self, page: RunPage, view: Mapping[str, Any], playing: Collection[str], result: StageResult | None
    ) -> dict[str, Any]:
        """Return what a viewer sees of the table: seats, who plays, facts about the whole table."""
        names = names_of(page)
        columns, rows = table_of(view, [seat.name for seat in page.seats])
        ended = {one.seat: one for one in result.seats} if result else {}
        seats = [
            SeatShown(
                seat,
                [value_in_words(value, names) for value in rows[seat.name]],
                seat.name in playing,
                ended.get(seat.name),
            )
            for seat in page.seats
        ]
        return {
            "cars": seats,
            "columns": [word(column) for column in columns],
            "facts": facts_of(view, names),
        }

    def _choices(self, game: Game, state: Mapping[str, Any], seat: str, names: Mapping[str, str]) -> dict[str, Any]:
        """Return what the driver may do now."""
        found = game.choices(dict(state), seat)
        ways = [self._way(way, names) for way in found.ways if way.orders]
        if not ways:
            ways = [WayShown(_("Continue"), "", _written(game.autopilot(dict(state), seat)))]
        return {
            "ways": ways,
            "phase": word(found.phase),
            "forced": found.forced,
            "why": _(found.why) if found.why else "",
            "known": [(word(name), value_in_words(value, names)) for name, value in found.facts.items()],
            "resigning": _written(game.resign(dict(state), seat)),
        }

    def _way(self, way: Way, names: Mapping[str, str]) -> WayShown:
        does = {name: value_in_words(value, names) for name, value in way.does.items()}
        words = str(self.ways[way.text]) % does if way.text in self.ways else word(way.text)
        told = "" if way.text in self.ways else ", ".join(f"{word(name)} {value}" for name, value in does.items())
        return WayShown(words[:1].upper() + words[1:], told, _written(way.orders))

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        """Return the orders that a button or a choice of the turn form sends.

        Raises: Refused when they are missing or not orders, or when a step that needs a confirmation was sent without
        it.
        """
        if data.get("asks") and not data.get("sure"):
            raise Refused(_("Tick the box if you mean it."), field="sure")
        text = data.get("orders", "")
        try:
            orders = json.loads(text) if len(text) <= ORDERS_LENGTH else None
        except (ValueError, RecursionError):
            orders = None
        if not isinstance(orders, dict):
            raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": "orders"}, field="orders")
        return orders

    def brings_standing(self, data: QueryDict) -> bool:
        """Return False: orders are not sent ahead here."""
        return False

    def read_standing(self, data: QueryDict) -> dict[str, Any]:
        """Return nothing: orders are not sent ahead here."""
        return {}

    def standing_of(self, orders: Mapping[str, Any]) -> dict[str, Any]:
        """Return nothing: orders are not sent ahead here."""
        return {}

    def log(self, page: RunPage) -> list[TurnLog]:
        """Return the log of a page's posts by turn, newest first."""
        return run_turns(page, self.log_words(page))

    def log_words(self, page: RunPage) -> LogWords:
        """Return the words of the log: a line for each event."""
        names = names_of(page)

        def say(event: Mapping[str, Any]) -> Sentence:
            return self.sentence(event, names)

        return LogWords(names, for_all=lambda event: say(event).kind == SHARED, line=line_maker(say))

    def sentence(self, event: Mapping[str, Any], drivers: Mapping[str, str]) -> Sentence:
        """Return an event of any kind as a sentence."""
        return sentence(event, drivers, self.tells)

    def most_telling(self, events: Sequence[Mapping[str, Any]]) -> str:
        """Return the colour of a turn on the time line."""
        return OWN

    def round_of(self, state: Mapping[str, Any]) -> int:
        """Return 0: the rounds of such a game are not known."""
        return 0

    def round_begun(self, event: Mapping[str, Any]) -> int | None:
        """Return None: no event is known to open a round."""
        return None

    def frame_at(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> ReplayFrame:
        """Return the table in an earlier state, as anybody may know it. The seats that were to play then are left out
        as long as something is hidden.
        """
        game, then = registry.get(page.run.game), dict(state)
        playing = () if page.run.hidden else game.to_play(then)
        table = self._table(page, game.view(then, None), playing, None if page.run.hidden else game.result(then))
        return ReplayFrame(NO_MAP, "runs/plain/moment.html", table)

    def place_at(self, page: RunPage, x: float, y: float) -> str:
        """Return "": there is no map."""
        return ""

    def place(self, page: RunPage, name: str) -> PlaceShown | None:
        """Return None: there is no map."""
        return None

    def record_shown(self, document: Mapping[str, Any]) -> RecordShown:
        """Return the end of a record. Seats are named by the numbers in the record."""
        game, state = record.fold(document)
        names = {one["id"]: _("No. %(number)s") % {"number": one["id"]} for one in document["entrants"]}
        words = LogWords(names, for_all=lambda _event: False, line=line_maker(self.sentence_maker(state, names)))
        result = game.result(state)
        sign = 1 if game.measure.better == "fewest" else -1
        seats = sorted(result.seats, key=lambda one: _place(one, sign)) if result else []
        finishes = [(names[one.seat], one.measure, one.status == "retired") for one in seats]
        return RecordShown(NO_MAP, finishes, record_turns(document, words))

    def sentence_maker(self, state: Mapping[str, Any], names: Mapping[str, str]) -> SentenceMaker:
        """Return the function that puts events of one run into sentences. A game whose sentences depend on the run's
        state overrides this.
        """
        return lambda event: self.sentence(event, names)


def line_maker(say: SentenceMaker) -> Callable[[Mapping[str, Any], str], Line]:
    """Return the function that puts an event into a line below the name of a driver."""

    def line(event: Mapping[str, Any], who: str) -> Line:
        said = say(event)
        return Line(kind=said.kind, text=said.below(who))

    return line


def _place(one: SeatResult, sign: int) -> tuple[bool, int, tuple[int, ...]]:
    """Return the sort key of a result: seats with a measure first, the best of them at the top."""
    return one.measure is None, sign * (one.measure or 0), one.rank


def _playing(page: RunPage) -> list[Seat]:
    """Return the seats whose turn looks open to the reader of the page."""
    waiting = {turn.seat_id for turn in page.turns}
    return [seat for seat in page.seats if seat.pk in waiting]


def _written(orders: Mapping[str, Any]) -> str:
    return json.dumps(dict(orders), separators=(",", ":"), sort_keys=True)

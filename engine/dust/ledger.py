"""The ledger of a stage (engine/contract/ledger.py): what each decision gave up and what each draw gave, in points.

The value of a position is the estimate of a codriver (`codriver/evaluation.py`) with the weights `datum`: it weighs the
mean alone, and a wreck is worth no point. The estimate is corrected to the points that club drivers reach in the mean
(`corrected`). A decision is all that a driver does from one draw to the next: it is compared with the best plan of a
small search (`codriver/search.py`). The mean of a draw is exact where there are few outcomes. Otherwise it is the mean
of a sample with a fixed seed, whose error the ledger states.

The cards that are given up before a draw (Q3) and the choice of a character (U1) are no decisions of the ledger.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import Any, cast

from engine.chance import SeededChance
from engine.contract import Event, Json, RunLedger, State
from engine.contract.ledger import SeatLedger
from engine.dust import final_score, run_events
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.codriver.evaluation import Outlook
from engine.dust.codriver.search import Search
from engine.dust.codriver.step_outcomes import outcomes
from engine.dust.state import DRIVE, OUT, Table
from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import Turn
from engine.ledger import HUNDREDTHS, Books

VERSION = "2"
DATUM = "datum"
"""The weights of the driver whom the values describe. Nobody can choose it."""
MOMENTS = BETWEEN, BEGUN, ENDED = "between", "begun", "ended"
"""When a position is estimated: at the beginning of a round; within a turn, with what its dice may bring; at the end
that is planned for a turn.
"""
SAMPLE = 32
"""How many outcomes a mean is taken of, where there are more than can be counted."""
COUNTED = 40
"""The most outcomes that are counted exactly."""

_ANSWERS = (steps.ACCEPT, steps.VOID)


class _SeededDraws:
    """Draws with a fixed seed, for means."""

    def __init__(self, seed: str) -> None:
        self._chance = SeededChance(sha256(seed.encode()).digest())

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        return self._chance.number(kind, len(faces))


@cache
def corrections() -> Mapping[str, tuple[int, ...]]:
    """Return what is added to estimates, in hundredths of a point, by moment and by rounds left (`data/value.toml`)."""
    found = tomllib.loads(files("engine.dust").joinpath("data/value.toml").read_text("utf-8"))
    return {moment: tuple(found[moment]) for moment in MOMENTS}


def corrected(estimate: float, table: Table, moment: str) -> float:
    """Return the value of a position from its estimate, both in hundredths of a point."""
    added = corrections()[moment]
    return estimate + added[min(table["cards"] - table["round"], len(added) - 1)]


def estimate(table: Table, seat: str, cards: CardSet, *, ended: bool = False) -> int:
    """Return the datum's estimate of a position in hundredths of a point, not corrected. `ended`: when the turn ends
    now.
    """
    search, turn = Search(table, seat, cards, DATUM), Turn(table, seat, cards, None)
    return search.worth_of_end(turn) if ended else search.estimate(turn)


def ledger(setup: State, events: Sequence[Event]) -> RunLedger:
    """Return the ledger of a stage that is over, from its set-up and all its events, in points."""
    table = cast(Table, setup)
    cards = card_set_reading.of_document(table["set"], table["digest"])
    readers = {seat: _Reader(table, seat, cards) for seat in table["order"]}
    for number, event in enumerate(events):
        before, table = table, run_events.apply(table, event)
        if event["kind"] == run_events.CLOSED:
            for reader in readers.values():
                reader.closing(table, number)
        elif event["seat"] in readers:
            readers[event["seat"]].read(before, event, table, number, events)
    points = final_score.standings(table, cards)
    error = max((reader.error for reader in readers.values()), default=0.0)
    found = {seat: reader.closed(points[seat].points or 0) for seat, reader in readers.items()}
    return RunLedger(found, error=-(-int(error * 1000) // 1000))


class _Reader:
    """The books of one driver. `begun` is the position after the last draw, `done` the steps since then. `error` is the
    greatest standard error of a mean, in hundredths.
    """

    def __init__(self, table: Table, seat: str, cards: CardSet) -> None:
        self.seat, self.cards = seat, cards
        self._outlook: Outlook | None = None
        self.books = Books(seat, self._rest(table), better="most")
        self.begun: Table | None = None
        self.done: list[str] = []
        self.error = 0.0

    def closed(self, points: int) -> SeatLedger:
        """Return the ledger of a driver whose points are known. A wrecked driver has none."""
        return self.books.closed(float(points))

    def closing(self, table: Table, number: int) -> None:
        """Book the end of a round: markers, orders, and what the others did."""
        self.books.at(max(1, table["drivers"][self.seat]["turns"]), number)
        self.begun, self.done = None, []
        if not table["over"]:
            self.books.other(self._rest(table), "round")

    def read(self, before: Table, event: Event, after: Table, number: int, events: Sequence[Event]) -> None:
        """Book what an event of this driver has changed. It is the event of this number."""
        self.books.at(before["drivers"][self.seat]["turns"] + 1, number)
        if event["kind"] == run_events.RESIGNED:
            self.books.decision(self.books.value / HUNDREDTHS, 0.0, "retire")
        if event["kind"] != run_events.STEP:
            return
        drawn = list(event["drawn"])
        following = events[number + 1] if number + 1 < len(events) else {}
        if following.get("kind") == run_events.HAND and following.get("seat") == self.seat:
            after = run_events.apply(after, following)
            drawn += following["drawn"]
        self._step(before, str(event["step"]), after, drawn=bool(drawn))

    def _step(self, before: Table, step: str, after: Table, *, drawn: bool) -> None:
        first = step.split()[0]
        if first == steps.CHOOSE:
            self.books.other(self._rest(after), "character")
            return
        if first in _ANSWERS:
            self._answer(before, step)
        elif first != steps.PREPARE:
            if self.begun is None:
                self.begun, self.done = before, []
            self.done.append(step)
            if drawn or first == steps.END:
                self._plan(before, step, ends=not drawn)
        if drawn:
            self._draw(before, step, after)
        if drawn or first in (*_ANSWERS, steps.PREPARE):
            self.begun = None

    def _search(self, table: Table) -> Search:
        """Return a search. Searches of one round share what is the same in all its positions."""
        search = Search(table, self.seat, self.cards, DATUM, self._outlook)
        self._outlook = search.outlook
        return search

    def _rest(self, table: Table) -> float:
        """Return the value between two turns."""
        if table["drivers"][self.seat]["phase"] == OUT:
            return 0.0
        return self._estimate(self._search(table), Turn(table, self.seat, self.cards, None)) / HUNDREDTHS

    def _estimate(self, search: Search, turn: Turn) -> float:
        """Return the value of a position in hundredths. A wreck has no points."""
        moment = BEGUN if turn.me["phase"] == DRIVE else BETWEEN
        return 0.0 if turn.me["phase"] == OUT else corrected(search.estimate(turn), turn.table, moment)

    # Decisions -----------------------------------------------------------------------------------

    def _plan(self, before: Table, step: str, *, ends: bool) -> None:
        """Book the steps since the last draw, against the best plan that the search finds."""
        assert self.begun is not None
        search, last = self._search(self.begun), Turn(before, self.seat, self.cards, None)
        plan = search.best()
        worth = search.worth_of_end(last) if ends else search.worth_of_draw(last, step)
        told: dict[str, Json] = {"chosen": "; ".join(self.done), "best": "; ".join(plan.steps)}
        self._decision((plan.worth, worth), before, ENDED, "plan", told)

    def _answer(self, before: Table, step: str) -> None:
        """R6: a pending roll is accepted or voided."""
        worths = self._search(before).answer_worths()
        best = max(worths, key=lambda answer: worths[answer])
        if step in worths and len(worths) > 1:
            told: dict[str, Json] = {"chosen": step, "best": best}
            self._decision((worths[best], worths[step]), before, BEGUN, "answer", told)

    def _decision(self, worths: tuple[int, int], before: Table, moment: str, kind: str, told: dict[str, Json]) -> None:
        """Book a decision from the estimates of the best and of the chosen way."""
        best, chosen = (corrected(worth, before, moment) / HUNDREDTHS for worth in worths)
        self.books.decision(best, chosen, kind, told)

    # Draws ---------------------------------------------------------------------------------------

    def _draw(self, before: Table, step: str, after: Table) -> None:
        """Book what a step has drawn against the mean of all outcomes."""
        search, turn = self._search(before), Turn(before, self.seat, self.cards, None)
        expected, exact = self._mean(search, turn, step)
        now = self._estimate(search, Turn(after, self.seat, self.cards, None))
        told: dict[str, Json] = {"step": step, "exact": exact}
        self.books.draw(expected / HUNDREDTHS, now / HUNDREDTHS, "draw", told)

    def _mean(self, search: Search, turn: Turn, step: str) -> tuple[float, bool]:
        """Return the mean of the estimates after a step that draws, and whether it is exact."""
        if not step.startswith(steps.PREPARE):
            found = list(islice(outcomes(turn, step), COUNTED + 1))
            if len(found) <= COUNTED:
                return sum(float(chance) * self._estimate(search, one) for chance, one in found), True
        values = [self._estimate(search, _sampled(turn, step, place)) for place in range(SAMPLE)]
        mean = sum(values) / len(values)
        spread = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        self.error = max(self.error, (spread / len(values)) ** 0.5)
        return mean, False


def _sampled(turn: Turn, step: str, place: int) -> Turn:
    """Return the turn after one outcome of a step. The same turn, step and place give the same outcome."""
    tried = turn.fork()
    me: Any = turn.me
    tried.draws = _SeededDraws(f"{turn.name} {turn.table['round']} {me['drawn']} {step} {place}")
    tried.draw_log = []
    stepping.act(tried, *steps.read(step))
    tried.draws = None
    return tried

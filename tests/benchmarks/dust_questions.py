"""Measure whether a turn of Dirt & Dust can be a question with a certain answer: `python -m
tests.benchmarks.dust_questions [--first N] [--left N] [--pairs N]
[--seconds N]`.

Two plans of a turn are compared: the best one of the ledger's search, and that of the learner, who looks no further
than a few ways. Each is carried out and the stage driven on by club drivers, both with the same draws, PAIRS times. The
difference of the points is what a question would have to know. Prints, for each number of rounds after the present one:
how many pairs of plans, the gap that the search states, the mean difference and how much it varies from pair to pair,
the processor time of a pair, and how long it takes until the standard error is a quarter of the stated gap.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from statistics import fmean, median, stdev
from typing import NamedTuple, cast

from engine.chance import SeededChance
from engine.contract import State
from engine.dust import contest, run_events
from engine.dust.cards import card_set_reading
from engine.dust.codriver.search import Search
from engine.dust.game import STEPS, game
from engine.dust.ledger import DATUM
from engine.dust.state import DRIVE, Table
from engine.dust.turn import stepping, steps
from engine.dust.turn.step_context import Turn
from engine.ledger import HUNDREDTHS

OTHER = "learner"
PART_OF_GAP = 4


class Pair(NamedTuple):
    """Two plans of a turn: the rounds after it, the gap stated, the differences found, and the seconds of each."""

    left: int
    stated: float
    found: list[float]
    seconds: float

    @property
    def minutes(self) -> float:
        """The processor time until the standard error is a quarter of the gap."""
        least = max(self.stated, 1 / HUNDREDTHS) / PART_OF_GAP
        return (stdev(self.found) / least) ** 2 * self.seconds / 60


def pairs(first: int, left: int, count: int, seconds: float) -> Iterator[Pair]:
    """Yield pairs of plans from games of club drivers, one of each round with at most `left` rounds after it, until the
    time is over.
    """
    document, begun = card_set_reading.own_document(card_set_reading.NEWEST), time.process_time()
    cards = card_set_reading.of_document(document)
    for number in range(first, first + 1000):
        setup, events = contest.drive_events(document, number, contest.seats_of_club(document, number))
        state, seen, step = setup, set[int](), ""
        for event in events:
            if time.process_time() - begun > seconds:
                return
            state = game().apply(state, event)
            if event["kind"] == run_events.STEP:
                step = event["step"].split()[0]
            if event["kind"] != run_events.HAND or step != steps.PREPARE:
                continue
            table, seat = cast(Table, state), str(event["seat"])
            if (
                table["drivers"][seat]["phase"] != DRIVE
                or table["round"] in seen
                or table["cards"] - table["round"] > left
            ):
                continue
            plans = [Search(table, seat, cards, manner).best().steps for manner in (DATUM, OTHER)]
            if plans[0] == plans[1]:
                continue
            seen.add(table["round"])
            best, other = (_stated(table, seat, cards, plan) for plan in plans)
            since = time.process_time()
            found = [_points(state, seat, plans[0], at) - _points(state, seat, plans[1], at) for at in range(count)]
            each = (time.process_time() - since) / count
            yield Pair(table["cards"] - table["round"], (best - other) / HUNDREDTHS, found, each)


def _stated(table: Table, seat: str, cards, plan: tuple[str, ...]) -> int:  # type: ignore[no-untyped-def]
    """Return what the search says of a plan, in hundredths."""
    search, turn = Search(table, seat, cards, DATUM), Turn(table, seat, cards, None)
    for step in plan[:-1]:
        stepping.act(turn, *steps.read(step))
    return search.worth_of_end(turn) if plan[-1] == steps.END else search.worth_of_draw(turn, plan[-1])


def _points(state: State, seat: str, plan: tuple[str, ...], number: int) -> float:
    """Return the points of a driver who begins with a plan, when club drivers drive all that follows."""
    rules, chance = game(), SeededChance(sha256(f"question {number}".encode()).digest())
    state, _events = rules.play(state, seat, {"do": STEPS, "steps": list(plan)}, chance)
    while waiting := rules.to_play(state):
        name = waiting[0]
        state, _events = rules.play(state, name, rules.autopilot(state, name, contest.CLUB), chance)
    result = rules.result(state)
    assert result is not None
    return float(next(one.measure or 0 for one in result.seats if one.seat == seat))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=900)
    parser.add_argument("--left", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=600.0)
    wishes = parser.parse_args()
    by_left: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs(wishes.first, wishes.left, wishes.pairs, wishes.seconds):
        by_left[pair.left].append(pair)
        print(
            f"{pair.left} rounds after it: stated {pair.stated:+.2f}, found {fmean(pair.found):+.2f}"
            f" +- {stdev(pair.found) / len(pair.found) ** 0.5:.2f}, {pair.seconds:.2f} s a pair",
            flush=True,
        )
    for left, each in sorted(by_left.items()):
        spread = fmean(stdev(pair.found) for pair in each)
        print(
            f"{left} rounds after it: {len(each)} pairs of plans, gap {median(pair.stated for pair in each):.2f},"
            f" varies by {spread:.2f}, {fmean(pair.seconds for pair in each):.2f} s a pair,"
            f" {median(pair.minutes for pair in each):.0f} minutes for a question"
        )


if __name__ == "__main__":
    main()

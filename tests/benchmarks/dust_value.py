"""Fit the values of the ledger of Dirt & Dust: `python -m tests.benchmarks.dust_value fit [--games N] [--first N]
[--keep FILE] [--balance FILE] [--seconds N] [--write]`, and measure them: `python -m tests.benchmarks.dust_value check
[--games N] [--first N] [--seconds N]`.

Four club drivers drive the games of `python -m engine contest dust`. `fit` compares the datum's estimate of each
position with the points in the end at three moments of each round. It prints the mean differences, and with --write
writes them to `engine/dust/data/value.toml`. FILE keeps what was read of each game; that of `--balance` has a line as
`make balance` writes it. No game begins after so many SECONDS of processor time. `check` makes the ledgers of other
games. It prints the means of the accounts with their standard errors, and exits with 1 when a ledger is wrong or the
mean of chance is more than four of them away from 0.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, cast

from engine import registry
from engine.contract import Event, Ledgers, State, required
from engine.dust import contest, ledger, run_events
from engine.dust.cards import card_set_reading
from engine.dust.state import DRIVE, OUT, Table
from engine.dust.turn.steps import END, PREPARE
from engine.ledger import HUNDREDTHS, faults

DATA = Path(ledger.__file__).parent / "data" / "value.toml"
HEAD = """\
# What the ledger adds to the estimate of a position, in hundredths of a point, so that it becomes the mean of the
# points in the end: by the number of rounds after the present one, 0 to 9. `between`: at the beginning of a round.
# `begun`: within a turn, for what its dice may still bring. `ended`: for a turn that is planned to its end.
# Written by: python -m tests.benchmarks.dust_value fit --write
# They are means of {games} games of four club drivers, the numbers {first} to {last} of the contest. Their greatest
# standard error is {error} hundredths. The points of one driver differ from the value by {spread} points (root of the
# mean square, over all rounds).
"""

Sample = tuple[int, int, int, int]
"""The moment, as a place in MOMENTS; the rounds after the present one; the estimate, and the points in the end, in
hundredths of a point.
"""


def samples(setup: State, events: Sequence[Event], points: Mapping[str, int]) -> Iterator[Sample]:
    """Yield the positions of a game: of each driver at the beginning of each round, after the hand of the round is
    drawn, and at the end of the turn.
    """
    table = cast(Table, setup)
    cards = card_set_reading.of_document(table["set"], table["digest"])

    def sample(seat: str, moment: str) -> Sample:
        left = table["cards"] - table["round"]
        worth = ledger.estimate(table, seat, cards, ended=moment == ledger.ENDED)
        return ledger.MOMENTS.index(moment), left, worth, HUNDREDTHS * points[seat]

    yield from (sample(seat, ledger.BETWEEN) for seat in table["order"])
    step = ""
    for event in events:
        if event["kind"] == run_events.STEP:
            step = event["step"].split()[0]
            if step == END and table["drivers"][event["seat"]]["phase"] == DRIVE:
                yield sample(event["seat"], ledger.ENDED)
        table = run_events.apply(table, event)
        if event["kind"] == run_events.HAND and step == PREPARE and table["drivers"][event["seat"]]["phase"] == DRIVE:
            yield sample(event["seat"], ledger.BEGUN)
        elif event["kind"] == run_events.CLOSED and not table["over"]:
            still_in = [seat for seat in table["order"] if table["drivers"][seat]["phase"] != OUT]
            yield from (sample(seat, ledger.BETWEEN) for seat in still_in)


Fit = tuple[dict[str, list[int]], int, float]
"""What is added by moment and rounds left; the greatest standard error in hundredths; the root of the mean square that
is left, in points.
"""


def fitted(found: Iterable[Sequence[Sample]]) -> Fit:
    """Return the mean differences of points and estimates. `found` has the samples of each game. The drivers of a game
    are not independent, so errors are those of the means of games.
    """
    by_place: dict[tuple[int, int], list[list[int]]] = {}
    for game in found:
        here: dict[tuple[int, int], list[int]] = {}
        for moment, left, estimate, points in game:
            here.setdefault((moment, left), []).append(points - estimate)
        for place, missed in here.items():
            by_place.setdefault(place, []).append(missed)
    added: dict[str, list[int]] = {moment: [] for moment in ledger.MOMENTS}
    errors, squares = [0.0], list[float]()
    for moment, left in sorted(by_place):
        each = by_place[moment, left]
        mean = round(fmean(missed for game in each for missed in game))
        added[ledger.MOMENTS[moment]].append(mean)
        squares += [(missed - mean) ** 2 for game in each for missed in game]
        if len(each) > 1:
            errors.append(stdev(fmean(game) for game in each) / len(each) ** 0.5)
    return added, round(max(errors)), fmean(squares) ** 0.5 / HUNDREDTHS


def games(wishes: argparse.Namespace) -> Iterator[tuple[int, dict[str, Any], State, list[Event]]]:
    """Yield the games of the contest: the number, what it says of characters and cards, its set-up and its events."""
    document = card_set_reading.own_document(card_set_reading.NEWEST)
    began = time.process_time()
    for number in range(wishes.first, wishes.first + wishes.games):
        if time.process_time() - began > wishes.seconds:
            return
        seats = contest.seats_of_club(document, number)
        setup, events = contest.drive_events(document, number, seats)
        yield number, contest.finished(number, seats, setup, events), setup, events


def fit(wishes: argparse.Namespace) -> int:
    """Fit the values. Returns the exit code 0."""
    known = _kept(wishes.keep)
    wishes.first = max([wishes.first, *(number + 1 for number in known)])
    for number, told, setup, events in games(wishes):
        points = dict(zip(setup["order"], (each["points"] for each in told["drivers"]), strict=True))
        known[number] = list(samples(setup, events, points))
        _keep(wishes.keep, {"game": number, "samples": known[number]})
        _keep(wishes.balance, told)
    added, error, spread = fitted(known.values())
    text = HEAD.format(games=len(known), first=min(known), last=max(known), error=error, spread=f"{spread:.1f}")
    text += "".join(f"{moment} = {values}\n" for moment, values in added.items())
    print(text)
    if wishes.write:
        DATA.write_text(text, "utf-8")
    return 0


def _kept(path: Path | None) -> dict[int, list[Sample]]:
    lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
    return {one["game"]: [tuple(each) for each in one["samples"]] for one in map(json.loads, lines)}


def _keep(path: Path | None, line: dict[str, Any]) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def check(wishes: argparse.Namespace) -> int:
    """Measure the ledgers of games. Returns the exit code."""
    rules = registry.get("dust")
    ledgers, wrong, played = required(rules, Ledgers), 0, 0
    accounts: dict[str, list[float]] = {"driving": [], "chance": [], "traffic": []}
    moved = list[float]()
    for _, _, setup, events in games(wishes):
        found = ledgers.ledger(setup, events)
        wrong += len(faults(found, rules.measure))
        played += 1
        for books in found.seats.values():
            moved.append(fmean(abs(each.amount) / HUNDREDTHS for each in books.bookings if each.account == "traffic"))
            for account, totals in accounts.items():
                totals.append(sum(each.amount for each in books.bookings if each.account == account) / HUNDREDTHS)
    print(f"{played} games, {len(moved)} seats, {wrong} faults; a booking of traffic moves {fmean(moved):.2f} points")
    for account, totals in accounts.items():
        error = stdev(totals) / len(totals) ** 0.5
        print(f"{account}: {fmean(totals):+.2f}, standard error {error:.2f}, spread {stdev(totals):.1f}")
    dice = accounts["chance"]
    return 1 if wrong or abs(fmean(dice)) > 4 * stdev(dice) / len(dice) ** 0.5 else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dust_value")
    parser.add_argument("do", choices=("fit", "check"))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--balance", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    wished = arguments()
    sys.exit(fit(wished) if wished.do == "fit" else check(wished))

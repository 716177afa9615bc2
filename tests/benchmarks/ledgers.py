"""Ledgers of many runs: `python -m tests.benchmarks.ledgers GAME [--runs N] [--small] [--manner NAME] [--keep FILE]`.

GAME is `dirt`, `formula_d` or `dust`. Without a manner each seed makes a run in which drivers do anything legal; with
one, each number is a course of the ladder (`engine/ladder.py`), driven by codrivers of that manner, in DIRT and
Formula D by one alone. `--small` makes the random runs cheap: in DIRT short stages; in Formula D the small track of a
club, with at most four cars and one lap in four runs of five; in Dirt & Dust at most two drivers and half the cards in
four runs of five. The fifth run keeps all that only many cars and long runs meet.

A ledger must add up, and no decision may gain. Prints the mean of each account over all seats with its standard error
and its spread, whether the mean of chance is within four errors, the processor time of the ledgers, and how often each
kind of event and of booking was met. Seats of a run are not independent, so the mean of chance is also that of whole
runs. FILE keeps a line for each run: runs in it are not made again. No run begins after so many SECONDS of processor
time. Exits with 1 when a ledger is wrong, or chance is beyond four errors.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from statistics import fmean, median, stdev
from time import process_time
from typing import Any

from engine import registry
from engine.chance import SeededChance
from engine.contract import Career, Event, Ladder, Ledgers, State, offered, required
from engine.contract.ledger import CHANCE, DRIVING, TRAFFIC
from engine.ladder import course_by_course
from engine.ledger import HUNDREDTHS, faults
from tests.benchmarks import dust_random_play, formula_d_random_play, random_play

ACCOUNTS = (CHANCE, DRIVING, TRAFFIC)
ERRORS = 4
"""By how many standard errors the mean of chance may differ from 0."""
SHORT = (3, 5)
"""Tiles of a small stage of DIRT."""
ALONE = {"dirt": 1, "formula_d": 1, "dust": 2}
"""How many cars a codriver drives. Alone, the card game is another one: it has a ghost."""

Driven = tuple[State, list[Event]]
Run = dict[str, Any]
"""A run: its number, the faults, the seconds of its ledger, for each seat the hundredths of the accounts and the
result, and how often each kind of event and of booking was met.
"""


def _dirt(seed: int, small: bool) -> Driven:
    return random_play.driven(seed, random_play.GIVES_UP, tiles=SHORT if small else random_play.TILES)


def _formula_d(seed: int, small: bool) -> Driven:
    return formula_d_random_play.drive(seed, formula_d_random_play.Met(), own_track=small)


def _dust(seed: int, small: bool) -> Driven:
    return dust_random_play.drive(seed, dust_random_play.Played(), small=small)


GAMES: dict[str, Callable[[int, bool], Driven]] = {"dirt": _dirt, "formula_d": _formula_d, "dust": _dust}


def driven_by(name: str, manner: str, number: int) -> Driven:
    """Let codrivers of a manner drive a course of the ladder. All manners have the same chance there."""
    rules = registry.get(name)
    course, options = required(rules, Ladder).duel(number)
    chosen, career = rules.clean_options(options), offered(rules, Career)
    car = {} if career is None else {"luggage": career.new_luggage(chosen)}
    setup: State = rules.setup(course, [{"id": str(seat + 1), **car} for seat in range(ALONE[name])], chosen)
    chance = SeededChance(sha256(f"ledgers {name} {number}".encode()).digest())
    state, told = rules.begin(setup, chance)
    events = list(told)
    while waiting := rules.to_play(state):
        state, told = rules.play(state, waiting[0], rules.autopilot(state, waiting[0], manner), chance)
        events += told
    return setup, events


def ledger_of(name: str, number: int, driven: Driven) -> Run:
    """Return what the ledger of a run says."""
    rules = registry.get(name)
    began = process_time()
    found = required(rules, Ledgers).ledger(*driven)
    seconds = process_time() - began
    seats = [
        {**{account: books.total(account) for account in ACCOUNTS}, "result": books.result}
        for books in found.seats.values()
    ]
    met = Counter(event["kind"] for event in driven[1])
    met.update(f"{event['kind']} {event['rule']}" for event in driven[1] if event.get("rule"))
    met.update(f"{one.account}: {one.kind}" for books in found.seats.values() for one in books.bookings)
    wrong = faults(found, rules.measure)
    return {"run": number, "faults": wrong, "seconds": round(seconds, 3), "seats": seats, "met": met}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ledgers")
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first run")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of processor time")
    parser.add_argument("--small", action="store_true", help="short stages, a small track")
    parser.add_argument("--manner", help="codrivers of this manner drive, not anything legal")
    parser.add_argument("--keep", type=Path, help="keeps a line for each run; those in it are not made again")
    return parser.parse_args()


def made(wishes: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs: those in the file, and new ones while there is time."""
    keep, began = wishes.keep, process_time()
    lines = keep.read_text("utf-8").splitlines() if keep is not None and keep.exists() else []
    known = {one["run"]: one for one in map(json.loads, lines)}
    numbers: Iterable[int] = range(wishes.seed, wishes.seed + wishes.runs)
    if wishes.manner:
        courses = course_by_course(required(registry.get(wishes.game), Ladder), wishes.runs)
        numbers = [wishes.seed + number for number in courses]
    for number in numbers:
        if number not in known:
            if process_time() - began > wishes.seconds:
                continue
            driven = (
                driven_by(wishes.game, wishes.manner, number)
                if wishes.manner
                else GAMES[wishes.game](number, wishes.small)
            )
            known[number] = ledger_of(wishes.game, number, driven)
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[number]) + "\n")
        yield known[number]


def main() -> int:
    """Make the requested ledgers. Returns the exit code."""
    wishes, wrong, runs, seats, seconds = arguments(), 0, 0, list[dict[str, int]](), list[float]()
    met, by_run = Counter[str](), list[float]()
    for run in made(wishes):
        runs += 1
        met.update(run.get("met", {}))
        by_run.append(sum(seat[CHANCE] for seat in run["seats"]) / HUNDREDTHS)
        seats += run["seats"]
        seconds.append(run["seconds"])
        for fault in run["faults"]:
            wrong += 1
            print(f"run {run['run']}: {fault}", flush=True)
    print(f"{wishes.game}, {wishes.manner or 'anything legal'}: {runs} runs, {len(seats)} seats, {wrong} faults")
    beyond = False
    for name in (*ACCOUNTS, "result"):
        amounts = [seat[name] / HUNDREDTHS for seat in seats]
        spread = stdev(amounts)
        error = spread / len(amounts) ** 0.5
        beyond |= name == CHANCE and abs(fmean(amounts)) > ERRORS * error
        print(f"{name:8} {fmean(amounts):+9.3f}, standard error {error:.3f}, spread {spread:.3f}")
    error_of_runs = stdev(by_run) / runs**0.5
    print(f"chance of a whole run {fmean(by_run):+.3f}, standard error {error_of_runs:.3f}")
    beyond |= abs(fmean(by_run)) > ERRORS * error_of_runs
    print("the mean of chance is " + ("BEYOND" if beyond else "within") + f" {ERRORS} standard errors of 0")
    print(f"processor time of a ledger: median {median(seconds):.2f} s, greatest {max(seconds):.2f} s")
    print("met: " + ", ".join(f"{name} {count}" for name, count in sorted(met.items())))
    return 1 if wrong or beyond else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compare the codrivers of Dirt & Dust: `python -m tests.benchmarks.dust_codrivers [--games N] [--pairs N] [--seconds
N] [--keep FILE]`.

Games of four club drivers, all stages and both pools, characters changing seats: their points, and how often each
character and each card of the team piles wins for its owners (a shared first place counts in parts). Pairs of games of
a club driver against the greedy one, each pair on the same chance with the seats swapped. Finally the time of a
driver's whole round. Requirements: a mean of 38, 65 % of the paired games, a p95 of 1.5 s of processor time, and wins
between 12 % and 40 %. Prints the requirements that are not met. Exits with 1 when it is the mean, the pairs or the
time.

FILE stores a line for each game, so that a long comparison can be made in parts: games in it are not played again. No
game begins after so many SECONDS.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, quantiles, stdev
from typing import Any

from engine.dust.cards import card_set_reading
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, STAGES

MEAN, PAIRS_WON, SECONDS = 38, 0.65, 1.5
RARE, OFTEN = 0.12, 0.40
SEATS = ("ana", "bo", "cy", "dee")
POOLS = ("basic", "advanced")

Game = dict[str, Any]
"""A finished game: its kind ("four" or "pair"), seed, drivers, and the seconds of the club drivers' rounds."""


def drive(seats: dict[str, tuple[str, str]], seed: int) -> tuple[dict[str, Any], list[float]]:
    """Drive a stage to its end. `seats`: for each driver the character and the manner. Odd seeds play the advanced
    game.
    """
    course = GAME.read_course({"stage": STAGES[seed // 2 % 5]})
    entrants = [{"id": name, "character": character} for name, (character, _) in seats.items()]
    state, luck = GAME.setup(course, entrants, {"pool": POOLS[seed % 2]}), Luck(seed)
    spent, rounds = dict.fromkeys(seats, 0.0), []
    while waiting := GAME.to_play(state):
        seat = waiting[0]
        began, turns = time.process_time(), GAME.turns_made(state, seat)
        orders = GAME.autopilot(state, seat, seats[seat][1])
        spent[seat] += time.process_time() - began
        state, _ = GAME.play(state, seat, orders, luck)
        if GAME.turns_made(state, seat) > turns and seats[seat][1] == "club":
            rounds.append(round(spent[seat], 3))
            spent[seat] = 0.0
    return state, rounds


def told(state: dict[str, Any]) -> dict[str, Any]:
    """Return the result of each driver: points, share of the win, character, cards of the piles."""
    result = GAME.result(state)
    assert result is not None
    best = min(one.rank for one in result.seats)
    winners = [one.seat for one in result.seats if one.rank == best]
    drivers = {}
    for one in result.seats:
        me = state["drivers"][one.seat]
        held = {*me["deck"], *me["top"], *me["hand"], *me["discard"], *me["removed"]}
        held |= {laid["card"] for laid in me["board"].values()}
        drivers[one.seat] = {
            "points": one.measure or 0,
            "won": (one.seat in winners) / len(winners),
            "character": me["driver"],
            "cards": sorted(held & set(state["pool"])),
        }
    return drivers


def four(seed: int) -> Game:
    """Play a game of four club drivers."""
    characters = list(card_set_reading.own().characters)
    turned = characters[seed % 4 :] + characters[: seed % 4]
    state, rounds = drive({name: (one, "club") for name, one in zip(SEATS, turned, strict=True)}, seed)
    return {"kind": "four", "seed": seed, "drivers": told(state), "rounds": rounds}


def pair(seed: int) -> Game:
    """Play two games of a club driver against the greedy one on the same chance. `won`: a tie is half a win."""
    won, rounds = 0.0, []
    characters = list(card_set_reading.own().characters)
    first, second = characters[seed % 4], characters[(seed % 4 + 1 + seed // 4 % 3) % 4]
    for club, greedy in (("ana", "bo"), ("bo", "ana")):
        seats = {"ana": (first, "greedy"), "bo": (second, "greedy")}
        seats[club] = (seats[club][0], "club")
        state, spent = drive(seats, seed)
        ended = told(state)
        rounds += spent
        won += (ended[club]["points"] > ended[greedy]["points"]) + (
            ended[club]["points"] == ended[greedy]["points"]
        ) / 2
    return {"kind": "pair", "seed": seed, "won": won, "rounds": rounds}


def played(games: int, pairs: int, seconds: float, keep: Path | None) -> Iterator[Game]:
    """Return every requested game: those stored in the file, and new ones while there is time."""
    kept = [json.loads(line) for line in keep.read_text("utf-8").splitlines()] if keep and keep.exists() else []
    yield from kept
    known = {(one["kind"], one["seed"]) for one in kept}
    began = time.monotonic()
    asked = [("four", seed) for seed in range(games)] + [("pair", seed) for seed in range(pairs)]
    for kind, seed in asked:
        if time.monotonic() - began > seconds:
            return
        if (kind, seed) not in known:
            game = four(seed) if kind == "four" else pair(seed)
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(game) + "\n")
            yield game


def by_points(fours: list[Game]) -> str | None:
    """Print the points of four club drivers. Return the requirements that are not met."""
    drivers = [(POOLS[game["seed"] % 2], one) for game in fours for one in game["drivers"].values()]
    points = [one["points"] for _, one in drivers]
    error = stdev(points) / len(points) ** 0.5
    print(f"four club drivers, {len(fours)} games: mean {fmean(points):.1f} points (error {error:.1f})")
    for pool in POOLS:
        if gained := [one["points"] for name, one in drivers if name == pool]:
            print(f"  {pool}: {fmean(gained):.1f}")
    return "the mean of points" if fmean(points) < MEAN else None


def by_owner(fours: list[Game]) -> None:
    """Print how often characters and cards win for their owners."""
    owners: dict[str, list[float]] = defaultdict(list)
    for game in fours:
        for one in game["drivers"].values():
            for name in [one["character"], *one["cards"]]:
                owners[name].append(one["won"])
    for name, wins in sorted(owners.items(), key=lambda one: -fmean(one[1])):
        share = fmean(wins)
        error = (share * (1 - share) / len(wins)) ** 0.5
        beyond = "  too often" if share > OFTEN else "  too seldom" if share < RARE else ""
        print(f"  {name:14} wins {share:6.1%} of {len(wins):4} (error {error:.1%}){beyond}")


def by_pairs(pairs: list[Game]) -> str | None:
    """Print the paired games. Return the requirements that are not met."""
    won = sum(one["won"] for one in pairs) / (2 * len(pairs))
    print(f"club beats greedy in {won:.1%} of {2 * len(pairs)} paired games")
    return "the paired games" if won < PAIRS_WON else None


def by_time(found: list[Game]) -> str | None:
    """Print the time of a club driver's round. Return the requirements that are not met."""
    rounds = [one for game in found for one in game["rounds"]]
    p95 = quantiles(rounds, n=20)[-1]
    print(f"a round of a club driver: mean {fmean(rounds):.2f} s, p95 {p95:.2f} s, most {max(rounds):.2f} s")
    return "the time of a round" if p95 > SECONDS else None


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dust_codrivers")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main() -> int:
    """Compare them. Returns the exit code: 1 when a requirement for the codrivers is not met."""
    wishes = asked()
    found = list(played(wishes.games, wishes.pairs, wishes.seconds, wishes.keep))
    fours = [one for one in found if one["kind"] == "four"]
    pairs = [one for one in found if one["kind"] == "pair"]
    missed = []
    if fours:
        missed.append(by_points(fours))
        by_owner(fours)
    if pairs:
        missed.append(by_pairs(pairs))
    if found:
        missed.append(by_time(found))
    said = [one for one in missed if one]
    print("all holds" if not said else "does not hold: " + "; ".join(said))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())

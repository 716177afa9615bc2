"""Codrivers against each other: games of four, and how often each character and each card of the piles wins."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any

from engine.chance import SeededChance
from engine.contract import Event, Json, State
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import ADVANCED, BASIC

SEATS = ("ana", "bo", "cy", "dee")
CLUB = "club"
POOLS = (BASIC, ADVANCED)
"""Even games are played with the basic piles, odd ones with the advanced piles."""
LEAST_OWNERS = 40
"""A card with fewer owners says nothing."""

Game = dict[str, Any]
"""A finished game: its number, and for each driver the points, the share of the win, the character, the manner, and the
cards of the piles.
"""


def drive_game(document: Mapping[str, Json], number: int, seats: Mapping[str, tuple[str, str]]) -> Game:
    """Drive a game with a card set, and return what it says of characters and cards. Arguments as of `drive_events`."""
    setup, events = drive_events(document, number, seats)
    return finished(number, seats, setup, events)


def drive_events(
    document: Mapping[str, Json], number: int, seats: Mapping[str, tuple[str, str]]
) -> tuple[State, list[Event]]:
    """Drive a game with a card set. Return its set-up and its events. `seats`: for each driver the character and the
    manner. Stages change in turn.
    """
    from engine.dust.game import game

    rules = game()
    stages = [name for name, stage in card_set_reading.of_document(document).stages.items() if not stage.training]
    course = rules.read_course({"stage": stages[number // 2 % len(stages)], "set": document})
    entrants = [{"id": seat, "character": character} for seat, (character, _) in seats.items()]
    setup: State = rules.setup(course, entrants, {"pool": POOLS[number % 2]})
    chance = SeededChance(sha256(f"dust contest {number}".encode()).digest())
    state, events = setup, list[Event]()
    while waiting := rules.to_play(state):
        seat = waiting[0]
        state, told = rules.play(state, seat, rules.autopilot(state, seat, seats[seat][1]), chance)
        events += told
    return setup, events


def finished(number: int, seats: Mapping[str, tuple[str, str]], setup: State, events: Iterable[Event]) -> Game:
    """Return what a game that is over says of characters and cards."""
    from engine.dust.game import game

    rules, state = game(), setup
    for event in events:
        state = rules.apply(state, event)
    return {"game": number, "drivers": _results(rules.result(state), state, seats)}


def _results(result: Any, state: State, seats: Mapping[str, tuple[str, str]]) -> list[dict[str, Json]]:
    best = min(one.rank for one in result.seats)
    winners = [one.seat for one in result.seats if one.rank == best]
    found: list[dict[str, Json]] = []
    for one in result.seats:
        me = state["drivers"][one.seat]
        held = {*me["deck"], *me["top"], *me["hand"], *me["discard"], *me["removed"]}
        held |= {laid["card"] for laid in me["board"].values()}
        found.append(
            {
                "character": me["driver"],
                "manner": seats[one.seat][1],
                "points": one.measure or 0,
                "won": (one.seat in winners) / len(winners),
                "cards": sorted(held & set(state["pool"])),
            }
        )
    return found


def seats_of_club(document: Mapping[str, Json], number: int) -> dict[str, tuple[str, str]]:
    """Return four club drivers. Characters change seats from game to game."""
    names = list(card_set_reading.of_document(document).characters)
    at = number % len(names)
    return {seat: (name, CLUB) for seat, name in zip(SEATS, names[at:] + names[:at], strict=False)}


def seats_of_manners(document: Mapping[str, Json], number: int, one: str, other: str) -> dict[str, tuple[str, str]]:
    """Return two drivers of each of two manners. Which characters they have changes from game to game."""
    club = seats_of_club(document, number)
    first = number // len(club) % 2
    return {
        seat: (character, (one, other)[(place + first) % 2])
        for place, (seat, (character, _)) in enumerate(club.items())
    }


def games(
    document: Mapping[str, Json],
    numbers: Iterable[int],
    *,
    keep: Path | None = None,
    seconds: float = float("inf"),
    manners: tuple[str, str] | None = None,
) -> Iterator[Game]:
    """Yield the games with these numbers: those in the file `keep`, and new ones, which are added to it, as long as
    fewer than so many `seconds` of processor time are spent. Without `manners` all four are club drivers.
    """
    lines = keep.read_text("utf-8").splitlines() if keep is not None and keep.exists() else []
    known = {one["game"]: one for one in map(json.loads, lines)}
    began = process_time()
    for number in numbers:
        if number not in known:
            if process_time() - began > seconds:
                continue
            seats = seats_of_manners(document, number, *manners) if manners else seats_of_club(document, number)
            known[number] = drive_game(document, number, seats)
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[number]) + "\n")
        yield known[number]


def shares(found: Iterable[Game]) -> dict[str, Json]:
    """Return the shares of wins by character, by manner and by card that at least LEAST_OWNERS drivers owned, with
    their errors in parts of one; the mean of points with its error. A shared first place counts in parts.
    """
    won: dict[str, dict[str, list[float]]] = {kind: defaultdict(list) for kind in ("characters", "manners", "cards")}
    points: list[int] = []
    played = 0
    for one in found:
        played += 1
        for driver in one["drivers"]:
            points.append(driver["points"])
            won["characters"][driver["character"]].append(driver["won"])
            won["manners"][driver["manner"]].append(driver["won"])
            for card in driver["cards"]:
                won["cards"][card].append(driver["won"])
    cards = {name: wins for name, wins in won["cards"].items() if len(wins) >= LEAST_OWNERS}
    return {
        "games": played,
        "points": {"mean": round(fmean(points), 1), "error": round(stdev(points) / len(points) ** 0.5, 1)},
        "characters": _shares(won["characters"]),
        "manners": _shares(won["manners"]),
        "cards": _shares(cards),
    }


def _shares(won: Mapping[str, list[float]]) -> dict[str, Json]:
    """Return owners, share of wins and error by name, the largest share first."""
    found: dict[str, Json] = {}
    for name, wins in sorted(won.items(), key=lambda one: -fmean(one[1])):
        share = fmean(wins)
        error = (share * (1 - share) / len(wins)) ** 0.5
        found[name] = {"of": len(wins), "won": round(share, 3), "error": round(error, 3)}
    return found

"""Random card sets, random legal play: `python -m tests.benchmarks.dust_random_play [--games N] [--seed N] [--seconds
N]`.

Each seed makes a table: our own card set or a random one, one to four drivers, any stage, any options. Drivers do
anything legal, in any order, and some resign. No step may be refused. Every game must end. Folding its events must give
its state. No value may exceed its limits, and no card may appear from nowhere. The same posts made seat by seat in each
round must lead to the same end (S3; not on the training stage, T3). Every operation of the effect language must have
been used. Prints how many there were. No game begins after so many SECONDS.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Event
from engine.dust.cards import card_set_reading, operations
from engine.dust.turn import driving, resolving
from engine.dust.turn.step_context import Turn
from tests.games.dust.engine.luck import Luck
from tests.games.dust.engine.tables import GAME, random_start, random_step

MOST_POSTS = 8000
RESIGNS = 0.0005
SMALL = 0.8
"""The share of small games where a ledger is made of each."""


@dataclass(slots=True)
class Played:
    """Counts of the steps, and of the uses of each operation."""

    steps: int = 0
    used: Counter[str] = field(default_factory=Counter)


def operations_of(state: dict[str, Any], seat: str, step: str) -> list[str]:
    """Return the operations of the effect that a step carries out."""
    turn = Turn(state, seat, card_set_reading.of_document(state["set"], state["digest"]), None)  # type: ignore[arg-type]
    first, *words = step.split()
    opened = turn.me["open"]
    if first == "do" and opened is not None:
        effect = driving.effects_of(turn, opened)[int(words[0]) - 1]
    elif first == "void":
        found = resolving.voids(turn, words[0])
        assert found is not None
        effect = found
    elif first == "passive":
        passive = turn.card(turn.me["board"][words[0]]["card"]).passive()
        assert passive is not None
        effect = passive
    else:
        return []
    return [type(one).__name__ for one in effect.operations]


def cards_of(state: dict[str, Any]) -> Counter[str]:
    """Return all cards of a run: on piles, on boards, in hands, decks and heaps. They are the same from beginning to
    end.
    """
    found = Counter(state["piles"])
    for driver in state["drivers"].values():
        for heap in ("deck", "top", "hand", "discard", "removed"):
            found.update(driver[heap])
        found.update(laid["card"] for laid in driver["board"].values())
    return found


def sound(state: dict[str, Any]) -> None:
    """Check that no value exceeds its limits (D6, N2, N3, P2, R2, R3, R5, B2).

    Raises: AssertionError when one does.
    """
    limits = state["set"]["limits"]
    for driver in state["drivers"].values():
        for resource in ("keys", "traction", "popularity"):
            assert 0 <= driver[resource] <= limits[resource], resource
        assert driver["speed"] >= 0 and 0 <= driver["risk"] <= limits["risk_dice"]
        assert 0 <= driver["hits"] < limits["damage_track"] and 0 <= driver["flipped"] <= limits["damage_tokens"]
        most = limits["markers_on_card_star"] if driver["star"] else limits["markers_on_card"]
        assert all(0 < count <= most for count in driver["markers"].values())
        assert sum(driver["markers"].values()) <= limits["markers"]
        assert set(driver["board"]) <= set("123456")
        assert all(die[0] in "pbf" and die[1] in ("12" if die[0] == "f" else "123456") for die in driver["dice"])
        ordered = Counter(one["card"] for one in driver["aside"])
        assert all(count <= state["piles"][name] for name, count in ordered.items())
    assert all(count >= 0 for count in state["piles"].values())


def drive(seed: int, played: Played, *, small: bool = False) -> tuple[dict[str, Any], list[Event]]:
    """Drive one game to its end. Return its set-up and its events. `small`: most games are small (`random_start`).

    Raises: AssertionError, or another error, when something is wrong.
    """
    state, rng = random_start(seed, small=SMALL if small else 0.0)
    first = told = state
    luck, cards, rounds, story = Luck(seed), cards_of(state), list[list[tuple[str, Any]]](), list[Event]()
    for _ in range(MOST_POSTS):
        seats = GAME.to_play(state)
        if not seats:
            break
        seat, now = rng.choice(seats), state["round"]
        if rng.random() < RESIGNS:
            orders = GAME.resign(state, seat)
        else:
            step = random_step(state, seat, rng)
            played.used.update(operations_of(state, seat, step))
            orders = {"do": "steps", "steps": [step]}
        rounds += [[]] * (now - len(rounds))
        rounds[now - 1] = [*rounds[now - 1], (seat, orders)]
        state, events = GAME.play(state, seat, orders, luck)
        played.steps += 1
        story += events
        for event in events:
            told = GAME.apply(told, event)
        sound(state)
        assert cards_of(state) == cards, f"seed {seed}: a card is lost or comes from nowhere"
    assert GAME.result(state) is not None, f"seed {seed} does not end"
    assert told == state, f"seed {seed}: the events give another state"
    if not state["training"]:
        assert one_by_one(first, rounds, seed) == state, f"seed {seed}: the order of turns matters"
    return first, story


def one_by_one(state: dict[str, Any], rounds: list[list[tuple[str, Any]]], seed: int) -> dict[str, Any]:
    """Return the end of the game when in each round each seat makes all of its posts before the next seat."""
    luck = Luck(seed)
    for posts in rounds:
        for seat, orders in sorted(posts, key=lambda post: post[0]):
            state, _ = GAME.play(state, seat, orders, luck)
    return state


def unused(played: Played) -> list[str]:
    """Return the operations of the effect language that were never used."""
    return sorted({kind.__name__ for kind in operations.Operation.__subclasses__()} - set(played.used))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dust_random_play")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first game")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    return parser.parse_args()


def main() -> int:
    """Play the requested games. Returns the exit code: 1 when one of them fails."""
    wishes, began, played = arguments(), time.monotonic(), Played()
    games = 0
    for seed in range(wishes.seed, wishes.seed + wishes.games):
        if time.monotonic() - began > wishes.seconds:
            break
        try:
            drive(seed, played)
        except Exception as error:
            print(f"seed {seed}: {error!r}")
            return 1
        games += 1
        if games % 100 == 0:
            print(f"{games} games, {played.steps} steps, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{games} games, {played.steps} steps in {time.monotonic() - began:.0f} s: all ended, none was unsound")
    print("operations: " + ", ".join(f"{name} {count}" for name, count in sorted(played.used.items())))
    if missing := unused(played):
        print("never used: " + ", ".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Drives games until each way in which a run can end has occurred, and stores a record of each.

`python -m tests.games.recording formula_d` writes what is missing in tests/games/formula_d/engine/recorded/. A record
is compressed JSON; tests/games/test_recorded_runs.py replays it.
"""

from __future__ import annotations

import ast
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from engine import record
from engine.dirt.rally import RETIREMENTS
from tests.contract.driving import Drive, Post, begun, chance_of, games, opened, some_orders, written

ROOT = Path(__file__).resolve().parents[2]
MOST_TRIES, MOST_POSTS = 4_000, 1_200
WORN = 3
"""The damaged gear dice of a worn car."""
LARGEST = 40_000
"""The largest file, in bytes."""
FINISHED = "finished"


def _dirt(document: dict[str, Any]) -> set[str]:
    found = {event["rule"] for event in _events(document) if event["kind"] == "retire"}
    return found | {FINISHED for event in _events(document) if event["kind"] == "finish"}


def _formula_d(document: dict[str, Any]) -> set[str]:
    found = {event["why"] for event in _events(document) if event["kind"] == "out"}
    return found | ({FINISHED} if any(one["status"] == FINISHED for one in results_of(document)) else set())


def _dust(document: dict[str, Any]) -> set[str]:
    found = {one["reason"] or one["status"] for one in results_of(document)}
    return found | ({"alone"} if len(document["entrants"]) == 1 else set())


ENDINGS: dict[str, Callable[[dict[str, Any]], set[str]]] = {"dirt": _dirt, "formula_d": _formula_d, "dust": _dust}
"""The ways in which seats of a record have ended, by game."""


def in_the_code(name: str) -> set[str]:
    """Return every way to end that the code of a game can bring about, so that a new one needs a record."""
    if name == "dirt":
        return {FINISHED, *RETIREMENTS}
    if name == "formula_d":
        calls = (node for node in _nodes(name) if isinstance(node, ast.Call) and _called(node) == "out")
        return {FINISHED, *(str(node.args[1].value) for node in calls if isinstance(node.args[1], ast.Constant))}
    reasons = (node.value for node in _nodes(name) if isinstance(node, ast.Assign) and _assigned(node) == "reason")
    texts = (one.value for reason in reasons for one in ast.walk(reason) if isinstance(one, ast.Constant))
    return {FINISHED, "alone", *(text for text in texts if isinstance(text, str))}


def _nodes(name: str) -> Iterator[ast.AST]:
    for path in sorted((ROOT / "engine" / name).rglob("*.py")):
        yield from ast.walk(ast.parse(path.read_text("utf-8")))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _assigned(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


def _events(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for turn in document["turns"] for event in turn["events"]]


def results_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the record's events give as the result: seat, measure, rank, status and reason of each."""
    game, state = record.fold(document)
    result = game.result(state)
    if result is None:
        return []
    return [
        {"seat": one.seat, "measure": one.measure, "rank": list(one.rank), "status": one.status, "reason": one.reason}
        for one in result.seats
    ]


def tried(name: str, seed: int) -> Drive | None:
    """Return a run driven by a mixture of orders at random, codrivers and resignations, which the seed chooses. None
    for one that lasts too long.
    """
    game, rng = games()[name], Random(f"recorded {name} {seed}")
    drive = _opened(name, seed, rng)
    state = begun(drive)
    chance = chance_of(seed, drawn=sum(draw["by"] == "run" for draw in drive.opening_draws))
    share, resigns = rng.choice([0.0, 0.5, 0.9, 0.98, 1.0]), rng.random() < 0.1
    manner = rng.choice(["", *getattr(game, "manners", ())])
    while waiting := game.to_play(state):
        seat = rng.choice(waiting)
        chance.salt = f"salt {rng.randrange(1000)}"
        if resigns and rng.random() < 0.05:
            orders = game.resign(state, seat)
        elif len(drive.posts) >= len(drive.entrants) and rng.random() < share:  # the first orders may build a car
            orders = game.autopilot(state, seat, manner)
        else:
            orders = some_orders(game, state, seat, rng, autopilot=0.0)
        drawn = len(chance.draws)
        after, events = game.play(state, seat, orders, chance)
        drive.posts.append(Post(state, seat, orders, tuple(events), after, chance.salt, chance.draws[drawn:]))
        state = after
        if len(drive.posts) > MOST_POSTS:
            return None
    return drive


def _opened(name: str, seed: int, rng: Random) -> Drive:
    """Return a table before its first turn: from one car to a full field, on a long race or with worn cars at times."""
    game = games()[name]
    seats = rng.randint(game.seats.least, min(8, game.seats.most))
    chosen = {"laps": rng.randint(1, 3), "build": rng.random() < 0.8} if name == "formula_d" else {}
    drive = opened(game, seed, seats, **chosen)
    if name == "dirt" and rng.random() < 0.5:
        for entrant in drive.entrants:
            entrant["luggage"] = {**entrant["luggage"], "damage": {**entrant["luggage"]["damage"], "gear": WORN}}
        drive.setup = game.setup(drive.course, drive.entrants, drive.options)
        _state, drive.opening = game.begin(drive.setup, chance_of(seed))
    return drive


def folder_of(name: str) -> Path:
    """Return the folder of a game's recorded runs."""
    return ROOT / "tests" / "games" / name / "engine" / "recorded"


def packed(document: dict[str, Any]) -> bytes:
    """Return a record and its result as a compressed file, the same at any time."""
    text = json.dumps({"record": document, "result": results_of(document)}, sort_keys=True, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def stored(name: str) -> dict[str, dict[str, Any]]:
    """Return the stored files of a game by ending."""
    return {
        path.name.removesuffix(".json.gz"): json.loads(gzip.decompress(path.read_bytes()))
        for path in sorted(folder_of(name).glob("*.json.gz"))
    }


def main(name: str, first_seed: int = 1) -> None:
    """Write a record for each ending that has none."""
    missing = in_the_code(name) - set(stored(name))
    folder_of(name).mkdir(exist_ok=True)
    for seed in range(first_seed, first_seed + MOST_TRIES):
        if not missing:
            return
        drive = tried(name, seed)
        if drive is None:
            continue
        document = written(drive, seed)
        file = packed(document)
        for ending in sorted(missing & ENDINGS[name](document)) if len(file) < LARGEST else ():
            (folder_of(name) / f"{ending}.json.gz").write_bytes(file)
            missing.discard(ending)
            print(f"{name}: {ending}, seed {seed}, {len(file)} bytes", flush=True)
    print(f"{name}: not found: {sorted(missing)}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

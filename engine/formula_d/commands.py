"""The commands of Formula D: `perft`, `bench`, `contest`."""

from __future__ import annotations

import argparse
import json
import sys

from engine.commands import Command
from engine.contract import StageError
from engine.formula_d import benchmark
from engine.formula_d.contest import contest
from engine.formula_d.movement.reach import counted
from engine.formula_d.movement.walk import Drive
from engine.formula_d.track import load_track, names

_ENDLESS = sys.maxsize


def perft(args: argparse.Namespace) -> int:
    """Print the numbers of full legal paths on the empty track, of their end spaces, and of paths that overshoot."""
    game, _, name = args.track.partition("/")
    track = load_track((name or game).replace("\n", " "))
    if args.at not in track.index:
        raise StageError("%(space)s: there is no such space on %(track)s", space=args.at[:40], track=track.title)
    if args.stops < 0 or args.roll < 0:
        raise StageError("stops and roll are not below 0")
    drive = Drive(track, track.index[args.at], args.roll, stops=args.stops, laps=_ENDLESS)
    print(*counted(drive))
    return 0


def _perft_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("track", metavar="formula_d/TRACK")
    parser.add_argument("--at", required=True, metavar="SPACE", help="where the car stands")
    parser.add_argument("--stops", default=0, type=int, metavar="N", help="stops made in the corner it stands in")
    parser.add_argument("--roll", required=True, type=int, metavar="N", help="spaces to drive")


def print_benchmark(args: argparse.Namespace) -> int:
    """Print the speed of the game on this machine as one JSON object."""
    print(json.dumps(benchmark.run_benchmark(_track(args.game) or benchmark.TRACK), indent=2))
    return 0


def compare(args: argparse.Namespace) -> int:
    """Print the results of codrivers against each other, one JSON object for each track."""
    if args.races < 1:
        raise StageError("at least one race is driven")
    for name in [_track(args.game)] if _track(args.game) else names():
        print(json.dumps(contest(name, args.races, first=args.first, options={"laps": args.laps})), flush=True)
    return 0


def _track(words: str) -> str:
    """Return the name of the track after the name of the game ("formula_d/monza"), or ""."""
    return words.partition("/")[2]


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="formula_d[/TRACK]")


def _contest_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="formula_d[/TRACK]", help="without a track: on all of them")
    parser.add_argument("--races", default=200, type=int, metavar="N")
    parser.add_argument("--first", default=0, type=int, metavar="N", help="number of the first race")
    parser.add_argument("--laps", default=1, type=int, metavar="N")


COMMANDS = (
    Command("perft", "how many full paths a roll has", _perft_arguments, perft),
    Command("bench", "how fast the engine is here, as one JSON object", _bench_arguments, print_benchmark),
    Command("contest", "how the manners of codrivers fare, ten cars a race", _contest_arguments, compare),
)

"""The commands of Dirt & Dust: `choices`, `bench`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.commands import REFUSED, Command, document
from engine.contract import DocumentError, GameError
from engine.dust import benchmark, contest, scenario
from engine.dust.cards import card_set_reading
from engine.dust.choices import choices
from engine.dust.codriver import MANNERS
from engine.dust.turn import stepping


def print_choices(args: argparse.Namespace) -> int:
    """Print all legal next steps after a scenario, one driver and step per line."""
    cards = card_set_reading.own()
    try:
        table, error = scenario.ended(document(args.file), cards)
    except GameError as refused:
        raise DocumentError("%(file)s: %(reason)s", file=args.file[-80:], reason=refused.message) from None
    if error is not None:
        print(json.dumps({"error": error}))
        return REFUSED
    for name in stepping.to_play(table):
        for step in choices(table, name, cards):
            print(name, step)
    return 0


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.json")


def print_benchmark(args: argparse.Namespace) -> int:
    """Print the speed of the engine on this machine as one JSON object."""
    print(json.dumps(benchmark.run_benchmark(), indent=2))
    return 0


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="dust")


def compare(args: argparse.Namespace) -> int:
    """Print the shares of wins by character, by manner and by card as one JSON object."""
    if args.games < 1:
        raise DocumentError("at least one game is driven")
    if args.set is None:
        document = card_set_reading.own_document(card_set_reading.NEWEST)
    else:
        document = card_set_reading.document(Path(args.set).read_text("utf-8"))
    numbers = range(args.first, args.first + args.games)
    manners = None if args.manners is None else (args.manners[0], args.manners[1])
    found = contest.games(document, numbers, keep=args.keep, seconds=args.seconds, manners=manners)
    print(json.dumps(contest.shares(found), indent=2))
    return 0


def _contest_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="dust")
    parser.add_argument("--games", default=400, type=int, metavar="N", help="games of four club drivers")
    parser.add_argument("--first", default=0, type=int, metavar="N", help="number of the first game")
    parser.add_argument("--manners", nargs=2, choices=MANNERS, metavar="MANNER", help="two drivers of each")
    parser.add_argument("--set", metavar="FILE.toml", help="a card set; without it our own")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keeps a line for each game; those in it are not driven"
    )
    parser.add_argument(
        "--seconds", default=float("inf"), type=float, help="after so much processor time no further game begins"
    )


COMMANDS = (
    Command("choices", "every legal next step after a scenario", _arguments, print_choices),
    Command("bench", "how fast the engine is on this machine", _bench_arguments, print_benchmark),
    Command("contest", "how characters, cards and manners of codrivers fare", _contest_arguments, compare),
)

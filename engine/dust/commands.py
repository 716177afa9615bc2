"""The commands of Dirt & Dust: `choices`, `bench`."""

from __future__ import annotations

import argparse
import json

from engine.commands import REFUSED, Command, document
from engine.contract import DocumentError, GameError
from engine.dust import benchmark, scenario
from engine.dust.cards import card_set_reading
from engine.dust.choices import choices
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


COMMANDS = (
    Command("choices", "every legal next step after a scenario", _arguments, print_choices),
    Command("bench", "how fast the engine is on this machine", _bench_arguments, print_benchmark),
)

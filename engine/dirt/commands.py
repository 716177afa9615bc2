"""The commands of DIRT on the command line: `moves`, `perft`, `build`, `drive`, `bench`."""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from engine.commands import Command
from engine.contract import StageError
from engine.dirt import benchmark, drive, facts, plan, road
from engine.dirt.codriver import decisions as codriver
from engine.dirt.course import compiled_stage, layout, random_stages


def _stage(name: str) -> dict[str, Any]:
    """Return a ready-made stage ("1/2"), or the stage of a TOML file with a list of tiles.

    Raises: StageError when the name is neither, or the stage cannot be driven.
    """
    if name in facts.rallies():
        return layout.read_stage(facts.rallies()[name])
    try:
        return layout.read_stage(tomllib.loads(Path(name).read_text("utf-8")))
    except FileNotFoundError:
        raise StageError(f"{name}: neither a ready-made stage nor a file") from None
    except OSError as error:
        raise StageError(f"{name[-80:]}: {error.strerror}") from None
    except RecursionError:
        raise StageError(f"{name}: nested too deeply") from None
    except StageError as error:
        raise StageError(f"{name}: {error.placed}") from None
    except ValueError as error:
        raise StageError(f"{name[-80:]}: {error}") from None


def _road(name: str) -> road.Road:
    """Return the road of a stage without mud and without other cars."""
    compiled = compiled_stage.compiled(_stage(name))
    return road.Road(compiled, road.limits_under_mud(compiled, {}), {})


def moves(args: argparse.Namespace) -> int:
    """Print the legal next moves of a car with all its dice, one a line."""
    found = _road(args.stage)
    if args.at not in found.track.index:
        raise StageError(f"{args.at}: there is no such space on this stage")
    if not 0 <= args.gear <= facts.facts().top_gear:
        raise StageError(f"there is no gear {args.gear}")
    for step in plan.steps(found, plan.start(found, found.track.index[args.at], args.gear, {})):
        print(step.move)
    return 0


def perft(args: argparse.Namespace) -> int:
    """Print how many legal plans of exactly DEPTH moves there are from the grid."""
    if args.depth < 0:
        raise StageError("a plan has no fewer than 0 moves")
    found = _road(args.stage)
    print(plan.count(found, plan.start(found, compiled_stage.GRID, 0, {}), args.depth))
    return 0


def build(args: argparse.Namespace) -> int:
    """Print a random stage as a TOML file that the other commands read."""
    stage = random_stages.build(tiles=args.tiles, seed=args.seed, hazard=args.hazard, service=args.service)
    print(random_stages.to_toml(stage), end="")
    return 0


def drive_alone(args: argparse.Namespace) -> int:
    """Let a codriver drive a stage many times; print par time, spread, retirements, crashes."""
    if args.runs < 1:
        raise StageError("at least one run is driven")
    stage = _stage(args.stage)
    rated = drive.rating(stage, drive.drive(stage, codriver=args.codriver, runs=args.runs, seed=args.seed))
    if args.json:
        print(json.dumps({"stage": args.stage, "codriver": args.codriver, "seed": args.seed, **rated}))
    else:
        print("\n".join(drive.report_lines(args.stage, args.codriver, rated)))
    return 0


def print_benchmark(args: argparse.Namespace) -> int:
    """Print how fast the engine is on this machine, one JSON object."""
    print(json.dumps(benchmark.run_benchmark(), indent=2))
    return 0


def _moves_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", metavar="STAGE", help="rally/stage, or a TOML file with a tiles list")
    parser.add_argument("--at", default="grid", metavar="SPACE")
    parser.add_argument("--gear", default=0, type=int, metavar="G")


def _perft_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", metavar="STAGE")
    parser.add_argument("depth", metavar="DEPTH", type=int)


def _build_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tiles", required=True, type=int, metavar="N", help="start and finish included")
    parser.add_argument("--seed", required=True, type=int, metavar="S", help="the same seed, the same stage")
    parser.add_argument("--hazard", default=2, type=int, metavar="1..3", help="1 gentle, 3 dangerous")
    parser.add_argument("--service", action="store_true", help="with the service park behind the finish")


def _drive_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", metavar="STAGE")
    parser.add_argument("--codriver", default="club", choices=codriver.NAMES)
    parser.add_argument("--runs", default=100, type=int, metavar="N")
    parser.add_argument("--seed", default=0, type=int, metavar="S", help="the same seed, the same runs")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def _no_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


COMMANDS = (
    Command("moves", "legal next moves of a car", _moves_arguments, moves),
    Command("perft", "how many legal plans there are", _perft_arguments, perft),
    Command("build", "lay a random stage from one core box", _build_arguments, build),
    Command("drive", "what a codriver makes of a stage, alone against the clock", _drive_arguments, drive_alone),
    Command("bench", "how fast the engine is here, as one JSON object", _no_arguments, print_benchmark),
)

"""The command line: `python -m engine moves | perft | replay | verify | build | drive | bench`."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import bench, record
from engine.dirt import builder, codriver, drive, facts, layout, plan, road, track
from engine.ruleset import GameError, StageError

REFUSED, UNREADABLE = 1, 2


def _stage(name: str) -> dict[str, Any]:
    """A ready-made stage ("1/2") or a TOML file with a list of tiles. Errors: StageError."""
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
        place = f"tile {error.tile}: " if error.tile else ""
        raise StageError(f"{name}: {place}{error.message}") from None
    except ValueError as error:
        raise StageError(f"{name[-80:]}: {error}") from None


def _road(name: str) -> road.Road:
    """A stage without mud and without other cars."""
    compiled = track.compiled(_stage(name))
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
    """Print how many legal plans of exactly so many moves there are from the grid."""
    if args.depth < 0:
        raise StageError("a plan has no fewer than 0 moves")
    found = _road(args.stage)
    print(plan.count(found, plan.start(found, track.GRID, 0, {}), args.depth))
    return 0


def _document(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise record.RecordError(str(error.strerror)) from None
    except RecursionError:
        raise record.RecordError("nested too deeply") from None
    except ValueError as error:
        raise record.RecordError(str(error)) from None


def replay(args: argparse.Namespace) -> int:
    """Play scenario files with the chance they give, fold records; print one JSON object each."""
    worst = 0
    for path in args.files:
        try:
            shown, legal = _replayed(_document(path))
        except GameError as error:
            print(f"engine: {path[-80:]}: {error.message}", file=sys.stderr)
            worst = UNREADABLE
            continue
        print(json.dumps(shown))
        worst = max(worst, 0 if legal else REFUSED)
    return worst


def _replayed(document: Any) -> tuple[dict[str, Any], bool]:
    """What a scenario or a record comes to, and whether every turn was legal. Errors: GameError."""
    if isinstance(document, dict) and "record" in document:
        rules, state = record.fold(document)
        return rules.view(state, None), True
    return record.play_scenario(document)


def verify(args: argparse.Namespace) -> int:
    """Draw all chance of a record again; say what was wrong first."""
    try:
        wrong = record.verify(_document(args.file))
    except GameError as error:
        raise record.RecordError(f"{args.file[-80:]}: {error.message}") from None
    print(wrong or "every draw of this record follows from its secret")
    return REFUSED if wrong else 0


def build(args: argparse.Namespace) -> int:
    """Print a random stage as a TOML file that the other commands read."""
    stage = builder.build(tiles=args.tiles, seed=args.seed, hazard=args.hazard, service=args.service)
    print(builder.written(stage), end="")
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
        print("\n".join(drive.told(args.stage, args.codriver, rated)))
    return 0


def measure(args: argparse.Namespace) -> int:
    """Print how fast the engine is on this machine, one JSON object."""
    print(json.dumps(bench.measured(), indent=2))
    return 0


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m engine", description="The rules of rally games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("moves", help="legal next moves of a car")
    one.add_argument("stage", metavar="STAGE", help="rally/stage, or a TOML file with a tiles list")
    one.add_argument("--at", default="grid", metavar="SPACE")
    one.add_argument("--gear", default=0, type=int, metavar="G")
    one.set_defaults(run=moves)
    one = commands.add_parser("perft", help="how many legal plans there are")
    one.add_argument("stage", metavar="STAGE")
    one.add_argument("depth", metavar="DEPTH", type=int)
    one.set_defaults(run=perft)
    one = commands.add_parser("replay", help="play scenario files and records")
    one.add_argument("files", nargs="+", metavar="FILE.json")
    one.set_defaults(run=replay)
    one = commands.add_parser("verify", help="check the chance of a record against its secret")
    one.add_argument("file", metavar="RECORD.json")
    one.set_defaults(run=verify)
    one = commands.add_parser("build", help="lay a random stage from one core box")
    one.add_argument("--tiles", required=True, type=int, metavar="N", help="start and finish included")
    one.add_argument("--seed", required=True, type=int, metavar="S", help="the same seed, the same stage")
    one.add_argument("--hazard", default=2, type=int, metavar="1..3", help="1 gentle, 3 dangerous")
    one.add_argument("--service", action="store_true", help="with the service park behind the finish")
    one.set_defaults(run=build)
    one = commands.add_parser("drive", help="what a codriver makes of a stage, alone against the clock")
    one.add_argument("stage", metavar="STAGE")
    one.add_argument("--codriver", default="club", choices=codriver.NAMES)
    one.add_argument("--runs", default=100, type=int, metavar="N")
    one.add_argument("--seed", default=0, type=int, metavar="S", help="the same seed, the same runs")
    one.add_argument("--json", action="store_true", help="one JSON object instead of text")
    one.set_defaults(run=drive_alone)
    one = commands.add_parser("bench", help="how fast the engine is here, as one JSON object")
    one.set_defaults(run=measure)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0: done; 1: an illegal turn or a false record; 2: something that cannot be read."""
    args = _arguments(sys.argv[1:] if argv is None else argv)
    try:
        code: int = args.run(args)
    except GameError as error:
        print(f"engine: {error.message}", file=sys.stderr)
        return UNREADABLE
    return code


if __name__ == "__main__":
    sys.exit(main())

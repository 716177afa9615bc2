"""The command line: `python -m engine COMMAND`.

`replay`, `verify`, `analyse`, `offers` and `ladder` serve all games. Each other command belongs to a game. When several
games have a command of the same name, the first argument selects the game: "game/course" selects the game `game`, a
JSON file selects the game in its field `game`, and anything else selects the game that reads files without that field.

Only the selected game is imported. `--help` imports all.

`--game MODULE` before the command installs a game from outside this package: `python -m engine --game my_game.rules
verify record.json`. It may be given several times.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from engine import ladder, ledger, record, registry
from engine.contract import (
    CAPABILITIES,
    DocumentError,
    GameError,
    Ladder,
    Ledgers,
    UnknownGame,
    nearly_offered,
    offered,
    required,
)

REFUSED, UNREADABLE = 1, 2
GAME = "--game"
"""The option that installs a game from outside this package."""
GAME_HELP = f"{GAME} MODULE installs a game from outside: the module that holds its rules under the name `game`."


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `run` returns the exit code: 0 done, 1 an illegal turn, a false record or a capability
    that is nearly offered, 2 unreadable input.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def document(path: str) -> Any:
    """Return the contents of a JSON file.

    Raises: DocumentError when the file is missing, unreadable, or not JSON.
    """
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise DocumentError(str(error.strerror)) from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except ValueError as error:
        raise DocumentError(str(error)) from None


def game_of(read: Any) -> str:
    """Return the name of the game that a document belongs to.

    Raises: DocumentError when the document names a game that is not installed.
    """
    named = read.get("game") if isinstance(read, Mapping) else None
    if named is None:
        return _default_game()
    if not isinstance(named, str) or named not in registry.names():
        raise DocumentError(f"game: {named!r:.40} is no game; there are: {', '.join(registry.names())}")
    return named


def _default_game() -> str:
    """Return the game whose scenario files need not name it."""
    for name in registry.packages():
        if getattr(registry.module(name, "scenario"), "READS_UNNAMED", False):
            return name
    raise DocumentError("game: the file does not say which game it is of")


def replay(args: argparse.Namespace) -> int:
    """Play scenario files with the draws that they list, and fold records. Print one JSON object for each file."""
    worst = 0
    for path in args.files:
        try:
            shown, legal = _replayed(document(path))
        except GameError as error:
            print(f"engine: {path[-80:]}: {error.message}", file=sys.stderr)
            worst = UNREADABLE
            continue
        print(json.dumps(shown))
        worst = max(worst, 0 if legal else REFUSED)
    return worst


def _replayed(read: Any) -> tuple[dict[str, Any], bool]:
    """Return the result of a scenario or the final view of a record, and whether every turn was legal."""
    if isinstance(read, Mapping) and "record" in read:
        rules, state = record.fold(read)
        return rules.view(state, None), True
    name = game_of(read)
    scenario = registry.module(name, "scenario")
    if scenario is None:
        raise DocumentError(f"game: {name} has no scenario files")
    played: tuple[dict[str, Any], bool] = scenario.play(read)
    return played


def verify(args: argparse.Namespace) -> int:
    """Check the commitment, the phrases, the draws and the events of a record. Print the first thing that is wrong, and
    the orders that could have been tried before, with other salts.
    """
    for name in ("promised", "phrases"):
        if getattr(args, name) and not re.fullmatch(r"[0-9a-f]{64}", getattr(args, name)):
            raise DocumentError(f"--{name}: 64 hexadecimal digits expected")
    try:
        read = document(args.file)
        checked = record.check(read, promised=args.promised, phrases=args.phrases)
    except GameError as error:
        raise DocumentError(f"{args.file[-80:]}: {error.message}") from None
    print(checked.wrong or _what_it_proves(read, promised=args.promised))
    for old_form in checked.old_forms:
        print(f"but {old_form}")
    return REFUSED if checked.wrong else 0


def _what_it_proves(read: Mapping[str, Any], *, promised: str) -> str:
    """Return what a correct record proves, and what it cannot prove without --promised."""
    if read["record"] == 1:
        return "every draw of this record follows from its secret"
    if not promised:
        return "every draw of this record follows from its seal; give --promised to check that it is the promised seal"
    return "every draw of this record follows from the seal that was promised"


def _hex(typed: str) -> str:
    """Return hexadecimal digits in the form in which they are compared."""
    return typed.strip().lower()


def offers(args: argparse.Namespace) -> int:
    """Print what games offer, and what they nearly offer: a capability of which a name is missing or misspelt."""
    worst = 0
    for name in args.games or registry.names():
        game = registry.get(name)
        named = [getattr(one, "__name__", "") for one in CAPABILITIES if offered(game, one) is not None]
        print(f"{name} offers {', '.join(named) or 'nothing beyond the core'}")
        for near in nearly_offered(game, CAPABILITIES):
            like = f", has {', '.join(near.like)}" if near.like else ""
            print(f"{name} nearly offers {near.capability}: lacks {', '.join(near.lacks)}{like}")
            worst = REFUSED
    return worst


def _offers_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", metavar="GAME", help="without one: all games")


def _replay_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE.json")


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="RECORD.json")
    for name, shown in (("promised", "the stage's seal"), ("phrases", "its phrases")):
        help_text = f"the SHA-256 of {shown}, noted before the stage"
        parser.add_argument(f"--{name}", default="", type=_hex, metavar="HEX", help=help_text)


def analyse(args: argparse.Namespace) -> int:
    """Print the ledger of a record: what each driver decided, what chance gave, and what is left, in hundredths. The
    record is verified first.
    """
    read = document(args.file)
    wrong = record.verify(read)
    if wrong is not None:
        print(f"engine: {args.file[-80:]}: {wrong}", file=sys.stderr)
        return REFUSED
    rules, state, events = record.opened(read)
    if rules.result(record.fold(read)[1]) is None:
        raise DocumentError("the run is not over: a ledger is made of whole runs")
    ledgers = required(rules, Ledgers)
    for line in ledger.lines(ledgers.ledger(state, events), rules.measure, whole=args.whole):
        print(line)
    return 0


def _analyse_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="RECORD.json")
    parser.add_argument("--whole", action="store_true", help="print every booking")


def strengths(args: argparse.Namespace) -> int:
    """Let the codrivers of a game drive duels, each against its rival. Print each rung as one JSON object, shares in
    thousandths, and with --write keep it in the game's data.
    """
    rules = registry.get(args.game)
    game = required(rules, Ladder)
    if args.duels < 1:
        raise DocumentError("at least one duel is driven")
    known = {rung.manner: rung for rung in game.rungs}
    for name in args.manners or known:
        if name not in known:
            raise DocumentError("%(name).40s: no manner; there are: %(all)s", name=name, all=", ".join(known))
        if known[name].rival:
            *_, known[name] = ladder.measured(rules, game, known[name], args.duels, keep=args.keep)
            print(json.dumps(ladder.plain(known[name])), flush=True)
        if args.write is not None:
            kept = Path(args.write) if args.write else ladder.data_file(args.game)
            kept.write_text(ladder.written(args.game, list(known.values())), "utf-8")
    return 0


def _strengths_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("manners", nargs="*", metavar="MANNER", help="without one: all manners of the game")
    parser.add_argument("--duels", default=100, type=int, metavar="N", help="each is driven in both orders of seats")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keeps a line for each duel; those in it are not driven"
    )
    parser.add_argument(
        "--write", nargs="?", const="", metavar="FILE", help="keep the results, by default in the game's data"
    )


COMMANDS = (
    Command("replay", "play scenario files and records", _replay_arguments, replay),
    Command("verify", "check a record against what was promised", _verify_arguments, verify),
    Command("analyse", "what a driver decided and what chance gave", _analyse_arguments, analyse),
    Command("offers", "the capabilities that a game offers, and nearly offers", _offers_arguments, offers),
    Command("ladder", "how strong the manners of a game's codrivers are", _strengths_arguments, strengths),
)


def _find_command(command: str, words: Sequence[str]) -> Command | None:
    """Return the command with this name, of the game that the arguments select, or None when there is none.

    The selected game is asked first. Only when it lacks the command are the other games imported: a command that one
    game alone has belongs to that game, whatever the arguments say.

    Raises: DocumentError when several games have the command, and the file that selects one cannot be read.
    """
    own = next((one for one in COMMANDS if one.name == command), None)
    if own is not None:
        return own
    try:
        selected, unreadable = _selected_game(words), None
    except DocumentError as error:
        selected, unreadable = "", error
    found = _command_of(selected, command) if selected else None
    if found is not None:
        return found
    others = [one for game in registry.packages() if game != selected and (one := _command_of(game, command))]
    if len(others) > 1 and unreadable is not None:
        raise unreadable
    return others[0] if len(others) == 1 else None


def _selected_game(words: Sequence[str]) -> str:
    """Return the name of the game that the first argument selects.

    Raises: DocumentError when the argument is a file that cannot be read or names no installed game.
    """
    first = next((word for word in words if not word.startswith("-")), "")
    named = first.partition("/")[0]
    if named in registry.packages():
        return named
    return _game_of_file(first) if first.endswith(".json") else _default_game()


def _game_of_file(path: str) -> str:
    """Return the name of the game that a file belongs to.

    Raises: DocumentError when the file cannot be read or names no installed game. The message names the file.
    """
    try:
        return game_of(document(path))
    except DocumentError as error:
        raise DocumentError(f"{path[-80:]}: {error.message}") from None


def _command_of(game: str, command: str) -> Command | None:
    """Return the command of this name that a game adds, or None."""
    return next((one for one in _commands_of(game) if one.name == command), None)


def _commands_of(game: str) -> tuple[Command, ...]:
    """Return the commands that a game adds. Its package is imported."""
    added: ModuleType | None = registry.module(game, "commands")
    return () if added is None else tuple(added.COMMANDS)


def _usage() -> str:
    lines = [f"  {one.name:<10} {one.help}" for one in COMMANDS]
    lines += [f"  {one.name:<10} {one.help} ({game})" for game in registry.packages() for one in _commands_of(game)]
    return "\n".join(
        [
            "usage: python -m engine [--game MODULE] COMMAND ...",
            "",
            "The rules of rally games.",
            "",
            *lines,
            "",
            GAME_HELP,
        ]
    )


def _install_games(words: Sequence[str]) -> Sequence[str]:
    """Install the games whose modules `--game` names before the command. Return the words from the command on.

    Raises: DocumentError when a module is missing or holds no game.
    """
    while words and words[0].partition("=")[0] == GAME:
        _name, given, module = words[0].partition("=")
        if not given:
            module = words[1] if len(words) > 1 else ""
        try:
            registry.add(registry.rules_of(module), module=module)
        except UnknownGame as error:
            raise DocumentError(f"{GAME}: {error.message}") from None
        words = words[1:] if given else words[2:]
    return words


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Return 0 when done, 1 for an illegal turn, a false record or a capability that is nearly
    offered, 2 for unreadable input.
    """
    words: Sequence[str] = list(sys.argv[1:] if argv is None else argv)
    try:
        words = _install_games(words)
        if not words or words[0] in ("-h", "--help"):
            print(_usage(), file=sys.stdout if words else sys.stderr)
            return 0 if words else UNREADABLE
        command = _find_command(words[0], words[1:])
        if command is None:
            raise DocumentError(f"there is no command {words[0]!r:.40}; python -m engine --help lists them")
        parser = argparse.ArgumentParser(prog=f"python -m engine {command.name}", description=command.help)
        command.arguments(parser)
        return command.run(parser.parse_args(words[1:]))
    except GameError as error:
        print(f"engine: {error.message}", file=sys.stderr)
        return UNREADABLE

"""The command line finds the game of a command and of a file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from engine import registry
from engine.commands import game_of, main
from engine.contract import DocumentError, Game

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = """
import sys
from engine.commands import main
code = main(sys.argv[1:])
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("engine.") and name.count(".") > 1}))
"""


def packages_imported_by(*words: str) -> set[str]:
    """Return the packages of the engine that a process has imported after a command. The command must succeed."""
    ran = subprocess.run([sys.executable, "-c", IMPORTED, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split()) - {"contract"}


@pytest.mark.parametrize(
    ("words", "game"),
    [
        ("perft 3/2 1", "dirt"),
        ("moves 1/1", "dirt"),
        ("perft formula_d/monaco --at C5.2.1 --roll 3", "formula_d"),
        ("contest formula_d/monaco --races 1", "formula_d"),
    ],
)
def test_a_command_imports_no_game_but_its_own(words: str, game: str) -> None:
    assert packages_imported_by(*words.split()) == {game}


def test_a_scenario_imports_no_game_but_its_own(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"game": "dirt", "stage": "1/1", "drivers": [{"id": "ana"}]}), "utf-8")
    assert packages_imported_by("replay", str(path)) == {"dirt"}


def test_a_command_of_one_game_is_found_whatever_its_arguments_say(capsys: pytest.CaptureFixture[str]) -> None:
    """The file cannot be read, so no game is selected; yet only one game has the command, and reports the file."""
    assert main(["choices", "nowhere.json"]) == 2
    assert "nowhere.json" in capsys.readouterr().err


def test_a_command_of_several_games_names_the_file_that_selects_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "nowhere.json", "1"]) == 2
    assert "nowhere.json: No such file" in capsys.readouterr().err


def test_help_lists_the_commands_of_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert {"replay", "verify", "perft"} <= {line.split()[0] for line in out.splitlines() if line.startswith("  ")}


def test_without_a_command_the_usage_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m engine [--game MODULE] COMMAND")


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pefrt", "1/1", "3"]) == 2
    assert "there is no command 'pefrt'" in capsys.readouterr().err


def test_a_file_without_a_game_is_of_the_game_that_reads_such_files() -> None:
    unnamed = game_of({})
    assert unnamed in registry.packages()
    assert game_of({"game": unnamed}) == unnamed


@pytest.mark.parametrize("named", ["chess", 3, "", ["x"]])
def test_a_file_of_a_game_that_is_not_installed_is_refused(named: object) -> None:
    with pytest.raises(DocumentError, match="is no game; there are: "):
        game_of({"game": named})


def test_replay_goes_on_behind_a_file_of_an_unknown_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_text(json.dumps({"game": "chess"}), "utf-8")
    good.write_text(json.dumps({"stage": "1/1", "drivers": [{"id": "ana"}]}), "utf-8")
    assert main(["replay", str(bad), str(good)]) == 2
    out, err = capsys.readouterr()
    assert "game: 'chess' is no game" in err
    assert json.loads(out)["next"] == "ana"


# Games from outside the engine ------------------------------------------------------------------------

OUTSIDE = """
class Rules:
    name = "far"


def game():
    return Rules()
"""


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules, with the rules of a game `far` in far_away/rules.py."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "far_away").mkdir()
    (tmp_path / "far_away" / "__init__.py").write_text("")
    (tmp_path / "far_away" / "rules.py").write_text(OUTSIDE)
    yield tmp_path
    registry.remove("far")
    for module in ("far_away", "far_away.rules"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize("words", [("--game", "far_away.rules"), ("--game=far_away.rules",)])
def test_a_game_from_outside_is_installed_by_its_module(
    far: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--help"]) == 0
    assert capsys.readouterr().err == ""
    assert registry.outside() == ("far",)
    assert (registry.get("far").name, registry.module_of("far")) == ("far", "far_away.rules")


@pytest.mark.parametrize("module", ["far_away", "far_away.none", "nowhere.rules", "json", "", ".rules", "far away"])
def test_a_module_without_a_game_is_named(far: Path, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--game", module, "replay", "x.json"]) == 2
    assert f"--game: there is no module {module!r} with a game in it" in capsys.readouterr().err


def test_an_option_without_its_module_is_unreadable(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--game"]) == 2
    assert "--game: there is no module ''" in capsys.readouterr().err


def test_rules_that_need_a_missing_package_say_which(far: Path) -> None:
    """The module is there: its own fault is not reported as a module that is missing."""
    (far / "far_away" / "rules.py").write_text("import no_such_package_here")
    with pytest.raises(ModuleNotFoundError, match="no_such_package_here"):
        registry.rules_of("far_away.rules")


def test_the_module_of_a_game_is_empty_where_none_holds_it(far: Path) -> None:
    class Loose:
        """Rules that no module holds under the name `game`."""

        name = "far"

    registry.add(cast(Game, Loose()))
    assert registry.module_of("far") == ""
    assert registry.module_of("dirt") == ""

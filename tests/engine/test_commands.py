"""The command line finds the game of a command and of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import registry
from engine.commands import game_of, main
from engine.contract import DocumentError


def test_help_lists_the_commands_of_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert {"replay", "verify", "perft"} <= {line.split()[0] for line in out.splitlines() if line.startswith("  ")}


def test_without_a_command_the_usage_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m engine COMMAND")


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

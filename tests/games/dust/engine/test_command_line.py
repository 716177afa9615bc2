"""`replay` and `choices` of scenario files, as the command line prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.commands import main
from tests.games.dust.engine.scenes import document, laid


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def written(folder: Path, name: str, content: Any) -> str:
    path = folder / name
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def test_replay_prints_one_object_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = written(tmp_path, "good.json", document(("ana", ["prepare", "end"]), drivers={"ana": {}}))
    bad = written(tmp_path, "bad.json", document(("ana", ["prepare"]), ("ana", ["end", "done"]), drivers={"ana": {}}))
    code, out, err = run(capsys, "replay", good, bad)
    first, second = (json.loads(line) for line in out.splitlines())
    assert (code, err, first["round"]) == (1, "", 2)
    assert set(second["error"]) == {"turn", "step", "rule", "message"}
    assert (second["error"]["turn"], second["error"]["step"], second["error"]["rule"]) == (2, 2, "Q2")


def test_replay_of_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dry = written(
        tmp_path, "dry.json", document(("ana", ["prepare"]), drivers={"ana": {}}, chance={"ana": {"dice": "1"}})
    )
    five = written(tmp_path, "five.json", document(drivers={name: {} for name in "abcde"}))
    good = written(tmp_path, "good.json", document(drivers={"ana": {}}))
    code, out, err = run(capsys, "replay", dry, good, five)
    assert (code, len(out.splitlines()), len(err.splitlines())) == (2, 1, 2)
    assert "U1" in err and "has run out" in err


def test_choices_prints_every_legal_next_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = laid(s3="quick-swap", s6="bolts", s2="ready")
    turns = [("bo", ["prepare", "use 3 p"])]
    path = written(tmp_path, "one.json", document(*turns, drivers={"ana": {}, "bo": {"board": board}}))
    code, out, _ = run(capsys, "choices", path)
    assert code == 0
    assert out.splitlines() == [
        "ana prepare",
        "bo do 1 2 3",
        "bo do 1 2 6",
        "bo do 1 3 6",
        "bo do 2",
        "bo do 3",
        "bo done",
    ]


def test_choices_after_an_illegal_step_or_of_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "bad.json", document(("ana", ["end"]), drivers={"ana": {}}))
    code, out, _ = run(capsys, "choices", path)
    assert (code, json.loads(out)["error"]["rule"]) == (1, "Q2")
    code, out, err = run(capsys, "choices", str(tmp_path / "none.json"))
    assert (code, out) == (2, "") and "none.json" in err

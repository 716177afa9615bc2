"""Full paths counted on the empty tracks: M1, M3, M4, C2, C4, C5, F2. A wrong arrow or stop changes a count."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import pytest

from engine import commands
from engine.formula_d.movement.reach import counted
from engine.formula_d.movement.walk import Drive
from engine.formula_d.track import Track, load_track
from tests.games.formula_d.engine.brute import full_paths

ROWS = list(csv.DictReader(Path(__file__).with_name("perft.csv").read_text("utf-8").splitlines()))
ENDLESS = 10**6


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['track']} {row['space']} {row['stops']}" for row in ROWS])
def test_counts(row: dict[str, str]) -> None:
    track = load_track(row["track"])
    for roll, expected in list(row.items())[3:]:
        drive = Drive(track, track.index[row["space"]], int(roll), stops=int(row["stops"]), laps=ENDLESS)
        assert "/".join(map(str, counted(drive))) == expected, roll


def _places(track: Track) -> list[int]:
    return [at for at in range(0, len(track.spaces), 17) if not track.in_the_pits(at)]


@pytest.mark.parametrize("name", ["monaco", "suzuka"])
def test_counts_are_those_of_paths_tried_one_by_one(name: str) -> None:
    track = load_track(name)
    for at, stops, roll in product(_places(track), (0, 1, 2), (2, 7, 11)):
        drive = Drive(track, at, roll, stops=stops, laps=ENDLESS)
        paths = full_paths(track, at, stops, roll)
        overshot = sum(path.over > 0 for path in paths)
        assert counted(drive) == (len(paths), len({path.spaces[-1] for path in paths}), overshot)


def test_m3_counts_round_markers_are_those_of_paths_tried_one_by_one() -> None:
    """Every seventh space has a marker, some of them beside each other."""
    track = load_track("monza")
    markers = frozenset(at for at in range(len(track.spaces)) if at % 7 == 0 or at % 31 == 1)
    longer = 0
    for at, roll in product(_places(track), (4, 9)):
        paths = full_paths(track, at, 2, roll, markers=markers)
        drive = Drive(track, at, roll, stops=2, laps=ENDLESS, marked=markers, obstacles=markers)
        assert counted(drive)[:2] == (len(paths), len({path.spaces[-1] for path in paths}))
        longer += len(paths) > len(full_paths(track, at, 2, roll))
    assert longer, "some markers are gone round"


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["perft", "formula_d/monza", "--at", "C1.2.0", "--stops", "2", "--roll", "30"]
    assert commands.main(words) == 0
    assert capsys.readouterr().out == "51498 18 660\n"


@pytest.mark.parametrize("words", [["formula_d/nowhere", "--at", "S1.1.0"], ["formula_d/monza", "--at", "S1.4.0"]])
def test_command_refuses_what_is_not_there(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["perft", *words, "--roll", "3"]) == commands.UNREADABLE
    assert capsys.readouterr().err.startswith("engine: ")

"""The ledger of a race: it adds up in every kept record and in random races, and decisions and dice are told apart."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from engine import record
from engine.commands import main
from engine.contract import Json
from engine.formula_d.race import FINISHED, track_of
from engine.ledger import faults
from tests.benchmarks.formula_d_random_play import Met, drive
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.driven_races import ANYHOW, NEUTRAL, POND, ledger_of

RECORDS = sorted((Path(__file__).parent / "recorded").glob("*.json.gz"))
MONZA: dict[str, Json] = {"track": "monza"}


def document_of(path: Path) -> dict[str, Any]:
    """Return the record in a file that holds a record and its result."""
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))["record"]
    return document


@pytest.mark.parametrize("laps", [1, 2])
def test_the_ideal_drive_is_a_way_round_the_track_that_belongs_to_no_car(laps: int) -> None:
    options = GAME.clean_options({"laps": laps, "weather": True, "tyres": True, "qualifying": True})
    setups = [GAME.setup(POND, [{"id": seat} for seat in seats], options) for seats in ("12", "4312")]
    ways = [GAME.ideal_drive(setup) for setup in setups]
    assert ways[0] == ways[1]
    track = track_of(setups[0])
    way = [track.index[name] for name in ways[0]]
    assert way[0] == track.grid[0]
    assert all(to in track.nexts[at] for at, to in pairwise(way))
    crossings = [track.crosses(at, to) for at, to in pairwise(way)]
    assert crossings.count(True) == laps + 1 and crossings[-1], "from the grid over the line, then each lap"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.partition(".")[0])
def test_every_kept_record_has_a_ledger_that_adds_up(path: Path) -> None:
    document = document_of(path)
    _, setup, events = record.opened(document)
    found = GAME.ledger(setup, events)
    assert faults(found, GAME.measure) == []
    grid = next((number for number, event in enumerate(events) if event["kind"] == "grid"), len(events))
    rounds = Counter(event["seat"] for event in events[grid:] if event["kind"] == "turn")
    cars = record.fold(document)[1]["cars"]
    assert list(found.seats) == list(setup["entered"])
    for seat, books in found.seats.items():
        if cars[seat]["status"] == FINISHED:
            assert books.result == 100 * rounds[seat]
        else:
            assert books.result >= 100 * rounds[seat]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 40))
def test_the_ledgers_of_random_races_add_up(first: int) -> None:
    for seed in range(first, first + 40):
        setup, events = drive(seed, Met(), own_track=True)
        assert faults(GAME.ledger(setup, events), GAME.measure) == [], seed


def test_the_neutral_driver_gives_nothing_up_and_others_do_in_their_order() -> None:
    runs = {
        manner: [ledger_of(manner, seed, MONZA).seats["c0"] for seed in range(12)]
        for manner in (NEUTRAL, "club", "cautious", ANYHOW)
    }
    given_up = {manner: fmean(books.total("driving") for books in found) for manner, found in runs.items()}
    assert given_up[NEUTRAL] == 0
    assert 0 < given_up["club"] < given_up["cautious"] < 100 < given_up[ANYHOW]
    for found in runs.values():
        dice = [books.total("chance") for books in found]
        assert abs(fmean(dice)) < 4 * pstdev(dice) / len(dice) ** 0.5


def test_dice_of_cars_among_others_are_zero_on_average() -> None:
    dice = [
        books.total("chance")
        for seed in range(25)
        for books in ledger_of("club", seed, POND, cars=6, weather=True, laps=2).seats.values()
    ]
    assert abs(fmean(dice)) < 4 * pstdev(dice) / len(dice) ** 0.5


def test_the_command_counts_in_turns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written = tmp_path / "record.json"
    written.write_text(json.dumps(document_of(RECORDS[0])))
    assert main(["analyse", str(written)]) == 0
    told = capsys.readouterr().out
    assert " turns_to_flag = " in told and ", chance, roll: " in told and "best way" not in told
    assert main(["analyse", "--whole", str(written)]) == 0
    assert "best way" in capsys.readouterr().out
